//! Who sent how much to whom: a table shaded by its values.

use linerate_analysis::report::AppResult;
use linerate_core::app::{Account, AppCase};

use super::columns::rank_name;
use crate::section::{Cell, TableView, Tone};
use crate::text::{about, count, shortened};

/// The most ranks of a table.
const MOST: usize = 32;
/// The longest name of a rank over its column. Unit: characters.
const LONGEST: usize = 8;
/// The darkest shade. Unit: percent of the colour.
const DARKEST: f64 = 55.0;

/// Bytes and messages of each pair. Empty if there are no pairs.
pub(super) fn matrices(app: &AppResult, case: &AppCase) -> Vec<TableView> {
    let ranks = case.accounts.len();
    let on = count(ranks as u64, "rank");
    let title = |what: &str| format!("{what} from each rank (rows) to each other (columns), on {on}");
    if ranks < 2 {
        return Vec::new();
    }
    if ranks > MOST {
        let note = format!("Left out: there are {ranks} ranks, and a table has room for {MOST}.");
        let row = vec![vec![Cell::toned(note, Tone::Quiet)]];
        return vec![TableView {
            rows: row,
            ..TableView::of_rows(title("Bytes and messages"), vec![String::new()])
        }];
    }
    vec![
        matrix(app, case, title("Bytes"), |from, to| {
            from.bytes.get(to).map(|bytes| (*bytes, about(*bytes as f64)))
        }),
        matrix(app, case, title("Messages"), |from, to| {
            from.messages.get(to).map(|messages| (*messages, messages.to_string()))
        }),
    ]
}

fn matrix(
    app: &AppResult,
    case: &AppCase,
    title: String,
    sent: impl Fn(&Account, usize) -> Option<(u64, String)>,
) -> TableView {
    let ranks = case.accounts.len();
    let values = case.accounts.iter().flat_map(|from| (0..ranks).filter_map(|to| sent(from, to)));
    let highest = values.map(|(value, _)| value).max().unwrap_or(0).max(1) as f64;
    let cell = |from: &Account, to: usize| {
        let (value, text) = sent(from, to).unwrap_or_default();
        let text = if value == 0 { "-".to_owned() } else { text };
        Cell { shade: (value as f64 / highest * DARKEST).round() as u32, ..text.into() }
    };
    let row = |(rank, from): (usize, &Account)| {
        let sent = (0..ranks).map(|to| cell(from, to));
        std::iter::once(Cell::from(rank_name(app, rank))).chain(sent).collect()
    };
    let names = (0..ranks).map(|rank| shortened(&rank_name(app, rank), LONGEST));
    let headings = std::iter::once("from".to_owned()).chain(names).collect();
    TableView {
        rows: case.accounts.iter().enumerate().map(row).collect(),
        ..TableView::of_rows(title, headings)
    }
}
