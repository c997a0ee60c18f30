//! Checks as JSON.

use linerate_core::generator::GENERATOR;
use linerate_study::claims::{Claim, Contradiction, Judged, Miss, Modelled, Source, Status, Tally, Verdict};
use serde::Serialize;

use super::Checked;
use super::words::{computed, contradictions, what};
use crate::error::RenderError;

/// Version of the JSON form.
///
/// 2: verdicts are `definition`, `predicted`, `calibrated` and `missed` instead of `holds` and
/// `calibrated`.
const FORMAT: u32 = 2;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct View<'a> {
    format: u32,
    generator: &'static str,
    sources: &'a [Source],
    claims: Vec<ClaimView<'a>>,
    contradictions: Vec<&'a Contradiction>,
    summary: Tally,
}

/// A claim as it was published, and what its check says.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ClaimView<'a> {
    claim: &'a Claim,
    status: Status,
    /// What is compared.
    compared: &'a str,
    /// How the modelled value is computed.
    computed: Option<String>,
    /// Of both values below.
    unit: &'a str,
    /// What the model is compared with.
    published: Option<f64>,
    /// Least and most that the modelled value may be; null where there is no bound.
    allowed: Option<[Option<f64>; 2]>,
    /// What gives those bounds.
    interval_from: Option<&'a str>,
    modelled: Option<f64>,
    /// Modelled values that should fall from each to the next.
    descending: Option<&'a [f64]>,
    verdict: Verdict,
    /// Parameters that were calibrated on it.
    calibrated: &'a [String],
    /// What the model gives instead, as recorded, and why.
    missed: Option<&'a Miss>,
    reason: Option<&'a str>,
    /// Why it could not be checked.
    trouble: Option<&'a str>,
    contradictions: Vec<&'a str>,
}

/// `checked` as indented JSON.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json(checked: &Checked<'_>) -> Result<String, RenderError> {
    let view = View {
        format: FORMAT,
        generator: GENERATOR,
        sources: &checked.claims.sources,
        claims: checked.judged.iter().map(|judged| view(checked, judged)).collect(),
        contradictions: contradictions(checked),
        summary: Tally::of(checked.judged),
    };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}

fn view<'a>(checked: &Checked<'a>, judged: &'a Judged<'a>) -> ClaimView<'a> {
    let bounded = |end: f64| end.is_finite().then_some(end);
    let (modelled, descending) = match &judged.modelled {
        Modelled::Nothing => (None, None),
        Modelled::One(value) => (Some(*value), None),
        Modelled::Order(terms) => (None, Some(&terms[..])),
    };
    ClaimView {
        claim: judged.claim,
        status: judged.check.status,
        compared: what(judged),
        computed: computed(judged),
        unit: judged.check.unit(judged.claim),
        published: judged.published,
        allowed: judged.allowed.map(|ends| ends.map(bounded)),
        interval_from: judged.check.interval_from.as_deref(),
        modelled,
        descending,
        verdict: judged.verdict,
        calibrated: &judged.check.calibrated,
        missed: judged.check.missed.as_ref(),
        reason: judged.check.reason.as_deref(),
        trouble: judged.trouble.as_deref(),
        contradictions: checked.claims.contradictions_of(judged.claim).map(|it| it.id.as_str()).collect(),
    }
}
