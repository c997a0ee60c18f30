//! Which runs are meant.

use crate::database::Value;

/// Which runs are meant. Everything given must hold; nothing given means every run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Only runs that began at this time or later. Unit: microseconds since the epoch.
    pub since_us: Option<i64>,
    /// Only runs that began before this time. Unit: microseconds since the epoch.
    pub until_us: Option<i64>,
    /// Only runs with these tags.
    pub tags: Vec<(String, String)>,
    /// Only runs with these facts, such as a kernel.
    pub facts: Vec<(String, String)>,
    /// Only runs whose figures lie in these ranges.
    pub figures: Vec<FigureRange>,
    /// Only the newest so many of each path.
    pub newest: Option<u32>,
}

/// A range of a figure. Both ends belong to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureRange {
    /// The figure.
    pub key: String,
    /// The least value.
    pub least: Option<f64>,
    /// The greatest value.
    pub most: Option<f64>,
}

/// A condition on the rows `r` of the table `run`, with its values.
#[derive(Debug)]
pub(crate) struct Condition<'a> {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value<'a>>,
}

impl<'a> Condition<'a> {
    /// Every run.
    pub(crate) fn every() -> Self {
        Self { sql: "1 = 1".to_owned(), values: Vec::new() }
    }

    /// Also `sql`, where `?` stands for each of `values` in turn.
    pub(crate) fn and(mut self, sql: &str, values: impl IntoIterator<Item = Value<'a>>) -> Self {
        self.sql.push_str(" AND ");
        let mut pieces = sql.split('?');
        self.sql.push_str(pieces.next().unwrap_or_default());
        let mut values = values.into_iter();
        for piece in pieces {
            self.values.extend(values.next());
            self.sql.push_str(&format!("?{}{piece}", self.values.len()));
        }
        self
    }

    /// Adds `value`; gives the sign that stands for it.
    pub(crate) fn place(&mut self, value: Value<'a>) -> String {
        self.values.push(value);
        format!("?{}", self.values.len())
    }
}

impl Filter {
    /// The runs that are shown under the path `shown`, or under any.
    pub(crate) fn condition(&self, shown: Option<i64>) -> Condition<'_> {
        let mut condition = Condition::every();
        let whole = [
            ("r.shown = ?", shown),
            ("r.started_us >= ?", self.since_us),
            ("r.started_us < ?", self.until_us),
        ];
        for (sql, value) in whole {
            if let Some(value) = value {
                condition = condition.and(sql, [Value::Integer(value)]);
            }
        }
        for (key, value) in &self.tags {
            condition = condition.and(
                "EXISTS (SELECT 1 FROM tag t WHERE t.run = r.number AND t.key = ? AND t.value = ?)",
                [Value::Text(key), Value::Text(value)],
            );
        }
        for (key, value) in &self.facts {
            condition = condition.and(
                "r.environment IN (SELECT c.environment FROM fact c WHERE c.key = ? AND c.value = ?)",
                [Value::Text(key), Value::Text(value)],
            );
        }
        for range in &self.figures {
            condition = condition.and(
                "EXISTS (SELECT 1 FROM figure g JOIN figure_name m ON m.number = g.name WHERE g.run = r.number \
                 AND m.name = ? AND g.value >= ? AND g.value <= ?)",
                [
                    Value::Text(&range.key),
                    Value::Real(range.least.unwrap_or(f64::MIN)),
                    Value::Real(range.most.unwrap_or(f64::MAX)),
                ],
            );
        }
        match self.newest {
            None => condition,
            Some(newest) => newest_of_each_path(condition, newest),
        }
    }
}

/// The newest `newest` of the runs that meet `condition`, of each path.
fn newest_of_each_path(mut condition: Condition<'_>, newest: u32) -> Condition<'_> {
    let newest = condition.place(Value::Integer(newest.into()));
    condition.sql = format!(
        "r.number IN (SELECT ranked.number FROM (SELECT r.number AS number, row_number() OVER (PARTITION BY \
         r.shown ORDER BY r.started_us DESC, r.id DESC) AS place FROM run r WHERE {}) AS ranked WHERE \
         ranked.place <= {newest})",
        condition.sql
    );
    condition
}
