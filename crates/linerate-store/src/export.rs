//! Every record, page by page.

use crate::curves;
use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::filter::Condition;
use crate::record::Record;
use crate::runs;

/// How many records are in memory at a time.
const RECORDS_AT_ONCE: i64 = 200;

/// The records after the run with the number `after`, in the order in which they were recorded, with
/// their curves and the tags of today; and the number of the last. None: there are no more.
pub(crate) fn page(session: &mut dyn Session, after: i64) -> Result<Option<(i64, Vec<Record>)>, StoreError> {
    let condition = Condition::every().and(
        "r.number IN (SELECT r.number FROM run r WHERE r.number > ? ORDER BY r.number LIMIT ?)",
        [Value::Integer(after), Value::Integer(RECORDS_AT_ONCE)],
    );
    let runs = runs::load(session, &condition)?;
    let Some((&last, _)) = runs.last_key_value() else { return Ok(None) };
    let ids: Vec<_> = runs.values().map(|run| run.record.id.as_str()).collect();
    let mut curves = curves::load(session, &ids)?;
    let with_curve =
        |record: Record| Record { curve: curves.remove(&record.id).unwrap_or_default(), ..record };
    Ok(Some((last, runs.into_values().map(|run| run.record).map(with_curve).collect())))
}
