//! A prediction that was made by hand.

use linerate_core::units::Span;
use linerate_sim::calibrate::{Band, Conditions, Identity};
use linerate_study::prediction::{Compared, Prediction, WhatIf};

/// Ten sizes: the first was used, the last lies outside its band, and a change halves all times.
pub(super) fn prediction() -> Prediction {
    let us = |value: f64| Span::from_seconds(value / 1e6);
    let points: Vec<Compared> = (0..10)
        .map(|nth| {
            let centre = 10.0 * 1.5_f64.powi(nth);
            Compared {
                conditions: Conditions::usual(1500, 64 << nth),
                measured: us(if nth == 9 { centre * 2.0 } else { centre * 1.1 }),
                interval: (nth > 0).then(|| [us(centre * 1.05), us(centre * 2.1)]),
                band: Band { centre: us(centre), low: us(centre * 0.8), high: us(centre * 1.25) },
                used: nth == 0,
            }
        })
        .collect();
    let half = |band: &Band| Band { centre: band.centre / 2, low: band.low / 2, high: band.high / 2 };
    Prediction {
        run: "x".to_owned(),
        host: Identity {
            hostname: "node".to_owned(),
            kernel: "Linux 6".to_owned(),
            processor: "cpu".to_owned(),
        },
        made: "2026-11-22T00:00:00+00:00".to_owned(),
        discrepancy: 0.05,
        drift: 0.02,
        what_if: vec![WhatIf {
            change: "mtu=9000".to_owned(),
            bands: points.iter().map(|point| half(&point.band)).collect(),
            test: vec!["linerate measure node --out after.run.json".to_owned()],
        }],
        points,
        cautions: vec![["a finding".to_owned(), "an advice".to_owned()]],
    }
}

/// The same with so many changes, of which number `n` takes 1 / (n + 1) of the time.
pub(super) fn several(count: u32) -> Prediction {
    let mut prediction = prediction();
    let change = |nth: u32| {
        let shorter = |time: Span| time / u64::from(nth + 1);
        let band = |band: &Band| Band {
            centre: shorter(band.centre),
            low: shorter(band.low),
            high: shorter(band.high),
        };
        WhatIf {
            change: format!("mtu={}", 1000 * nth),
            bands: prediction.points.iter().map(|point| band(&point.band)).collect(),
            test: vec![format!("linerate measure node --out after-{nth}.run.json")],
        }
    };
    prediction.what_if = (1..=count).map(change).collect();
    prediction
}
