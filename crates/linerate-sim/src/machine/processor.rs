//! The processors of a host: work in order of urgency, one piece at a time on each.

use std::collections::VecDeque;

use linerate_core::units::Span;

/// How urgent a piece of work is: earlier variants go first. Work that has begun is not
/// interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// An interrupt; on the first processor only.
    Interrupt,
    /// Protocol; on the first processor only, where its interrupts are.
    Protocol,
    /// A call of an application; on any processor.
    Process,
}

/// How long the processors of a host worked, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// On interrupts.
    pub interrupt: Span,
    /// On protocol.
    pub protocol: Span,
    /// In applications' calls.
    pub process: Span,
}

/// The processors of a host, and the work that waits for them.
#[derive(Debug)]
pub(super) struct Processors<J> {
    /// By level.
    waiting: [VecDeque<(J, Span)>; 3],
    running: Vec<Option<J>>,
    /// How many processors are idle, and how much work waits.
    idle: usize,
    left: usize,
    busy: [Span; 3],
    /// By processor, the work that it has begun.
    begun: Vec<Span>,
}

impl<J> Processors<J> {
    pub(super) fn new(count: u32) -> Self {
        Self {
            waiting: [VecDeque::new(), VecDeque::new(), VecDeque::new()],
            running: (0..count.max(1)).map(|_| None).collect(),
            idle: count.max(1) as usize,
            left: 0,
            busy: [Span::ZERO; 3],
            begun: vec![Span::ZERO; count.max(1) as usize],
        }
    }

    /// Takes work, which will take `cost`.
    pub(super) fn submit(&mut self, level: Level, job: J, cost: Span) {
        self.busy[level as usize] += cost;
        self.waiting[level as usize].push_back((job, cost));
        self.left += 1;
    }

    /// Begins a piece of work if a processor is idle and may do it; returns which processor, and
    /// how long it takes.
    pub(super) fn begin(&mut self) -> Option<(u8, Span)> {
        if self.idle == 0 || self.left == 0 {
            return None;
        }
        let last = self.running.len() - 1;
        // Applications leave the first processor to the interrupts where they can.
        for processor in (0..=last).rev() {
            if self.running[processor].is_some() {
                continue;
            }
            let levels = if processor == 0 { 0..3 } else { 2..3 };
            for level in levels {
                if let Some((job, cost)) = self.waiting[level].pop_front() {
                    self.running[processor] = Some(job);
                    self.begun[processor] += cost;
                    self.idle -= 1;
                    self.left -= 1;
                    return Some((processor as u8, cost));
                }
            }
        }
        None
    }

    /// Removes the work that a processor has finished.
    pub(super) fn finish(&mut self, processor: u8) -> J {
        self.idle += 1;
        self.running[usize::from(processor)].take().expect("what finishes has begun")
    }

    pub(super) fn count(&self) -> u32 {
        self.begun.len() as u32
    }

    /// How long the busiest processor worked.
    pub(super) fn busiest(&self) -> Span {
        self.begun.iter().copied().max().unwrap_or(Span::ZERO)
    }

    /// How long they worked.
    pub(super) const fn usage(&self) -> Usage {
        let [interrupt, protocol, process] = self.busy;
        Usage { interrupt, protocol, process }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: Span = Span::from_us(1);

    fn order(count: u32) -> Vec<(u8, char)> {
        let mut processors = Processors::new(count);
        processors.submit(Level::Process, 'a', COST);
        processors.submit(Level::Process, 'b', COST);
        processors.submit(Level::Protocol, 'p', COST);
        processors.submit(Level::Interrupt, 'i', COST);
        let mut order = Vec::new();
        while let Some((first, _)) = processors.begin() {
            let others: Vec<u8> = std::iter::from_fn(|| processors.begin().map(|(which, _)| which)).collect();
            for which in [vec![first], others].concat() {
                order.push((which, processors.finish(which)));
            }
        }
        order
    }

    #[test]
    fn one_processor_does_the_urgent_first() {
        assert_eq!(order(1), [(0, 'i'), (0, 'p'), (0, 'a'), (0, 'b')]);
    }

    #[test]
    fn a_second_one_takes_calls_and_nothing_else() {
        assert_eq!(order(2), [(1, 'a'), (0, 'i'), (1, 'b'), (0, 'p')]);
    }
}
