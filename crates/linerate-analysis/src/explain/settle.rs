//! What would settle a question that a file leaves open.

use super::bound::{Bound, Cost, Which};
use super::candidate::Candidate;

/// Bounds that account for less than this of the time are not worth a test.
const WORTH: f64 = 0.1;
/// What shows what the file does not.
const UNSEEN: &str = "a run in which processors and TCP are seen: of this version of linerate over TCP, or of a model with [tcp] and hosts";

/// What to measure again, and what must happen if the verdict is right; or what would tell the first two
/// candidates from each other.
pub(super) fn settle(verdict: Option<Bound>, candidates: &[Candidate]) -> String {
    let first = candidates.first().filter(|it| it.share >= Some(WORTH)).map(|it| it.bound);
    verdict.or(first).map_or(UNSEEN, test_of).to_owned()
}

const fn test_of(bound: Bound) -> &'static str {
    match bound {
        Bound::Link => "a faster link, or a larger MTU for less framing; nothing at the hosts will change it",
        Bound::PathRate => {
            "ask each hop for its rate and its shapers; if it is a queue, the round trip grows with what is under way"
        }
        Bound::Burst => "more --time, so that larger trials outlast the burst",
        Bound::PathDelay => "a measurement between hosts that are closer: only the path can change it",
        Bound::ReceiverWindow => {
            "a larger --rcvbuf, or a larger net.ipv4.tcp_rmem: the throughput must grow with it"
        }
        Bound::SendBuffer => {
            "a larger --sndbuf, or a larger net.ipv4.tcp_wmem: the throughput must grow with it"
        }
        Bound::CongestionWindow => {
            "another --congestion algorithm, or several flows: together they must carry more"
        }
        Bound::Retransmissions => {
            "ask where segments are dropped: counters of both interfaces and of the switches"
        }
        Bound::Nagle => "--nodelay on: the time must fall to that of the neighbouring sizes",
        Bound::Processor(_, Cost::Message) => "larger messages: the time of each must hardly grow",
        Bound::Processor(Which::Receiver, Cost::Segment) => {
            "receive offload (GRO) on, or a larger MTU: the throughput must grow with the segments"
        }
        Bound::Processor(_, Cost::Segment) => {
            "segmentation offload (TSO, GSO) on, or a larger MTU: the throughput must grow with the segments"
        }
        Bound::Processor(_, Cost::Byte) => "an --io engine that copies less (sendfile, splice, zerocopy)",
        Bound::Processor(_, Cost::Unknown) => "the same on a faster processor, or --pin to another one",
        Bound::Memory => "an --io engine that copies less, or messages that fit the cache",
        Bound::WakeUp => {
            "--wait spin, with a processor for each end: the time must fall by what the wake-ups take"
        }
        Bound::Coalescing => "ethtool -C with rx-usecs 0: the time must fall by the timer",
        Bound::Others => "the same on an idle host, or --pin to a processor that nobody else uses",
        Bound::Reader => "a reader that reads faster, or a look at what it waits for",
        Bound::Application => "a sender that writes faster, or a look at what it waits for",
        Bound::LinkDown => "the interface's log: when it lost its carrier, and why",
        Bound::PerMessage | Bound::PerByte => UNSEEN,
    }
}
