//! Claims and verdicts in words.

use linerate_study::claims::{Claim, Contradiction, Judged, Modelled, Tally, Verdict};

use super::Checked;

/// The mark of an empty cell.
pub(super) const NOTHING: &str = "-";
/// A value this close to a whole number is shown as one.
const WHOLE: f64 = 1e-6;

/// What was published, as it was written.
pub(super) fn published(claim: &Claim) -> String {
    with_unit(&claim.value, if claim.unit == "-" { "" } else { &claim.unit })
}

/// What the model is compared with, where that is not the claim as it was written.
pub(super) fn compared(judged: &Judged<'_>) -> Option<String> {
    judged.check.published.as_ref()?;
    Some(with_unit(&number(judged.published?), judged.check.unit(judged.claim)))
}

/// What the model gave: a figure with its unit, or several in the order in which they should fall.
pub(super) fn modelled(judged: &Judged<'_>) -> String {
    match &judged.modelled {
        Modelled::Nothing => NOTHING.to_owned(),
        Modelled::One(value) => with_unit(&number(*value), judged.check.unit(judged.claim)),
        Modelled::Order(terms) => {
            let mut text = number(terms[0]);
            for pair in terms.windows(2) {
                let sign = if pair[0] > pair[1] { " > " } else { " <= " };
                text += &(sign.to_owned() + &number(pair[1]));
            }
            text
        }
    }
}

/// Which modelled values are allowed.
pub(super) fn allowed(judged: &Judged<'_>) -> String {
    match judged.allowed {
        None if judged.check.descending.is_empty() => NOTHING.to_owned(),
        None if judged.check.margin > 0.0 => format!("falling by {:.0} %", judged.check.margin * 100.0),
        None => "falling".to_owned(),
        Some([low, high]) if low == high => format!("exactly {}", number(low)),
        Some([low, high]) if high.is_infinite() => format!("at least {}", number(low)),
        Some([low, high]) if low.is_infinite() => format!("at most {}", number(high)),
        Some([low, high]) => format!("{} to {}", number(low), number(high)),
    }
}

/// How the modelled value is computed. Empty without a modelled value.
pub(super) fn computed(judged: &Judged<'_>) -> Option<String> {
    let terms: Vec<String> = judged.check.modelled().map(ToString::to_string).collect();
    (!terms.is_empty()).then(|| terms.join(" > "))
}

/// What is compared.
pub(super) fn what<'a>(judged: &'a Judged<'_>) -> &'a str {
    judged.check.what.as_deref().unwrap_or(&judged.claim.metric)
}

/// Notes: why it was not checked, or could not be; what was calibrated on it; why it is missed.
pub(super) fn note(judged: &Judged<'_>) -> Option<String> {
    let calibrated = &judged.check.calibrated;
    let mut notes: Vec<String> = judged.trouble.iter().cloned().collect();
    notes.extend(judged.check.missed.as_ref().map(|miss| miss.reason.clone()));
    if !calibrated.is_empty() {
        notes.push(format!("calibrated on it: {}", calibrated.join(", ")));
    }
    notes.extend(judged.check.reason.clone());
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// The hosts, the kernel and the settings that it was measured with.
pub(super) fn configuration(claim: &Claim) -> String {
    let mtu = if claim.mtu.is_empty() { String::new() } else { format!("MTU {}", claim.mtu) };
    let buffer = if claim.socket_buffer.is_empty() {
        String::new()
    } else {
        format!("socket buffer {}", claim.socket_buffer)
    };
    let mode = if claim.mode == "-" { "" } else { &claim.mode };
    let parts = [&claim.cpu, &claim.nic, &claim.driver, &claim.kernel, &mtu, &buffer, mode];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { NOTHING.to_owned() } else { parts.join(", ") }
}

/// A summary in one sentence: what came out as expected, by kind, and then what did not.
pub(super) fn summary(tally: &Tally, claims: usize) -> String {
    let expected = [
        (tally.definition, plural(tally.definition, "definition", "definitions")),
        (tally.predicted, "predicted"),
        (tally.calibrated, "calibrated"),
        (tally.missed, "missed"),
        (tally.contradicted, "contradicted"),
        (tally.not_testable, "not testable"),
    ];
    let unexpected = [
        (tally.fail, plural(tally.fail, "should hold and fails", "should hold and fail")),
        (tally.out_of_date, "not missed as recorded"),
        (tally.could_not, "could not be checked"),
    ];
    let counted = |counts: &[(usize, &str)]| {
        let some = counts.iter().filter(|(count, _)| *count > 0);
        some.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    };
    let parts = [counted(&expected), counted(&unexpected)];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    format!("{claims} {}: {}", plural(claims, "claim", "claims"), parts.join("; "))
}

const fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

/// The contradictions that touch what was checked; with everything checked, all.
pub(super) fn contradictions<'a>(checked: &Checked<'a>) -> Vec<&'a Contradiction> {
    let all = checked.judged.len() == checked.claims.claims.len();
    let touches = |contradiction: &&Contradiction| {
        let touched = |judged: &Judged<'_>| contradiction.claims.contains(&judged.claim.id);
        all || checked.judged.iter().any(touched)
    };
    checked.claims.contradictions.iter().filter(touches).collect()
}

/// The claims that are not tested, by reason.
pub(super) fn untested<'a>(checked: &Checked<'a>) -> Vec<(&'a str, Vec<&'a Judged<'a>>)> {
    let untested = checked.judged.iter().filter(|judged| judged.verdict == Verdict::NotTestable);
    grouped(untested, |judged| judged.check.reason.as_deref())
}

/// Claims by reason, in order of appearance.
pub(super) fn grouped<'a>(
    claims: impl Iterator<Item = &'a Judged<'a>>,
    reason: impl Fn(&'a Judged<'a>) -> Option<&'a str>,
) -> Vec<(&'a str, Vec<&'a Judged<'a>>)> {
    let mut groups: Vec<(&str, Vec<&Judged<'_>>)> = Vec::new();
    for judged in claims {
        let reason = reason(judged).unwrap_or_default();
        match groups.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, group)) => group.push(judged),
            None => groups.push((reason, vec![judged])),
        }
    }
    groups
}

/// A figure: whole where it is whole, else with four digits, as what was published may have as many.
pub(super) fn number(value: f64) -> String {
    let whole = value.round();
    if (value - whole).abs() <= WHOLE * value.abs().max(1.0) {
        return format!("{whole:.0}");
    }
    let decimals = (3.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

fn with_unit(value: &str, unit: &str) -> String {
    match unit {
        "" => value.to_owned(),
        "x" => format!("{value} x"),
        unit => format!("{value} {unit}"),
    }
}

#[cfg(test)]
mod tests;
