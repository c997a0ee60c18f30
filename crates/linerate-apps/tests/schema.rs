//! Plans and outcomes have a published form. No time.

use linerate_apps::md::Md;
use linerate_apps::md::outcome::MdOutcome;
use linerate_apps::tbmd::Tbmd;
use linerate_apps::tbmd::outcome::TbmdOutcome;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What is written is read again, and every key of it is in the schema.
fn published<T: JsonSchema + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let written = serde_json::to_value(value).expect("it is written");
    assert_eq!(*value, serde_json::from_value::<T>(written.clone()).expect("it is read"));
    let schema = schema_for!(T).to_value();
    let known = schema["properties"].as_object().expect("an object");
    for key in written.as_object().expect("an object").keys() {
        assert!(known.contains_key(key), "{key} is not in the schema");
    }
}

#[test]
fn plans_and_outcomes_are_published() {
    published(&Md { grid: Some([1, 2, 3]), frame_every: Some(2), ..Md::default() });
    published(&Tbmd { atoms: vec![[0.0; 3]], ..Tbmd::default() });
    published(&MdOutcome::default());
    published(&TbmdOutcome::default());
}
