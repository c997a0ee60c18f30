//! A run file, of linerate or of NetPIPE, and everything that is computed from it.

use std::collections::BTreeSet;

use linerate_analysis::assessment::assess;
use linerate_analysis::netpipe_file;
use linerate_analysis::report::{Curve, NamedRun, Report, Timed, describe};
use linerate_core::run::Run;

/// Takes `data` for a run file.
pub fn run_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(run) = Run::from_json(text) {
        survives(&run);
        read(run);
    }
    for run in netpipe_file::read(text).into_iter().flatten() {
        survives(&run);
        read(run);
    }
}

/// A run that is written is read as it was.
fn survives(run: &Run) {
    let written = run.to_json();
    let back = Run::from_json(&written).unwrap_or_else(|error| panic!("failed to read: {error}"));
    assert!(back == *run, "a run is not read as it was written");
}

/// What a reader of the run is shown, beside a twin of the same name.
fn read(run: Run) {
    let cautions = assess(&run);
    assert_eq!(cautions, assess(&run), "the same run is doubted in the same way");
    for caution in cautions.iter().chain(&run.cautions) {
        assert!(!caution.finding().is_empty() && !caution.advice().is_empty());
    }
    assert!(!describe(&run).is_empty());
    assert!(!run.plan.to_toml().is_empty(), "the plan is shown");
    let series = run.series.len();
    let twin = NamedRun { name: "a".to_owned(), run: run.clone() };
    let report = Report::new(vec![NamedRun { name: "a".to_owned(), run }, twin]);
    assert_eq!(report.curves.len(), 2 * series);
    let names: BTreeSet<&str> = report.curves.iter().map(|curve| curve.name.as_str()).collect();
    assert_eq!(names.len(), report.curves.len(), "every curve has a name of its own");
    report.curves.iter().for_each(shown);
    for ceiling in &report.ceilings {
        assert!(ceiling.mbps >= 0.0, "{ceiling:?}");
    }
    assert_eq!(
        report.cautions().count(),
        report.runs.iter().map(|named| named.run.cautions.len()).sum::<usize>()
    );
}

/// Every number of a curve is one.
fn shown(curve: &Curve) {
    for (_, timed) in curve.timed() {
        let Timed { median_us, interval_us, mbps, mbps_interval, p99_us, max_us, min_us, .. } = timed;
        for number in [median_us, mbps, p99_us, max_us, min_us] {
            assert!(number >= 0.0 && number.is_finite(), "{timed:?}");
        }
        for [low, high] in [interval_us, mbps_interval].into_iter().flatten() {
            assert!(low <= high, "{timed:?}");
        }
    }
    let stretched: usize = curve.stretches().map(|stretch| stretch.len()).sum();
    assert_eq!(stretched, curve.timed().count(), "every timed point is on a line");
    let derived = &curve.derived;
    let half = derived.bandwidth.and_then(|bandwidth| bandwidth.half_performance_bytes);
    assert!(half.is_none_or(|bytes| bytes > 0.0), "{derived:?}");
    if let Some(saturation) = derived.saturation {
        assert!(saturation.size > 0.0 && saturation.interval[0] <= saturation.interval[1], "{saturation:?}");
    }
    for dip in &derived.dips {
        assert!(dip.extent[0] <= dip.size && dip.size <= dip.extent[1], "{dip:?}");
        assert!(dip.depth > 0.0 && dip.depth <= 1.0, "{dip:?}");
    }
}
