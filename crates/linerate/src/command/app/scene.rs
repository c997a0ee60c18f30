//! A scene of the user's own, in a file.

use std::path::Path;

use linerate_apps::photon::Scene;
use linerate_core::plan::AppPlan;
use serde_json::Value;

use crate::store;
use crate::trouble::Trouble;

/// Reads the file that the option `scene` names, if its name ends in .toml, into the plan.
pub(super) fn take_in(asked: &mut AppPlan) -> Result<(), Trouble> {
    let named = asked.options.get("scene").and_then(Value::as_str);
    let named = named.filter(|name| name.ends_with(".toml")).map(str::to_owned);
    let Some(name) = named.filter(|_| asked.name == "photon") else { return Ok(()) };
    let path = Path::new(&name);
    let help = "name a scene in TOML, or one that ships; docs/applications/photon.md has the form";
    let bytes = store::bytes(path).map_err(|error| Trouble::file("read the scene", path, &error, help))?;
    let text = String::from_utf8_lossy(&bytes);
    let scene = Scene::from_toml(&text).map_err(|error| Trouble::new(format!("failed to {error}"), help))?;
    let scene = serde_json::to_value(scene).expect("a scene is written in files");
    asked.options.remove("scene");
    asked.options.insert("own-scene".to_owned(), scene);
    Ok(())
}
