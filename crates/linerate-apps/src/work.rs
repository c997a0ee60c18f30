//! What a rank does with its time: it calculates, or it communicates.

use std::ops::ControlFlow;

use linerate_core::app::{Account, Phase};
use linerate_core::comm::counted::Counted;
use linerate_core::comm::group::Group;
use linerate_core::comm::{Comm, CommError};
use linerate_core::units::{Span, Time};
use serde::{Deserialize, Serialize};

use crate::report;
use crate::watch::AppWatch;

/// The most phases that are kept of the steps that are recorded.
const MOST_PHASES: usize = 4096;

/// A report waits for its answer, so there are few.
const REPORT_EVERY: Span = Span::from_ms(100);

/// Where rank 0 reports to, and when it last did.
#[derive(Clone, Copy, Debug)]
struct Reports {
    to: usize,
    last: Option<Time>,
}

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

/// A rank of an application: a [`Comm`] that keeps account of what passes through it, and of the time for which the rank
/// calculates.
#[derive(Debug)]
pub struct Work<'c, C> {
    comm: Counted<Group<'c, C>>,
    reports: Option<Reports>,
    /// How long reports took: no part of the account.
    reported: Span,
    cost: Option<UnitCost>,
    began: Time,
    computed: Span,
    communicated: Span,
    units: u64,
    recording: Option<Time>,
    step: Option<Span>,
    phases: Vec<Phase>,
}

impl<'c, C: Comm> Work<'c, C> {
    /// The account begins now. With a `cost`, the time of a calculation is that of its units, and passes on the clock of
    /// `comm`: for a model, whose clock knows nothing of the processor that runs it.
    pub fn new(comm: &'c mut C, cost: Option<UnitCost>) -> Self {
        Self::of(Group::new(comm, 0), cost)
    }

    /// The same of some ranks.
    pub fn of(group: Group<'c, C>, cost: Option<UnitCost>) -> Self {
        let began = group.now();
        Self {
            comm: Counted::new(group),
            reports: None,
            reported: Span::ZERO,
            cost,
            began,
            computed: Span::ZERO,
            communicated: Span::ZERO,
            units: 0,
            recording: None,
            step: None,
            phases: Vec::new(),
        }
    }

    /// From now on rank 0 tells how far it is to the rank `to` of those outside, and not to a watch.
    pub(crate) const fn report_to(&mut self, to: usize) {
        self.reports = Some(Reports { to, last: None });
    }

    /// Rank 0 says how far the application is. `Break` means that it should end, with what there is.
    ///
    /// # Errors
    ///
    /// The carrier's.
    pub async fn progress(
        &mut self,
        watch: &mut dyn AppWatch,
        (done, all): (u64, u64),
        merit: f64,
    ) -> Result<ControlFlow<()>, CommError> {
        let now = self.comm.now();
        let Some(reports) = &mut self.reports else { return Ok(watch.progress(done, all, merit)) };
        if reports.last.is_some_and(|last| now.since(last) < REPORT_EVERY) {
            return Ok(ControlFlow::Continue(()));
        }
        reports.last = Some(now);
        let to = reports.to;
        let go_on = report::progress(self.comm.uncounted().outside(), to, (done, all), merit).await;
        self.reported += self.comm.now().since(now);
        go_on
    }

    /// Calculates `work`, which is `units` of the application's work.
    pub async fn compute<T>(&mut self, what: &str, units: u64, work: impl FnOnce() -> T) -> T {
        let begin = self.now();
        let value = work();
        if let Some(cost) = self.cost {
            self.comm.compute(cost.of(units)).await;
        }
        let end = self.now();
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
        self.recording = Some(self.now());
    }

    /// No more phases are kept. Does nothing if none are.
    pub fn end_step(&mut self) {
        self.step = self.recording.take().map(|origin| self.now().since(origin)).or(self.step);
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
        self.now().since(self.began)
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
            communicated_ps: self.communicated.as_ps(),
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

    /// It stands still while rank 0 reports.
    fn now(&self) -> Time {
        Time::from_ps(self.comm.now().as_ps() - self.reported.as_ps())
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        let begin = self.comm.now();
        let sent = self.comm.send_to(to, data).await;
        self.communicated += self.comm.now().since(begin);
        sent
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        let begin = self.comm.now();
        let received = self.comm.recv_from(from, data).await;
        self.communicated += self.comm.now().since(begin);
        received
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        let begin = self.comm.now();
        let done = self.comm.sendrecv(to, out, from, into).await;
        self.communicated += self.comm.now().since(begin);
        done
    }

    async fn sendrecv_owned(
        &mut self,
        to: usize,
        out: &mut Vec<u8>,
        from: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), CommError> {
        let begin = self.comm.now();
        let done = self.comm.sendrecv_owned(to, out, from, into).await;
        self.communicated += self.comm.now().since(begin);
        done
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
