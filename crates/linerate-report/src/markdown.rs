//! A list of sections as Markdown, for pull requests and notes: everything but pictures.

use std::fmt::Write as _;

use linerate_core::generator::GENERATOR;

use crate::section::{Document, Entry, Item, KeyView, TableView, Warning, key_views};

/// `document` as GitHub's Markdown. Charts are named, not drawn.
pub(crate) fn markdown(document: &Document) -> String {
    let mut text = format!("# {}\n<!-- {GENERATOR} -->\n", line(&document.title));
    for section in &document.sections {
        if !section.heading.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n## {}\n", line(&section.heading));
        }
        for item in &section.items {
            text.push_str(&of_item(item));
        }
    }
    text
}

fn of_item(item: &Item) -> String {
    let named = |what: &str, title: &str| format!("\n*{what}: {}*\n", line(title));
    match item {
        Item::State(text) => format!("\n**{}**\n", line(text)),
        Item::Lead(text) | Item::Note(text) => format!("\n{}\n", line(text)),
        Item::Facts(list) => facts(list),
        Item::Keys(cards) => key_views(cards).iter().map(keys).collect(),
        Item::Chart(figure) => named("Chart", &figure.title),
        Item::Order(..) | Item::Scale(_) => String::new(),
        Item::Table(view) => table(view),
        Item::Cautions(list) => format!("\n{}", list.iter().map(caution).collect::<String>()),
        Item::Listing { title, text } => {
            let fence = "`".repeat(longest_fence(text).max(2) + 1);
            let listing = format!("{fence}\n{}\n{fence}\n", text.trim_end());
            match title.is_empty() {
                true => format!("\n{listing}"),
                false => format!("\n<details><summary>{}</summary>\n\n{listing}\n</details>\n", line(title)),
            }
        }
    }
}

fn keys(view: &KeyView<'_>) -> String {
    let card = match view {
        KeyView::Card(card) => card,
        KeyView::Table(view) => return table(view),
    };
    let title = if card.title.is_empty() { String::new() } else { format!("\n### {}\n", line(&card.title)) };
    let note = if card.note.is_empty() { String::new() } else { format!("\n{}\n", line(&card.note)) };
    title + &facts(&card.keys) + &note
}

fn facts(list: &[Entry]) -> String {
    let fact = |entry: &Entry| format!("- {}: {}\n", line(&entry.label), line(&entry.value));
    format!("\n{}", list.iter().map(fact).collect::<String>())
}

fn caution(warning: &Warning) -> String {
    let gap = if warning.advice.is_empty() { "" } else { "; " };
    format!("- **{}**{gap}{}\n", line(&warning.findings.join("; ")), line(&warning.advice))
}

fn table(view: &TableView) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let sides = (0..view.headings.len()).map(|column| if view.is_words(column) { "---" } else { "---:" });
    let mut rows = row(view.headings.iter().map(|heading| line(heading)).collect());
    rows += &row(sides.map(str::to_owned).collect());
    for cells in &view.rows {
        rows += &row(cells.iter().map(|cell| line(&cell.text.replace('\n', "; "))).collect());
    }
    let notes: String = view.notes.iter().map(|note| format!("\n{}\n", line(note))).collect();
    match view.title.is_empty() {
        true => format!("\n{rows}{notes}"),
        false if view.is_closed => {
            format!("\n<details><summary>{}</summary>\n\n{rows}{notes}\n</details>\n", line(&view.title))
        }
        false => format!("\n### {}\n\n{rows}{notes}", line(&view.title)),
    }
}

/// Text on one line that means nothing but itself.
fn line(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '|' | '[' | ']' | '#' => escaped.extend(['\\', c]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\n' | '\r' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The most backquotes in a row.
fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::section::{Cell, Part, Section};

    #[test]
    fn what_means_something_in_markdown_is_text() {
        for (text, expected) in [
            ("a|b", "a\\|b"),
            ("*x* _y_ `z`", "\\*x\\* \\_y\\_ \\`z\\`"),
            ("<script>&", "&lt;script&gt;&amp;"),
            ("two\nlines", "two lines"),
            ("[a](b) #1", "\\[a\\](b) \\#1"),
        ] {
            assert_eq!(line(text), expected);
        }
    }

    #[test]
    fn a_table_has_its_sides_and_a_listing_a_fence_that_its_text_cannot_end() {
        let table = TableView {
            rows: vec![["a", "1.5"].map(Cell::from).into(), ["b", "2"].map(Cell::from).into()],
            ..TableView::of_rows("T", ["what", "us"].map(str::to_owned).into())
        };
        let listing = Item::Listing { title: String::new(), text: "x = \"```\"\n".to_owned() };
        let section = Section::new(Part::Tables, "t", "Head", vec![Item::Table(table), listing]);
        let text = markdown(&Document::new("Title".to_owned(), vec![section]));
        assert!(text.contains("| what | us |\n| --- | ---: |\n| a | 1.5 |\n| b | 2 |\n"), "{text}");
        assert!(text.contains("````\nx = \"```\"\n````\n"), "{text}");
        assert!(text.starts_with(&format!("# Title\n<!-- {GENERATOR} -->\n\n## Head\n")), "{text}");
    }
}
