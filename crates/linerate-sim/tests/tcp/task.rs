//! What an application does: one step after the other. An end may run several tasks at once.

use linerate_core::units::{Span, Time};

/// A step of an application.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// One call that writes this many bytes and blocks until the last is in the send buffer.
    Write(u64),
    /// Calls that read until this many bytes are there.
    Read(u64),
    /// Doing something else.
    Wait(Span),
    Close,
}

/// Steps, and when each was done.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) steps: Vec<Step>,
    /// When the steps up to now were done.
    pub(crate) done: Vec<Time>,
    /// Of the present step.
    pub(crate) moved: u64,
    /// When the present wait is over.
    pub(crate) until: Option<Time>,
}

impl Task {
    pub(crate) fn new(steps: Vec<Step>) -> Self {
        Self { steps, done: Vec::new(), moved: 0, until: None }
    }

    pub(crate) fn step(&self) -> Option<Step> {
        self.steps.get(self.done.len()).copied()
    }

    pub(crate) fn finish(&mut self, now: Time) {
        self.done.push(now);
        self.moved = 0;
        self.until = None;
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.len() == self.steps.len()
    }
}

/// A writer of a stream, `calls` of this many bytes each.
pub(crate) fn writer(calls: u64, bytes: u64) -> Vec<Step> {
    let mut steps: Vec<Step> = (0..calls).map(|_| Step::Write(bytes)).collect();
    steps.push(Step::Close);
    steps
}

/// A reader of all, who then closes too.
pub(crate) fn reader(bytes: u64) -> Vec<Step> {
    vec![Step::Read(bytes), Step::Close]
}

/// A reader who rests after every `bite`.
pub(crate) fn slow_reader(bytes: u64, bite: u64, rest: Span) -> Vec<Step> {
    let full = (0..bytes / bite).flat_map(|_| [Step::Read(bite), Step::Wait(rest)]);
    full.chain([Step::Read(bytes % bite), Step::Close]).collect()
}

/// A reader who does nothing for `pause` first.
pub(crate) fn stopped_reader(bytes: u64, pause: Span) -> Vec<Step> {
    vec![Step::Wait(pause), Step::Read(bytes), Step::Close]
}

/// The two sides of `rounds` in which the steps of one are met by the other.
pub(crate) fn rounds(rounds: usize, steps: &[Step]) -> [Vec<Step>; 2] {
    let repeated = |steps: &[Step]| steps.iter().copied().cycle().take(rounds * steps.len()).collect();
    let met: Vec<Step> = steps
        .iter()
        .map(|step| match *step {
            Step::Write(bytes) => Step::Read(bytes),
            Step::Read(bytes) => Step::Write(bytes),
            other => other,
        })
        .collect();
    [repeated(steps), repeated(&met)]
}
