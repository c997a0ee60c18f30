//! What held the flows of a load back, and what its requests spent their time on, with the evidence.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use serde::Serialize;

use super::band::Certainty;
use super::bound::{Bound, Cost, Which};
use super::candidate::Candidate;
use super::candidates;
use super::facts::{Setting, Timed, facts};
use super::settle;
use super::words::{percent, us};
use crate::assessment::OFTEN;
use crate::report::{HeldBack, held_back_shares, load_name};
use linerate_core::kernel::TcpSample;
use linerate_core::kernel::limit::{Holder, Host};
use linerate_core::pattern::Pattern;
use linerate_core::run::Run;
use linerate_core::traffic::{FlowAccount, HalfAccount, Latency, Transfer};

/// What explains the bulk flows of a load.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedLoad {
    /// What it is called among the loads of its run; empty if it is the only one.
    pub name: String,
    /// The bound that binds. Absent if it cannot be told.
    pub verdict: Option<Bound>,
    /// How sure that is.
    pub certainty: Certainty,
    /// How many flows it is about.
    pub flows: usize,
    /// Every bound, the one with the largest share of the time first; shares are the means of the flows.
    pub candidates: Vec<Candidate>,
    /// What would settle it, in one sentence.
    pub settle: String,
}

/// Explains the bulk flows of `transfer`.
pub(super) fn explain_load(run: &Run, transfer: &Transfer) -> ExplainedLoad {
    let (shares, queued) = held_back_shares(run, transfer);
    let flows = if shares.is_empty() { &[] } else { transfer.flows.as_slice() };
    let mut candidates = match (HeldBack::of(run, transfer), flows) {
        (Some(HeldBack::Pace(pace)), _) => {
            vec![Candidate::new(
                Bound::Application,
                1.0,
                format!("it was asked for a pace of {pace}, and kept it"),
            )]
        }
        (_, []) => Vec::new(),
        (_, [first, ..]) => by_holder(first, &shares, queued),
    };
    candidates.extend(of_requests(run, transfer));
    let held = |it: &&Candidate| it.bound == Bound::Nagle && it.share >= Some(OFTEN);
    let (verdict, certainty) = match candidates.iter().find(held) {
        // A look sees a wait that lasts for most of a request only now and then.
        Some(nagle) if transfer.flows.is_empty() => (Some(nagle.bound), Certainty::Likely),
        _ => super::band::verdict(&candidates),
    };
    ExplainedLoad {
        name: load_name(&transfer.label, &transfer.load),
        verdict,
        certainty,
        flows: transfer.flows.len(),
        settle: settle::settle(verdict, &candidates),
        candidates,
    }
}

/// What the time of requests went into: of those that have the path to themselves and wait for each other, as of messages to
/// and fro; and whether Nagle's algorithm held them back, where TCP was looked at.
fn of_requests(run: &Run, transfer: &Transfer) -> Vec<Candidate> {
    let alone = transfer.load.rr.as_ref().filter(|_| transfer.load.stream.is_none());
    let timed = alone.and_then(|rr| Timed::requests(rr, &Latency::together(&transfer.latencies)));
    let setting = Setting::of(run, Pattern::PingPong);
    let facts = facts(&setting, timed.into_iter().collect());
    let mut all: Vec<Candidate> = facts.iter().flat_map(|facts| candidates(&setting, facts)).collect();
    let held: Vec<f64> = transfer.latencies.iter().filter_map(Latency::held_by_nagle).collect();
    if !held.is_empty() {
        let share = held.iter().sum::<f64>() / held.len() as f64;
        let says =
            format!("{} of the looks found a request that waited for an acknowledgement", percent(share));
        all.retain(|it| it.bound != Bound::Nagle);
        all.push(Candidate::new(Bound::Nagle, share, says));
    }
    all.sort_by(|one, other| other.share.partial_cmp(&one.share).unwrap_or(Ordering::Equal));
    all
}

/// Every holder as a candidate, those with a share as `held`, with the evidence of the first flow.
fn by_holder(first: &FlowAccount, held: &[(Holder, f64)], queued: f64) -> Vec<Candidate> {
    let share = |holder| held.iter().find(|(of, _)| *of == holder).map_or(0.0, |(_, share)| *share);
    let of = |holder| Candidate::new(bound(holder), share(holder), evidence(holder, first));
    let mut all: Vec<Candidate> = Holder::ALL.into_iter().map(of).collect();
    // What is held back by a window that a queue fills is held back by what is behind the queue.
    if let Some(window) = all.iter_mut().find(|it| it.bound == Bound::CongestionWindow) {
        let (share, evidence) = (window.known_share(), window.evidence.clone());
        window.share = Some(share * (1.0 - queued));
        all.push(Candidate::new(Bound::PathRate, share * queued, evidence));
    }
    all.sort_by(|one, other| other.known_share().total_cmp(&one.known_share()));
    all
}

const fn bound(holder: Holder) -> Bound {
    match holder {
        Holder::Application => Bound::Application,
        Holder::SendBuffer => Bound::SendBuffer,
        Holder::ReceiverWindow => Bound::ReceiverWindow,
        Holder::Reader => Bound::Reader,
        Holder::CongestionWindow => Bound::CongestionWindow,
        Holder::Processor(Host::Sender) => Bound::Processor(Which::Sender, Cost::Unknown),
        Holder::Processor(Host::Receiver) => Bound::Processor(Which::Receiver, Cost::Unknown),
        Holder::Processor(Host::Both) => Bound::Processor(Which::Shared, Cost::Unknown),
        Holder::Others => Bound::Others,
        Holder::Link => Bound::Link,
        Holder::LinkDown => Bound::LinkDown,
    }
}

/// What TCP said while a flow was under way. The last look is of its end, when nothing is.
fn while_under_way(looks: &[TcpSample]) -> &[TcpSample] {
    let end = if looks.len() > 1 { looks.len() - 1 } else { looks.len() };
    &looks[..end]
}

fn seen(looks: &[TcpSample]) -> TcpSample {
    while_under_way(looks).last().cloned().unwrap_or_default()
}

/// What the last look at a flow says of a holder.
fn evidence(holder: Holder, flow: &FlowAccount) -> String {
    let [sender, receiver] = [&flow.sender, &flow.receiver].map(|end| seen(&end.tcp));
    match holder {
        Holder::Application => "nothing was left to send".to_owned(),
        Holder::SendBuffer => {
            format!("{} B of {} B of the send buffer were taken", sender.queued, sender.sndbuf)
        }
        Holder::ReceiverWindow => {
            format!("the receiver offered {} B, {} segments were under way", sender.snd_wnd, sender.unacked)
        }
        Holder::Reader => {
            format!("{} B of {} B had arrived and were not read", receiver.unread, receiver.rcvbuf)
        }
        Holder::CongestionWindow => format!(
            "{} segments of {} B, {} under way, round trip {} (least {}), {} retransmitted",
            sender.cwnd,
            sender.mss,
            sender.unacked,
            us(sender.rtt.as_ps() as f64),
            us(sender.min_rtt.as_ps() as f64),
            sender.retransmits,
        ),
        Holder::Processor(Host::Sender) => of_thread("sender", &flow.sender),
        Holder::Processor(Host::Receiver) => of_thread("receiver", &flow.receiver),
        Holder::Processor(Host::Both) | Holder::Others => {
            format!("{}; {}", of_thread("sender", &flow.sender), of_thread("receiver", &flow.receiver))
        }
        Holder::Link => "the rate is that of the link, less its framing".to_owned(),
        Holder::LinkDown => "the interface was off, or had no carrier".to_owned(),
    }
}

fn of_thread(end: &str, half: &HalfAccount) -> String {
    let time = half.last.map(|last| last.saturating_sub(half.counted_since().unwrap_or_default()));
    match half.cpu.zip(time).filter(|(_, time)| time.as_ps() > 0) {
        Some((cpu, time)) => {
            let share = cpu.as_ps() as f64 / time.as_ps() as f64;
            format!("the {end}'s thread worked for {} of the time", percent(share))
        }
        None => format!("how long the {end}'s thread worked is not known"),
    }
}
