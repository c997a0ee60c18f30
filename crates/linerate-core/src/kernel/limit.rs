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
//! receiver window may itself be the receiving application's fault, which reads too slowly, as the unread
//! bytes at the receiver show; and a window that is full on a link that is full holds nothing back.

mod course;
mod outage;
mod processors;
mod queue;
mod verdict;

#[cfg(test)]
mod tests;

use super::{HostSample, TcpSample};
use crate::units::{Rate, Span};

use outage::outages;
use processors::{Threads, bottleneck, have_time_left, judged, share_of_time, short_of_processor};
use queue::share_through_a_queue;

pub use course::{Stretch, course};
pub use processors::fill_one_processor;
pub use queue::is_through_a_queue;
pub use verdict::{Holder, Host, Shares, Verdict};

/// A flow this close to the link's payload rate is at it.
pub(crate) const AT_LINE_RATE: f64 = 0.95;

/// A host is judged over looks that last at least so long together: 20 of the kernel's coarsest ticks.
/// In fewer a processor that is busy for half of its time often looks saturated.
const JUDGED: Span = Span::from_ms(200);

/// The share of the time for which a processor must be saturated to count as the cause, and the share of a
/// round trip that must be waiting for a queue to be what the round trip takes.
const MOSTLY: f64 = 0.5;

/// Bytes that wait for less than this may wait for a host: until its processor wakes, is interrupted, or answers.
const WAIT: Span = Span::from_ms(1);

/// What holds for both ends of a flow together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// Whether they are a model's, whose kernel counts without ticks, and whose hosts are late for nothing but their costs.
    pub modelled: bool,
    /// Whether both are on one host, so that their threads may wait for each other.
    pub on_one_host: bool,
    /// Whether they have one and the same processor of it, or each one of its own, if they were given any.
    pub on_one_processor: Option<bool>,
}

/// What is known of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// What TCP said at the end that sent, of a connection that carried this flow only; the last sample is
    /// of the flow's end.
    pub sender: &'a [TcpSample],
    /// The same at the end that received.
    pub receiver: &'a [TcpSample],
    /// The looks at the host that sent and at the one that received.
    pub hosts: [&'a [HostSample]; 2],
    /// Whether the host that sent, and the one that received, paces messages: a pacing thread spins, so its processor only
    /// looks busy.
    pub paced: [bool; 2],
    /// What holds for both ends together.
    pub ends: Ends,
    /// The highest payload rate that the path allows
    /// ([`Framing::ceiling`](crate::ceiling::Framing::ceiling)).
    pub link: Option<Rate>,
    /// The payload rate that the flow had, or all flows of its direction together.
    pub rate: Option<Rate>,
    /// How long the flow lasted at its sender.
    pub span: Span,
}

/// What held a flow back. Absent if there are no samples of its sender, no time passed, or the sender's
/// kernel does not count (before Linux 4.10).
///
/// The rule:
///
/// 1. The time in which the link of a host was down is the *link's being down*, and so is the time after that
///    until something was acknowledged again: TCP is not told that the link is up, and waits for its timer.
/// 2. Of the time without anything to deliver, the send buffer has the share of the samples with bytes under
///    way that found it full while nothing, or less than a segment, was left to send: its writer slept until
///    there was room, and the buffer ran empty before it was awake. The rest is the application's; or the
///    sending host's processor's if, most of the time, a thread of this program was
///    short of a processor. A paced writer has no hurry, so all is one of these two's.
/// 3. If the rate is within 5 % of the link's, all other time is the link's: no larger window
///    or buffer gains more than that. Otherwise it has the share of the samples that found as much under way as goes at that
///    rate in a round trip, with a queue.
/// 4. Otherwise the receiver window's and the send buffer's time is as the kernel says. Of the
///    rest, the send buffer has the share of the samples that found it full as in rule 2, and the receiver
///    window the share of those that found no room in it for one more full segment while there was one to
///    send; both only where the congestion window was not full.
/// 5. Of the receiver window's time, the receiving application has the share of the receiver's samples that
///    found its buffer full of bytes that nobody had read for more than 1 ms; or the receiving host's
///    processor, if a thread of this program was short of it most of the time.
/// 6. Of what is left of the window's time, and of the send buffer's, the path has the share of the samples
///    that found a queue on it: more than half of the round trip was waiting, and more than 1 ms unless neither host can have taken it
///    (of a model, and where rule 8 holds of both); or the
///    rate was the flow's highest, which windows of different sizes had, and a tenth was. A larger
///    window or buffer would only make that queue longer. An acknowledgement may wait for a host too: where a
///    thread of this program was short of a processor, or nothing is known of the receiver, this rule is not
///    used, and looks at a buffer full of what nobody had read count against it.
/// 7. The rest is a processor's, if most of the time a thread of this program on a host was short of
///    it, also because of the interrupts of that processor, or a processor was saturated by
///    interrupts. What other programs do on a processor that this one does not want holds nothing
///    back. Of two such hosts it is the one that was so for longer, and the
///    sender in a tie. Of a processor's time, other programs have the part in which its thread was ready and they ran, and at least
///    70 %, if that is a fifth of the time or more; two ends of one host that fill a processor in turns share it. Otherwise it is the congestion window's, or the path's, which makes that
///    window small.
/// 8. A host was not short of a processor, whatever its thread waited, if that thread's work varied by four times as much as what
///    arrived: what holds a flow back delivers more when it works more.
///
/// The intervals of rules 2 and 5 to 7 are those of the looks at a host, joined until they last for 200 ms.
/// The kernel counts in ticks of 1 to 10 ms, so flows of less than a second are judged roughly.
/// Source: `tcp_info` of linux/tcp.h; Linux 4.10, "tcp: sender chronographs instrumentation".
#[must_use]
pub fn holders(known: &Known<'_>) -> Option<Verdict> {
    let last = known.sender.last()?;
    let account = Account::of(&TcpSample::default(), last, known.span)?;
    let [one, other] = [0, 1].map(|end| judged(known.hosts[end], known.paced[end]));
    let [sender, receiver] = [known.sender, known.receiver].map(but_the_end);
    let hosts: [&[HostSample]; 2] = [&one, &other];
    let has_time = have_time_left(receiver, hosts);
    let seen = Seen { sender, receiver, hosts, has_time, paced: known.paced[0], ends: known.ends };
    let at_line_rate = share_at_line_rate(known, sender);
    let account = account.beside(outages(known).share_of(Span::ZERO, known.span.max(last.at)));
    Some(Verdict::of(account.divided(&seen, at_line_rate), seen.queued()))
}

/// The looks at one end but the last, which is of the flow's end, when nothing is under way any more.
fn but_the_end(looks: &[TcpSample]) -> &[TcpSample] {
    looks.split_last().map_or(looks, |(_, looks)| looks)
}

/// What was seen of a flow while the time passed that is divided.
#[derive(Clone, Copy)]
struct Seen<'a> {
    /// Looks at the end that sent.
    sender: &'a [TcpSample],
    /// At the end that received.
    receiver: &'a [TcpSample],
    /// At their hosts, long enough to be judged.
    hosts: [&'a [HostSample]; 2],
    /// Whether these had time left, all the while.
    has_time: [bool; 2],
    paced: bool,
    ends: Ends,
}

impl Seen<'_> {
    /// The share of the looks that found a queue on the path.
    fn queued(&self) -> f64 {
        let hosts_are_not_late = self.ends.modelled || self.has_time == [true; 2];
        share_through_a_queue(self.sender, hosts_are_not_late.then_some(Span::ZERO))
    }
}

/// Shares of the time, as the kernel counted it; together 1.
struct Account {
    down: f64,
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
            down: 0.0,
            idle: share(whole - busy),
            receiver_window: share(receiver_window),
            send_buffer: share(send_buffer),
            rest: share(busy - receiver_window - send_buffer),
        })
    }

    /// The same beside a link that was down for this share of the time: the kernel counts most of that
    /// as bytes that wait for their acknowledgement.
    fn beside(&self, down: f64) -> Self {
        let from_rest = down.min(self.rest);
        let others = 1.0 - self.rest;
        let left = if others > 0.0 { ((others - (down - from_rest)) / others).max(0.0) } else { 0.0 };
        Self {
            down,
            idle: self.idle * left,
            receiver_window: self.receiver_window * left,
            send_buffer: self.send_buffer * left,
            rest: self.rest - from_rest,
        }
    }

    /// The time by holder, by the rule of [`holders`].
    fn divided(&self, seen: &Seen<'_>, at_line_rate: f64) -> Shares {
        let mut shares = Shares::default();
        let Self { down, idle, receiver_window, send_buffer, rest } = *self;
        let Seen { sender, receiver, hosts, has_time, paced, ends } = *seen;
        let at_work = Threads::of(hosts);
        shares.add(Holder::LinkDown, down);
        let short =
            [0, 1].map(|end| !has_time[end] && share_of_time(hosts[end], short_of_processor) > MOSTLY);
        let [window, buffer] = [window_was_full, buffer_was_full].map(|full| found(sender, full));
        let woken_late = if paced { 0.0 } else { idle * buffer };
        shares.add(Holder::SendBuffer, woken_late);
        let writer = if short[0] { Holder::Processor(Host::Sender) } else { Holder::Application };
        at_work.charge(&mut shares, writer, idle - woken_late, ends);
        shares.add(Holder::Link, (receiver_window + send_buffer + rest) * at_line_rate);
        let [receiver_window, send_buffer, rest] =
            [receiver_window, send_buffer, rest].map(|part| part * (1.0 - at_line_rate));
        let [window, buffer] = [window, buffer].map(|full| rest * full);
        let late = found_unread(receiver);
        let unread = (receiver_window + window) * late;
        let reader = if short[1] { Holder::Processor(Host::Receiver) } else { Holder::Reader };
        at_work.charge(&mut shares, reader, unread, ends);
        // An acknowledgement may wait for a processor, or for a reader.
        let by_hosts = short != [false; 2] || receiver.is_empty();
        let queue = if by_hosts { 0.0 } else { seen.queued() * (1.0 - late) };
        for (holder, full) in [
            (Holder::SendBuffer, send_buffer + buffer),
            (Holder::ReceiverWindow, receiver_window + window - unread),
        ] {
            shares.add(Holder::CongestionWindow, full * queue);
            shares.add(holder, full * (1.0 - queue));
        }
        at_work.charge(&mut shares, bottleneck(hosts, has_time), (rest - window - buffer).max(0.0), ends);
        shares
    }
}

/// Of the samples with bytes in flight, the share of those that found this `full`.
fn found(looks: &[TcpSample], full: impl Fn(&TcpSample) -> bool) -> f64 {
    let under_way = looks.iter().filter(|look| look.unacked > 0);
    let whole = under_way.clone().count();
    let full = under_way.filter(|look| full(look)).count();
    if whole > 0 { full as f64 / whole as f64 } else { 0.0 }
}

/// Of a receiver's samples, the share of those that found more than half of its buffer full of what nobody
/// had read, and more of it than arrives while a reader wakes up.
///
/// Source of the time for which bytes wait: Little's law, with the rate at which they arrived so far.
fn found_unread(looks: &[TcpSample]) -> f64 {
    let waits = |look: &TcpSample| look.unread as f64 * look.at.as_seconds() / look.received.max(1) as f64;
    let late = |look: &TcpSample| look.unread > look.rcvbuf / 2 && waits(look) > WAIT.as_seconds();
    let full = looks.iter().filter(|look| late(look)).count();
    if looks.is_empty() { 0.0 } else { full as f64 / looks.len() as f64 }
}

/// Whether only the send buffer can have held back more: everything is sent, but for less than a segment
/// that Nagle's algorithm keeps, and the congestion window is not full.
///
/// A writer that found the buffer full sleeps until a third of it is free. Source: Linux,
/// `sk_stream_is_writeable` of net/sock.h.
fn buffer_was_full(look: &TcpSample) -> bool {
    let writer_sleeps = look.queued / 2 > look.sndbuf.saturating_sub(look.queued);
    let all_sent = look.notsent == 0 || look.small_segment_waits();
    writer_sleeps && all_sent && look.unacked < look.cwnd
}

/// Whether only the window that the receiver offers can have held back more: there is more to send,
/// and not one more full segment fits into that window, but one into the congestion window.
fn window_was_full(look: &TcpSample) -> bool {
    let next = look.unacked.saturating_add(1).saturating_mul(look.mss);
    look.snd_wnd > 0 && next > look.snd_wnd && look.notsent > 0 && look.unacked < look.cwnd
}

/// For which share of the time the link was full: all of it if the whole flow had its rate, otherwise that of the `looks`
/// which found as much under way as goes at its rate in a round trip.
fn share_at_line_rate(known: &Known<'_>, looks: &[TcpSample]) -> f64 {
    let Some(link) = known.link.filter(|link| link.bits_per_second() > 0.0) else { return 0.0 };
    let full = |rate: Rate| rate.share_of(link) >= AT_LINE_RATE;
    if known.rate.is_some_and(full) {
        return 1.0;
    }
    found(looks, |look| queue::stands(look) && full(queue::rate(look)))
}
