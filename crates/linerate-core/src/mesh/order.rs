//! What rank 0 tells the others to do, and what they answer: messages of 64-bit little-endian words.

use super::conduct::{LOADED_VISITS, MOST};
use super::hand::TAIL_VISITS;
use super::visit_stats::VisitStats;
use crate::comm::call::Call;
use crate::plan::LARGEST;
use crate::units::Span;

/// In the place of a rank: nobody.
const NOBODY: u64 = u64::MAX;
/// In the place of a time: none.
const NONE: u64 = u64::MAX;
/// The longest reason that an answer carries. Unit: bytes.
const LONGEST_REASON: usize = 1000;

/// The most ranks of a mesh, and so the most that an order names.
pub const MOST_RANKS: usize = 1 << 16;
/// The longest message or collective of an order. Unit: bytes.
const LONGEST: u64 = LARGEST;
/// The most messages of an order, from or to one rank.
const MOST_TIMES: u64 = MOST * TAIL_VISITS * LOADED_VISITS;
/// The most calls of a collective that one order asks for: the answer has the time of each.
pub(super) const MOST_CALLS: u64 = 200;

/// What one rank does in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// With one other rank: each in turn sends to the other, at every size.
    Pair {
        /// The other.
        with: usize,
        /// Whether this one begins.
        first: bool,
    },
    /// A message to one rank while one arrives from another, some times.
    Pass {
        /// Who receives from this rank, if anybody.
        to: Option<usize>,
        /// Who sends to it, if anybody.
        from: Option<usize>,
        /// Length of a message. Unit: bytes.
        bytes: u64,
        /// How many follow each other.
        times: u64,
    },
    /// Short messages there and back with one other rank, for some time.
    Ask {
        /// The other.
        with: usize,
        /// Whether this one begins, and times.
        first: bool,
    },
    /// All send to this rank: it receives from as many ranks as are named after the order.
    FanIn {
        /// How many ranks are named.
        count: usize,
        /// Length of a message. Unit: bytes.
        bytes: u64,
        /// How many come from each.
        times: u64,
    },
    /// This rank sends to as many ranks as are named after the order.
    FanOut {
        /// How many ranks are named.
        count: usize,
        /// Length of a message. Unit: bytes.
        bytes: u64,
        /// How many go to each.
        times: u64,
    },
    /// With others to one rank, when that says so.
    Feed {
        /// Who receives.
        to: usize,
        /// Length of a message. Unit: bytes.
        bytes: u64,
        /// How many.
        times: u64,
    },
    /// With others from one rank.
    Drain {
        /// Who sends.
        from: usize,
        /// Length of a message. Unit: bytes.
        bytes: u64,
        /// How many.
        times: u64,
    },
    /// A collective with all others, some times.
    Call {
        /// Which.
        call: Call,
        /// Its size. Unit: bytes.
        bytes: u64,
        /// How often.
        times: u64,
    },
    /// The mesh is done.
    End,
}

/// How long an encoded order is. Unit: bytes.
pub(super) const ORDER: usize = 40;

impl Order {
    /// As it is sent.
    pub(super) fn encoded(self) -> [u8; ORDER] {
        let place = |rank: Option<usize>| rank.map_or(NOBODY, |rank| rank as u64);
        let words = match self {
            Self::End => [0; 5],
            Self::Pair { with, first } => [1, with as u64, first.into(), 0, 0],
            Self::Pass { to, from, bytes, times } => [2, place(to), place(from), bytes, times],
            Self::Ask { with, first } => [3, with as u64, first.into(), 0, 0],
            Self::FanIn { count, bytes, times } => [4, count as u64, bytes, times, 0],
            Self::FanOut { count, bytes, times } => [5, count as u64, bytes, times, 0],
            Self::Feed { to, bytes, times } => [6, to as u64, bytes, times, 0],
            Self::Drain { from, bytes, times } => [7, from as u64, bytes, times, 0],
            Self::Call { call, bytes, times } => {
                let number = Call::ALL.iter().position(|one| *one == call).unwrap_or_default();
                [8, number as u64, bytes, times, 0]
            }
        };
        let mut out = [0; ORDER];
        for (place, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        out
    }

    /// What was sent, if it is an order for one of `ranks`: every number of it is within its bounds.
    pub(super) fn decoded(message: &[u8; ORDER], ranks: usize) -> Option<Self> {
        let ranks = ranks.min(MOST_RANKS) as u64;
        let words = Words(message);
        let rank = |at: usize| words.below(at, ranks).map(|rank| rank as usize);
        let count = |at: usize| words.below(at, ranks).filter(|count| *count > 0).map(|count| count as usize);
        let maybe = |at: usize| if words.is(at, NOBODY) { Some(None) } else { rank(at).map(Some) };
        let flag = |at: usize| words.below(at, 2).map(|flag| flag == 1);
        let bytes = |at: usize| words.below(at, LONGEST + 1);
        let times = |at: usize, most: u64| words.below(at, most + 1);
        Some(match words.below(0, 9)? {
            0 => Self::End,
            1 => Self::Pair { with: rank(1)?, first: flag(2)? },
            2 if words.is(1, NOBODY) && words.is(2, NOBODY) => return None,
            2 => {
                Self::Pass { to: maybe(1)?, from: maybe(2)?, bytes: bytes(3)?, times: times(4, MOST_TIMES)? }
            }
            3 => Self::Ask { with: rank(1)?, first: flag(2)? },
            4 => Self::FanIn { count: count(1)?, bytes: bytes(2)?, times: times(3, MOST_TIMES)? },
            5 => Self::FanOut { count: count(1)?, bytes: bytes(2)?, times: times(3, MOST_TIMES)? },
            6 => Self::Feed { to: rank(1)?, bytes: bytes(2)?, times: times(3, MOST_TIMES)? },
            7 => Self::Drain { from: rank(1)?, bytes: bytes(2)?, times: times(3, MOST_TIMES)? },
            8 => Self::Call {
                call: *Call::ALL.get(words.below(1, Call::ALL.len() as u64)? as usize)?,
                bytes: bytes(2)?,
                times: times(3, MOST_CALLS)?,
            },
            _ => return None,
        })
    }

    /// How many ranks are named after it.
    pub(super) const fn peers(self) -> usize {
        match self {
            Self::FanIn { count, .. } | Self::FanOut { count, .. } => count,
            _ => 0,
        }
    }

    /// How many numbers its answer has, if a pair has `probes`.
    pub(super) const fn values(self, probes: usize) -> usize {
        match self {
            Self::End => 0,
            Self::Pair { .. } => probes * VisitStats::NUMBERS,
            Self::Pass { .. }
            | Self::FanIn { .. }
            | Self::FanOut { .. }
            | Self::Feed { .. }
            | Self::Drain { .. } => 1,
            // And what was sent: messages and bytes.
            Self::Call { times, .. } => times as usize + 2,
            Self::Ask { first, .. } => {
                if first {
                    4
                } else {
                    0
                }
            }
        }
    }
}

/// The words of an order. None is read without its bound.
struct Words<'m>(&'m [u8; ORDER]);

impl Words<'_> {
    fn below(&self, at: usize, bound: u64) -> Option<u64> {
        Some(u64::from_le_bytes(self.0.as_chunks::<8>().0[at])).filter(|word| *word < bound)
    }

    fn is(&self, at: usize, word: u64) -> bool {
        self.0.as_chunks::<8>().0[at] == word.to_le_bytes()
    }
}

/// The ranks that are named after an order, as they are sent.
pub(super) fn encoded(ranks: &[usize]) -> Vec<u8> {
    ranks.iter().flat_map(|rank| (*rank as u64).to_le_bytes()).collect()
}

/// The ranks that were sent, if each is one of `ranks`.
pub(super) fn decoded(sent: &[u8], ranks: usize) -> Option<Vec<usize>> {
    let words = sent.as_chunks::<8>().0.iter().map(|word| usize::try_from(u64::from_le_bytes(*word)));
    words.map(|rank| rank.ok().filter(|rank| *rank < ranks)).collect()
}

/// What a rank measured in a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// As many as the order asks for.
    pub(super) values: Vec<Option<u64>>,
    /// Why some of it was not measured to the end, after "failed to ...".
    pub(super) trouble: Option<String>,
}

impl Answer {
    /// Without any of `values` numbers, because of `trouble`.
    pub(super) fn failed(values: usize, trouble: String) -> Self {
        Self { values: vec![None; values], trouble: Some(trouble) }
    }

    /// The times among its numbers.
    pub(super) fn times(&self) -> Vec<Option<Span>> {
        self.values.iter().map(|value| value.map(Span::from_ps)).collect()
    }

    /// Its numbers, and then how long its reason is.
    pub(super) fn encoded(&self) -> (Vec<u8>, &[u8]) {
        let reason = self.trouble.as_deref().unwrap_or_default().as_bytes();
        let reason = &reason[..reason.len().min(LONGEST_REASON)];
        let numbers = self.values.iter().map(|value| value.unwrap_or(NONE));
        let words = numbers.chain([reason.len() as u64]);
        (words.flat_map(u64::to_le_bytes).collect(), reason)
    }

    /// How long the first part of an answer of `values` numbers is. Unit: bytes.
    pub(super) const fn length(values: usize) -> usize {
        (values + 1) * 8
    }

    /// The numbers of the first part, and the length of the reason that follows it: at most what an answer may have.
    /// Unit: bytes.
    pub(super) fn decoded(message: &[u8]) -> (Vec<Option<u64>>, usize) {
        let mut words: Vec<u64> =
            message.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let reason = words.pop().unwrap_or(0);
        let values = words.into_iter().map(|word| (word != NONE).then_some(word)).collect();
        (values, usize::try_from(reason).unwrap_or(LONGEST_REASON).min(LONGEST_REASON))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_order_arrives_as_it_was_given() {
        for order in [
            Order::End,
            Order::Pair { with: 1023, first: true },
            Order::Pair { with: 0, first: false },
            Order::Pass { to: Some(3), from: None, bytes: 1 << 28, times: 7 },
            Order::Pass { to: None, from: Some(0), bytes: 0, times: 1 },
            Order::Ask { with: 2, first: true },
            Order::FanIn { count: 1023, bytes: 5, times: 2 },
            Order::FanOut { count: 1, bytes: 5, times: 2 },
            Order::Feed { to: 9, bytes: 1, times: 3 },
            Order::Drain { from: 9, bytes: 1, times: 3 },
            Order::Call { call: Call::ALL[12], bytes: 8, times: MOST_CALLS },
        ] {
            assert_eq!(Order::decoded(&order.encoded(), 1024), Some(order));
        }
        assert_eq!(Order::decoded(&[9; ORDER], 1024), None);
        assert_eq!(decoded(&encoded(&[3, 0, 1023]), 1024), Some(vec![3, 0, 1023]));
        for wrong in [1024, usize::MAX] {
            assert_eq!(decoded(&encoded(&[3, wrong]), 1024), None);
        }
    }

    proptest! {
        /// Whatever the words are: what they make a rank do is bounded.
        #[test]
        fn no_number_of_an_order_is_without_a_bound(
            kind in 0..10_u64,
            words in prop::array::uniform4(prop_oneof![0..5_u64, any::<u64>(), (0..64_u32).prop_map(|bit| u64::MAX >> bit)]),
            ranks in 1..2_000_usize,
        ) {
            let mut message = [0; ORDER];
            let out = message.as_chunks_mut::<8>().0.iter_mut();
            out.zip(std::iter::once(kind).chain(words)).for_each(|(out, word)| *out = word.to_le_bytes());
            let Some(order) = Order::decoded(&message, ranks) else { return Ok(()) };
            let (peers, bytes, times) = match order {
                Order::End => (vec![], 0, 0),
                Order::Pair { with, first: _ } | Order::Ask { with, first: _ } => (vec![with], 0, 0),
                Order::Pass { to, from, bytes, times } => {
                    prop_assert!(to.is_some() || from.is_some(), "a pass to nobody would spin");
                    (to.into_iter().chain(from).collect(), bytes, times)
                }
                Order::FanIn { count, bytes, times } | Order::FanOut { count, bytes, times } => {
                    prop_assert!(count > 0, "a fan of nobody would spin");
                    (vec![count], bytes, times)
                }
                Order::Feed { to: peer, bytes, times } | Order::Drain { from: peer, bytes, times } => {
                    (vec![peer], bytes, times)
                }
                Order::Call { call: _, bytes, times } => {
                    prop_assert!(times <= MOST_CALLS);
                    (vec![], bytes, times)
                }
            };
            prop_assert!(peers.iter().all(|peer| *peer < ranks) && bytes <= LONGEST && times <= MOST_TIMES);
        }
    }

    #[test]
    fn an_answer_arrives_as_it_was_given() {
        let answer =
            Answer { values: vec![Some(5), None, Some(0)], trouble: Some("reach rank 3".to_owned()) };
        let (numbers, reason) = answer.encoded();
        assert_eq!(numbers.len(), Answer::length(3));
        assert_eq!(Answer::decoded(&numbers), (answer.values.clone(), reason.len()));
        assert_eq!(reason, b"reach rank 3");
        assert_eq!(answer.times()[0], Some(Span::from_ps(5)));
    }

    #[test]
    fn a_reason_is_not_longer_than_there_is_room_for() {
        let answer = Answer::failed(2, "x".repeat(LONGEST_REASON + 5));
        assert_eq!(answer.encoded().1.len(), LONGEST_REASON);
        assert_eq!(Answer::decoded(&[0xfe; 24]).1, LONGEST_REASON);
    }
}
