use std::collections::BTreeMap;

use linerate_core::pattern::Pattern;

use super::super::curve::Point;
use super::super::fixture::{made, quantity, results};
use super::*;
use crate::study::fixture::outcome;

const CHECKS: &str = "[claims.Q001]\nstatus = 'definition'\nmodel = { number = 1 }\n\
    [claims.Q002]\nstatus = 'not-testable'\nreason = 'no'\nvalue = 3";

/// Rates of 10, 100, 80 and 120 Mb/s at 1, 1024, 2048 and 4096 B, each in so many us as its number.
fn curve(pattern: Pattern) -> Curve {
    let point = |(size, us, mbps)| Point { size, us, mbps };
    let points = [(1, 1.0, 10.0), (1024, 2.0, 100.0), (2048, 3.0, 80.0), (4096, 4.0, 120.0)];
    Curve { pattern, points: points.map(point).into() }
}

/// What was run: `gigabit` and `fddi` as curves, `gigabit` as a plan, `direct` under load, and `slow` at
/// both values of the sweep.
fn answers(claims: &Claims) -> Results {
    let mut results = results(claims, &[("slow", 60.0)]);
    let run = |name: &str| claims.runs.run(name);
    let facts = PlanFacts {
        mtu: 1500,
        link: 1000.0,
        ceiling: 941.5,
        receive_buffer: Some(131_072),
        usable_window: None,
    };
    let mut add = |job: Job, answer: Answer| results.0.insert(job, Ok(answer));
    add(Job::Curve(run("gigabit")), Answer::Curve(curve(Pattern::PingPong)));
    add(Job::Curve(run("fddi")), Answer::Curve(curve(Pattern::OneWay)));
    add(Job::Plan(run("gigabit")), Answer::Plan(facts));
    add(Job::Load(run("direct")), Answer::Load(Box::new(outcome())));
    for ((_, run), peak) in claims.runs.swept("slow", &claims.runs.sweeps["mtu"]).zip([40.0, 50.0]) {
        let point = Point { size: 1024, us: 1.0, mbps: peak };
        let curve = Curve { pattern: Pattern::PingPong, points: vec![point] };
        add(Job::Curve(run), Answer::Curve(curve));
    }
    results
}

fn value(text: &str) -> Result<f64, Lack> {
    let claims = made(CHECKS);
    let results = answers(&claims);
    Evaluator { claims: &claims, results: &results }.value(&quantity(text))
}

fn is(text: &str, expected: f64) {
    let got = value(text).unwrap_or_else(|lack| panic!("{text}: {lack:?}"));
    assert!((got - expected).abs() < 1e-9, "{text}: {got}, not {expected}");
}

#[test]
fn arithmetic_is_what_it_says() {
    for (text, expected) in [
        ("{ ratio = [{ number = 90 }, { number = 60 }] }", 1.5),
        ("{ gain = [{ number = 90 }, { number = 60 }] }", 50.0),
        ("{ difference = [{ number = 60 }, { number = 90 }] }", -30.0),
        ("{ product = [{ claim = 'Q002' }, { claim = 'Q001' }] }", 300.0),
        ("{ sum = [{ number = 1 }, { number = 2 }, { number = 4 }] }", 7.0),
        ("{ mean-of = [{ number = 1 }, { number = 2 }, { number = 6 }] }", 3.0),
        ("{ least = [{ number = 4 }, { number = 2 }, { number = 6 }] }", 2.0),
        ("{ gain = [{ sum = [{ number = 1 }, { number = 2 }] }, { number = 2 }] }", 50.0),
    ] {
        is(text, expected);
    }
}

#[test]
fn a_curve_is_read_as_its_words_say() {
    for (text, expected) in [
        ("{ peak = 'gigabit' }", 120.0),
        ("{ peak-size = 'gigabit' }", 4096.0),
        ("{ mean = 'gigabit' }", 77.5),
        ("{ latency = 'gigabit' }", 1.0),
        ("{ falls = 'gigabit' }", 1.0),
        ("{ throughput = { run = 'gigabit', size = 2048 } }", 80.0),
        ("{ time = { run = 'gigabit', size = 2048 } }", 3.0),
        ("{ lowest-from = { run = 'gigabit', size = 1024 } }", 80.0),
        ("{ fall = { run = 'gigabit', from = 1024, to = 2048 } }", 20.0),
        ("{ fall = { run = 'gigabit', from = 1, to = 1024 } }", -900.0),
        ("{ dip = { run = 'gigabit', from = 1, to = 4096 } }", 2048.0),
        // `slow` has 6 and 60 Mb/s at 1 and 1024 B, so 10 and 100 are two thirds more.
        ("{ change = { runs = ['gigabit', 'slow'], below = 4096 } }", 200.0 / 3.0),
        ("{ change = { runs = ['slow', 'gigabit'], below = 4096 } }", 40.0),
        ("{ least-ratio = { runs = ['slow', 'gigabit'], from = 1, to = 1024 } }", 0.6),
    ] {
        is(text, expected);
    }
}

#[test]
fn a_plan_a_load_and_a_sweep_give_their_numbers() {
    for (text, expected) in [
        ("{ mtu = 'gigabit' }", 1500.0),
        ("{ link = 'gigabit' }", 1000.0),
        ("{ ceiling = 'gigabit' }", 941.5),
        ("{ granted = { run = 'gigabit', of = 'receive-buffer' } }", 131_072.0),
        ("{ load = { run = 'direct', of = 'jain' } }", 0.8),
        // Peaks of 40 at an MTU of 576 and of 50 at 1500.
        ("{ best = { run = 'slow', sweep = 'mtu' } }", 1500.0),
        ("{ spread = { run = 'slow', sweep = 'mtu' } }", 25.0),
    ] {
        is(text, expected);
    }
}

/// From the standard: 1000BASE-X has 8B/10B at 1250 Mbaud and a slot of 512 B, 1000BASE-T two bits in
/// each symbol of four pairs at 125 Mbaud.
#[test]
fn physical_layers_are_those_of_the_catalogue() {
    for (text, expected) in [
        ("{ rate = '1000BASE-X' }", 1000.0),
        ("{ baud = '1000BASE-X' }", 1250.0),
        ("{ baud = '1000BASE-T' }", 500.0),
        ("{ code = '1000BASE-X' }", 0.8),
        ("{ code = '1000BASE-T' }", 2.0),
        ("{ slot = '1000BASE-X' }", 512.0),
        ("{ slot = '100BASE-TX' }", 64.0),
        // 256 bit times of 10 ns one way at 5.56 ns a metre.
        ("{ diameter = { phy = '100BASE-TX', slot = '100BASE-TX' } }", 2560.0 / 5.56),
    ] {
        is(text, expected);
    }
}

#[test]
fn what_cannot_be_computed_says_why() {
    for (text, reason) in [
        ("{ rate = '100VG' }", "there is no physical layer 100VG"),
        ("{ slot = '10GBASE-R' }", "10GBASE-R has no slot"),
        ("{ diameter = { phy = '1000BASE-T', slot = '10GBASE-R' } }", "10GBASE-R has no slot"),
        ("{ peak = 'nowhere' }", "it was not run"),
        ("{ latency = 'fddi' }", "messages one way overlap"),
        ("{ throughput = { run = 'gigabit', size = 99 } }", "no size near 99 B was measured"),
        ("{ granted = { run = 'gigabit', of = 'usable-window' } }", "the plan's transport has no window"),
        ("{ load = { run = 'direct', of = 'speed' } }", "there is no measure speed"),
        ("{ best = { run = 'slow', sweep = 'size' } }", "there is no sweep size"),
        ("{ value = 'half' }", "there is no value half"),
        ("{ claim = 'Q009' }", "there is no claim Q009"),
        ("{ ratio = [{ number = 1 }, { number = 0 }] }", "it is not a number"),
        ("{ sum = [{ number = 1 }, { peak = 'nowhere' }] }", "it was not run"),
    ] {
        assert_eq!(value(text), Err(Lack::Computing(reason.to_owned())), "{text}");
    }
}

/// That the model has no dip is a result; that it was not run is none.
#[test]
fn what_the_model_does_not_show_is_told_from_what_could_not_be_computed() {
    assert_eq!(
        value("{ dip = { run = 'gigabit', from = 1, to = 1024 } }"),
        Err(Lack::InModel("throughput does not fall and recover between 1 and 1024 B".to_owned()))
    );
}

#[test]
fn an_answer_of_another_kind_is_none() {
    let claims = made(CHECKS);
    let load = || Ok(Answer::Load(Box::new(outcome())));
    let run = claims.runs.run("gigabit");
    let jobs = [Job::Plan(run.clone()), Job::Curve(run.clone())];
    let mut answers: BTreeMap<Job, _> = jobs.map(|job| (job, load())).into();
    answers.insert(Job::Load(run), Ok(Answer::Curve(curve(Pattern::PingPong))));
    let results = Results(answers);
    let evaluator = Evaluator { claims: &claims, results: &results };
    for (text, reason) in [
        ("{ mtu = 'gigabit' }", "it gave no facts"),
        ("{ peak = 'gigabit' }", "it gave no curve"),
        ("{ load = { run = 'gigabit', of = 'jain' } }", "it gave no load"),
    ] {
        assert_eq!(evaluator.value(&quantity(text)), Err(Lack::Computing(reason.to_owned())), "{text}");
    }
}
