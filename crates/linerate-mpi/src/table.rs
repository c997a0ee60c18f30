//! Collectives as a table of text.

use std::fmt::Write as _;

use linerate_core::mesh::CollectiveTimes;
use linerate_core::units::{Size, Span};

/// A line for each collective, algorithm and size. Empty if there are none.
#[must_use]
pub fn collectives(found: &[CollectiveTimes]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\ncollectives: mean, least and greatest of the ranks' means; the slowest rank of each call; all in us\n\n",
    );
    let _ = writeln!(
        text,
        "{:<15}{:<20}{:>9}{:>10}{:>10}{:>10}{:>10}{:>10}{:>7}",
        "collective", "algorithm", "size", "mean", "min", "max", "slowest", "p99", "calls"
    );
    let us = |span: Span| format!("{:.2}", span.as_ps() as f64 / 1e6);
    for one in found {
        let [mean, min, max] = one.over_ranks().unwrap_or_default();
        let (collective, algorithm, size) = (&one.collective, &one.algorithm, Size(one.bytes).to_string());
        let _ = writeln!(
            text,
            "{collective:<15}{algorithm:<20}{size:>9}{:>10}{:>10}{:>10}{:>10}{:>10}{:>7}",
            us(mean),
            us(min),
            us(max),
            us(one.slowest.mean),
            us(one.slowest.p99),
            one.slowest.messages
        );
    }
    text
}
