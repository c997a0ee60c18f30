//! A model's plan that somebody wrote, in TOML: read, checked, and for a moment run.

use linerate_core::units::Span;
use linerate_sim::model;
use linerate_sim::plan::ModelPlan;

/// A plan for so many stations at most is run.
const STATIONS: u32 = 64;
/// For so long at most, in the model's time.
const TIME: Span = Span::from_us(20);
/// If no more frames than these can be offered in it.
const FRAMES: f64 = 20_000.0;

/// Takes `data` for a model's plan.
pub fn model_plan(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let plan = match ModelPlan::from_toml(text) {
        Ok(plan) => plan,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = plan.to_toml();
    let read = ModelPlan::from_toml(&written).unwrap_or_else(|error| panic!("{error} in {written}"));
    match model::check(&plan) {
        Ok(()) => {
            assert_eq!(read, plan, "{written}");
            run(plan);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// What is checked can be run; every frame that is offered is somewhere.
fn run(mut plan: ModelPlan) {
    let stations = plan.network.stations();
    plan.load.time = plan.load.time.min(TIME);
    plan.load.warm_up = plan.load.warm_up.min(plan.load.time / 2);
    plan.load.frames = Some(plan.load.frames.unwrap_or(u64::MAX).min(100));
    let line_rate = model::build(&plan).expect("a checked plan").line_rate.bits_per_second();
    let offered = plan.load.share(stations).unwrap_or(1.0).max(1.0) * line_rate * f64::from(stations);
    if stations > STATIONS || offered * plan.load.time.as_seconds() / (plan.load.frame.mean() * 8.0) > FRAMES
    {
        return;
    }
    let loaded = model::load(&plan, Some(10)).unwrap_or_else(|error| panic!("a checked plan: {error}"));
    let outcome = loaded.outcome;
    let lost: u64 = outcome.lost.values().sum();
    assert_eq!(outcome.offered, outcome.delivered + lost + outcome.queued, "{}", plan.to_toml());
}
