//! Overlays: a plan's table over that of a shipped profile.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use toml::{Table, Value};

/// The key with a table's kind: another kind has other keys.
const KIND: &str = "kind";

/// Lays `over` over `base`, table by table. A table of another kind replaces the one below.
pub(super) fn lay(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) if same_kind(below, &above) => lay(below, above),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

fn same_kind(below: &Table, above: &Table) -> bool {
    above.get(KIND).is_none_or(|kind| below.get(KIND) == Some(kind))
}

/// The schema of tables that are laid over one that is all of `T`: no key is required.
pub(super) fn schema<T: JsonSchema>() -> Schema {
    let whole = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = whole.into_generator().into_root_schema_for::<T>();
    loosen(&mut schema);
    schema
}

/// Removes every required key in `schema` and its parts. The key that distinguishes the variants
/// may then be missing, so that several may fit.
fn loosen(schema: &mut Schema) {
    schema.remove("required");
    if let Some(variants) = schema.remove("oneOf") {
        schema.insert("anyOf".to_owned(), variants);
    }
    transform_subschemas(&mut loosen, schema);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_laid_over_and_another_kind_replaces() {
        let mut base: Table = "a = 1\n[bus]\nkind = 'pci'\nburst = 512".parse().expect("TOML");
        let over: Table = "[bus]\nburst = 4096".parse().expect("TOML");
        lay(&mut base, over);
        let expected: Table = "a = 1\n[bus]\nkind = 'pci'\nburst = 4096".parse().expect("TOML");
        assert_eq!(base, expected);
        lay(&mut base, "bus = { kind = 'memory' }".parse().expect("TOML"));
        assert_eq!(base, "a = 1\nbus = { kind = 'memory' }".parse().expect("TOML"));
    }
}
