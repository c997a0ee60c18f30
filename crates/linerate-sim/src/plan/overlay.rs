//! A table laid over another: what a plan says of something that comes with linerate, over that.

use toml::{Table, Value};

/// What says of which kind a table is: another kind has other keys.
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
