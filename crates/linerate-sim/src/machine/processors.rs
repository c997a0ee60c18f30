//! The processors of a host: those of one end, or of both.

use linerate_core::units::Span;

use super::Job;
use super::placed::{Next, Placed};
use super::processor::{self, Level, Usage};
use super::profile;
use crate::stack::Side;

/// The processors of a host, and the work that waits for them.
#[derive(Debug)]
pub(super) enum Processors<J> {
    /// The other end of a path is another host.
    Apart(processor::Processors<J>),
    /// Both ends are on this host.
    Together(Placed<J>),
}

impl<J> Processors<J> {
    pub(super) fn of(parameters: &profile::Processor) -> Self {
        match parameters.ends {
            Some(places) => Self::Together(Placed::new(places, parameters.slice)),
            None => {
                Self::Apart(processor::Processors::new(if parameters.spread { parameters.count } else { 1 }))
            }
        }
    }

    /// Takes a job: at its end's place, if the ends have places.
    pub(super) fn submit(&mut self, job: Job, work: J, cost: Span) {
        match self {
            Self::Apart(all) => all.submit(job.level(), work, cost),
            Self::Together(placed) => placed.submit(job.side(), job.level(), work, cost),
        }
    }

    /// Takes a job of an end's kernel that is done where the work has ended from which it follows.
    pub(super) fn follow(&mut self, side: Side, job: Job, work: J, cost: Span) {
        match self {
            Self::Apart(all) => all.submit(job.level(), work, cost),
            Self::Together(placed) => {
                placed.follow(side, job.level(), work, cost);
            }
        }
    }

    /// Takes the work on a frame that the driver found.
    pub(super) fn receive(&mut self, work: J, cost: Span) {
        self.receive_within(Side::First, work, cost);
    }

    /// Takes the work on a frame in the call of `side` that sent it; returns where that is.
    pub(super) fn receive_within(&mut self, side: Side, work: J, cost: Span) -> u8 {
        match self {
            Self::Apart(all) => {
                all.submit(Level::Protocol, work, cost);
                0
            }
            Self::Together(placed) => placed.follow(side, Level::Protocol, work, cost),
        }
    }

    /// Which queue the frames of a processor's protocol are in.
    pub(super) fn backlog_of(&self, processor: u8) -> usize {
        match self {
            Self::Apart(_) => 0,
            Self::Together(_) => processor.into(),
        }
    }

    pub(super) fn begin(&mut self) -> Option<Next> {
        match self {
            Self::Apart(all) => all.begin().map(|(processor, cost)| Next::Work(processor, cost)),
            Self::Together(placed) => placed.begin(),
        }
    }

    pub(super) fn finish(&mut self, processor: u8) -> J {
        match self {
            Self::Apart(all) => all.finish(processor),
            Self::Together(placed) => placed.finish(processor),
        }
    }

    pub(super) fn leave(&mut self) {
        if let Self::Together(placed) = self {
            placed.leave();
        }
    }

    pub(super) fn asked(&mut self, processor: u8) {
        if let Self::Together(placed) = self {
            placed.asked(processor);
        }
    }

    pub(super) fn enters(&mut self, side: Side) {
        if let Self::Together(placed) = self {
            placed.enters(side);
        }
    }

    pub(super) fn sleeps(&mut self, side: Side) {
        if let Self::Together(placed) = self {
            placed.sleeps(side);
        }
    }

    /// Whether an end's thread is where the work has ended from which others follow now.
    pub(super) fn is_here(&self, side: Side) -> bool {
        match self {
            Self::Apart(_) => false,
            Self::Together(placed) => placed.is_here(side),
        }
    }

    pub(super) fn count(&self) -> u32 {
        match self {
            Self::Apart(all) => all.count(),
            Self::Together(placed) => placed.count(),
        }
    }

    pub(super) fn busiest(&self) -> Span {
        match self {
            Self::Apart(all) => all.busiest(),
            Self::Together(placed) => placed.busiest(),
        }
    }

    pub(super) const fn usage(&self) -> Usage {
        match self {
            Self::Apart(all) => all.usage(),
            Self::Together(placed) => placed.usage(),
        }
    }

    /// What an end's thread spent. Absent if the host has one end.
    pub(super) const fn spent(&self, side: Side) -> Option<Span> {
        match self {
            Self::Apart(_) => None,
            Self::Together(placed) => Some(placed.spent(side)),
        }
    }
}
