//! Loads on models, held to what is known without a model.

mod buffers;
mod bulk;
mod failures;
mod hosts;
mod requests;

use std::ops::ControlFlow;

use linerate_core::carrier::{Carrier as _, LoadWatch, Look};
use linerate_core::traffic::{Direction, Load, RrPlan, StreamPlan, Transfer};
use linerate_core::units::Span;
use linerate_sim::carrier::{Ends, ModelCarrier};

use crate::support::plans::plan;

/// No silence is a stall.
pub(crate) const NEVER: Span = Span::from_ms(3_600_000);

/// The plan's network between its first station and these.
pub(crate) fn carrier(text: &str, answering: &[u32]) -> ModelCarrier {
    let stations = Ends { beginning: 0, answering: answering.to_vec() };
    ModelCarrier::build(&plan(text), &stations, None).unwrap_or_else(|error| panic!("{error} in {text}"))
}

pub(crate) struct Silent;

impl LoadWatch for Silent {
    fn interval(&mut self, _: &Look) {}

    fn go_on(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What came of `load`, whose every flow has an account.
pub(crate) fn carried(carrier: &mut ModelCarrier, load: &Load) -> Transfer {
    let carried = carrier.carry(load, &mut Silent);
    carried.ended.unwrap_or_else(|error| panic!("{error}"));
    carried.transfer.expect("it began")
}

pub(crate) fn bulk(stream: StreamPlan, ms: u64) -> Load {
    Load { stream: Some(stream), time: Span::from_ms(ms), ..Load::default() }
}

pub(crate) fn requests(rr: RrPlan, ms: u64) -> Load {
    Load { rr: Some(rr), time: Span::from_ms(ms), ..Load::default() }
}

/// The rate of all flows of a direction together. Unit: Mb/s.
pub(crate) fn mbps(transfer: &Transfer, direction: Direction) -> f64 {
    let mut summaries = transfer.summaries().into_iter();
    let summary = summaries.find(|summary| summary.direction == direction).expect("flows of it");
    assert_eq!((summary.stalled, summary.failed), (0, 0), "{transfer:?}");
    summary.rate.expect("it was timed").as_mbps()
}

/// Whether `value` is `expected` or off by no more than `share` of it.
#[track_caller]
pub(crate) fn assert_near(value: f64, expected: f64, share: f64) {
    let off = (value / expected - 1.0).abs();
    assert!(off <= share, "{value} is {:.3} % off {expected}", off * 100.0);
}
