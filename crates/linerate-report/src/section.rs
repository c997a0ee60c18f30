//! A report as a list of sections, whatever it is of: what is computed once, and what every renderer reads.

mod caution;
mod cell;
mod keys;
mod table;

use crate::figure::Figure;
use crate::text::{Key, columns};

pub(crate) use caution::{Warning, merged};
pub(crate) use cell::{Cell, Tone};
pub(crate) use keys::{KeyView, key_views, said_once};
use table::NUMBER;
pub(crate) use table::{MOST_ROWS, TableView};

/// A report, in the order in which it is read, and in every form that people read.
pub struct Document {
    pub(crate) title: String,
    pub(crate) sections: Vec<Section>,
    /// What has the columns that a text has no room for.
    pub(crate) full: &'static str,
    /// What shows the rows and tables that a short text leaves out.
    pub(crate) more: &'static str,
}

/// The parts of a report in the reader's order: the answer first, and what it was made with last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// What came of it, and what limits it.
    Result,
    Charts,
    /// What is doubtful.
    Doubts,
    Tables,
    /// What was asked, and how it was measured.
    Method,
    /// The hosts, the plan, the model.
    Environment,
}

/// A section of a report.
pub(crate) struct Section {
    pub(crate) part: Part,
    /// The same for the same content in every report; a page with several of one name numbers them.
    pub(crate) id: &'static str,
    pub(crate) heading: String,
    /// The runs that it is of, by their number. Empty if the report is not of runs.
    pub(crate) runs: Vec<usize>,
    pub(crate) items: Vec<Item>,
}

/// What a section consists of, in its order.
pub(crate) enum Item {
    /// That a run did not end as planned.
    State(String),
    /// What came of it, in a sentence or two.
    Lead(String),
    Keys(Vec<Card>),
    Facts(Vec<Entry>),
    Chart(Figure),
    /// In which order the ranks of a mesh stand: which mesh of the page, and its maps by number and title.
    Order(usize, Vec<(usize, String)>),
    Scale(Colours),
    Table(TableView),
    Cautions(Vec<Warning>),
    /// How to read what is above it.
    Note(String),
    /// A plan, or commands: text as it stands, under a title that opens it. Always open without a title.
    Listing {
        title: String,
        text: String,
    },
}

/// What the colours of maps mean.
pub(crate) struct Colours {
    /// What stands before the first and after the last.
    pub(crate) ends: [String; 2],
    pub(crate) swatches: Vec<Swatch>,
    /// What a cell without a value is.
    pub(crate) none: &'static str,
}

/// A colour.
pub(crate) struct Swatch {
    pub(crate) class: String,
    /// The value at which the next begins; empty where none is written.
    pub(crate) until: String,
}

/// A line of a list: what is said, and of what.
pub(crate) struct Entry {
    pub(crate) label: String,
    /// With its unit.
    pub(crate) value: String,
}

impl Entry {
    /// Whether it is a sentence, which needs the width of a narrow page.
    pub(crate) fn is_long(&self) -> bool {
        columns(&self.value) > NUMBER
    }
}

impl<L: Into<String>> From<(L, String)> for Entry {
    fn from((label, value): (L, String)) -> Self {
        Self { label: label.into(), value }
    }
}

impl From<[String; 2]> for Entry {
    fn from([label, value]: [String; 2]) -> Self {
        Self { label, value }
    }
}

impl From<Key> for Entry {
    fn from(Key { label, value }: Key) -> Self {
        Self::from((label, value))
    }
}

/// The entries of what comes as labels and values.
pub(crate) fn entries(list: impl IntoIterator<Item = impl Into<Entry>>) -> Vec<Entry> {
    list.into_iter().map(Into::into).collect()
}

/// What a card is of: key numbers of one kind stand in one table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Curve,
    Load,
    Mesh,
    Application,
    Trace,
    Claim,
}

/// The key numbers of a curve or a load.
pub(crate) struct Card {
    pub(crate) kind: Kind,
    /// Empty where there is only one, which the page's title says.
    pub(crate) title: String,
    /// Which colour of the palette its curve has, where it has one in all charts.
    pub(crate) colour: Option<usize>,
    pub(crate) keys: Vec<Entry>,
    /// How to read them; may be empty.
    pub(crate) note: String,
}

impl Document {
    /// `sections` in the reader's order, without those that say nothing.
    pub(crate) fn new(title: String, mut sections: Vec<Section>) -> Self {
        sections.retain(|section| !section.items.is_empty());
        sections.sort_by_key(|section| section.part);
        Self { title, sections, full: "--format json", more: "--rows all" }
    }
}

impl Section {
    /// A section of no run in particular.
    pub(crate) fn new(part: Part, id: &'static str, heading: impl Into<String>, items: Vec<Item>) -> Self {
        Self { part, id, heading: heading.into(), runs: Vec::new(), items }
    }

    /// The same of these runs.
    pub(crate) fn of(self, runs: impl IntoIterator<Item = usize>) -> Self {
        let mut runs: Vec<usize> = runs.into_iter().collect();
        runs.dedup();
        Self { runs, ..self }
    }
}

/// At most `most` of these, evenly.
pub(crate) fn thinned(all: &[usize], most: usize) -> Vec<usize> {
    let count = all.len().min(most);
    (0..count).map(|nth| all[nth * (all.len() - 1) / (count - 1).max(1)]).collect()
}

/// The charts of a section.
pub(crate) fn charts(figures: impl IntoIterator<Item = Figure>) -> impl Iterator<Item = Item> {
    figures.into_iter().map(|figure| {
        #[cfg(test)]
        figure.names_its_marks();
        Item::Chart(figure)
    })
}

/// The tables of a section, without those that have no row.
pub(crate) fn tables(tables: impl IntoIterator<Item = TableView>) -> impl Iterator<Item = Item> {
    tables.into_iter().filter(|table| !table.rows.is_empty()).map(Item::Table)
}

/// A note, if there is something to note.
pub(crate) fn note(text: impl Into<String>) -> Option<Item> {
    let text = text.into();
    (!text.is_empty()).then_some(Item::Note(text))
}
