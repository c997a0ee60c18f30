//! A claim in full.

use linerate_study::claims::{Judged, Modelled};

use super::Checked;
use super::words::{NOTHING, allowed, compared, computed, configuration, modelled, note, published, what};
use crate::text::{item, plain, wrap};

/// A block for each claim: what was published, for which set-up, how it is checked, and the result.
pub(super) fn blocks(checked: &Checked<'_>, width: usize) -> Vec<String> {
    checked.judged.iter().map(|judged| block(checked, judged, width)).collect()
}

fn block(checked: &Checked<'_>, judged: &Judged<'_>, width: usize) -> String {
    let claim = judged.claim;
    let title = checked.claims.sources.iter().find(|source| source.number == claim.source);
    let title = title.map_or("", |source| &source.title);
    let mut lines = vec![wrap(&plain(&format!("{}: {}", claim.id, claim.metric)), width, 2)];
    let mut add = |label: &str, value: &str| {
        if value != NOTHING && !value.is_empty() {
            lines.push(item(label, &plain(value), width));
        }
    };
    add("source", &format!("{} {title}", claim.source));
    add("set-up", &configuration(claim));
    add("published", &published(claim));
    add("kind", judged.check.status.name());
    if judged.check.model.is_some() || !judged.check.descending.is_empty() {
        add("compared", what(judged));
        add("computed", &computed(judged).unwrap_or_default());
        add("against", &compared(judged).unwrap_or_default());
        add("allowed", &allowed(judged));
        add("interval", judged.check.interval_from.as_deref().unwrap_or_default());
    }
    if judged.modelled != Modelled::Nothing {
        add("modelled", &modelled(judged));
    }
    add("verdict", judged.verdict.name());
    add("note", &note(judged).unwrap_or_default());
    let contradictions: Vec<&str> =
        checked.claims.contradictions_of(claim).map(|contradiction| contradiction.id.as_str()).collect();
    add("see", &contradictions.join(", "));
    lines.join("\n")
}
