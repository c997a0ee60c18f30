//! A prediction as JSON.

use linerate_core::units::Span;
use linerate_sim::calibrate::{Band, Conditions};
use linerate_study::prediction::{Compared, Prediction, WhatIf};
use serde::Serialize;

use crate::error::RenderError;

#[derive(Serialize)]
struct View<'a> {
    run: &'a str,
    host: &'a linerate_sim::calibrate::Identity,
    calibrated: &'a str,
    /// Standard deviation of the model itself, of a time's logarithm.
    discrepancy: f64,
    /// That of the host from one connection to a later one.
    drift: f64,
    held_out: usize,
    held_out_inside: usize,
    coverage: Option<f64>,
    /// How many times its lower end the upper end of a band is, in the median.
    band_width: Option<f64>,
    median_error: Option<f64>,
    points: Vec<PointView<'a>>,
    what_if: Option<WhatIfsView<'a>>,
    cautions: Vec<CautionView<'a>>,
}

#[derive(Serialize)]
struct PointView<'a> {
    conditions: &'a Conditions,
    used_for_calibration: bool,
    measured_us: f64,
    measured_interval_us: Option<[f64; 2]>,
    predicted_us: f64,
    band_us: [f64; 2],
    inside: bool,
    error: f64,
}

/// What one change would do, or a list of what each of several would.
#[derive(Serialize)]
#[serde(untagged)]
enum WhatIfsView<'a> {
    One(WhatIfView<'a>),
    Several(Vec<WhatIfView<'a>>),
}

#[derive(Serialize)]
struct WhatIfView<'a> {
    change: &'a str,
    points: Vec<BandView>,
    test: &'a [String],
}

#[derive(Serialize)]
struct BandView {
    size: u64,
    predicted_us: f64,
    band_us: [f64; 2],
}

#[derive(Serialize)]
struct CautionView<'a> {
    finding: &'a str,
    advice: &'a str,
}

/// `prediction` as indented JSON. Times are one-way in us, sizes in bytes, shares from 0 to 1.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json(prediction: &Prediction) -> Result<String, RenderError> {
    let what_if = |what_if| what_if_view(prediction, what_if);
    let what_if = match prediction.what_if.as_slice() {
        [] => None,
        [alone] => Some(WhatIfsView::One(what_if(alone))),
        several => Some(WhatIfsView::Several(several.iter().map(what_if).collect())),
    };
    let view = View {
        run: &prediction.run,
        host: &prediction.host,
        calibrated: &prediction.made,
        discrepancy: prediction.discrepancy,
        drift: prediction.drift,
        held_out: prediction.held_out().count(),
        held_out_inside: prediction.inside(),
        coverage: prediction.coverage(),
        band_width: prediction.width(),
        median_error: prediction.median_error(),
        points: prediction.points.iter().map(point).collect(),
        what_if,
        cautions: prediction
            .cautions
            .iter()
            .map(|[finding, advice]| CautionView { finding, advice })
            .collect(),
    };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}

fn point(point: &Compared) -> PointView<'_> {
    PointView {
        conditions: &point.conditions,
        used_for_calibration: point.used,
        measured_us: point.measured.as_us(),
        measured_interval_us: point.interval.map(|ends| ends.map(Span::as_us)),
        predicted_us: point.band.centre.as_us(),
        band_us: [point.band.low, point.band.high].map(Span::as_us),
        inside: point.inside(),
        error: point.error(),
    }
}

fn what_if_view<'a>(prediction: &'a Prediction, what_if: &'a WhatIf) -> WhatIfView<'a> {
    let points = prediction.points.iter().zip(&what_if.bands);
    WhatIfView {
        change: &what_if.change,
        points: points.map(|(it, band)| band_view(it, band)).collect(),
        test: &what_if.test,
    }
}

fn band_view(point: &Compared, band: &Band) -> BandView {
    BandView {
        size: point.conditions.size,
        predicted_us: band.centre.as_us(),
        band_us: [band.low, band.high].map(Span::as_us),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::fixture;
    use super::*;

    #[test]
    fn it_carries_every_point_and_the_verdict() {
        let text = json(&fixture::prediction()).expect("it has a JSON form");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&json["held_out"], &json["held_out_inside"]), (&9.into(), &8.into()));
        assert_eq!(json["points"].as_array().map(Vec::len), Some(10));
        assert_eq!(json["what_if"]["points"].as_array().map(Vec::len), Some(10));
        assert_eq!(json["points"][0]["used_for_calibration"], true);
        assert_eq!(json["points"][9]["inside"], false);
        assert_eq!(json["cautions"][0]["advice"], "an advice");
    }

    #[test]
    fn several_changes_are_a_list() {
        let text = json(&fixture::several(3)).expect("it has a JSON form");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let what_if = json["what_if"].as_array().expect("a list");
        assert_eq!(what_if.len(), 3);
        assert_eq!(what_if[2]["change"], "mtu=3000");
        assert_eq!(what_if[2]["points"].as_array().map(Vec::len), Some(10));
    }
}
