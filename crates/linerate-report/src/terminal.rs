//! A list of sections as plain text for a terminal: everything but pictures that have no form in characters.

use linerate_core::plan::Rows;

use super::columns::fit_wrapped;
use super::figure::Figure;
use super::section::{Card, Document, Entry, Item, Part, Section, TableView, entries, said_once};
use super::text::{items, wrap};

/// The narrowest text: the numbers alone need this.
const NARROWEST: usize = 40;

/// How a document is shown.
pub(crate) struct Terminal<'a> {
    document: &'a Document,
    width: usize,
    rows: Rows,
    /// A chart of a section in characters, if it has such a form.
    drawn: &'a dyn Fn(&str, &Figure) -> Option<String>,
}

impl<'a> Terminal<'a> {
    /// Of about `width` columns, with these `rows`, and `drawn` charts.
    pub(crate) fn new(
        document: &'a Document,
        width: u16,
        rows: Rows,
        drawn: &'a dyn Fn(&str, &Figure) -> Option<String>,
    ) -> Self {
        Self { document, width: usize::from(width).max(NARROWEST), rows, drawn }
    }

    /// Text without colours and control codes.
    pub(crate) fn text(&self) -> String {
        let sections = self.document.sections.iter();
        let all = sections.clone().map(|section| section.runs.len()).max().unwrap_or(0);
        let mut blocks: Vec<String> =
            sections.clone().flat_map(|section| self.section(section, section.runs.len() < all)).collect();
        let mut left_out: Vec<&str> = Vec::new();
        for name in sections.flat_map(|section| self.left_out(section)) {
            left_out.extend((!left_out.contains(&name)).then_some(name));
        }
        if !left_out.is_empty() {
            blocks.push(self.wrapped(&format!("{} also shows: {}", self.document.more, left_out.join("; "))));
        }
        blocks.join("\n\n") + "\n"
    }

    /// Its blocks: of charts those that can be drawn, and of the environment nothing in a short text. A section of some
    /// runs says of which it is.
    fn section(&self, section: &Section, is_of_some: bool) -> Vec<String> {
        match section.part {
            Part::Charts => return self.charts(section),
            Part::Environment if self.rows == Rows::Short => return Vec::new(),
            _ => {}
        }
        let mut blocks: Vec<String> = Vec::new();
        let mut was_line = false;
        for item in &section.items {
            let is_line = is_line(item);
            for block in self.item(item).into_iter().filter(|block| !block.is_empty()) {
                match blocks.last_mut().filter(|_| was_line && is_line) {
                    Some(last) => *last = format!("{last}\n{block}"),
                    None => blocks.push(block),
                }
            }
            was_line = is_line;
        }
        let has_title = match section.items.first() {
            Some(Item::Table(table)) => !table.title.is_empty(),
            first => matches!(first, Some(Item::Cautions(_))),
        };
        // One that names its run says so even over a title.
        let names_run = is_of_some && section.heading.contains(": ");
        if let (Some(first), false) =
            (blocks.first_mut(), section.heading.is_empty() || has_title && !names_run)
        {
            let colon = if names_run { "" } else { ":" };
            *first = format!("{}\n{first}", self.wrapped(&format!("{}{colon}", section.heading)));
        }
        blocks
    }

    /// Of several in a short text the first and the last.
    fn charts(&self, section: &Section) -> Vec<String> {
        let charts = section.items.iter().filter_map(|item| match item {
            Item::Chart(figure) => (self.drawn)(section.id, figure),
            _ => None,
        });
        let mut charts: Vec<String> = charts.collect();
        let all = charts.len();
        if all > 2 && self.rows == Rows::Short {
            charts.drain(1..all - 1);
            charts.push(format!("  (2 of {all} charts; {} has all)", self.document.more));
        }
        charts
    }

    fn item(&self, item: &Item) -> Vec<String> {
        match item {
            Item::State(text) | Item::Lead(text) | Item::Note(text) => vec![self.wrapped(text)],
            Item::Keys(cards) => self.cards(cards),
            Item::Facts(list) => vec![self.facts(list)],
            Item::Table(table) => self.table(table).into_iter().collect(),
            Item::Cautions(list) => {
                let lines = list.iter().map(|warning| self.wrapped(&format!("! {warning}")));
                vec![lines.collect::<Vec<_>>().join("\n")]
            }
            Item::Listing { title, text } if title.is_empty() => {
                let lines = text.lines().map(|line| format!("    {line}"));
                vec![lines.collect::<Vec<_>>().join("\n")]
            }
            Item::Listing { title, text } => vec![format!("{title}:\n{}", text.trim_end())],
            Item::Chart(_) | Item::Order(..) | Item::Scale(_) => Vec::new(),
        }
    }

    /// A block for each; what is said of all of a kind stands below the last.
    fn cards(&self, cards: &[Card]) -> Vec<String> {
        let card = |card: &Card| {
            let title = (!card.title.is_empty()).then(|| self.wrapped(&card.title));
            let keys = Some(self.facts(&card.keys)).filter(|keys| !keys.is_empty());
            title.into_iter().chain(keys).collect::<Vec<_>>().join("\n")
        };
        let of_kind = |cards: &[Card]| {
            let mut blocks: Vec<String> = cards.iter().map(card).collect();
            let notes = said_once(cards.iter().map(|card| (card.title.as_str(), card.note.clone())));
            let notes = notes.iter().map(|note| self.note(note));
            if let Some(last) = blocks.last_mut() {
                *last = std::iter::once(last.clone()).chain(notes).collect::<Vec<_>>().join("\n");
            }
            blocks
        };
        cards.chunk_by(|one, other| one.kind == other.kind).flat_map(of_kind).collect()
    }

    fn facts(&self, list: &[Entry]) -> String {
        let list: Vec<_> = list.iter().map(|entry| (entry.label.as_str(), entry.value.as_str())).collect();
        items(&list, self.width)
    }

    /// The tables that are left out of a section, or its heading if nothing else is in it.
    fn left_out<'t>(&self, section: &'t Section) -> Vec<&'t str> {
        let title = |item: &'t Item| match item {
            Item::Table(table) if self.rows == Rows::Short => {
                table.brief.as_ref().filter(|(rows, _)| rows.is_empty()).map(|_| table.title.as_str())
            }
            _ => None,
        };
        let titles: Vec<&str> = section.items.iter().filter_map(title).collect();
        let is_whole = titles.len() == section.items.len() && titles.len() > 1;
        if is_whole { vec![&section.heading] } else { titles }
    }

    /// The rows that are shown, as many columns as there is room for, and the notes. Absent if it is left out.
    fn table(&self, table: &TableView) -> Option<String> {
        let all = table.rows.len();
        let (shown, chosen) = match &table.brief {
            _ if self.rows == Rows::All => ((0..all).collect(), String::new()),
            Some((rows, _)) if rows.is_empty() => return None,
            Some((rows, chosen)) => (rows.clone(), chosen.clone()),
            None => ((0..all).collect(), String::new()),
        };
        let title = (!table.title.is_empty()).then(|| self.wrapped(&format!("{}:", table.title)));
        let mut lines: Vec<String> = title.into_iter().collect();
        if table.is_list() {
            let row = |row: &usize| [0, 1].map(|column| table.rows[*row][column].first().to_owned());
            lines.push(self.facts(&entries(shown.iter().map(row))));
        } else if table.is_told {
            for row in shown.iter().map(|row| &table.rows[*row]) {
                let mut said = row[0].text.lines();
                lines.extend(said.next().map(|first| self.indented(first, 2)));
                lines.extend(said.map(|line| self.indented(line, 4)));
                lines.push(self.indented(&table.told(row), 4));
            }
        } else {
            let (text, left_out) = fit_wrapped(table.columns(&shown), self.width);
            lines.push(text);
            if !left_out.is_empty() {
                lines.push(self.note(&format!(
                    "(no room for {}; {} has all)",
                    left_out.join(", "),
                    self.document.full
                )));
            }
        }
        if !chosen.is_empty() {
            lines.push(self.note(&format!("({chosen}; {} has all)", self.document.more)));
        }
        lines.extend(table.notes.iter().map(|note| self.note(note)));
        Some(lines.join("\n"))
    }

    fn indented(&self, text: &str, by: usize) -> String {
        let lines = wrap(text, self.width - by, 2);
        lines.lines().map(|line| format!("{:by$}{line}", "")).collect::<Vec<_>>().join("\n")
    }

    fn note(&self, text: &str) -> String {
        let lines = wrap(text, self.width - 2, 1);
        lines.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }

    fn wrapped(&self, text: &str) -> String {
        wrap(text, self.width, 2)
    }
}

/// Whether it has no blank line between it and another such.
fn is_line(item: &Item) -> bool {
    match item {
        Item::State(_) | Item::Lead(_) | Item::Note(_) | Item::Facts(_) => true,
        Item::Keys(cards) => cards.iter().all(|card| card.title.is_empty()),
        _ => false,
    }
}
