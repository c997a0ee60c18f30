//! Explicit congestion notification at one end: RFC 3168, 6.1; the receiver of DCTCP: RFC 8257, 3.2.

use std::collections::VecDeque;

use super::{Rules, Segment};
use crate::ip::Codepoint;

/// What a receiver says of the marks that it saw.
#[derive(Debug)]
pub(super) struct Ecn {
    /// Both ends agreed on it.
    is_on: bool,
    /// Each acknowledgement says whether what it acknowledges was marked, as DCTCP needs it.
    is_exact: bool,
    /// Acknowledgements say that something was marked: until CWR, or DCTCP.CE.
    echoes: bool,
    /// Acknowledgements of what came before a change, which go out first.
    earlier: VecDeque<Earlier>,
}

/// An acknowledgement of what came before the marks changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Earlier {
    /// All before arrived.
    pub(super) position: u64,
    /// It was marked.
    pub(super) marked: bool,
}

impl Ecn {
    pub(super) fn new(agreed: bool, rules: &Rules) -> Self {
        let is_exact = rules.congestion.algorithm.exact_ecn;
        Self { is_on: agreed, is_exact, echoes: false, earlier: VecDeque::new() }
    }

    /// Whether both ends agreed on it.
    pub(super) const fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether acknowledgements have ECE.
    pub(super) const fn echoes(&self) -> bool {
        self.echoes
    }

    /// A segment with payload arrived, with all before `owed` in order and not acknowledged; returns
    /// whether acknowledgements say the opposite from now on, and at once.
    pub(super) fn arrived(&mut self, segment: &Segment, owed: Option<u64>) -> bool {
        let marked = segment.ecn == Codepoint::Experienced;
        if self.is_exact {
            let was = std::mem::replace(&mut self.echoes, marked);
            if was == marked {
                return false;
            }
            self.earlier.extend(owed.map(|position| Earlier { position, marked: was }));
            return true;
        }
        // RFC 3168, 6.1.3: CWR ends it, unless this segment begins it again.
        self.echoes = marked || self.echoes && !segment.flags.cwr;
        false
    }

    /// Whether what came before a change is still to be acknowledged.
    pub(super) fn has_earlier(&self) -> bool {
        !self.earlier.is_empty()
    }

    /// The next acknowledgement of that kind.
    pub(super) fn take_earlier(&mut self) -> Option<Earlier> {
        self.earlier.pop_front()
    }
}
