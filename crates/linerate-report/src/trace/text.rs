//! Traces as text.

use linerate_analysis::report::{Report, TraceResult};
use linerate_core::plan::Rows;
use linerate_core::trace::Way;

use super::words::{clocks, columns, means, overhead, remarks, stamped};
use crate::columns::fit;
use crate::text::{plain, wrap};

/// The traces of `report` as text of at most `width` columns; of the way back only if all `rows` are asked for.
pub(crate) fn text(report: &Report, width: u16, rows: Rows) -> String {
    let width = usize::from(width).max(40);
    let blocks: Vec<String> = report.traces.iter().map(|trace| block(report, trace, width, rows)).collect();
    blocks.join("\n\n") + "\n"
}

fn block(report: &Report, trace: &TraceResult, width: usize, rows: Rows) -> String {
    let run = &report.runs[trace.run].run;
    let head = format!(
        "{}: where messages are, from the call that sends one to the call that has it; {}; {}",
        plain(&trace.name),
        means(run),
        clocks(trace)
    );
    let mut parts = vec![wrap(&head, width, 2)];
    let ways: &[Way] = if rows == Rows::All { &[Way::There, Way::Back] } else { &[Way::There] };
    for way in ways {
        if rows == Rows::All {
            parts.push(String::new());
            parts.push(way.name().to_owned());
        }
        let (table, left_out) = fit(columns(trace, *way), width);
        parts.push(String::new());
        parts.push(table);
        if !left_out.is_empty() {
            parts.push(wrap(&format!("no room for: {}; the report has them", left_out.join(", ")), width, 2));
        }
    }
    let more = overhead(trace).into_iter().chain(stamped(trace)).chain(remarks(run, trace));
    let more: Vec<String> = more.map(|line| wrap(&line, width, 2)).collect();
    if !more.is_empty() {
        parts.push(String::new());
        parts.extend(more);
    }
    parts.join("\n")
}
