//! What a rank does with its time: it calculates, or it communicates.

use linerate_core::comm::counted::Counted;
use linerate_core::comm::{Comm, CommError};
use linerate_core::units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most phases that are kept of the steps that are recorded.
const MOST_PHASES: usize = 4096;

/// What a unit of an application's work takes, where no processor does it: on a model. Unit: picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnitCost(pub f64);

impl UnitCost {
    /// What `units` take.
    #[must_use]
    pub fn of(self, units: u64) -> Span {
        // Rounded, so that it is the same on every host. Nothing negative, infinite or NaN is accepted in a plan.
        Span::from_ps((self.0 * units as f64).round() as u64)
    }
}

/// How many in a second; 0 if no time has passed.
pub(crate) fn per_second(count: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { count / seconds } else { 0.0 }
}

/// A part of a recorded step in which a rank calculated; between two of them it communicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// What was calculated, such as `forces`.
    pub what: String,
    /// When it began, from the beginning of the first recorded step on this rank's clock. Unit: picoseconds.
    pub begin_ps: u64,
    /// When it ended. Unit: picoseconds.
    pub end_ps: u64,
}

/// A rank's account of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// From the first instruction of the application to the last. Unit: picoseconds.
    pub total_ps: u64,
    /// How much of it the rank calculated. The rest is communication, and waiting for others. Unit: picoseconds.
    pub computed_ps: u64,
    /// Units of work.
    pub units: u64,
    /// Messages that it sent to each rank, by number.
    pub messages: Vec<u64>,
    /// Payload that it sent to each rank, by number. Unit: bytes.
    pub bytes: Vec<u64>,
    /// The phases of the recorded step.
    pub phases: Vec<Phase>,
    /// How long the recorded step took. Absent if none was. Unit: picoseconds.
    pub step_ps: Option<u64>,
}

/// A rank of an application: a [`Comm`] that keeps account of what passes through it, and of the time for which the rank
/// calculates.
#[derive(Debug)]
pub struct Work<'c, C> {
    comm: Counted<&'c mut C>,
    cost: Option<UnitCost>,
    began: Time,
    computed: Span,
    units: u64,
    recording: Option<Time>,
    step: Option<Span>,
    phases: Vec<Phase>,
}

impl<'c, C: Comm> Work<'c, C> {
    /// The account begins now. With a `cost`, the time of a calculation is that of its units, and passes on the clock of
    /// `comm`: for a model, whose clock knows nothing of the processor that runs it.
    pub fn new(comm: &'c mut C, cost: Option<UnitCost>) -> Self {
        let began = comm.now();
        Self {
            comm: Counted::new(comm),
            cost,
            began,
            computed: Span::ZERO,
            units: 0,
            recording: None,
            step: None,
            phases: Vec::new(),
        }
    }

    /// Calculates `work`, which is `units` of the application's work.
    pub async fn compute<T>(&mut self, what: &str, units: u64, work: impl FnOnce() -> T) -> T {
        let begin = self.comm.now();
        let value = work();
        if let Some(cost) = self.cost {
            self.comm.compute(cost.of(units)).await;
        }
        let end = self.comm.now();
        self.computed += end.since(begin);
        self.units += units;
        if let Some(origin) = self.recording
            && self.phases.len() < MOST_PHASES
        {
            let [begin_ps, end_ps] = [begin, end].map(|time| time.since(origin).as_ps());
            self.phases.push(Phase { what: what.to_owned(), begin_ps, end_ps });
        }
        value
    }

    /// The phases from now on are kept, until [`end_step`](Self::end_step).
    pub fn record_step(&mut self) {
        self.phases.clear();
        self.recording = Some(self.comm.now());
    }

    /// No more phases are kept. Does nothing if none are.
    pub fn end_step(&mut self) {
        self.step = self.recording.take().map(|origin| self.comm.now().since(origin)).or(self.step);
    }

    /// Whether its calculations take what a unit is said to cost, and not what a processor takes: it is a model, and
    /// measuring twice gives the same.
    #[must_use]
    pub const fn is_modelled(&self) -> bool {
        self.cost.is_some()
    }

    /// Time since the account began, on this rank's clock.
    #[must_use]
    pub fn elapsed(&self) -> Span {
        self.comm.now().since(self.began)
    }

    /// For how long the rank has calculated.
    #[must_use]
    pub const fn computed(&self) -> Span {
        self.computed
    }

    /// The account until now.
    #[must_use]
    pub fn account(&self) -> Account {
        Account {
            total_ps: self.elapsed().as_ps(),
            computed_ps: self.computed.as_ps(),
            units: self.units,
            messages: self.comm.sent_to().iter().map(|sent| sent.messages).collect(),
            bytes: self.comm.sent_to().iter().map(|sent| sent.bytes).collect(),
            phases: self.phases.clone(),
            step_ps: self.step.map(Span::as_ps),
        }
    }
}

impl<C: Comm> Comm for Work<'_, C> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn now(&self) -> Time {
        self.comm.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.comm.send_to(to, data).await
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.comm.recv_from(from, data).await
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.comm.sendrecv(to, out, from, into).await
    }

    async fn compute(&mut self, span: Span) {
        self.comm.compute(span).await;
    }

    fn part(&mut self, peer: usize) {
        self.comm.part(peer);
    }

    fn patience(&mut self, span: Span) {
        self.comm.patience(span);
    }
}
