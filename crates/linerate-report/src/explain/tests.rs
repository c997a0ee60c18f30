//! Explanations as they are printed.

use linerate_analysis::explain::{
    Band, Bound, Candidate, Certainty, Cost, ExplainedCurve, Explanation, Which,
};
use linerate_core::pattern::Pattern;

use super::*;
use crate::fixture;

fn band(verdict: Option<Bound>, certainty: Certainty, candidates: Vec<Candidate>) -> Band {
    let settle = "larger messages: the time of each must hardly grow".to_owned();
    Band {
        from_bytes: 1,
        to_bytes: 1024,
        middle_bytes: 32,
        sizes: 11,
        verdict,
        certainty,
        candidates,
        settle,
    }
}

fn candidate(bound: Bound, share: Option<f64>, evidence: &str) -> Candidate {
    Candidate { bound, share, evidence: evidence.to_owned() }
}

#[test]
fn a_verdict_stands_first_then_evidence_rivals_and_what_would_settle_it() {
    let processors = Bound::Processor(Which::Both, Cost::Message);
    let curve = ExplainedCurve {
        pattern: Pattern::PingPong,
        bands: vec![
            band(
                Some(processors),
                Certainty::Sure,
                vec![
                    candidate(
                        processors,
                        Some(0.81),
                        "4.1 us of 10 us here and 4 us there, 8.1 us a message",
                    ),
                    candidate(Bound::WakeUp, Some(0.12), "1.2 us of 10 us are left"),
                    candidate(Bound::Others, Some(0.004), "both ends waited 40 ns"),
                    candidate(Bound::Link, None, "no interface states a speed"),
                ],
            ),
            band(
                None,
                Certainty::CannotTell,
                vec![
                    candidate(Bound::PathRate, Some(0.45), "4.5 us grow with the size"),
                    candidate(processors, Some(0.4), "4 us of 10 us"),
                ],
            ),
        ],
        missing: vec!["the rate of the link: no interface states a speed".to_owned()],
    };
    let explanation = Explanation { curves: vec![curve], settled: Vec::new(), loads: Vec::new() };
    let named = fixture::GIGABIT.run();
    insta::assert_snapshot!("explained", text(&named, &explanation, 90));
    let json = json(&[(&named, &explanation)]).expect("it has a form");
    let back: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(back[0]["curves"][0]["bands"][0]["verdict"], "both processors, for each message");
    assert_eq!(back[0]["curves"][0]["bands"][1]["certainty"], "cannot-tell");
}
