//! What would settle a question that a file leaves open, and what would make it faster.

use serde::Serialize;

use super::bound::{Bound, Cost, Which};
use super::candidate::Candidate;

/// Bounds that account for less than this of the time are not worth a test.
pub(super) const WORTH: f64 = 0.1;
/// What shows what the file does not.
const UNSEEN: &str = "a run in which processors and TCP are seen: of this version of linerate over TCP, or of a model with [tcp] and hosts";

/// What to do about a bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What to measure again, and what must happen if the verdict is right.
    pub confirm: String,
    /// What makes it faster. Absent if nothing that is known of the bound says so.
    pub faster: Option<&'static str>,
}

impl Advice {
    /// Whether what makes it faster is also what confirms the verdict.
    #[must_use]
    pub fn is_its_own_test(&self) -> bool {
        self.faster.is_some_and(|faster| self.confirm.starts_with(faster))
    }

    /// About `verdict`; where there is none, about the first of `candidates`: that tells it from the others.
    pub(super) fn about(verdict: Option<Bound>, candidates: &[Candidate]) -> Self {
        let first = candidates.first().filter(|it| it.share >= Some(WORTH)).map(|it| it.bound);
        let Some(bound) = verdict.or(first) else {
            return Self { confirm: UNSEEN.to_owned(), faster: None };
        };
        let (test, must, faster) = advice(bound);
        let gap = if must.is_empty() { "" } else { ": " };
        let faster = match faster {
            Faster::ByTheSame => Some(test),
            Faster::By(change) => Some(change),
            Faster::Unknown => None,
        };
        Self { confirm: format!("{test}{gap}{must}"), faster }
    }
}

/// What to measure again, and what must happen if the verdict is right; or what would tell the first two
/// candidates from each other.
pub(super) fn settle(verdict: Option<Bound>, candidates: &[Candidate]) -> String {
    Advice::about(verdict, candidates).confirm
}

/// What makes it faster.
enum Faster {
    /// The change that also tests it.
    ByTheSame,
    /// This.
    By(&'static str),
    /// Nothing that the bound says.
    Unknown,
}

/// A test of `bound`, what must come of it, and what makes it faster.
const fn advice(bound: Bound) -> (&'static str, &'static str, Faster) {
    use Faster::{By, ByTheSame, Unknown};
    match bound {
        Bound::Link => (
            "several flows at once",
            "together they must carry no more, and nothing at the hosts will change it",
            By("a faster link, or a larger MTU for less framing"),
        ),
        Bound::PathRate => (
            "ask each hop for its rate and its shapers",
            "if it is a queue, the round trip grows with what is under way",
            By("raise the rate of that hop or shaper"),
        ),
        Bound::Burst => ("more --time, so that larger trials outlast the burst", "", Unknown),
        Bound::PathDelay => (
            "a measurement between hosts that are closer",
            "only the path can change it",
            By("a shorter path, or more messages under way at once"),
        ),
        Bound::ReceiverWindow => (
            "a larger --rcvbuf, or a larger net.ipv4.tcp_rmem",
            "the throughput must grow with it",
            ByTheSame,
        ),
        Bound::SendBuffer => (
            "a larger --sndbuf, or a larger net.ipv4.tcp_wmem",
            "the throughput must grow with it",
            ByTheSame,
        ),
        Bound::CongestionWindow => {
            ("another --congestion algorithm, or more flows", "together they must carry more", ByTheSame)
        }
        Bound::Retransmissions => (
            "ask where segments are dropped",
            "counters of both interfaces and of the switches",
            By("mend what drops them"),
        ),
        Bound::Nagle => ("--nodelay on", "the time must fall to that of the neighbouring sizes", ByTheSame),
        Bound::Processor(_, Cost::Message) => (
            "larger messages",
            "the time of each must hardly grow",
            By("larger messages, or a faster processor"),
        ),
        Bound::Processor(Which::Receiver, Cost::Segment) => (
            "receive offload (GRO) on, or a larger MTU",
            "the throughput must grow with the segments",
            ByTheSame,
        ),
        Bound::Processor(_, Cost::Segment) => (
            "segmentation offload (TSO, GSO) on, or a larger MTU",
            "the throughput must grow with the segments",
            ByTheSame,
        ),
        Bound::Processor(_, Cost::Byte) => {
            ("an --io engine that copies less (sendfile, splice, zerocopy)", "", ByTheSame)
        }
        Bound::Processor(_, Cost::Unknown) => (
            "the same on a faster processor, or --pin to another one",
            "",
            By("a faster processor, or more flows"),
        ),
        Bound::Memory => ("an --io engine that copies less, or messages that fit the cache", "", ByTheSame),
        Bound::WakeUp => (
            "--wait spin, with a processor for each end",
            "the time must fall by what the wake-ups take",
            ByTheSame,
        ),
        Bound::Coalescing => ("ethtool -C with rx-usecs 0", "the time must fall by the timer", ByTheSame),
        Bound::Others => {
            ("the same on an idle host, or --pin to a processor that nobody else uses", "", ByTheSame)
        }
        Bound::Reader => (
            "a reader that reads faster, or a look at what it waits for",
            "",
            By("a reader that reads faster"),
        ),
        Bound::Application => (
            "a sender that writes faster, or a look at what it waits for",
            "",
            By("a sender that writes faster"),
        ),
        Bound::LinkDown => {
            ("the interface's log", "when it lost its carrier, and why", By("keep the link up"))
        }
        Bound::PerMessage | Bound::PerByte => (UNSEEN, "", Unknown),
    }
}
