//! Tables that drop columns on a narrow terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::text::columns;

/// A column of a table.
pub(crate) struct Column {
    pub(crate) heading: String,
    pub(crate) cells: Vec<String>,
    /// The highest is dropped first when the table is too wide; 0 is never dropped.
    pub(crate) expendable: u8,
}

impl Column {
    pub(crate) fn new(heading: impl Into<String>, expendable: u8, cells: Vec<String>) -> Self {
        Self { heading: heading.into(), cells, expendable }
    }

    /// Whether it has anything except zeros and dashes.
    pub(crate) fn says_something(&self) -> bool {
        self.expendable == 0
            || self.cells.iter().any(|cell| cell.chars().any(|c| c.is_ascii_digit() && c != '0'))
    }
}

/// The columns with content, as many as fit `width`, and those that were dropped.
pub(crate) fn fit(columns: Vec<Column>, width: usize) -> (String, Vec<String>) {
    let mut shown: Vec<Column> = columns.into_iter().filter(Column::says_something).collect();
    let mut left_out = Vec::new();
    loop {
        let text = lay_out(&shown);
        let fits = text.lines().all(|line| self::columns(line) <= width);
        let most = shown.iter().map(|column| column.expendable).max().filter(|most| *most > 0 && !fits);
        let Some(most) = most else { return (text, left_out) };
        let last = shown.iter().rposition(|column| column.expendable == most).expect("it was just found");
        left_out.push(shown.remove(last).heading);
    }
}

fn lay_out(shown: &[Column]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(shown.iter().map(|column| column.heading.as_str()));
    let rows = shown.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    table.add_rows((0..rows).map(|row| shown.iter().map(move |column| column.cells[row].as_str())));
    for column in table.column_iter_mut() {
        column.set_padding((2, 0)).set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// A table of a page, from the same columns.
pub(crate) struct TableView {
    pub(crate) title: String,
    pub(crate) headings: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// What its cells have no room for.
    pub(crate) notes: Vec<String>,
}

impl TableView {
    /// All columns with content.
    pub(crate) fn new(title: impl Into<String>, mut columns: Vec<Column>) -> Self {
        columns.retain(Column::says_something);
        let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        let row = |row: usize| columns.iter().map(|column| column.cells[row].clone()).collect();
        Self {
            title: title.into(),
            headings: columns.iter().map(|column| column.heading.clone()).collect(),
            rows: (0..rows).map(row).collect(),
            notes: Vec::new(),
        }
    }

    /// The same with notes below it.
    pub(crate) fn noted(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }
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
}
