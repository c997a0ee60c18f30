//! Equal runs give equal times, for every plan of the papers.

use std::path::Path;

use linerate_core::units::Span;

use super::lab::{Lab, paper};

/// A message of a segment, of some, and of more than most windows. Unit: bytes.
const SIZES: [u64; 3] = [1, 10_000, 200_000];

/// The times of messages, and how many events it took.
fn run(name: &str) -> (Vec<Span>, u64) {
    let plan = paper(name);
    let mut lab = Lab::new(&plan);
    let pattern = plan.measure.curve().expect("a curve").pattern;
    let times = SIZES.into_iter().flat_map(|size| lab.times(pattern, size, 4)).collect();
    (times, lab.curve.bench.events())
}

#[test]
fn every_plan_of_the_papers_runs_the_same_twice() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans/papers");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of plans")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| path.file_stem().and_then(|stem| stem.to_str()).expect("a name in UTF-8").to_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 19, "{names:?}");
    for name in names {
        let (times, events) = run(&name);
        assert_eq!(times.len(), 4 * SIZES.len());
        assert!(times.iter().all(|time| *time > Span::ZERO) && events > 0, "{name}: {times:?}");
        assert_eq!(run(&name), (times, events), "{name}");
    }
}
