//! Two claims made for the tests, and results for them.

use std::collections::BTreeMap;

use linerate_core::pattern::Pattern;

use super::curve::{Curve, Point};
use super::data::{Claims, Texts};
use super::quantity::Quantity;
use super::results::{Answer, Job, Results};

/// A claim of 100 Mb/s and one of 3 x 100, in the form in which they are stored.
pub(super) const TABLE: &str = "id\tsource\tcpu\tnic\tdriver\tkernel\tmtu\tsocket_buffer\tmode\tmetric\tvalue\tunit\tkind\n\
    Q001\t9\t\t\t\t\t\t\t-\tpeak\t100\tMb/s\tM\nQ002\t9\t\t\t\t\t\t\t-\tmany\t>3\tx\tQ\n";

/// The claims of [`TABLE`] with these checks.
pub(super) fn made(checks: &str) -> Claims {
    let texts = Texts {
        claims: TABLE,
        sources: "[[source]]\nnumber = '9'\ntitle = 'a test'\nclaims = 'Q'",
        contradictions: "contradiction = []",
        runs: "[runs]\nslow = { plan = 'gigabit', set = ['network.mtu=576'] }\n\
            [sweeps]\nmtu = { key = 'network.mtu', axis = 'MTU', values = ['576', '1500'] }",
        checks: &[("test.toml", checks)],
    };
    Claims::read(&texts).unwrap_or_else(|error| panic!("{error}"))
}

/// Results in which every curve of `runs` has its peak at 1 KiB.
pub(super) fn results(claims: &Claims, runs: &[(&str, f64)]) -> Results {
    let curve = |peak: f64| {
        let point = |size: u64, mbps: f64| Point { size, us: size as f64 * 8.0 / mbps, mbps };
        Curve { pattern: Pattern::PingPong, points: vec![point(1, peak / 10.0), point(1024, peak)] }
    };
    let answers =
        runs.iter().map(|(run, peak)| (Job::Curve(claims.runs.run(run)), Ok(Answer::Curve(curve(*peak)))));
    Results(answers.collect::<BTreeMap<_, _>>())
}

/// A quantity as checks have it.
pub(super) fn quantity(text: &str) -> Quantity {
    #[derive(serde::Deserialize)]
    struct Holder {
        model: Quantity,
    }
    toml::from_str::<Holder>(&format!("model = {text}"))
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .model
}
