//! A prediction beside its run, as sections and as JSON.

mod chart;
mod json;
mod page;

#[cfg(test)]
mod fixture;

use std::borrow::Cow;

use linerate_study::prediction::{Prediction, WhatIf};

pub use json::json;
pub use page::document;

use super::text::{digits, percent, plain};

/// The key facts: a label and a value each.
fn facts(prediction: &Prediction) -> Vec<(Cow<'static, str>, String)> {
    let held_out = prediction.held_out().count();
    let of = &prediction.host;
    let host = format!("{}, {}, calibrated {}", of.hostname, of.processor, prediction.made);
    let mut facts = vec![
        ("host".into(), plain(&host)),
        ("sizes".into(), format!("{}, of which {held_out} are held out", prediction.points.len())),
    ];
    if let Some(share) = prediction.coverage() {
        let inside = prediction.inside();
        facts.push((
            "in the band".into(),
            format!("{inside} of {held_out} held-out sizes ({})", percent(share)),
        ));
    }
    if let Some(width) = prediction.width() {
        facts
            .push(("band".into(), format!("its upper end is {width:.2} times its lower end, in the median")));
    }
    if let Some(error) = prediction.median_error() {
        facts.push(("error".into(), format!("{} of the held-out times, in the median", percent(error))));
    }
    let [model, drift] = [prediction.discrepancy, prediction.drift].map(percent);
    facts.push((
        "spread".into(),
        format!("model {model} of a time, the host's drift {drift}, by the calibration"),
    ));
    for (what_if, label) in prediction.what_if.iter().zip(labels(prediction)) {
        facts.push((label.into(), format!("{}: {}", what_if.change, change(prediction, what_if))));
    }
    facts
}

/// What each of the changes is called: by its number if there are several.
fn labels(prediction: &Prediction) -> impl Iterator<Item = String> {
    let alone = prediction.what_if.len() == 1;
    let label = move |nth| if alone { "what if".to_owned() } else { format!("what if {nth}") };
    (1..=prediction.what_if.len()).map(label)
}

/// What a change does to the predicted times of the smallest and the largest message.
fn change(prediction: &Prediction, what_if: &WhatIf) -> String {
    let pairs = prediction.points.iter().zip(&what_if.bands);
    let say = |pair: Option<(&linerate_study::prediction::Compared, &linerate_sim::calibrate::Band)>| {
        pair.map_or_else(String::new, |(point, band)| {
            let [before, after] = [point.band.centre, band.centre].map(|time| digits(time.as_us()));
            format!("{} B {before} -> {after} us", point.conditions.size)
        })
    };
    let least = pairs.clone().min_by_key(|(point, _)| point.conditions.size);
    let most = pairs.max_by_key(|(point, _)| point.conditions.size);
    format!("{}; {}", say(least), say(most))
}
