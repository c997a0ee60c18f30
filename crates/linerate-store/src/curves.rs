//! The compact curves of runs, as the caller packed them.

use std::collections::BTreeMap;

use crate::database::{Session, Value};
use crate::error::StoreError;

/// How many ids one statement asks for.
const IDS_AT_ONCE: usize = 500;

/// The curves of the runs `ids`, by id. Runs without a curve, and unknown ones, are left out.
pub(crate) fn load(session: &mut dyn Session, ids: &[&str]) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let mut curves = BTreeMap::new();
    for chunk in ids.chunks(IDS_AT_ONCE) {
        let places = (1..=chunk.len()).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
        let sql = format!(
            "SELECT r.id, k.bytes FROM run r JOIN curve k ON k.run = r.number WHERE r.id IN ({places})"
        );
        let values: Vec<_> = chunk.iter().map(|id| Value::Text(id)).collect();
        session.each(&sql, &values, &mut |row| {
            curves.insert(row.text(0)?, row.bytes(1)?);
            Ok(())
        })?;
    }
    Ok(curves)
}
