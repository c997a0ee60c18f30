//! Tables that drop columns on a narrow terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use linerate_analysis::facts::{About, Heading, Kind, Unit, When};
use serde_json::Value;

use super::numbers::Shown;
use super::text::{columns, shortened, wrap};

/// Blanks before a column.
const GAP: u16 = 2;
/// A column that may be wrapped keeps this width while others can go.
const LEAST: usize = 24;
/// A word of a file has so many characters.
const LONGEST: usize = 48;
/// It is wrapped behind so many blanks.
const INDENT: usize = 2;

/// A column of a table.
pub(crate) struct Column {
    pub(crate) heading: String,
    pub(crate) cells: Vec<String>,
    /// The highest is dropped first when the table is too wide; 0 is never dropped.
    pub(crate) expendable: u8,
    /// Its cells are words, which begin at the left.
    pub(crate) words: bool,
}

/// The columns that a screen shows of these rows of a kind. Columns of one unit are read together, and so are written in that
/// of the first of them where this can be read.
pub(crate) fn of_kind<K: Kind>(rows: &[K::Row<'_>]) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut first: Vec<(Unit, Shown)> = Vec::new();
    for fact in K::FACTS {
        let Some(heading) = fact.about.column else { continue };
        let values: Vec<Value> = rows.iter().map(fact.value).collect();
        let numbers = || values.iter().filter_map(Value::as_f64);
        let unit = fact.about.unit;
        let suits = |(of, shown): &&(Unit, Shown)| *of == unit && shown.suits(numbers());
        let shown = first.iter().find(suits).map_or_else(|| Shown::of(unit, numbers()), |(_, shown)| *shown);
        first.push((unit, shown));
        if is_there(heading.when, &values) {
            columns.push(Column::of_fact(&fact.about, heading, &values, shown));
            let ends: Vec<_> = fact.ends.iter().flat_map(|ends| rows.iter().map(ends)).collect();
            columns.extend(Column::of_intervals(heading, &ends, shown));
        }
    }
    columns
}

fn is_there(when: When, values: &[Value]) -> bool {
    match when {
        When::Known => true,
        When::Differs => values.windows(2).any(|pair| pair[0] != pair[1]),
        When::Unless(usual) => values.iter().any(|value| value != usual),
    }
}

impl Column {
    fn of_fact(about: &About, heading: Heading, values: &[Value], shown: Shown) -> Self {
        let cell = |value: &Value| match value {
            Value::Null => "-".to_owned(),
            Value::String(text) if matches!(heading.when, When::Unless(usual) if usual != text) => {
                shortened(text, LONGEST).to_uppercase()
            }
            Value::String(text) => shortened(text, LONGEST),
            value => value.as_f64().map_or_else(|| value.to_string(), |value| shown.number(value)),
        };
        let name = format!("{} {}", heading.title, shown.name);
        let cells = values.iter().map(cell).collect();
        Self { words: about.unit == Unit::Word, ..Self::new(name.trim(), heading.expendable, cells) }
    }

    /// Absent if no value has an interval.
    fn of_intervals(heading: Heading, ends: &[Option<[f64; 2]>], shown: Shown) -> Option<Self> {
        let cell = |ends: &Option<[f64; 2]>| match ends.map(|ends| ends.map(|end| shown.number(end))) {
            Some([low, high]) => format!("{low} to {high}"),
            None => "-".to_owned(),
        };
        let is_known = ends.iter().any(Option::is_some);
        is_known.then(|| Self::new("95 %", heading.interval, ends.iter().map(cell).collect()))
    }

    pub(crate) fn new(heading: impl Into<String>, expendable: u8, cells: Vec<String>) -> Self {
        Self { heading: heading.into(), cells, expendable, words: false }
    }

    /// A column of words.
    pub(crate) fn of_words(heading: impl Into<String>, expendable: u8, cells: Vec<String>) -> Self {
        Self { words: true, ..Self::new(heading, expendable, cells) }
    }

    /// The same with its numbers' decimal points under each other.
    fn aligned(&self) -> Self {
        let is_number = |cell: &String| cell.parse::<f64>().is_ok();
        let decimals = |cell: &String| cell.split_once('.').map_or(0, |(_, decimals)| decimals.len() + 1);
        let most = self.cells.iter().filter(|cell| is_number(cell)).map(decimals).max().unwrap_or(0);
        let pad = |cell: &String| match is_number(cell) {
            true => format!("{cell}{:1$}", "", most - decimals(cell)),
            false => cell.clone(),
        };
        let cells = if self.words { self.cells.clone() } else { self.cells.iter().map(pad).collect() };
        Self { heading: self.heading.clone(), cells, ..*self }
    }

    /// Breaks what is longer than `room` into lines.
    fn wrap(&mut self, room: usize) {
        for text in self.cells.iter_mut().chain([&mut self.heading]) {
            *text = wrap(text, room.max(INDENT + 8), INDENT);
        }
    }

    /// Columns of a terminal that it takes, with the gap before it.
    fn width(&self) -> usize {
        let lines = self.cells.iter().chain([&self.heading]).flat_map(|text| text.lines());
        let widest = lines.map(self::columns).max();
        usize::from(GAP) + widest.unwrap_or(0)
    }

    /// Whether it has anything except zeros and dashes; of words, anything but dashes.
    pub(crate) fn says_something(&self) -> bool {
        let says = |cell: &String| match self.words {
            true => !matches!(cell.as_str(), "" | "-"),
            false => cell.chars().any(|c| c.is_ascii_digit() && c != '0'),
        };
        self.expendable == 0 || self.cells.iter().any(says)
    }
}

/// The columns with content, as many as fit `width`, and those that were dropped. Decimal points stand under each other
/// where there is room for all columns.
pub(crate) fn fit(columns: Vec<Column>, width: usize) -> (String, Vec<String>) {
    let mut shown: Vec<Column> = columns.into_iter().filter(Column::says_something).collect();
    let total = |columns: &[Column]| columns.iter().map(Column::width).sum::<usize>();
    let aligned: Vec<Column> = shown.iter().map(Column::aligned).collect();
    if total(&aligned) <= width {
        return (lay_out(&aligned), Vec::new());
    }
    let mut left_out = Vec::new();
    while total(&shown) > width {
        let most = shown.iter().map(|column| column.expendable).max().filter(|most| *most > 0);
        let Some(most) = most else { break };
        let last = shown.iter().rposition(|column| column.expendable == most);
        left_out.extend(last.map(|place| shown.remove(place).heading));
    }
    (lay_out(&shown), left_out)
}

/// The same with long words on several lines: no column of words goes while there is room for some of them.
pub(crate) fn fit_wrapped(mut columns: Vec<Column>, width: usize) -> (String, Vec<String>) {
    let gap = usize::from(GAP);
    columns.retain(Column::says_something);
    let least = |column: &Column| if column.words { column.width().min(LEAST + gap) } else { column.width() };
    let mut left_out = Vec::new();
    while columns.iter().map(least).sum::<usize>() > width {
        let most = columns.iter().map(|column| column.expendable).max().filter(|most| *most > 0);
        let Some(most) = most else { break };
        let last = columns.iter().rposition(|column| column.expendable == most);
        left_out.extend(last.map(|place| columns.remove(place).heading));
    }
    let numbers: usize = columns.iter().filter(|column| !column.words).map(Column::width).sum();
    let words: Vec<usize> =
        columns.iter().filter(|column| column.words).map(|column| column.width() - gap).collect();
    let room = width.saturating_sub(numbers + gap * words.len());
    let total = |most: usize| words.iter().map(|width| (*width).min(most)).sum::<usize>();
    let most = (INDENT + 8..width).rev().find(|most| total(*most) <= room).unwrap_or(INDENT + 8);
    columns.iter_mut().filter(|column| column.words).for_each(|column| column.wrap(most));
    let (text, more) = fit(columns, width);
    left_out.extend(more);
    (text, left_out)
}

fn lay_out(shown: &[Column]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(shown.iter().map(|column| column.heading.as_str()));
    let rows = shown.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    table.add_rows((0..rows).map(|row| shown.iter().map(move |column| column.cells[row].as_str())));
    for (column, of) in table.column_iter_mut().zip(shown) {
        let side = if of.words { CellAlignment::Left } else { CellAlignment::Right };
        column.set_padding((GAP, 0)).set_cell_alignment(side);
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_expendable_goes_first_and_what_says_nothing_always() {
        let column =
            |heading: &str, expendable, cell: &str| Column::new(heading, expendable, vec![cell.to_owned()]);
        let make = || {
            vec![column("a", 0, "11"), column("b", 2, "22"), column("c", 1, "33"), column("d", 1, "0.0 %")]
        };
        assert_eq!(fit(make(), 80), ("   a   b   c\n  11  22  33".to_owned(), Vec::new()));
        let (text, left_out) = fit(make(), 8);
        assert_eq!((text.as_str(), left_out), ("   a   c\n  11  33", vec!["b".to_owned()]));
        assert_eq!(fit(make(), 1).1, ["b", "c"], "what is needed stays");
    }

    #[test]
    fn of_equally_expendable_columns_the_last_goes_first_and_a_table_may_fill_its_width() {
        let make = || ["a", "b", "c"].map(|heading| Column::new(heading, 1, vec!["77".to_owned()])).into();
        assert_eq!(fit(make(), 12).1, [""; 0], "it is just as wide");
        assert_eq!(fit(make(), 11).1, ["c"]);
        assert_eq!(fit(make(), 7).1, ["c", "b"]);
    }

    #[test]
    fn zeros_and_dashes_say_nothing_unless_they_must() {
        let says = |expendable, cells: &[&str]| {
            let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
            Column::new("", expendable, cells).says_something()
        };
        assert!(!says(1, &["0", "-", "0.0 %", "abc"]) && says(1, &["0", "10"]) && says(0, &["0"]));
    }

    #[test]
    fn words_begin_at_the_left_and_say_something_without_a_digit() {
        let cells = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let columns = vec![
            Column::of_words("what", 1, cells(["long name", "-"])),
            Column::new("n", 0, cells(["1", "22"])),
            Column::of_words("empty", 1, cells(["", "-"])),
        ];
        assert_eq!(fit(columns, 80).0, "  what        n\n  long name   1\n  -          22");
    }

    #[test]
    fn the_first_column_is_wrapped_once_nothing_expendable_is_left() {
        let cells = |cell: &str| vec![cell.to_owned()];
        let make = || {
            vec![
                Column::of_words("what", 0, cells("a name of several words that is long")),
                Column::new("n", 0, cells("1234567")),
                Column::new("p", 1, cells("0.012345")),
            ]
        };
        assert_eq!(fit_wrapped(make(), 80), fit(make(), 80), "there is room for all");
        let (text, left_out) = fit_wrapped(make(), 50);
        assert!(left_out.is_empty(), "there is room for 24 columns of the name");
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines.len(), 3, "{text}");
        // 50 less 9 and 10 for the others and 2 for its gap: 29, and `a name of several words that` has 28.
        assert_eq!(lines[2].trim(), "is long", "{text}");
        let (text, left_out) = fit_wrapped(make(), 40);
        assert_eq!(left_out, ["p"], "{text}");
        assert!(text.lines().all(|line| columns(line) <= 40), "{text}");
        assert!(fit_wrapped(make(), 20).0.lines().all(|line| columns(line) <= 21), "{text}");
        assert_eq!(fit_wrapped(Vec::new(), 20).0, "");
    }
}
