//! The driver's rules, and what it refuses.

use std::cell::RefCell;

use linerate_apps::application::AppError;
use linerate_apps::hint::{DataType, Decomposition, GlobalSum, Hint, HintStop, net_quips};
use linerate_core::units::{Size, Span};
use rstest::rstest;
use schemars::schema_for;

use super::one;
use crate::support::{FREE, Seen, alone, on_ideal, refusal, watched};

fn stop(plan: &Hint, ranks: usize) -> (Option<HintStop>, usize) {
    let outcome = on_ideal(plan, FREE, ranks, 1e6).swap_remove(0).0;
    (outcome.stop, outcome.points.len())
}

#[test]
fn sizes_grow_by_a_decibel_from_two_or_a_subinterval_a_chunk() {
    let sizes = |ranks| {
        let plan = Hint { largest: Some(100), ..Hint::default() };
        let points = on_ideal(&plan, FREE, ranks, 1e6).swap_remove(0).0.points;
        points.iter().map(|at| at.subintervals).collect::<Vec<_>>()
    };
    assert_eq!(sizes(1), [2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100]);
    assert_eq!(sizes(2), [8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80]);
}

#[test]
fn it_stops_by_every_rule() {
    let few = Hint { largest: Some(100), ..Hint::default() };
    assert_eq!(stop(&few, 1), (Some(HintStop::Largest), 17));
    // 84 B for a subinterval: 100 of them, and 200 on two ranks.
    let small = Hint { memory: Size(8_400), ..Hint::default() };
    assert_eq!(stop(&small, 1), (Some(HintStop::Memory), 17));
    assert_eq!(stop(&small, 2), (Some(HintStop::Memory), 14));
    // 1 us for each subinterval.
    let short = Hint { stop_time: Span::from_us(99), ..Hint::default() };
    assert_eq!(stop(&short, 1), (Some(HintStop::Time), 17));
    assert_eq!(stop(&one(Decomposition::Interleaved, 10), 2), (Some(HintStop::Largest), 1));
}

/// A clock of 1 us until the driver has seen how it moves, after 2002 readings; then a trial reads it four times, which is
/// three steps of 10 ms. `late` is a reading before which a second passes.
fn clock(late: u64) -> impl Fn(u64) -> u64 {
    move |reading| match reading {
        0..2_002 => 1_000_000,
        _ if reading == late => 1_000_000_000_000,
        _ => 10_000_000_000,
    }
}

fn timed() -> Hint {
    Hint { run_time: Span::from_ms(20), trials: 3, largest: Some(50), ..Hint::default() }
}

#[test]
fn it_stops_when_quips_fall() {
    let outcome =
        alone(&timed(), |reading| if reading > 2_100 { 1_000_000_000_000 } else { clock(0)(reading) });
    let outcome = outcome.expect("it runs");
    assert_eq!(outcome.stop, Some(HintStop::Ratio), "{outcome:?}");
    assert!(outcome.points.last().expect("a point").quips < 0.1 * outcome.peak_quips);
    assert_eq!(alone(&timed(), clock(0)).expect("it runs").stop, Some(HintStop::Largest));
}

#[test]
fn the_shortest_of_the_trials_counts() {
    // The first trial finds how many laps there are; the next readings are of trials that count.
    for late in [0, 2_008, 2_013] {
        let outcome = alone(&timed(), clock(late)).expect("it runs");
        assert_eq!(outcome.tick_ps, Some(1_000_000));
        for at in &outcome.points {
            assert_eq!((at.laps, at.trials), (1, 3), "{at:?}");
            assert!((at.seconds - 0.03).abs() < 1e-12, "{at:?}");
        }
    }
}

#[test]
fn laps_fill_the_run_time() {
    // Steps of 4 ms: 12 ms for one lap or many.
    let short = Hint { run_time: Span::from_ms(30), largest: Some(3), ..timed() };
    let step = |reading| if reading < 2_050 { clock(0)(reading).min(4_000_000_000) } else { 10_000_000_000 };
    let outcome = alone(&short, step).expect("it runs");
    let laps = outcome.points[0].laps;
    // 12 ms with 1, 3, 8, 20, 50, ... laps, each time 2.5 times as many, until steps are longer.
    assert!(laps > 1_000 && laps < 100_000, "{outcome:?}");
    assert!((outcome.points[0].seconds * laps as f64 - 0.03).abs() < 1e-12, "{outcome:?}");
}

#[test]
fn a_size_that_took_longer_than_a_larger_one_is_run_again() {
    let plan = Hint { trials: 1, ..timed() };
    let outcome = alone(&plan, clock(2_008)).expect("it runs");
    let trials: Vec<u32> = outcome.points.iter().map(|at| at.trials).collect();
    assert_eq!(trials[..3], [2, 1, 1], "{outcome:?}");
    assert!((outcome.points[0].seconds - 0.03).abs() < 1e-12, "{outcome:?}");
    // The first size is disturbed, and the second more: only the third shows it, of both.
    let step = |reading| match reading {
        2_008 => 300_000_000_000,
        2_018 => 500_000_000_000,
        _ => clock(0)(reading),
    };
    let outcome = alone(&plan, step).expect("it runs");
    let trials: Vec<u32> = outcome.points.iter().map(|at| at.trials).collect();
    assert_eq!(trials[..4], [2, 2, 1, 1], "{outcome:?}");
    assert!(outcome.points.iter().all(|at| (at.seconds - 0.03).abs() < 1e-12), "{outcome:?}");
    let impatient = alone(&Hint { patience: 0, ..plan }, clock(2_008)).expect("it runs");
    assert!(impatient.points[0].seconds > 1.0);
    assert_eq!((impatient.out_of_order(), outcome.out_of_order()), (1, 0), "{impatient:?}");
}

#[test]
fn a_clock_too_coarse_is_refused() {
    let error = alone(&Hint { run_time: Span::from_ms(20), ..Hint::default() }, |_| 1_000_000_000);
    let Err(AppError::Calculation(text)) = error else { panic!("{error:?}") };
    assert_eq!(
        text,
        "time laps of 20.0 ms on a clock with steps of 1.00 ms; ask for a run time of 100 ms or more"
    );
}

#[test]
fn an_interruption_reaches_all_ranks() {
    for ranks in [1, 3, 4] {
        let seen = RefCell::new(Seen { steps: Vec::new(), most: 4 });
        let all = watched(&Hint::default(), FREE, ranks, 1e6, &seen);
        assert_eq!(all[0].0.stop, Some(HintStop::Interrupted));
        assert_eq!(all[0].0.points.len(), 4);
        let steps = seen.into_inner().steps;
        assert_eq!(steps.iter().map(|step| step.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(steps.iter().zip(&all[0].0.points).all(|(step, at)| step.2.to_bits() == at.quips.to_bits()));
    }
}

#[test]
fn net_quips_is_that_of_the_points() {
    let outcome = on_ideal(&Hint { largest: Some(5_000), ..Hint::default() }, FREE, 1, 1e6).swap_remove(0).0;
    let points: Vec<_> = outcome.points.iter().map(|at| (at.seconds, at.quips)).collect();
    assert!((outcome.net_quips / net_quips(&points) - 1.0).abs() < 1e-12);
    assert!((outcome.first_seconds - 2e-6).abs() < 1e-15);
    let peak = points.iter().map(|at| at.1).fold(0.0, f64::max);
    assert_eq!(outcome.peak_quips.to_bits(), peak.to_bits());
}

#[rstest]
#[case(Hint::default(), 0, "run HINT on no ranks")]
#[case(Hint { decomposition: Decomposition::Fixed, ..Hint::default() }, 65, "share 64 chunks among 65 ranks")]
#[case(Hint { chunks: Some(8), ..Hint::default() }, 9, "ask for at most 8 ranks, or for more chunks")]
#[case(Hint { chunks: Some(12), ..Hint::default() }, 2, "ask for a power of two")]
#[case(Hint { chunks: Some(0), ..Hint::default() }, 1, "ask for a power of two")]
#[case(
    one(Decomposition::Interleaved, 31),
    8,
    "refine 31 subintervals in 32 chunks; ask for 32 to 2147483648"
)]
#[case(one(Decomposition::Fixed, 10), 1, "refine 10 subintervals in 64 chunks")]
#[case(one(Decomposition::Interleaved, 0), 1, "refine 0 subintervals")]
#[case(one(Decomposition::Interleaved, (1 << 31) + 1), 1, "ask for 2 to 2147483648")]
#[case(Hint { smallest: Some(9), largest: Some(8), ..Hint::default() }, 1, "swap smallest and largest")]
#[case(
    one(Decomposition::Fixed, 100),
    1,
    "begin with 128 subintervals, the nearest number that can be shared, and end with 100"
)]
#[case(Hint { memory: Size(100), ..Hint::default() }, 1, "ask for at least 168 B")]
#[case(Hint { growth: 1.0, ..Hint::default() }, 1, "grow by a factor of 1")]
#[case(Hint { growth: f64::NAN, ..Hint::default() }, 1, "grow by a factor of NaN")]
#[case(Hint { stop_ratio: 1.0, ..Hint::default() }, 1, "below 1")]
#[case(Hint { stop_ratio: f64::NAN, ..Hint::default() }, 1, "stop at NaN")]
#[case(Hint { trials: 0, ..Hint::default() }, 1, "run 0 trials")]
#[case(Hint { run_time: Span::ZERO, ..Hint::default() }, 1, "in no time")]
fn what_makes_no_sense_is_refused(#[case] plan: Hint, #[case] ranks: usize, #[case] part: &str) {
    let text = refusal(&plan, ranks);
    assert!(text.contains(part), "{text}");
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    assert_eq!(toml::from_str::<Hint>("").expect("defaults"), Hint::default());
    let plan = Hint { chunks: Some(8), largest: Some(1_000), ..one(Decomposition::Fixed, 64) };
    let text = toml::to_string(&plan).expect("it can be written");
    assert_eq!(toml::from_str::<Hint>(&text).expect("and read"), plan);
    let asked: Hint =
        toml::from_str("data = 'int'\nsum = 'reduce-broadcast'\nrun-time = '5ms'\nmemory = '1MiB'")
            .expect("a plan");
    assert_eq!((asked.data, asked.sum), (DataType::Int, GlobalSum::ReduceBroadcast));
    assert_eq!((asked.run_time, asked.memory), (Span::from_ms(5), Size(1 << 20)));
    assert!(toml::from_str::<Hint>("chunk = 3").is_err());
    let schema = serde_json::to_string(&schema_for!(Hint)).expect("it has a schema");
    assert!(schema.contains("stop-ratio") && schema.contains("reduce-broadcast"));
}
