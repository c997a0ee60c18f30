//! A staircase or a search as text.

use linerate_analysis::experiment::{Findings, WayFound};

use super::super::{views, words};
use super::figure::noted;
use crate::columns::fit_wrapped;
use crate::text::{item, wrap};

/// What the design found on its way, if it is one that finds its own.
pub(super) fn block(findings: &Findings, width: usize) -> Option<String> {
    match findings.way.as_ref()? {
        WayFound::Staircase(stairs) => {
            let mut lines =
                vec![wrap(&format!("the steps, in {}", words::titled(&stairs.goal, &stairs.unit)), width, 2)];
            if let Some(base) = stairs.base {
                lines.push(item("base", &words::estimate(base, None, &stairs.unit), width));
            }
            if !stairs.steps.is_empty() {
                lines.push(fit_wrapped(views::steps(findings, stairs), width).0);
            }
            lines.extend(noted(&words::failures(stairs), width));

            Some(lines.join("\n"))
        }
        WayFound::Search(found) => {
            let figure = words::titled(&found.figure, &found.unit);
            let title = wrap(&format!("the search for {}, by {figure}", found.question), width, 2);
            if found.tried.is_empty() {
                return Some(title);
            }
            Some(format!("{title}\n{}", fit_wrapped(views::tried(found), width).0))
        }
    }
}
