//! What held a flow back: the kernel's account of the sender's time, and what that account does not
//! show.
//!
//! The kernel divides the time in which a connection has bytes to deliver (`tcpi_busy_time`) into
//! three: the peer's window was full (`tcpi_rwnd_limited`), everything was sent and the application
//! waited for room in the send buffer (`tcpi_sndbuf_limited`), and the rest. It does not say what
//! the rest waited for: the congestion window, the link or a processor. Nor does it say why a
//! socket was empty: an application that had nothing to send, or one whose processor could not fill
//! it faster. The rate, the link and the two hosts do.
//!
//! Nor does it count every full send buffer, only one that a write filled in the middle of a
//! segment (in Linux 6.18, and mostly not without segmentation offload), nor every full receive
//! window, where that is a few segments small. The samples show the others: one of the two is full,
//! and the congestion window is not.
//!
//! The usual confusions: the receiver's account says nothing of this, only the sender's; a full
//! receiver window may itself be the receiving application's fault, which reads too slowly; and a
//! window that is full on a link that is full holds nothing back.

mod course;
mod verdict;

#[cfg(test)]
mod tests;

use super::{HostSample, TcpSample};
use crate::units::{Rate, Span};

pub use course::{Stretch, course};
pub use verdict::{Holder, Host, Shares, Verdict};

/// A flow this close to the link's payload rate is at it.
pub(crate) const AT_LINE_RATE: f64 = 0.95;

/// A processor, or a thread that wants one, that is busy for this share of an interval had no time left. Less
/// than 1, because the kernel counts a processor's time in ticks, mostly of 10 ms.
const SATURATED: f64 = 0.95;

/// A host is judged over looks that last at least so long together: 20 of the kernel's coarsest ticks.
/// In fewer a processor that is busy for half of its time often looks saturated.
const JUDGED: Span = Span::from_ms(200);

/// The share of the time for which a processor must be saturated to count as the cause.
const MOSTLY: f64 = 0.5;

/// What held a flow back for `span`, by its sender's samples. Absent if there are no samples, no
/// time passed, or the sender's kernel does not count (before Linux 4.10).
///
/// `sender` is a connection that carried this flow only, and its last sample is of the flow's end.
/// `hosts` are the samples of the host that sent and of the one that received; of a paced flow they
/// are empty, because a pacing thread spins and its processor only looks busy. `link` is the
/// highest payload rate that the path allows
/// ([`Framing::ceiling`](crate::ceiling::Framing::ceiling)), and `rate` the payload rate that the
/// flow had, or all flows of its direction together.
///
/// The rule:
///
/// 1. The time without anything to deliver is the application's; or the sending host's processor's
///    if, most of the time, a thread of this program was running or ready to run for 95 % of an
///    interval.
/// 2. If the rate is within 5 % of the link's, all other time is the link's: no larger window
///    or buffer gains more than that.
/// 3. Otherwise the receiver window's and the send buffer's time is as the kernel says. Of the
///    rest, the send buffer has the share of the samples that found it full while everything was
///    sent, and the receiver window the share of those that found no room in it for one more full
///    segment while there was one to send; both only where the congestion window was not full.
/// 4. The rest is a processor's, if most of the time a thread of this program on a host was that
///    busy, together with the interrupts of its processor, or a processor was that busy with
///    interrupts. What other programs do on a processor that this one does not want holds nothing
///    back. Of two such hosts it is the one that was busy longer, and the
///    sender in a tie. Otherwise it is the congestion window's, or the path's, which makes that
///    window small.
///
/// The intervals of rules 1 and 4 are those of the looks at a host, joined until they last for 200 ms.
/// The kernel counts in ticks of 1 to 10 ms, so flows of less than a second are judged roughly.
/// Source: `tcp_info` of linux/tcp.h; Linux 4.10, "tcp: sender chronographs instrumentation".
#[must_use]
pub fn holders(
    sender: &[TcpSample],
    hosts: [&[HostSample]; 2],
    link: Option<Rate>,
    rate: Option<Rate>,
    span: Span,
) -> Option<Verdict> {
    let last = sender.last()?;
    // The last sample is of the end, when there is nothing more to send.
    let looks = sender.split_last().map_or(sender, |(_, looks)| looks);
    let account = Account::of(&TcpSample::default(), last, span)?;
    let hosts = hosts.map(judged);
    Some(Verdict::of(account.divided(looks, [&hosts[0], &hosts[1]], at_line_rate(link, rate))))
}

/// The looks at a host, joined so that each lasts long enough to be judged; what is left at the end
/// belongs to the last.
fn judged(looks: &[HostSample]) -> Vec<HostSample> {
    let mut joined: Vec<HostSample> = Vec::new();
    let mut left = looks.iter().map(|look| look.span).sum::<Span>();
    for look in looks {
        match joined.last_mut() {
            Some(last) if last.span < JUDGED || left < JUDGED => last.absorb(look),
            _ => joined.push(look.clone()),
        }
        left = left - look.span;
    }
    joined
}

/// Shares of the time, as the kernel counted it; together 1.
struct Account {
    idle: f64,
    receiver_window: f64,
    send_buffer: f64,
    rest: f64,
}

impl Account {
    /// Of the `span` between two samples. Absent if no time passed, or no busy time was counted.
    fn of(first: &TcpSample, last: &TcpSample, span: Span) -> Option<Self> {
        let grown = |of: fn(&TcpSample) -> Span| of(last).saturating_sub(of(first));
        let busy = last.busy?.saturating_sub(first.busy.unwrap_or_default());
        // What exceeds `span`: a tick, and bytes still in flight when the flow counts as ended.
        let whole = span.max(busy);
        if span == Span::ZERO {
            return None;
        }
        // Both are part of the busy time, so they are limited to it.
        let receiver_window = grown(|sample| sample.rwnd_limited).min(busy);
        let send_buffer = grown(|sample| sample.sndbuf_limited).min(busy - receiver_window);
        let share = |part: Span| part.as_ps() as f64 / whole.as_ps() as f64;
        Some(Self {
            idle: share(whole - busy),
            receiver_window: share(receiver_window),
            send_buffer: share(send_buffer),
            rest: share(busy - receiver_window - send_buffer),
        })
    }

    /// The time by holder, by the rule of [`holders`]: of a sender with these `looks`, between `hosts`
    /// whose looks are long enough.
    fn divided(&self, looks: &[TcpSample], hosts: [&[HostSample]; 2], at_line_rate: bool) -> Shares {
        let mut shares = Shares::default();
        if saturated(hosts[0], thread) > MOSTLY {
            shares.add(Holder::Processor(Host::Sender), self.idle);
        } else {
            shares.add(Holder::Application, self.idle);
        }
        if at_line_rate {
            shares.add(Holder::Link, 1.0 - self.idle);
            return shares;
        }
        let [window, buffer] = [window_was_full, buffer_was_full].map(|full| self.rest * found(looks, full));
        shares.add(Holder::ReceiverWindow, self.receiver_window + window);
        shares.add(Holder::SendBuffer, self.send_buffer + buffer);
        shares.add(bottleneck(hosts), (self.rest - window - buffer).max(0.0));
        shares
    }
}

/// Of the samples with bytes in flight, the share of those that found this `full`.
fn found(looks: &[TcpSample], full: fn(&TcpSample) -> bool) -> f64 {
    let under_way = looks.iter().filter(|look| look.unacked > 0);
    let whole = under_way.clone().count();
    let full = under_way.filter(|look| full(look)).count();
    if whole > 0 { full as f64 / whole as f64 } else { 0.0 }
}

/// Whether only the send buffer can have held back more: everything is sent, and the congestion
/// window is not full.
///
/// A writer that found the buffer full sleeps until a third of it is free. Source: Linux,
/// `sk_stream_is_writeable` of net/sock.h.
fn buffer_was_full(look: &TcpSample) -> bool {
    let writer_sleeps = look.queued / 2 > look.sndbuf.saturating_sub(look.queued);
    writer_sleeps && look.notsent == 0 && look.unacked < look.cwnd
}

/// Whether only the window that the receiver offers can have held back more: there is more to send,
/// and not one more full segment fits into that window, but one into the congestion window.
fn window_was_full(look: &TcpSample) -> bool {
    let next = look.unacked.saturating_add(1).saturating_mul(look.mss);
    look.snd_wnd > 0 && next > look.snd_wnd && look.notsent > 0 && look.unacked < look.cwnd
}

fn at_line_rate(link: Option<Rate>, rate: Option<Rate>) -> bool {
    let shares = link.zip(rate).filter(|(link, _)| link.bits_per_second() > 0.0);
    shares.is_some_and(|(link, rate)| rate.share_of(link) >= AT_LINE_RATE)
}

/// What the time waited for that the kernel does not explain.
fn bottleneck(hosts: [&[HostSample]; 2]) -> Holder {
    let [sender, receiver] =
        hosts.map(|host| saturated(host, |look| at_work(look).max(look.busiest_interrupts)));
    if sender.max(receiver) <= MOSTLY {
        Holder::CongestionWindow
    } else if receiver > sender {
        Holder::Processor(Host::Receiver)
    } else {
        Holder::Processor(Host::Sender)
    }
}

/// The share of the time of `looks` in whose intervals `busy` was saturated.
fn saturated(looks: &[HostSample], busy: impl Fn(&HostSample) -> f64) -> f64 {
    let seconds = |look: &HostSample| look.span.as_seconds();
    let whole: f64 = looks.iter().map(seconds).sum();
    let full: f64 = looks.iter().filter(|look| busy(look) >= SATURATED).map(seconds).sum();
    if whole > 0.0 { full / whole } else { 0.0 }
}

/// The share of the interval in which the busiest thread was running or ready to run.
fn thread(look: &HostSample) -> f64 {
    let awake = look.busiest_thread + look.busiest_thread_waited;
    if look.span == Span::ZERO { 0.0 } else { awake.as_seconds() / look.span.as_seconds() }
}

/// The share of the interval in which the busiest thread, or an interrupt of its processor, was
/// running or ready to run. Some kernels count an interrupt as part of the thread that it
/// interrupts, but the two are never more than what the processor worked.
fn at_work(look: &HostSample) -> f64 {
    let both = thread(look) + look.busiest_thread_interrupts;
    both.min(look.busiest_thread_processor).max(thread(look))
}
