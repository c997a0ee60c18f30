//! Checks for the tests of the renderers: the shipped claims over made-up curves.

use std::collections::BTreeMap;

use linerate_core::pattern::Pattern;
use linerate_study::claims::{Answer, Claims, Curve, Job, Point, Results, judge};

use super::Checked;

/// Runs `test` on all shipped claims, of whose runs two curves and a sweep were run.
pub(super) fn with<T>(in_full: bool, test: impl FnOnce(&Checked<'_>) -> T) -> T {
    let claims = Claims::shipped();
    let mut answers = BTreeMap::new();
    let mut add = |run, peak: f64| answers.insert(Job::Curve(run), Ok(Answer::Curve(curve(peak))));
    add(claims.runs.run("kernel-2.0.35"), 230.0);
    add(claims.runs.run("gnic-ii"), 318.0);
    for (nth, (_, run)) in claims.runs.swept("acenic", &claims.runs.sweeps["mtu"]).enumerate() {
        add(run, 300.0 + 40.0 * (2.0 - (nth as f64 - 2.0).abs()));
    }
    let results = Results(answers);
    let judged: Vec<_> = claims.claims.iter().map(|claim| judge(&claims, claim, &results)).collect();
    test(&Checked { claims: &claims, judged: &judged, results: &results, in_full })
}

/// A curve with a latency of 140 us that comes near to `peak` Mb/s.
fn curve(peak: f64) -> Curve {
    let point = |power: u32| {
        let size = 1_u64 << power;
        let us = 140.0 + size as f64 * 8.0 / peak;
        Point { size, us, mbps: size as f64 * 8.0 / us }
    };
    Curve { pattern: Pattern::PingPong, points: (0..24).map(point).collect() }
}
