//! The fields of a plan: of a measurement's, and of a model's.

use serde_json::Value;

use super::{Field, Role};
use linerate_core::plan::Plan;

/// Keys of a plan that say how well it is measured, or where results go, and not what is measured.
const LEFT_OUT: [&str; 12] = [
    "host",
    "more-hosts",
    "seed",
    "output",
    "ci",
    "rounds",
    "repeat",
    "stages",
    "explain",
    "stream.interval",
    "app.repeat",
    "trace.messages",
];
/// Keys of a plan that may vary on a path. All others are the task.
const SETTINGS: [&str; 6] = ["socket", "memory", "mpi", "local", "remote", "time"];

/// What a plan asks for, each key by itself.
pub(super) fn fields(plan: &Plan) -> Vec<Field> {
    let Ok(plan) = serde_json::to_value(plan) else { return Vec::new() };
    let mut fields = Vec::new();
    flatten("", &plan, &mut |key, value| {
        if LEFT_OUT.iter().any(|left_out| is_in(key, left_out)) {
            return;
        }
        let role =
            if SETTINGS.iter().any(|setting| is_in(key, setting)) { Role::Setting } else { Role::Task };
        fields.push(Field { name: key.to_owned(), value, role });
    });
    fields
}

/// The keys of the plan of a model or a laboratory, in TOML. Its name is what names the path; every key may vary.
pub(super) fn written(of: &str, plan: &str) -> Vec<Field> {
    let Ok(plan) = toml::from_str::<Value>(plan) else { return Vec::new() };
    let mut fields = Vec::new();
    flatten("", &plan, &mut |key, value| {
        fields.push(Field { name: format!("{of} {key}"), value, role: Role::Setting });
    });
    fields
}

fn is_in(key: &str, part: &str) -> bool {
    key.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Calls `visit` with the place and the text of every value of `tree` that holds no others.
fn flatten(place: &str, tree: &Value, visit: &mut dyn FnMut(&str, String)) {
    let below = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match tree {
        Value::Object(parts) => parts.iter().for_each(|(key, part)| flatten(&below(key), part, visit)),
        Value::Array(parts) if parts.iter().any(Value::is_object) => {
            for (nth, part) in parts.iter().enumerate() {
                flatten(&below(&(nth + 1).to_string()), part, visit);
            }
        }
        Value::String(text) => visit(place, text.clone()),
        Value::Null => {}
        other => visit(place, other.to_string()),
    }
}
