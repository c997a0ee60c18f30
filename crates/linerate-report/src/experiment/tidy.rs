//! The runs of an experiment as rows for other programs.

use linerate_analysis::experiment::{CellFound, FactorShown, Findings};

use crate::error::RenderError;
use crate::rows::Rows;

/// What a row says beside the level of each factor.
const OWN: [&str; 5] = ["cell", "figure", "unit", "run", "value"];

/// The figures of every run as CSV (RFC 4180), a row for each: the cell, the level of each factor in a column of
/// its name, the figure, its unit, the file of the run, and the value. A factor with the name of another column has
/// the column `factor NAME`. Where a figure lacks some runs of its cell, its rows name no file.
///
/// # Errors
///
/// [`RenderError::Csv`] when the writer refuses.
pub fn csv(findings: &Findings) -> Result<String, RenderError> {
    let [cell, rest @ ..] = OWN;
    let factors: Vec<String> = findings.factors.iter().map(heading).collect();
    let header: Vec<&str> =
        [cell].into_iter().chain(factors.iter().map(String::as_str)).chain(rest).collect();
    let mut rows = Rows::of(header)?;
    for (nth, cell) in findings.cells.iter().enumerate() {
        let levels: Vec<&str> = levels(&findings.factors, cell);
        for figure in &findings.figures {
            let Some(value) = figure.cells.get(nth).and_then(Option::as_ref) else { continue };
            let named = value.runs.len() == cell.files.len();
            for (run, number) in value.runs.iter().enumerate() {
                let file = if named { cell.files[run].as_str() } else { "" };
                let number = number.to_string();
                let own = [figure.figure.key.as_str(), &figure.figure.unit, file, &number];
                let first = [cell.name.as_str()].into_iter();
                rows.add(first.chain(levels.iter().copied()).chain(own))?;
            }
        }
    }
    rows.finish()
}

fn heading(factor: &FactorShown) -> String {
    if OWN.contains(&factor.name.as_str()) { format!("factor {}", factor.name) } else { factor.name.clone() }
}

/// The level of each factor in a cell; empty if it has none.
fn levels<'a>(factors: &'a [FactorShown], cell: &CellFound) -> Vec<&'a str> {
    let level = |(nth, factor): (usize, &'a FactorShown)| {
        let level = cell.levels.get(nth).and_then(|level| factor.levels.get(*level));
        level.map_or("", String::as_str)
    };
    factors.iter().enumerate().map(level).collect()
}
