//! A load of a run as it is shown to a reader.

use serde::Serialize;

use super::flow::{FlowClass, FlowResult};
use super::held_back::{self, HeldBack, HeldFlow};
use super::latency::{self, LatencyRow};
use super::sum::DirectionSum;
use linerate_core::kernel::limit::Holder;
use linerate_core::plan::Load;
use linerate_core::run::Run;
use linerate_core::traffic::{Direction, Ended, Phase, Transfer};

/// The result of one load: bulk flows, requests or both.
#[derive(Clone, Debug, Serialize)]
pub struct LoadResult {
    /// What to call it; distinct among the report's loads. With one run, what it is; with several,
    /// the run's name and, if the run has several loads, what it is.
    pub name: String,
    /// What it is called among the loads of its run, such as `idle`; empty if it is the only one.
    #[serde(skip)]
    pub what: String,
    /// Whether it is a row of a table, and so has a label from the user.
    #[serde(skip)]
    pub labelled: bool,
    /// Index of its run.
    pub run: usize,
    /// The bulk flows, in the order of their numbers.
    pub flows: Vec<FlowResult>,
    /// What the flows of each direction did together.
    pub sums: Vec<DirectionSum>,
    /// What held the bulk flows back, if that is known. Once a flow has failed nothing does, unless that is why.
    pub held_back: Option<HeldBack>,
    /// The shares of the time of all that held the bulk flows back, in the mean of the flows.
    #[serde(skip)]
    pub shares: Vec<(Holder, f64)>,
    /// The same over time, of the first flows.
    #[serde(skip)]
    pub held_courses: Vec<HeldFlow>,
    /// A row for each histogram of latencies that has times: of an open loop those from the
    /// intended departure first.
    #[serde(skip)]
    pub latencies: Vec<LatencyRow>,
    /// The flows of requests that failed.
    #[serde(skip)]
    pub troubles: Vec<Trouble>,
}

/// A flow of requests that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its number, from 1.
    pub flow: u32,
    /// How it ended.
    pub ended: Ended,
}

impl LoadResult {
    /// Of several flows of requests each has a row; this is what is usual among them.
    #[must_use]
    pub fn usual(&self, of: impl Fn(&LatencyRow) -> Option<f64>) -> Option<f64> {
        let kind = self.latencies.first()?.kind;
        linerate_core::stats::median(self.latencies.iter().filter(|row| row.kind == kind).filter_map(of))
    }

    /// The result of `transfer` of `run`, whose index in the report is `index`.
    pub(crate) fn new(index: usize, run: &Run, transfer: &Transfer) -> Self {
        let what = load_name(&transfer.label, &transfer.load);
        let sums = transfer.summaries();
        let flows: Vec<FlowResult> =
            transfer.flows.iter().map(|flow| FlowResult::new(transfer, flow, &sums)).collect();
        let failed = flows.iter().any(|flow| flow.class == FlowClass::Failed);
        let broken = transfer.latencies.iter().filter(|latency| latency.ended != Ended::Complete);
        Self {
            name: what.clone(),
            labelled: !transfer.label.is_empty(),
            run: index,
            flows,
            held_back: HeldBack::of(run, transfer).filter(|held| !failed || held.is_outage()),
            shares: held_back::shares(run, transfer).0,
            held_courses: held_back::courses(run, transfer),
            latencies: latency::rows(transfer),
            troubles: broken
                .map(|latency| Trouble { flow: latency.flow + 1, ended: latency.ended.clone() })
                .collect(),
            sums: sums.iter().map(|sum| DirectionSum::new(run, transfer, sum)).collect(),
            what,
        }
    }

    /// Whether every flow completed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.troubles.is_empty() && self.flows.iter().all(|flow| flow.class == FlowClass::Complete)
    }
}

/// What a load of this label is called among those of its run: by the label if it has one, else by
/// the bulk beside its requests. Bulk alone without a label is the only load of its run, and has no
/// name.
#[must_use]
pub fn load_name(label: &str, load: &Load) -> String {
    match load.phase() {
        _ if !label.is_empty() => label.to_owned(),
        Phase::Idle if load.stream.is_some() => String::new(),
        Phase::Idle => "idle".to_owned(),
        Phase::Loaded(Direction::Send) => "bulk from here".to_owned(),
        Phase::Loaded(Direction::Receive) => "bulk to here".to_owned(),
        Phase::Loaded(Direction::Both) => "bulk both ways".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linerate_core::plan::{RrPlan, StreamPlan};

    #[test]
    fn bulk_alone_has_no_name_unless_it_is_a_row_of_a_table() {
        let bulk = Load { stream: Some(StreamPlan::default()), ..Load::default() };
        let requests = Load { rr: Some(RrPlan::default()), ..Load::default() };
        let both = Load { rr: requests.rr.clone(), ..bulk.clone() };
        assert_eq!([&bulk, &requests, &both].map(|load| load_name("", load)), ["", "idle", "bulk from here"]);
        assert_eq!(load_name("messages=1 KiB", &bulk), "messages=1 KiB");
    }
}
