//! Loads as one page that needs nothing else.

use askama::Template;
use linerate_core::report::Report;
use linerate_core::run::Run;
use linerate_core::traffic::{FlowAccount, Transfer};

use super::charts;
use super::latency;
use super::sums::sums;
use super::text::{flow_columns, table_columns};
use super::words::{facts, headline, held_back, name};
use crate::columns::TableView;
use crate::error::RenderError;
use crate::figure::{Figure, hover};
use crate::html::{self, RunView};
use crate::page::{Card, Entry, Frame, entries};
use crate::text::plain;

#[derive(Template)]
#[template(path = "traffic.html")]
struct Page {
    title: String,
    frame: Frame,
    run: RunView,
    facts: Vec<Entry>,
    cards: Vec<Card>,
    figures: Vec<Figure>,
    tables: Vec<TableView>,
    /// What the tables do not say, and why.
    unknown: Option<String>,
    cautions: Vec<[String; 2]>,
}

/// The first run of `report`, which has loads, as one HTML page: what was asked, key numbers,
/// cautions, charts, tables, both hosts and the plan.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(report: &Report) -> Result<String, RenderError> {
    let named = &report.runs[0];
    let run = &named.run;
    let mut figures = charts::figures(run)?;
    let page = Page {
        title: plain(&format!("{}: {}", named.name, headline(run))),
        frame: Frame::new(&hover(&mut figures))?,
        run: html::run(report, 0, named),
        facts: entries(facts(run)),
        cards: run.transfers.iter().map(|transfer| card(run, transfer)).collect(),
        figures,
        tables: tables(run),
        unknown: latency::unknown(&latency::rows(&run.transfers)),
        cautions: run
            .cautions
            .iter()
            .map(|caution| [plain(&caution.finding()), caution.advice().to_owned()])
            .collect(),
    };
    Ok(page.render()?)
}

fn card(run: &Run, transfer: &Transfer) -> Card {
    let mut keys = Vec::new();
    for row in latency::rows(std::slice::from_ref(transfer)) {
        let shown = |share: f64| super::words::time(row.quantile(share));
        let value = format!("median {}, p99 {}, p99.9 {}", shown(0.5), shown(0.99), shown(0.999));
        keys.push([row.kind.clone(), value]);
    }
    keys.extend(sums(transfer));
    keys.extend(held_back(transfer, run).map(|text| ["held back".to_owned(), text]));
    let title = if run.transfers.len() > 1 { name(transfer) } else { headline(run) };
    Card { title, colour: None, keys: entries(keys), note: String::new() }
}

fn tables(run: &Run) -> Vec<TableView> {
    let mut tables = Vec::new();
    let latencies = latency::rows(&run.transfers);
    if !latencies.is_empty() {
        tables.push(TableView::new("Latencies", latency::columns(&latencies)));
    }
    if run.transfers.iter().any(|transfer| !transfer.label.is_empty()) {
        tables.push(TableView::new("Every load", table_columns(run)));
    }
    for transfer in run.transfers.iter().filter(|transfer| !transfer.flows.is_empty()) {
        let flows: Vec<&FlowAccount> = transfer.flows.iter().collect();
        tables.push(TableView::new("Every flow", flow_columns(transfer, &flows)));
    }
    tables
}
