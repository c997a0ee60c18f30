//! Whether a history agrees with itself.

use std::collections::BTreeMap;

use crate::alias::{Aliases, facts_of_rules};
use crate::database::Session;
use crate::error::StoreError;

/// What in the tables disagrees with the rest of them.
pub(crate) fn check(session: &mut dyn Session) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    let aliases = Aliases::load(session)?;
    let facts = facts_of_rules(session, &aliases)?;
    let none = BTreeMap::new();
    session.each("SELECT id, path, shown, environment FROM run", &[], &mut |row| {
        let facts = facts.get(&row.integer(3)?).unwrap_or(&none);
        if aliases.shown(row.integer(1)?, facts) != row.integer(2)? {
            found.push(format!("the run {} is shown under another path than the aliases say", row.text(0)?));
        }
        Ok(())
    })?;
    Ok(found)
}
