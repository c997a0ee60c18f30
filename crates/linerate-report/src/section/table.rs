//! Tables of a report.

use super::Cell;
use crate::columns::Column;
use crate::text::columns;

/// A short text has so many rows of a long table.
pub(crate) const MOST_ROWS: usize = 16;
/// What is longer is not a number.
pub(super) const NUMBER: usize = 28;
/// Units of sizes.
const SIZES: [&str; 4] = ["B", "KiB", "MiB", "GiB"];

/// A table of a page.
#[derive(Default)]
pub(crate) struct TableView {
    /// Empty where the section's heading says what it is of.
    pub(crate) title: String,
    pub(crate) headings: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// How expendable each column is on a narrow terminal.
    pub(crate) expendable: Vec<u8>,
    /// Which columns are said to be words; others are, by what is in them.
    pub(crate) words: Vec<bool>,
    /// Which of its rows a short text has, and what that says of them; no row leaves it out. Absent if all are short.
    pub(crate) brief: Option<(Vec<usize>, String)>,
    /// What its cells have no room for.
    pub(crate) notes: Vec<String>,
    /// Whether only its title is seen at first.
    pub(crate) is_closed: bool,
    /// Its rows are key numbers, which a narrow page shows below each other.
    pub(crate) is_of_keys: bool,
    /// Its rows are told one below the other where there is no room for all columns: what a row says, below its first cell.
    pub(crate) is_told: bool,
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
        let expendable = columns.iter().map(|column| column.expendable).collect();
        let words = columns.iter().map(|column| column.words).collect();
        Self { rows: (0..rows).map(row).collect(), expendable, words, ..Self::of_rows(title, headings) }
    }

    /// A table without rows, of which a narrow terminal needs only the first column.
    pub(crate) fn of_rows(title: impl Into<String>, headings: Vec<String>) -> Self {
        let expendable = (0..headings.len()).map(|column| u8::from(column > 0)).collect();
        Self { title: title.into(), headings, expendable, ..Self::default() }
    }

    /// A table of rows under these headings, each with how expendable its column is on a narrow terminal.
    pub(crate) fn of(title: impl Into<String>, columns: &[(&str, u8)], rows: Vec<Vec<Cell>>) -> Self {
        let headings = columns.iter().map(|(heading, _)| (*heading).to_owned()).collect();
        let expendable = columns.iter().map(|(_, expendable)| *expendable).collect();
        Self { title: title.into(), headings, rows, expendable, ..Self::default() }
    }

    /// Its columns on a screen, of these rows.
    pub(crate) fn columns(&self, rows: &[usize]) -> Vec<Column> {
        let column = |(nth, heading): (usize, &String)| {
            let cell = |row: &usize| self.rows[*row].get(nth).map_or("", Cell::first).to_owned();
            let (cells, expendable) = (rows.iter().map(cell).collect(), self.expendable[nth]);
            match self.is_words(nth) {
                true => Column::of_words(heading, expendable, cells),
                false => Column::new(heading, expendable, cells),
            }
        };
        self.headings.iter().enumerate().map(column).collect()
    }

    /// The same of which a short text has these rows, and says so.
    pub(crate) fn brief(self, rows: Vec<usize>, chosen: impl Into<String>) -> Self {
        Self { brief: Some((rows, chosen.into())), ..self }
    }

    /// The same of which a short text has the first rows.
    pub(crate) fn first(self) -> Self {
        let all = self.rows.len();
        match all > MOST_ROWS {
            true => self.brief((0..MOST_ROWS).collect(), format!("{MOST_ROWS} of {all} rows")),
            false => self,
        }
    }

    /// The same, which a short text leaves out.
    pub(crate) fn at_length(self) -> Self {
        self.brief(Vec::new(), "")
    }

    /// The same with notes below it.
    pub(crate) fn noted(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// The same of which only the title is seen at first.
    pub(crate) fn closed(self) -> Self {
        Self { is_closed: true, ..self }
    }

    /// Whether it says one thing in words of each of its rows.
    pub(crate) fn is_list(&self) -> bool {
        self.headings.len() == 2 && self.is_words(1)
    }

    /// A row in words: what its second cell says, and what the others say of that; of numbers with their headings.
    pub(crate) fn told(&self, row: &[Cell]) -> String {
        let rest = row.iter().enumerate().skip(2).filter(|(_, cell)| !matches!(cell.first(), "" | "-"));
        let rest = rest.map(|(nth, cell)| {
            let heading = if self.is_words(nth) { "" } else { self.headings[nth].as_str() };
            format!("{heading} {}", cell.text.replace('\n', ", ")).trim_start().to_owned()
        });
        format!("{}: {}", row.get(1).map_or("", Cell::first), rest.collect::<Vec<_>>().join(", "))
    }

    /// The classes of a cell of a column on a page.
    pub(crate) fn class(&self, column: usize, cell: &Cell) -> String {
        let number = if self.is_words(column) { "" } else { "number " };
        format!("{number}{}", cell.classes()).trim_end().to_owned()
    }

    /// Whether the cells of a column are words, which begin at the left, and not numbers.
    pub(crate) fn is_words(&self, column: usize) -> bool {
        if self.words.get(column) == Some(&true) {
            return true;
        }
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(Cell::first);
        let said: Vec<&str> = cells.filter(|text| !matches!(*text, "" | "-")).collect();
        let is_number = |text: &&&str| text.starts_with(|c: char| c.is_ascii_digit() || "+-<".contains(c));
        let is_size = |text: &&str| text.split_once(' ').is_some_and(|(_, unit)| SIZES.contains(&unit));
        if column == 0 && said.iter().any(|text| text.contains(' ') && !is_size(text)) {
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
