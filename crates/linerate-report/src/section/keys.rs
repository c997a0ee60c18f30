//! The key numbers of several curves, loads or runs beside each other.

use super::{Card, Cell, Item, TableView, Tone};

/// A table for each kind of card: a row for each card, a column for each key. One card alone is a list, which reads
/// better.
pub(crate) fn key_items(mut cards: Vec<Card>) -> Vec<Item> {
    if cards.len() < 2 {
        return cards.pop().map(Item::Keys).into_iter().collect();
    }
    let mut kinds: Vec<Vec<Card>> = Vec::new();
    for card in cards {
        match kinds.iter_mut().find(|kind| kind[0].kind == card.kind) {
            Some(kind) => kind.push(card),
            None => kinds.push(vec![card]),
        }
    }
    kinds.iter().map(|kind| Item::Table(table(kind))).collect()
}

fn table(cards: &[Card]) -> TableView {
    let mut labels: Vec<&str> = Vec::new();
    for label in cards.iter().flat_map(|card| card.keys.iter().map(|key| key.label.as_str())) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let row = |card: &Card| {
        let value = |label: &&str| {
            let found: Vec<&str> =
                card.keys.iter().filter(|key| key.label == *label).map(|key| key.value.as_str()).collect();
            if found.is_empty() { Cell::toned("-", Tone::Quiet) } else { found.join("; ").into() }
        };
        let name = Cell { colour: card.colour, ..Cell::from(card.title.clone()) };
        std::iter::once(name).chain(labels.iter().map(value)).collect()
    };
    let mut notes: Vec<String> = Vec::new();
    for note in cards.iter().map(|card| card.note.clone()).filter(|note| !note.is_empty()) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let headings = std::iter::once("").chain(labels.iter().copied()).map(str::to_owned).collect();
    TableView { rows: cards.iter().map(row).collect(), ..TableView::of_rows("", headings) }.noted(notes)
}
