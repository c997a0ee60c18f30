//! Tables of a report.

use super::Cell;
use crate::columns::Column;
use crate::text::columns;

/// What is longer is not a number.
const NUMBER: usize = 28;

/// A table of a page.
#[derive(Default)]
pub(crate) struct TableView {
    /// Empty where the section's heading says what it is of.
    pub(crate) title: String,
    pub(crate) headings: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What its cells have no room for.
    pub(crate) notes: Vec<String>,
    /// Whether only its title is seen at first.
    pub(crate) is_closed: bool,
    /// The heat map whose pairs it lists, and the mesh that it is of.
    pub(crate) of_map: Option<[usize; 2]>,
}

impl TableView {
    /// All columns with content.
    pub(crate) fn new(title: impl Into<String>, mut columns: Vec<Column>) -> Self {
        columns.retain(Column::says_something);
        let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        let row = |row: usize| columns.iter().map(|column| column.cells[row].clone().into()).collect();
        let headings = columns.iter().map(|column| column.heading.clone()).collect();
        Self { rows: (0..rows).map(row).collect(), ..Self::of_rows(title, headings) }
    }

    /// A table without rows.
    pub(crate) fn of_rows(title: impl Into<String>, headings: Vec<String>) -> Self {
        Self { title: title.into(), headings, ..Self::default() }
    }

    /// The same with notes below it.
    pub(crate) fn noted(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// The same of which only the title is seen at first.
    pub(crate) fn closed(self) -> Self {
        Self { is_closed: true, ..self }
    }

    /// The classes of a cell of a column on a page.
    pub(crate) fn class(&self, column: usize, cell: &Cell) -> String {
        let number = if self.is_words(column) { "" } else { "number " };
        format!("{number}{}", cell.classes()).trim_end().to_owned()
    }

    /// Whether the cells of a column are words, which begin at the left, and not numbers.
    pub(crate) fn is_words(&self, column: usize) -> bool {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(Cell::first);
        let said: Vec<&str> = cells.filter(|text| !matches!(*text, "" | "-")).collect();
        let is_number = |text: &&&str| text.starts_with(|c: char| c.is_ascii_digit() || "+-<".contains(c));
        if column == 0 && said.iter().any(|text| text.contains(' ')) {
            return true;
        }
        let is_short = said.iter().all(|text| columns(text) <= NUMBER);
        !is_short || said.iter().filter(is_number).count() * 2 < said.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_column_that_says_something() {
        let columns = vec![
            Column::new("name", 0, vec!["x".to_owned(), "y".to_owned()]),
            Column::new("lost", 1, vec!["0".to_owned(), "-".to_owned()]),
            Column::new("rate", 9, vec!["1.5".to_owned(), "0".to_owned()]),
        ];
        let view = TableView::new("A table", columns).noted(vec!["a note".to_owned()]);
        assert_eq!(
            (view.title.as_str(), view.headings),
            ("A table", vec!["name".to_owned(), "rate".to_owned()])
        );
        assert_eq!(view.rows, [["x", "1.5"], ["y", "0"]].map(|row| row.map(Cell::from)));
        assert_eq!(view.notes, ["a note"]);
        assert!(TableView::new("", Vec::new()).rows.is_empty());
    }
}
