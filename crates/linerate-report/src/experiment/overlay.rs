//! The curves of the cells over each other.

use linerate_analysis::report::Report;

use crate::curves::{Graph, graphs};
use crate::figure::Figure;

/// The throughput and the signature graph of `report`, whose runs are named after their cells. Empty if it has no curve.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let named = |figure: Figure| Figure {
        id: format!("curves-{}", figure.id),
        title: format!("{} of every cell", figure.title),
        caption: format!("{} One run of each cell.", figure.caption),
        ..figure
    };
    let shown = |figure: &Figure| figure.id != Graph::Saturation.name();
    graphs(report).into_iter().filter(shown).map(named).collect()
}
