//! What TCP waits for: windows, buffers, timers.

use super::bound::Bound;
use super::candidate::Candidate;
use super::facts::{Facts, Observed, Setting};
use super::words::us;
use linerate_core::kernel::TcpEffort;
use linerate_core::kernel::limit::is_through_a_queue;
use linerate_core::units::Span;

/// The least time after which a segment is sent again that nothing was heard of. Unit: picoseconds. Source:
/// Linux, `TCP_RTO_MIN`.
const TIMEOUT: f64 = 2e11;

/// A message that waits for longer than this for nothing else may wait for a delayed acknowledgement, of 40 ms
/// and more. Unit: picoseconds. Source: Linux, `TCP_DELACK_MIN` and `TCP_ATO_MIN` (HZ/25).
const DELAYED: f64 = 4e9;

/// A round trip that takes this many times the least is one through a queue.
const QUEUED: f64 = 2.0;
/// So many times what a round trip needs is an ample window.
const AMPLE: f64 = 1.25;

/// Where a message stalls: what TCP waited for of the `left` time of a message, and what is left then; `still` is the
/// part of it that neither the size nor the path takes.
pub(super) fn stalls(
    setting: &Setting<'_>,
    facts: &Facts,
    observed: &Observed,
    left: f64,
    still: f64,
) -> (Vec<Candidate>, f64) {
    let Some(ends) = &observed.tcp else {
        let why = "TCP does not carry the messages";
        let all = [Bound::Retransmissions, Bound::Nagle, Bound::ReceiverWindow, Bound::SendBuffer];
        return (all.map(|bound| Candidate::unknown(bound, why)).to_vec(), left);
    };
    let (lost, says) = repeated(facts, observed, left);
    let mut all = vec![Candidate::new(Bound::Retransmissions, observed.share(lost), says)];
    let left = left - lost;
    let (nagle, held) = nagle(setting, observed, still.clamp(0.0, left));
    all.push(nagle);
    let left = left - held;
    let [window, buffer] = if is_in_a_queue(setting, ends, facts, observed) {
        [0.0; 2]
    } else {
        limited(ends, observed).map(|it| it.min((left - facts.passing).max(0.0)))
    };
    let held_says = |what: &str, time: f64| format!("TCP was held back by {what} for {} a message", us(time));
    all.push(Candidate::new(
        Bound::ReceiverWindow,
        observed.share(window),
        held_says("the window that it was offered", window),
    ));
    all.push(Candidate::new(Bound::SendBuffer, observed.share(buffer), held_says("its send buffer", buffer)));
    (all, (left - window - buffer).max(0.0))
}

/// For how long a message waited for what had to be sent again, of the `left` time that it took. Where less than every second of those
/// that were timed together lost a segment, those in the middle lost none: what others waited is in the mean, and not in their time.
/// Nor is what as many bytes take where nothing was lost, or at the rate that the path sustains.
fn repeated(facts: &Facts, observed: &Observed, left: f64) -> (f64, String) {
    let again = observed.retransmits().unwrap_or_default();
    let lossless = facts.lossless_byte.unwrap_or_default() * facts.size as f64;
    let left = (left - lossless.max(facts.passing)).max(0.0);
    let each = again as f64 / observed.messages;
    let says = match again {
        0 => return (0.0, "none".to_owned()),
        again => format!("{again} segments were retransmitted for {:.0} messages", observed.messages),
    };
    if each * observed.batch < 0.5 {
        return (0.0, format!("{says}, so not for half of them"));
    }
    // A message that took less than a timeout waited for none.
    let wait = if observed.base < TIMEOUT { observed.least_round_trip().unwrap_or(0.0) } else { TIMEOUT };
    ((each * wait).min(left), says)
}

/// Whether Nagle's algorithm holds a segment back, and for how long.
fn nagle(setting: &Setting<'_>, observed: &Observed, still: f64) -> (Candidate, f64) {
    let (held, says) = match setting.nagle {
        None => {
            let why = "the ends do not say whether TCP_NODELAY is set";
            return (Candidate::unknown(Bound::Nagle, why), 0.0);
        }
        Some(false) => (0.0, "TCP_NODELAY is set at both ends".to_owned()),
        Some(true) if still < DELAYED => {
            (0.0, "TCP_NODELAY is off, but no message waits for milliseconds".to_owned())
        }
        Some(true) => {
            (still, format!("TCP_NODELAY is off, and a message waits {} for nothing else", us(still)))
        }
    };
    (Candidate::new(Bound::Nagle, observed.share(held), says), held)
}

/// Whether what the windows and buffers let under way stands in a queue of the path: they hold what a round trip brings at
/// the rate that was seen, and round trips are longer than that one. Source: Little's law.
fn is_in_a_queue(setting: &Setting<'_>, ends: &[TcpEffort; 2], facts: &Facts, observed: &Observed) -> bool {
    let Some(least_trip) = observed.least_round_trip() else { return false };
    // The kernel's overhead is a half.
    let room = least(ends, |end| end.mean(end.snd_wnd)).min(least(ends, |end| end.mean(end.sndbuf) / 2.0));
    let [round_trip, least_trip_span] =
        [least(ends, |end| end.mean_span(end.rtt).as_ps() as f64), least_trip]
            .map(|ps| Span::from_ps(ps as u64));
    room.is_finite()
        && holds_more(room, least_trip, facts)
        && is_through_a_queue(round_trip, least_trip_span, setting.modelled.then_some(Span::ZERO))
}

/// Whether a window of so many bytes is ample: a bound neither of the rate nor of the time.
fn holds_more(window: f64, least_trip: f64, facts: &Facts) -> bool {
    window / least_trip > facts.size as f64 / facts.growing_at_most().max(1.0) * AMPLE
}

/// The least that one of the ends knows.
fn least(ends: &[TcpEffort; 2], of: impl Fn(&TcpEffort) -> f64) -> f64 {
    ends.iter().map(of).filter(|it| *it > 0.0).fold(f64::INFINITY, f64::min)
}

/// The time of a message for which both ends' senders were held back, by window and by buffer, as their kernels
/// count it. Unit: picoseconds.
fn limited(ends: &[TcpEffort; 2], observed: &Observed) -> [f64; 2] {
    let of = |time: fn(&TcpEffort) -> f64| ends.iter().map(time).sum::<f64>() / observed.messages;
    [of(|end| end.rwnd_limited.as_ps() as f64), of(|end| end.sndbuf_limited.as_ps() as f64)]
}

/// A message that is larger than a window waits for round trips: that, by the smaller of the congestion window and
/// what the receiver offers, and how much of the time `beyond` what the smallest message takes. Absent without TCP.
///
/// The window was smaller while the message passed than it is after it. So where a message needs more than one, and
/// no queue makes the round trips longer, all that grows and is not on the `wire` is the window's.
pub(super) fn flights(
    facts: &Facts,
    observed: &Observed,
    beyond: f64,
    wire: f64,
) -> Option<(Candidate, f64)> {
    let ends = observed.tcp.as_ref()?;
    let least_trip = observed.least_round_trip()?;
    let congestion = least(ends, |end| end.mean(end.cwnd) * end.mean(end.mss));
    let offered = least(ends, |end| end.mean(end.snd_wnd));
    let (bound, window) = if offered < congestion {
        (Bound::ReceiverWindow, offered)
    } else {
        (Bound::CongestionWindow, congestion)
    };
    let flights = (facts.size as f64 / window).floor();
    let round_trip = least(ends, |end| end.mean_span(end.rtt).as_ps() as f64);
    let waits = if holds_more(window, least_trip, facts) {
        0.0
    } else if flights >= 1.0 && round_trip < least_trip * QUEUED {
        (beyond - wire).max(0.0)
    } else {
        (flights * least_trip).min(beyond)
    };
    let says =
        format!("it is {window:.0} B, and a message {} B, in round trips of {}", facts.size, us(least_trip));
    Some((Candidate::new(bound, observed.share(waits), says), waits))
}
