//! The processors of a host on which both ends of a path run, each at a place of its own or both at
//! one.
//!
//! A frame does not leave the host: the protocol of the end that receives it takes it where it was
//! sent, in the sender's call. A thread that was woken waits for its processor, until the other
//! sleeps or its turn is over.

use std::collections::VecDeque;

use linerate_core::units::Span;

use super::processor::{Level, Usage};
use crate::stack::Side;

/// What a processor does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A piece of work, which takes this long.
    Work(u8, Span),
    /// Perhaps another thread's turn: asked again at the same time, when the application whose turn it is
    /// has had the chance to make its next call.
    Ask(u8),
}

/// The processors, and the work that waits for them.
#[derive(Debug)]
pub(super) struct Placed<J> {
    /// The processor of each end's thread, by side.
    places: [u8; 2],
    /// How long a thread runs before another that was woken gets a turn.
    slice: Span,
    each: Vec<One<J>>,
    /// Where the work has ended from which others follow now.
    context: Option<u8>,
    busy: [Span; 3],
    /// The work of each end's thread, with what the kernel did in its calls.
    spent: [Span; 2],
}

#[derive(Debug)]
struct One<J> {
    /// The kernel's work, which goes first.
    kernel: VecDeque<(J, Level, Span)>,
    /// The calls of each end's thread.
    calls: [VecDeque<(J, Span)>; 2],
    running: Option<J>,
    turn: Option<Side>,
    /// How long this turn has been.
    ran: Span,
    /// Its next piece enters the kernel: between two calls another thread may get its turn.
    enters: bool,
    asked: bool,
    begun: Span,
}

impl<J> One<J> {
    fn new() -> Self {
        Self {
            kernel: VecDeque::new(),
            calls: [VecDeque::new(), VecDeque::new()],
            running: None,
            turn: None,
            ran: Span::ZERO,
            enters: false,
            asked: false,
            begun: Span::ZERO,
        }
    }

    /// The thread whose call goes on; the other's, if nobody's turn it is or the turn is over.
    fn choose(&self, slice: Span) -> Choice {
        let waits = |side: Side| !self.calls[side as usize].is_empty();
        match self.turn {
            None => [Side::First, Side::Second]
                .into_iter()
                .find(|side| waits(*side))
                .map_or(Choice::Nothing, Choice::Of),
            Some(side) => match (waits(side), waits(side.other())) {
                (true, true) if self.enters && self.ran >= slice => Choice::Of(side.other()),
                (true, _) => Choice::Of(side),
                (false, true) => Choice::Perhaps,
                (false, false) => Choice::Nothing,
            },
        }
    }
}

enum Choice {
    Nothing,
    Of(Side),
    /// The other's, unless the application whose turn it is calls now.
    Perhaps,
}

impl<J> Placed<J> {
    pub(super) fn new(places: [u8; 2], slice: Span) -> Self {
        let count = 1 + places[0].max(places[1]);
        Self {
            places,
            slice,
            each: (0..count).map(|_| One::new()).collect(),
            context: None,
            busy: [Span::ZERO; 3],
            spent: [Span::ZERO; 2],
        }
    }

    /// Takes a step of a call, or work of the kernel that must be where the end's thread is.
    pub(super) fn submit(&mut self, side: Side, level: Level, job: J, cost: Span) {
        let place = self.places[side as usize];
        if level == Level::Process {
            self.busy[level as usize] += cost;
            self.each[usize::from(place)].calls[side as usize].push_back((job, cost));
        } else {
            self.queue(place, level, job, cost);
        }
    }

    /// Takes work of the kernel that is done where the work has ended from which it follows; returns
    /// where that is.
    pub(super) fn follow(&mut self, side: Side, level: Level, job: J, cost: Span) -> u8 {
        let place = self.context.unwrap_or(self.places[side as usize]);
        self.queue(place, level, job, cost);
        place
    }

    fn queue(&mut self, place: u8, level: Level, job: J, cost: Span) {
        self.busy[level as usize] += cost;
        self.each[usize::from(place)].kernel.push_back((job, level, cost));
    }

    /// Whether what follows now is done where that end's thread is.
    pub(super) fn is_here(&self, side: Side) -> bool {
        self.context == Some(self.places[side as usize])
    }

    /// What follows from the work that has ended is known.
    pub(super) const fn leave(&mut self) {
        self.context = None;
    }

    /// An end's thread makes a call.
    pub(super) fn enters(&mut self, side: Side) {
        let one = &mut self.each[usize::from(self.places[side as usize])];
        one.enters |= one.turn == Some(side);
    }

    /// An end's thread sleeps: its turn is over.
    pub(super) fn sleeps(&mut self, side: Side) {
        let one = &mut self.each[usize::from(self.places[side as usize])];
        if one.turn == Some(side) {
            one.turn = None;
        }
    }

    /// Nothing came of the application whose turn it was.
    pub(super) fn asked(&mut self, place: u8) {
        let one = &mut self.each[usize::from(place)];
        one.asked = false;
        if one.running.is_none() && matches!(one.choose(self.slice), Choice::Perhaps) {
            one.turn = None;
        }
    }

    /// Begins a piece of work if a processor is idle and has some.
    pub(super) fn begin(&mut self) -> Option<Next> {
        for (place, one) in (0_u8..).zip(&mut self.each) {
            if one.running.is_some() {
                continue;
            }
            if let Some((job, _, cost)) = one.kernel.pop_front() {
                let side =
                    one.turn.unwrap_or(if self.places[0] == place { Side::First } else { Side::Second });
                self.spent[side as usize] += cost;
                return Some(one.run(place, job, cost));
            }
            match one.choose(self.slice) {
                Choice::Nothing => {}
                Choice::Of(side) => {
                    if one.turn != Some(side) {
                        (one.turn, one.ran) = (Some(side), Span::ZERO);
                    }
                    one.enters = false;
                    let Some((job, cost)) = one.calls[side as usize].pop_front() else { continue };
                    self.spent[side as usize] += cost;
                    return Some(one.run(place, job, cost));
                }
                Choice::Perhaps if !one.asked => {
                    one.asked = true;
                    return Some(Next::Ask(place));
                }
                Choice::Perhaps => {}
            }
        }
        None
    }

    /// Removes the work that a processor has finished. What follows is done there until [`Self::leave`].
    pub(super) fn finish(&mut self, place: u8) -> J {
        self.context = Some(place);
        self.each[usize::from(place)].running.take().expect("what finishes has begun")
    }

    pub(super) fn count(&self) -> u32 {
        self.each.len() as u32
    }

    pub(super) fn busiest(&self) -> Span {
        self.each.iter().map(|one| one.begun).max().unwrap_or(Span::ZERO)
    }

    pub(super) const fn usage(&self) -> Usage {
        let [interrupt, protocol, process] = self.busy;
        Usage { interrupt, protocol, process }
    }

    /// How long an end's thread worked, with what the kernel did in its calls.
    pub(super) const fn spent(&self, side: Side) -> Span {
        self.spent[side as usize]
    }
}

impl<J> One<J> {
    fn run(&mut self, place: u8, job: J, cost: Span) -> Next {
        self.running = Some(job);
        self.ran += cost;
        self.begun += cost;
        Next::Work(place, cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Span = Span::from_us(1);

    /// Runs what waits to its end: which job, where. An application that is asked does nothing.
    fn order(placed: &mut Placed<char>) -> Vec<(u8, char)> {
        let mut order = Vec::new();
        while let Some(next) = placed.begin() {
            match next {
                Next::Work(place, _) => {
                    order.push((place, placed.finish(place)));
                    placed.leave();
                }
                Next::Ask(place) => placed.asked(place),
            }
        }
        order
    }

    #[test]
    fn each_end_has_its_processor_and_the_kernel_goes_first() {
        let mut placed = Placed::new([0, 1], Span::ZERO);
        placed.submit(Side::First, Level::Process, 'a', US);
        placed.submit(Side::Second, Level::Process, 'b', US);
        placed.submit(Side::First, Level::Protocol, 'p', US);
        assert_eq!(order(&mut placed), [(0, 'p'), (0, 'a'), (1, 'b')]);
        assert_eq!([Side::First, Side::Second].map(|side| placed.spent(side)), [US * 2, US]);
    }

    #[test]
    fn what_follows_is_done_where_it_follows_from() {
        let mut placed = Placed::new([0, 1], Span::ZERO);
        placed.submit(Side::First, Level::Process, 'a', US);
        assert_eq!(placed.begin(), Some(Next::Work(0, US)));
        placed.finish(0);
        assert!(placed.is_here(Side::First) && !placed.is_here(Side::Second));
        // The second end's protocol takes it in the first one's call.
        assert_eq!(placed.follow(Side::Second, Level::Protocol, 'r', US), 0);
        placed.leave();
        assert_eq!(order(&mut placed), [(0, 'r')]);
        assert_eq!(placed.spent(Side::First), US * 2, "a thread's time holds the interrupts in its calls");
    }

    #[test]
    fn on_one_processor_a_thread_keeps_it_for_its_slice() {
        let mut placed = Placed::new([0, 0], US * 2);
        placed.submit(Side::Second, Level::Process, 'x', US);
        let mut order = Vec::new();
        placed.submit(Side::First, Level::Process, 'a', US);
        placed.sleeps(Side::Second);
        for job in ['b', 'c', 'd', 'e'] {
            while let Some(Next::Ask(place)) = placed.begin() {
                placed.asked(place);
            }
            order.push(placed.finish(0));
            placed.enters(Side::First);
            placed.submit(Side::First, Level::Process, job, US);
        }
        assert_eq!(order, ['a', 'b', 'x', 'c']);
    }

    #[test]
    fn a_turn_does_not_end_within_a_call() {
        let mut placed = Placed::new([0, 0], US);
        for job in ['a', 'b', 'c'] {
            placed.submit(Side::First, Level::Process, job, US);
        }
        placed.submit(Side::Second, Level::Process, 'x', US);
        assert_eq!(order(&mut placed), [(0, 'a'), (0, 'b'), (0, 'c'), (0, 'x')]);
    }

    #[test]
    fn a_thread_between_two_calls_keeps_its_processor_and_one_that_sleeps_does_not() {
        let mut placed = Placed::new([0, 0], US * 9);
        placed.submit(Side::First, Level::Process, 'a', US);
        assert_eq!(placed.begin(), Some(Next::Work(0, US)));
        placed.submit(Side::Second, Level::Process, 'x', US);
        placed.finish(0);
        assert_eq!(placed.begin(), Some(Next::Ask(0)));
        assert_eq!(placed.begin(), None, "it is asked once");
        placed.submit(Side::First, Level::Process, 'b', US);
        assert_eq!(placed.begin(), Some(Next::Work(0, US)), "it called in time");
        assert_eq!(placed.finish(0), 'b');
        placed.asked(0);
        assert_eq!(placed.begin(), Some(Next::Work(0, US)), "and then it did not");
        placed.submit(Side::First, Level::Process, 'c', US);
        placed.asked(0);
        placed.submit(Side::Second, Level::Process, 'y', US);
        assert_eq!(placed.finish(0), 'x');
        assert_eq!(placed.begin(), Some(Next::Work(0, US)), "an answer that is late ends no turn");
        assert_eq!(placed.finish(0), 'y');
        placed.sleeps(Side::Second);
        assert_eq!(placed.begin(), Some(Next::Work(0, US)));
        assert_eq!(placed.finish(0), 'c');
    }
}
