//! Plans from files and flags.

use std::path::Path;

use linerate_core::plan::Plan;

use crate::trouble::Trouble;

/// The plan in a TOML file.
pub(super) fn read(path: &Path) -> Result<Plan, Trouble> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Trouble::file("read the plan", path, &error, "name a TOML file; `--print-plan` writes one")
    })?;
    Plan::from_toml(&text).map_err(|error| Trouble::plan(error, Some((path, text))))
}
