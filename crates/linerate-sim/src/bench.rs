//! A modelled network as a [`Bench`]: both applications are tasks, and their executor is a loop
//! over the model's events.

mod traced;

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::LinkError;
use linerate_core::payload::Buffers;
use linerate_core::trial::{Half, Sample, Trial};
use linerate_core::units::Span;

use crate::effort::Before;
use crate::end::End;
use crate::frame::Station;
use crate::stack::{Parameters, Side};
use crate::trace::Trace;
use crate::world::World;

/// Two stations of a model between which trials are run. The model goes on from trial to trial.
#[derive(Debug)]
pub struct ModelBench {
    world: Rc<RefCell<World>>,
    flow: u32,
    buffers: [Buffers; 2],
    largest: usize,
    stop: Arc<AtomicBool>,
}

impl ModelBench {
    /// A bench between two stations of `world`.
    #[must_use]
    pub fn new(mut world: World, stations: [Station; 2], parameters: Parameters) -> Self {
        let flow = world.stations.connect(stations, parameters);
        Self::over(world, flow)
    }

    /// A bench over a flow that `world`'s stations have.
    #[must_use]
    pub fn over(world: World, flow: u32) -> Self {
        Self {
            world: Rc::new(RefCell::new(world)),
            flow,
            buffers: [Buffers::new(0), Buffers::new(0)],
            largest: 0,
            stop: Arc::default(),
        }
    }

    /// Ends a trial with [`RunError::Interrupted`] as soon as `stop` is set.
    pub fn stop_at(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Events that have happened in the model.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.world.borrow().kernel.happened()
    }

    /// Reads something of the model.
    pub fn look<T>(&self, at: impl FnOnce(&World) -> T) -> T {
        at(&self.world.borrow())
    }

    /// Records what passes the stations' ports from now on, up to `limit` passages.
    pub fn trace(&self, limit: usize) {
        self.world.borrow_mut().stations.trace = Some(Trace::new(limit));
    }

    /// What passed since [`Self::trace`], if that was called. Recording ends.
    #[must_use]
    pub fn take_trace(&self) -> Option<Trace> {
        self.world.borrow_mut().stations.trace.take()
    }

    /// The two ends of the flow under test, for two new applications.
    #[must_use]
    pub fn ends(&self) -> [End; 2] {
        self.world.borrow_mut().stations.open(self.flow);
        [Side::First, Side::Second].map(|side| End::new(Rc::clone(&self.world), self.flow, side))
    }

    /// Runs both applications to their ends. The result of one that would wait for ever is absent.
    pub fn drive<A: Future, B: Future>(&self, first: A, second: B) -> (Option<A::Output>, Option<B::Output>) {
        let (mut first, mut second) = (pin!(first), pin!(second));
        let mut outputs = (None, None);
        let mut context = Context::from_waker(Waker::noop());
        let mut stirred = [true; 2];
        loop {
            if stirred[0]
                && outputs.0.is_none()
                && let Poll::Ready(output) = first.as_mut().poll(&mut context)
            {
                outputs.0 = Some(output);
            }
            if stirred[1]
                && outputs.1.is_none()
                && let Poll::Ready(output) = second.as_mut().poll(&mut context)
            {
                outputs.1 = Some(output);
            }
            if outputs.0.is_some() && outputs.1.is_some() {
                return outputs;
            }
            match self.go_on() {
                Some(both) => stirred = both,
                None => return outputs,
            }
        }
    }

    /// Lets events happen until one of the applications may go on, or `None` if no event is left or
    /// it is to stop.
    fn go_on(&self) -> Option<[bool; 2]> {
        let mut world = self.world.borrow_mut();
        loop {
            let stirred = world.stations.take_stirred(self.flow);
            if stirred.contains(&true) {
                return Some(stirred);
            }
            if self.stopped() || !world.step() {
                return None;
            }
        }
    }

    /// Runs the events that the last trial left pending, such as an acknowledgement, so that no
    /// trial depends on the one before. A network under load is never idle, and TCP keeps its
    /// state: then the next trial starts at once.
    fn quiet(&self) {
        let mut world = self.world.borrow_mut();
        if world.stations.generators().next().is_none() && world.stations.forgets(self.flow) {
            while !self.stopped() && world.step() {}
        }
    }

    fn halves(&mut self, trial: &Trial) -> Result<[Half; 2], LinkError> {
        let size = trial.message_len()?;
        if size > self.largest {
            // With room to grow: a curve goes through its sizes upwards, and memory that is new for each
            // would take a quarter of its time.
            let room = size.max(self.largest + self.largest / 2);
            self.buffers = [memory(room)?, memory(room)?];
            self.largest = room;
        }
        let [mut first, mut second] = self.ends();
        let mut buffers = std::mem::replace(&mut self.buffers, [Buffers::new(0), Buffers::new(0)]);
        let [ours, theirs] = &mut buffers;
        let (one, other) = self.drive(
            trial.pattern.initiate(&mut first, trial, ours),
            trial.pattern.respond(&mut second, trial, theirs),
        );
        self.buffers = buffers;
        both_done(one, other)
    }
}

/// What both applications gave. An error is the cause of the other end's wait, so it comes first.
fn both_done<T>(
    one: Option<Result<T, LinkError>>,
    other: Option<Result<T, LinkError>>,
) -> Result<[T; 2], LinkError> {
    let stalled = || Err(LinkError::Stalled(Span::MAX));
    match (one, other) {
        (Some(Err(error)), _) | (_, Some(Err(error))) => Err(error),
        (one, other) => Ok([one.unwrap_or_else(stalled)?, other.unwrap_or_else(stalled)?]),
    }
}

fn memory(size: usize) -> Result<Buffers, LinkError> {
    Buffers::try_new(size).map_err(|error| LinkError::System {
        operation: "take memory for two messages",
        source: std::io::Error::other(error.to_string()),
    })
}

impl Bench for ModelBench {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let start = self.look(|world| world.kernel.now());
        self.quiet();
        let before = self.look(|world| Before::look(world, self.flow));
        let halves = self.halves(trial);
        if self.stopped() {
            return Err(RunError::Interrupted { size: trial.size });
        }
        let mut halves = halves.map_err(|source| RunError::Link { size: trial.size, source })?;
        let messages =
            [0, 1].map(|end: usize| halves[end].tally.sent.saturating_add(halves[end].tally.received));
        let efforts = self.look(|world| before.since(world, self.flow, messages, trial.pattern.overlaps()));
        halves.iter_mut().zip(efforts).for_each(|(half, effort)| half.effort = effort);
        let [initiator, responder] = halves;
        let spent = self.look(|world| world.kernel.now()).since(start);
        Sample::join(trial, &initiator, &responder, spent)
    }
}
