//! `linerate history`, and runs that are recorded.

mod changes;
mod recording;

use linerate_core::run::Run;
use linerate_core::units::Span;

use crate::support::Desk;

/// A run file of the first version: a curve over loopback.
const RUN: &str = include_str!("../../linerate-analysis/tests/runs/format-1.run.json");

/// The run with another id, day and kernel, and with times this much longer.
fn made(nth: u32, kernel: &str, factor: f64) -> Run {
    let mut run = Run::from_json(RUN).expect("it is read for ever");
    run.id = format!("made-{nth:04}");
    run.source = linerate_core::run::Source::Loopback;
    run.started = format!("2026-{:02}-{:02}T06:00:00Z", 1 + nth / 28, 1 + nth % 28);
    run.nodes[0].environment.kernel = linerate_core::environment::Fact::Known(kernel.to_owned());
    for round in
        run.series.iter_mut().flat_map(|series| &mut series.points).flat_map(|point| &mut point.rounds)
    {
        for span in [&mut round.median, &mut round.mean, &mut round.min, &mut round.max] {
            *span = Span::from_seconds(span.as_seconds() * factor);
        }
    }
    run
}

/// What runs differ by without a change: some per cent, always the same.
fn noise(nth: u32) -> f64 {
    1.0 + 0.01 * (f64::from((nth * 7919) % 101) / 50.0 - 1.0)
}

/// A folder with 40 runs in `runs/`: from run 20 on there is another kernel, and times are 20 % longer.
pub(crate) fn desk() -> Desk {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("runs")).expect("the folder is ours");
    for nth in 0..40 {
        let (kernel, factor) = if nth < 20 { ("6.1.0", 1.0) } else { ("6.12.0", 1.2) };
        desk.write(&format!("runs/{nth:02}.run.json"), made(nth, kernel, factor * noise(nth)).to_json());
    }
    desk
}

/// `linerate history` with these words, in the history `h.db` of the desk.
pub(crate) fn history(desk: &Desk, words: &[&str]) -> crate::support::Said {
    desk.linerate(&[&["history", "--history", "h.db"], words].concat())
}

/// The id of the only path.
pub(crate) fn path(desk: &Desk) -> String {
    let said = history(desk, &["export", "--out", "-"]).done();
    let first = said.stdout.lines().next().expect("a run");
    let run: serde_json::Value = serde_json::from_str(first).expect("JSON");
    run["path"].as_str().expect("a path").to_owned()
}
