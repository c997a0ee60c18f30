//! What the processors of both hosts had to do with a flow.

#[cfg(test)]
mod tests;

use super::super::{HostSample, TcpSample};
use super::{Ends, Holder, Host, JUDGED, MOSTLY, Shares};
use crate::units::Span;

/// A processor, or a thread that wants one, that is busy for this share of an interval had next to no time
/// left. Less than 1, because the kernel counts a processor's time in ticks, mostly of 10 ms, and because two
/// ends that share processors wait for each other now and then.
const SATURATED: f64 = 0.9;

/// A thread that waited for a processor for this share of an interval, while others had it,
const CROWDED_OUT: f64 = 0.2;
/// was short of it if it was awake for at least this share: otherwise it had little to do.
const AWAKE: f64 = 0.6;

/// Beside other programs that crowd a thread out, its own work is an effect: it has no more than this part of the time.
const EFFECT: f64 = 0.3;

/// Ends that work for this part of the time together, and no more than one processor can, may share one,
const FULL: f64 = 0.85;
/// and do if one waits for at least this part of the time for which the other works.
const IN_TURNS: f64 = 0.5;

/// A thread whose work varies by so many times as much as what arrives has time left.
const STEADIER: f64 = 4.0;
/// Of fewer intervals it is not known how much they vary.
const INTERVALS: usize = 5;

/// The looks at a host, joined so that each lasts long enough to be judged; what is left at the end
/// belongs to the last. Where messages are `paced`, the processors say nothing.
pub(super) fn judged(looks: &[HostSample], paced: bool) -> Vec<HostSample> {
    let looks = if paced { &[] } else { looks };
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

/// What the time waited for that the kernel does not explain: no host that `has_time`.
pub(super) fn bottleneck(hosts: [&[HostSample]; 2], has_time: [bool; 2]) -> Holder {
    let in_the_way = |look: &HostSample| {
        short_of_processor(look) || at_work(look).max(look.busiest_interrupts) >= SATURATED
    };
    let [sender, receiver] = [0, 1].map(|end| match has_time[end] {
        true => 0.0,
        false => share_of_time(hosts[end], in_the_way),
    });
    if sender.max(receiver) <= MOSTLY {
        Holder::CongestionWindow
    } else if receiver > sender {
        Holder::Processor(Host::Receiver)
    } else {
        Holder::Processor(Host::Sender)
    }
}

/// Whether each host had time left, because its thread worked now more and now less while as much arrived at the `receiver`: what
/// holds a flow back delivers more when it works more. Not where too little was seen, or a processor was full of interrupts, which
/// are not that thread's.
pub(super) fn have_time_left(receiver: &[TcpSample], hosts: [&[HostSample]; 2]) -> [bool; 2] {
    let arrived = spread(arrivals(receiver));
    hosts.map(|looks| {
        let interrupted = share_of_time(looks, |look| look.busiest_interrupts >= SATURATED) > MOSTLY;
        let worked = spread(looks.iter().map(|look| thread(look)[0]).collect());
        let varies = |(arrived, worked): (f64, f64)| worked >= (arrived * STEADIER).max(1.0 - SATURATED);
        !interrupted && arrived.zip(worked).is_some_and(varies)
    })
}

/// How much arrived in each interval that can be judged. Unit: bytes a second.
fn arrivals(looks: &[TcpSample]) -> Vec<f64> {
    let Some((mut first, looks)) = looks.split_first() else { return Vec::new() };
    let mut rates = Vec::new();
    for look in looks {
        let time = look.at.saturating_sub(first.at);
        if time >= JUDGED {
            rates.push(look.received.saturating_sub(first.received) as f64 / time.as_seconds());
            first = look;
        }
    }
    rates
}

/// The spread of `values` but for the lowest and the highest tenth, or one each, as a share of the middle one. Absent of few.
fn spread(mut values: Vec<f64>) -> Option<f64> {
    if values.len() < INTERVALS {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let (few, last, middle) = (values.len().div_ceil(10), values.len() - 1, values[values.len() / 2]);
    (middle > 0.0).then(|| (values[last - few] - values[few]) / middle)
}

/// Whether two ends on one host fill one processor of it in turns: it is full, and one of them waits for about as long as the other
/// runs. Of ends whose messages `overlap` that one never idles. `ends` are the shares of one and the same time in which
/// each ran, and waited for a processor.
#[must_use]
pub fn fill_one_processor(ends: [[f64; 2]; 2], overlap: bool) -> bool {
    let [one, other] = ends;
    let waits_for = |[ran, waited]: [f64; 2], [other, _]: [f64; 2]| {
        waited >= other * IN_TURNS && (!overlap || ran + waited >= FULL)
    };
    (FULL..=1.0 / FULL).contains(&(one[0] + other[0])) && (waits_for(one, other) || waits_for(other, one))
}

/// The shares of the time in which the busiest thread of the host that sent ran and waited for a processor, and of the one that
/// received.
pub(super) struct Threads {
    ends: [[f64; 2]; 2],
    /// What all programs of each host ran, in shares of the time of one processor, where that was counted; and this one's.
    hosts: [[f64; 2]; 2],
}

impl Threads {
    pub(super) fn of(hosts: [&[HostSample]; 2]) -> Self {
        let shares = |looks: &[HostSample], of: [fn(&HostSample) -> Span; 2]| {
            let sum = |of: fn(&HostSample) -> Span| looks.iter().map(of).sum::<Span>().as_seconds();
            let whole = sum(|look| look.span);
            of.map(|of| if whole > 0.0 { sum(of) / whole } else { 0.0 })
        };
        Self {
            ends: hosts
                .map(|looks| shares(looks, [|look| look.busiest_thread, |look| look.busiest_thread_waited])),
            hosts: hosts.map(|looks| shares(looks, [|look| look.user + look.system, |look| look.process])),
        }
    }

    /// Adds `share` to `holder`; of a processor's, the other programs have the part of the time in which its thread was ready to run
    /// and they had it, and most of it if that is more than now and then. Ends that fill one processor in turns share it.
    pub(super) fn charge(&self, shares: &mut Shares, holder: Holder, share: f64, ends: Ends) {
        let Holder::Processor(host) = holder else { return shares.add(holder, share) };
        let end = usize::from(host == Host::Receiver);
        let inferred = || ends.on_one_host && fill_one_processor(self.ends, true);
        if ends.on_one_processor.unwrap_or_else(inferred) {
            return shares.add(Holder::Processor(Host::Both), share);
        }
        let [ran, waited] = self.ends[end];
        let may_wait = ends.on_one_host && ends.on_one_processor != Some(false);
        let waited = waited - if may_wait { self.turn(end) } else { 0.0 };
        let others =
            if waited >= CROWDED_OUT { share * (waited / (ran + waited)).max(1.0 - EFFECT) } else { 0.0 };
        shares.add(Holder::Others, others);
        shares.add(holder, share - others);
    }

    /// What an end may have waited for the other end of the same host: as large a part of it as the other had of what ran beside
    /// it. Where it is not known what others ran, half of what the other end did.
    fn turn(&self, end: usize) -> f64 {
        let ([_, waited], [other, _]) = (self.ends[end], self.ends[1 - end]);
        let [all, _] = self.hosts[end];
        let others = (all - self.hosts[0][1] - self.hosts[1][1]).max(0.0);
        let turn = if all > 0.0 { waited * other / (other + others).max(f64::EPSILON) } else { other / 2.0 };
        turn.min(waited)
    }
}

/// The share of the time of `looks` that is in those which are `so`.
pub(super) fn share_of_time(looks: &[HostSample], so: impl Fn(&HostSample) -> bool) -> f64 {
    let seconds = |look: &HostSample| look.span.as_seconds();
    let whole: f64 = looks.iter().map(seconds).sum();
    let those: f64 = looks.iter().filter(|look| so(look)).map(seconds).sum();
    if whole > 0.0 { those / whole } else { 0.0 }
}

/// Whether a thread of this program could have used more of a processor: it was running or ready to run for
/// nearly all of the interval, or for most of it while others had the processor for a good part.
pub(super) fn short_of_processor(look: &HostSample) -> bool {
    let [ran, waited] = thread(look);
    ran + waited >= SATURATED || waited >= CROWDED_OUT && ran + waited >= AWAKE
}

/// The shares of the interval in which the busiest thread was running, and ready to run.
fn thread(look: &HostSample) -> [f64; 2] {
    let share = |part: Span| {
        if look.span == Span::ZERO { 0.0 } else { part.as_seconds() / look.span.as_seconds() }
    };
    [look.busiest_thread, look.busiest_thread_waited].map(share)
}

/// The share of the interval in which the busiest thread, or an interrupt of its processor, was
/// running or ready to run. Some kernels count an interrupt as part of the thread that it
/// interrupts, but the two are never more than what the processor worked.
fn at_work(look: &HostSample) -> f64 {
    let [ran, waited] = thread(look);
    let both = ran + waited + look.busiest_thread_interrupts;
    both.min(look.busiest_thread_processor).max(ran + waited)
}
