//! The key numbers of several curves, loads or runs beside each other.

use super::{Card, Cell, TableView, Tone};

/// How a page shows key numbers.
pub(crate) enum KeyView<'a> {
    Card(&'a Card),
    Table(Box<TableView>),
}

/// A table for each kind of card: a row for each card, a column for each key. One card alone is a list, which reads
/// better.
pub(crate) fn key_views(cards: &[Card]) -> Vec<KeyView<'_>> {
    let mut kinds: Vec<Vec<&Card>> = Vec::new();
    for card in cards {
        match kinds.iter_mut().find(|kind| kind[0].kind == card.kind) {
            Some(kind) => kind.push(card),
            None => kinds.push(vec![card]),
        }
    }
    kinds
        .into_iter()
        .map(|kind| match kind[..] {
            [card] => KeyView::Card(card),
            _ => KeyView::Table(Box::new(table(&kind))),
        })
        .collect()
}

/// What is said of each of several, each thing once: of which it is said stands before it, unless it is said of all.
pub(crate) fn said_once<'a>(all: impl IntoIterator<Item = (&'a str, String)>) -> Vec<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for (name, note) in all {
        if !names.contains(&name) {
            names.push(name);
        }
        match said.iter_mut().find(|(other, _)| *other == note) {
            Some((_, of)) => of.push(name),
            None if note.is_empty() => {}
            None => said.push((note, vec![name])),
        }
    }
    let all = names.len();
    let line = |(note, of): (String, Vec<&str>)| match of.len() == all {
        true => note,
        false => format!("{}: {note}", of.join(", ")),
    };
    said.into_iter().map(line).collect()
}

fn table(cards: &[&Card]) -> TableView {
    let mut labels: Vec<&str> = Vec::new();
    for label in cards.iter().flat_map(|card| card.keys.iter().map(|key| key.label.as_str())) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let row = |card: &&Card| {
        let value = |label: &&str| {
            let found: Vec<&str> =
                card.keys.iter().filter(|key| key.label == *label).map(|key| key.value.as_str()).collect();
            if found.is_empty() { Cell::toned("-", Tone::Quiet) } else { found.join("; ").into() }
        };
        let name = Cell { colour: card.colour, ..Cell::from(card.title.clone()) };
        std::iter::once(name).chain(labels.iter().map(value)).collect()
    };
    let notes = said_once(cards.iter().map(|card| (card.title.as_str(), card.note.clone())));
    let headings = std::iter::once("").chain(labels.iter().copied()).map(str::to_owned).collect();
    let rows = cards.iter().map(row).collect();
    TableView { rows, is_of_keys: true, ..TableView::of_rows("", headings) }.noted(notes)
}
