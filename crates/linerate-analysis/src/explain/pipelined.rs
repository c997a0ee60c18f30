//! Messages one after the other without waiting: the slowest stage is the bound.

#[cfg(test)]
mod tests;

use super::bound::Bound;
use super::candidate::Candidate;
use super::facts::{Facts, Observed, Setting};
use super::processors::{self, SATURATED};
use super::words::percent;
use linerate_core::kernel::TcpEffort;
use linerate_core::kernel::limit::is_through_a_queue;
use linerate_core::units::{Rate, Span};

/// Within this of the link's payload rate nothing else can gain much.
const AT_LINE_RATE: f64 = 0.95;
/// What is far below it is not held back by it: its share counts for this part.
const BELOW: f64 = 0.5;
/// Beside a stage that is saturated, a wait for it is not a cause: it counts for this part.
const EFFECT: f64 = 0.3;
/// A thread that waited for a processor for this share of the time, and had none left, was crowded out.
const CROWDED_OUT: f64 = 0.2;
/// The share that is then the others' at least.
const AT_LEAST: f64 = 0.6;
/// A congestion window of which this part is under way is full; where less is, something else holds it back, and
/// its share counts for this part.
const FULL: f64 = 0.75;
const NOT_FULL: f64 = 0.3;
/// Of what arrives in a round trip, as much stands in a queue where the sender's last call ends and this part of it is under way.
const STANDING: f64 = 0.5;
/// A trial in which the sender is busy for less than this has too few of the kernel's ticks of up to 10 ms. Unit:
/// picoseconds.
const TICKS: f64 = 5e10;
/// A receive buffer of which this part is full is one that nobody reads.
const UNREAD: f64 = 0.5;

/// A size that was timed in bursts only.
pub(super) fn in_bursts(facts: &Facts) -> Vec<Candidate> {
    let rate = Rate::from_bits_per_second(facts.size as f64 * 8e12 / facts.time);
    let says = format!("no trial outlasted what buffers or a shaper's tokens pass at once, at {rate}");
    vec![Candidate::new(Bound::Burst, 1.0, says)]
}

/// The share of every bound.
pub(super) fn candidates(setting: &Setting<'_>, facts: &Facts, observed: &Observed) -> Vec<Candidate> {
    let mut all = if observed.share_a_processor(setting) {
        processors::serial(setting, facts, observed)
    } else {
        processors::pipelined(facts, observed)
    };
    all.push(link(setting, facts));
    all.push(others(setting, observed));
    crowd_out(&mut all);
    let saturated = all.iter().any(|it| it.known_share() >= SATURATED);
    let effect = if saturated { EFFECT } else { 1.0 };
    match &observed.tcp {
        Some(ends) => all.extend(by_tcp(setting, facts, observed, ends, effect)),
        None => {
            let why = "TCP does not carry the messages";
            let bounds = [Bound::ReceiverWindow, Bound::SendBuffer, Bound::PathRate, Bound::CongestionWindow];
            all.extend(bounds.map(|bound| Candidate::unknown(bound, why)));
        }
    }
    all
}

fn link(setting: &Setting<'_>, facts: &Facts) -> Candidate {
    if setting.link.is_none() {
        return Candidate::unknown(Bound::Link, setting.no_link);
    }
    let used = facts.wire(setting) / facts.time;
    let share = if used >= AT_LINE_RATE { used } else { used * BELOW };
    Candidate::new(Bound::Link, share, format!("the link is busy for {} of the time", percent(used)))
}

/// The end that waited for a processor the longest, of those that had no time left if there are any.
fn others(setting: &Setting<'_>, observed: &Observed) -> Candidate {
    if setting.modelled {
        return Candidate::new(Bound::Others, 0.0, "a model runs no other program");
    }
    let ends = [0, 1].map(|end| {
        let waited = observed.share_of_mean(observed.waited[end]?);
        Some((waited + observed.share_of_mean(observed.cpu[end]) >= SATURATED, waited))
    });
    let worse = |one: &(bool, f64), other: &(bool, f64)| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1));
    let Some((none_left, waited)) = ends.into_iter().flatten().max_by(worse) else {
        return Candidate::unknown(Bound::Others, "no host says how long threads waited for a processor");
    };
    let says = format!("a thread waited for a processor for {} of the time", percent(waited));
    let crowded = none_left && waited >= CROWDED_OUT;
    Candidate::new(Bound::Others, if crowded { waited.max(AT_LEAST) } else { waited * BELOW }, says)
}

/// A processor that others take is not slow: what its thread worked is then an effect.
fn crowd_out(all: &mut [Candidate]) {
    let crowded = all.iter().any(|it| it.bound == Bound::Others && it.known_share() >= AT_LEAST);
    if crowded {
        for it in all.iter_mut().filter(|it| matches!(it.bound, Bound::Processor(..))) {
            it.share = it.share.map(|share| share * EFFECT);
        }
    }
}

fn by_tcp(
    setting: &Setting<'_>,
    facts: &Facts,
    observed: &Observed,
    ends: &[TcpEffort; 2],
    effect: f64,
) -> Vec<Candidate> {
    let [sender, receiver] = ends;
    // The sender's kernel was asked before its first call and after its last.
    let part = |time: Span| time.as_ps() as f64 / observed.messages / observed.sending * effect;
    let (window, buffer) = (part(sender.rwnd_limited), part(sender.sndbuf_limited));
    let unread = receiver.unread as f64 / receiver.rcvbuf.max(1) as f64;
    let reader = if unread >= UNREAD { window } else { 0.0 };
    let [round_trip, least] = [sender.rtt, sender.min_rtt].map(|it| sender.mean_span(it));
    let flight = sender.unacked as f64 / sender.cwnd.max(1) as f64;
    // What arrives in a round trip (Little's law).
    let brought = facts.size as f64 / facts.time * round_trip.as_ps() as f64;
    // Of a sender whose window has room, and whose bytes are still under way when it has nothing more to send, neither end's program
    // holds back what it sends: if no thread lacked time either, all that hosts may have taken is their threads' waits.
    let under_way = sender.mean(sender.unacked) * sender.mean(sender.mss);
    let is_held_by_path = effect >= 1.0 && flight < FULL && under_way >= brought * STANDING;
    let of_hosts = match setting.modelled {
        true => Some(Span::ZERO),
        false => observed.late.filter(|_| is_held_by_path).map(|late| Span::from_ps(late as u64)),
    };
    let queued = is_through_a_queue(round_trip, least, of_hosts);
    let rest = (effect - window - buffer).max(0.0);
    // Bytes that wait in a queue of the path gain nothing from more room: only what is not read is the reader's.
    let behind_queue = queued && effect >= 1.0;
    let (window, buffer, queue) =
        if behind_queue { (reader, 0.0, window - reader + buffer) } else { (window, buffer, 0.0) };
    let again = sender.retransmits as f64 / sender.data_segments_out.max(1) as f64;
    let queue_says = format!("a round trip takes {round_trip}, the least {least}");
    let full = if flight >= FULL { 1.0 } else { NOT_FULL };
    let cwnd_says = format!(
        "{:.0} segments of {:.0} B, {} of it under way; {} of the segments were retransmitted",
        sender.mean(sender.cwnd),
        sender.mean(sender.mss),
        percent(flight),
        percent(again)
    );
    // Only a sender that always has something unacknowledged is held back by its window.
    // The kernel counts in ticks, of which a short trial has too few.
    let trial = observed.sending * observed.messages / sender.looks.max(1) as f64;
    let counted = sender.busy.filter(|_| trial >= TICKS);
    let busy = counted.map_or(1.0, |busy| (part(busy) / effect.max(f64::EPSILON)).min(1.0));
    // A window of a few segments is full without the kernel's counting it.
    let [offered, congestion] =
        [sender.mean(sender.snd_wnd), sender.mean(sender.cwnd) * sender.mean(sender.mss)];
    let fills = !queued && offered > 0.0 && offered < congestion && brought >= offered * FULL;
    let window_says = if fills {
        format!("a round trip of {round_trip} brings {brought:.0} B, and {offered:.0} B are offered")
    } else {
        "as the sender's kernel counts it (rwnd_limited)".to_owned()
    };
    let (window, rest) = if fills { (window + rest * busy, 0.0) } else { (window, rest) };
    vec![
        Candidate::new(Bound::ReceiverWindow, window - reader, window_says),
        Candidate::new(
            Bound::Reader,
            reader,
            format!("{} of its receive buffer was not read", percent(unread)),
        ),
        Candidate::new(Bound::SendBuffer, buffer, "as the sender's kernel counts it (sndbuf_limited)"),
        Candidate::new(Bound::PathRate, if queued { rest * busy + queue } else { 0.0 }, queue_says),
        Candidate::new(Bound::CongestionWindow, if queued { 0.0 } else { rest * busy * full }, cwnd_says),
    ]
}
