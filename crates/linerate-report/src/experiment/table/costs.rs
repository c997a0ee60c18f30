//! Costs, and rate against latency, as text.

use linerate_analysis::experiment::Findings;

use super::super::{trade, views, words};
use crate::columns::fit_wrapped;
use crate::text::wrap;

/// What the cells cost and give, the cheapest first.
pub(super) fn block(findings: &Findings, width: usize) -> Option<String> {
    let costs = findings.costs.as_ref().filter(|costs| !costs.offers.is_empty())?;
    let source = if costs.source.is_empty() { String::new() } else { format!(", from {}", costs.source) };
    let merit = words::titled(&costs.merit, &costs.unit);
    let title = format!("what {merit} costs, in {} of {}{source}", costs.currency, costs.date);
    let table = fit_wrapped(views::offers(findings, costs), width).0;
    Some(format!("{}\n{table}", wrap(&title, width, 2)))
}

/// The cells that nothing beats in rate and latency together.
pub(super) fn trade(findings: &Findings, width: usize) -> Option<String> {
    let found = findings.trade.as_ref().filter(|trade| !trade.cells.is_empty())?;
    let [more, less] = &found.figures;
    let title = format!("no other cell has both more {more} and less {less}");
    let table = fit_wrapped(trade::columns(findings, found), width).0;
    Some(format!("{}\n{table}", wrap(&title, width, 2)))
}
