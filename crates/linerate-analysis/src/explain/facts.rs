//! What a run says of one size, in the form in which it is reasoned about.

use linerate_core::ceiling::Framing;
use linerate_core::host_limits::{HostLimits, Processor, TargetState};
use linerate_core::kernel::limit::fill_one_processor;
use linerate_core::kernel::{Effort, TcpEffort};
use linerate_core::options::Waiting;
use linerate_core::pattern::Pattern;
use linerate_core::plan::RrPlan;
use linerate_core::run::{End, Run};
use linerate_core::series::{Point, Series};
use linerate_core::traffic::Latency;
use linerate_core::units::Span;

/// What waits for a host waits for this many times as long as its thread waits for a processor each time, at most.
const TURNS: f64 = 2.0;

/// A message that takes this part of what the path does at its rate passes at that rate.
const ABOUT: f64 = 0.87;

/// What holds for all sizes of a curve.
#[derive(Clone, Debug)]
pub(super) struct Setting<'a> {
    pub(super) pattern: Pattern,
    pub(super) link: Option<Wire>,
    /// Why the link's rate is not known.
    pub(super) no_link: &'static str,
    /// Whether receivers ask again and again, so that nobody is woken.
    pub(super) spins: bool,
    /// Whether Nagle's algorithm may hold a small segment back at either end.
    pub(super) nagle: Option<bool>,
    /// The timer by which an interface delays a receive interrupt, in the mean of the ends that state it. Unit:
    /// picoseconds.
    pub(super) timer: Option<f64>,
    /// Whether all ends run on one host,
    pub(super) one_host: bool,
    /// and were seen on one and the same processor of it only,
    pub(super) one_processor: bool,
    /// or those that answer on others than this one.
    pub(super) apart: bool,
    /// Whether the run is a model's, whose processors' time is exact.
    pub(super) modelled: bool,
    /// What a byte takes of the path at the rate that it sustains one way, where that is known. Unit: picoseconds.
    pub(super) path_byte: Option<f64>,
    /// What the hosts could reach, of those that were asked.
    pub(super) limits: Vec<&'a HostLimits>,
}

/// The slower of the links that the ends state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    /// What a byte takes. Unit: picoseconds.
    byte: f64,
    framing: Option<Framing>,
}

impl Wire {
    fn of(run: &Run) -> Option<Self> {
        let byte = 8e12 / run.link()?.bits_per_second();
        (byte.is_finite() && byte > 0.0).then(|| Self { byte, framing: run.framing() })
    }

    /// What `size` bytes take in segments with so much payload each; if that is not known, in segments as full as they
    /// can be.
    fn time(&self, size: f64, segment: Option<f64>) -> f64 {
        let Some(framing) = self.framing else { return self.byte * size };
        let full = (framing.segment() as f64).max(1.0);
        let each = segment.unwrap_or(full).clamp(1.0, full);
        self.byte * framing.on_the_wire(each) * size / each
    }
}

/// What is known of one size. Times are of one message one way, in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// Unit: bytes.
    pub(super) size: u64,
    /// The time of a message.
    pub(super) time: f64,
    /// The part of that time which grows with the size. Absent if there is no other size to hold it against.
    pub(super) growing: Option<f64>,
    /// The part of it that the path takes at the rate that it sustains, where that is known.
    pub(super) passing: f64,
    /// What the shortest frame takes of the path, by what the largest messages grow by for each byte.
    pub(super) shortest_frame: f64,
    /// The time of the smallest message without what grows with its size: what does not takes no more.
    pub(super) least_time: f64,
    /// What each end's processor worked for the smallest message, where that was seen.
    pub(super) least_work: Option<[f64; 2]>,
    /// What a byte took of the fastest of the sizes for which no segment was sent again. Absent if there is none. Unit:
    /// picoseconds.
    pub(super) lossless_byte: Option<f64>,
    /// Whether it was timed in bursts only.
    pub(super) in_bursts: bool,
    /// What both ends spent on it.
    pub(super) observed: Option<Observed>,
}

/// What both ends spent on one size: the initiator first. Times are of one message one way, in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    /// The time of a message that is divided: the median where messages wait for each other, because a few that
    /// wait long say nothing of the others, and the mean where they overlap.
    pub(super) base: f64,
    /// The mean time of a message with all that a trial has beside it, at the end that takes longer.
    pub(super) span: f64,
    /// The mean time in which the initiator had one of its messages to pass on: of messages that overlap it is done
    /// when its buffer has the last one.
    pub(super) sending: f64,
    pub(super) cpu: [f64; 2],
    /// What each end waited for a processor that another program had.
    pub(super) waited: [Option<f64>; 2],
    /// Whether the ends filled one processor in turns, if they are on one host.
    pub(super) fill_one_processor: bool,
    /// For how long something may have waited for the later of the hosts. Absent unless both say. Unit: picoseconds.
    pub(super) late: Option<f64>,
    /// Payload of a segment as it arrived, in the mean. Absent if nobody counted. Unit: bytes.
    pub(super) segment_bytes: Option<f64>,
    /// How often each end was given a processor, for each message one way.
    pub(super) turns: [Option<f64>; 2],
    /// Messages that passed one way or the other.
    pub(super) messages: f64,
    /// How many of them were timed together.
    pub(super) batch: f64,
    pub(super) tcp: Option<[TcpEffort; 2]>,
}

impl<'a> Setting<'a> {
    pub(super) fn of(run: &'a Run, pattern: Pattern) -> Self {
        let (local, remote) = (run.local(), run.remote());
        let ends = [local, remote];
        let made_up = |end: &End<'_>| {
            end.environment.interface.known().is_some_and(|interface| interface.made_up_speed().is_some())
        };
        let no_link = if ends.iter().any(made_up) {
            "the speed that the interface states is made up by its driver"
        } else {
            "no interface states a speed"
        };
        let timer = |end: End<'_>| {
            let coalescing = end.environment.interface.known()?.coalescing.known()?;
            Some(f64::from(*coalescing.get("rx-usecs")?) * 1e6)
        };
        let here = &local.observation.cpus;
        let all = |so: &dyn Fn(&End<'_>) -> bool| run.answering().all(|(far, _)| so(&far));
        let one_host = all(&|far| local.environment.same_host(far.environment) == Some(true));
        let one_processor = one_host && here.len() == 1 && all(&|far| far.observation.cpus == *here);
        let is_seen_elsewhere = |far: &End<'_>| {
            let there = &far.observation.cpus;
            !there.is_empty() && there.iter().all(|cpu| !here.contains(cpu))
        };
        let nodelay = ends.map(|end| end.granted.nodelay.known().copied());
        Self {
            pattern,
            link: Wire::of(run),
            no_link,
            spins: run.plan.common.socket.wait == Waiting::Spin,
            nagle: match nodelay {
                [Some(true), Some(true)] => Some(false),
                [Some(false), _] | [_, Some(false)] => Some(true),
                _ => None,
            },
            timer: mean(&ends.into_iter().filter_map(timer).collect::<Vec<f64>>()),
            one_host,
            one_processor,
            apart: one_host && !here.is_empty() && all(&is_seen_elsewhere),
            modelled: run.model.is_some(),
            path_byte: None,
            limits: run.nodes.iter().filter_map(|node| node.limits.as_ref()).collect(),
        }
    }
}

impl Setting<'_> {
    /// What the copies of a message into the kernel and out of it take, in the mean of the hosts that were asked.
    pub(super) fn copies(&self, size: u64) -> Option<f64> {
        self.mean(|limits| limits.copy_time(size))
    }

    /// What it takes to wake a thread on another processor that has nothing to do, beyond what it takes on the same.
    pub(super) fn wake_up(&self) -> Option<f64> {
        self.mean(|limits| {
            let other = limits.wake_up(Processor::Other, TargetState::Idle)?;
            Some(other.saturating_sub(limits.wake_up(Processor::Same, TargetState::Busy)?))
        })
    }

    fn mean(&self, of: impl Fn(&HostLimits) -> Option<Span>) -> Option<f64> {
        let known = self.limits.iter().filter_map(|limits| Some(of(limits)?.as_ps() as f64));
        mean(&known.collect::<Vec<f64>>())
    }

    /// The time of a message on the link, in segments with so much payload each; nothing if its rate is not known.
    pub(super) fn wire(&self, size: u64, segment: Option<f64>) -> f64 {
        self.link.map_or(0.0, |link| link.time(size as f64, segment))
    }
}

/// Absent of nothing.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Messages of one size that were timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    /// Unit: bytes.
    size: u64,
    /// The time of one, one way. Unit: picoseconds.
    time: f64,
    /// How many were timed together.
    batch: u32,
    in_bursts: bool,
    /// What both ends spent on them, the initiator first.
    effort: Option<[Effort; 2]>,
}

impl Timed {
    /// A size of a curve. Absent if it was not timed.
    fn point(point: &Point) -> Option<Self> {
        // That of the sustained rounds, or of bursts where there are no others.
        let sustained = point.time().map(|estimate| estimate.median);
        let burst = || point.rounds.iter().map(|round| round.median.as_ps() as f64).reduce(f64::min);
        Some(Self {
            size: point.size,
            time: sustained.or_else(burst).filter(|time| *time > 0.0)?,
            batch: point.rounds.iter().map(|round| round.batch).max().unwrap_or(1),
            in_bursts: point.in_bursts(),
            effort: point.effort.as_deref().copied(),
        })
    }

    /// Requests that do not overlap, and their responses: as messages that go to and fro. Absent if none was timed, where the next
    /// one was sent before the response came, and of a connection for each.
    pub(super) fn requests(rr: &RrPlan, latency: &Latency) -> Option<Self> {
        // Less than half of the time of an open loop may be under way.
        let mean = latency.service.mean()?;
        let each = rr.rate.unwrap_or_default() / f64::from(rr.flows.max(1));
        if rr.depth > 1 || rr.connect || mean.as_seconds() * each > 0.5 {
            return None;
        }
        // An open loop is idle between its requests, and that is not their time.
        let under_way = |end: &Effort| Effort { span: mean / 2 * end.messages, ..*end };
        Some(Self {
            size: (rr.request.bytes().saturating_add(rr.response.bytes()) / 2).max(1),
            time: latency.service.resolved(0.5)?.as_ps() as f64 / 2.0,
            batch: 1,
            in_bursts: false,
            effort: latency.effort.as_deref().map(|[ours, theirs]| [under_way(ours), under_way(theirs)]),
        })
    }

    /// What each size of a curve took.
    pub(super) fn points(series: &Series) -> Vec<Self> {
        series.points.iter().filter_map(Self::point).collect()
    }
}

/// What is known of each timed size, from small to large.
pub(super) fn facts(setting: &Setting<'_>, mut timed: Vec<Timed>) -> Vec<Facts> {
    timed.sort_by_key(|it| it.size);
    let seen = |timed: &Timed| Observed::of(setting, timed);
    let least_work = timed.iter().find_map(seen).map(|observed| observed.cpu);
    let times: Vec<(u64, f64)> = timed.iter().map(|it| (it.size, it.time)).collect();
    let least_time = times.first().map_or(0.0, |(_, time)| time - growing(&times, 0).unwrap_or(0.0));
    let largest = times
        .len()
        .checked_sub(1)
        .and_then(|last| Some(growing(&times, last)? / times[last].0.max(1) as f64));
    let byte = setting.path_byte.or(largest).unwrap_or(0.0);
    let lossless = timed.iter().filter(|it| seen(it).and_then(|seen| seen.retransmits()) == Some(0));
    let lossless_byte = lossless.map(|it| it.time / it.size.max(1) as f64).reduce(f64::min);
    let one = |(place, it): (usize, &Timed)| Facts {
        size: it.size,
        time: it.time,
        growing: growing(&times, place),
        passing: passing(setting, it.size, it.time),
        shortest_frame: byte * Framing::SHORTEST_FRAME,
        least_time,
        least_work,
        lossless_byte,
        in_bursts: it.in_bursts,
        observed: seen(it),
    };
    timed.iter().enumerate().map(one).collect()
}

/// What the path takes for a message of `size` at the rate that it sustains, of the `time` of one: not where tokens that it
/// saved up let it pass sooner. Where they come in as fast as messages go there and back, it takes half as long.
fn passing(setting: &Setting<'_>, size: u64, time: f64) -> f64 {
    let Some(whole) =
        setting.path_byte.map(|byte| byte * size as f64).filter(|_| !setting.pattern.overlaps())
    else {
        return 0.0;
    };
    if time >= whole * ABOUT {
        whole.min(time)
    } else if time >= whole / 2.0 * ABOUT && time * ABOUT <= whole / 2.0 {
        time
    } else {
        0.0
    }
}

/// The part of the time at this place that grows with the size, from the next of at most half of it: not more than in
/// proportion, because a jump is no growth. The smallest has none before it, and is held against the next of twice
/// its size. Absent if there is no other size to hold it against.
fn growing(times: &[(u64, f64)], place: usize) -> Option<f64> {
    let (size, time) = times[place];
    let slope = |(small, before): (u64, f64), (large, after): (u64, f64)| {
        ((after - before) / (large - small).max(1) as f64).max(0.0)
    };
    let smaller = times[..place].iter().rev().find(|(small, _)| *small <= size / 2 && *small > 0);
    let larger = || times[place + 1..].iter().find(|(large, _)| *large / 2 >= size);
    match smaller {
        Some((small, before)) => {
            let in_proportion = before * size as f64 / *small as f64;
            Some((slope((*small, *before), (size, time)) * size as f64).min(time.min(in_proportion)))
        }
        None => larger().map(|next| (slope((size, time), *next) * size as f64).min(time)),
    }
}

impl Facts {
    /// The part of the time which grows with the size, or all of it where that is not known.
    pub(super) fn growing_at_most(&self) -> f64 {
        self.growing.unwrap_or(self.time)
    }

    /// The same, or nothing of a message that fits the shortest frame and a half of any other.
    pub(super) fn growing_about(&self) -> f64 {
        self.growing.unwrap_or(if self.fits_the_shortest_frame() { 0.0 } else { self.time / 2.0 })
    }

    pub(super) fn fits_the_shortest_frame(&self) -> bool {
        self.size as f64 <= Framing::SHORTEST_FRAME
    }

    /// The time of a message on the link.
    pub(super) fn wire(&self, setting: &Setting<'_>) -> f64 {
        let seen = self.observed.as_ref().and_then(|observed| observed.segment_bytes);
        // What overlaps may share segments.
        let own = (!setting.pattern.overlaps()).then_some(self.size as f64);
        setting.wire(self.size, seen.or(own))
    }
}

impl Observed {
    fn of(setting: &Setting<'_>, timed: &Timed) -> Option<Self> {
        let [ours, theirs] = timed.effort.as_ref()?;
        // Of messages that overlap in both directions, both ends' count is both ways, and a message's time is one's.
        let both_ways = setting.pattern == Pattern::Exchange;
        let messages = ours.messages as f64 / if both_ways { 2.0 } else { 1.0 };
        // A sender of messages that overlap is done when its buffer has the last one.
        let span = ours.span.max(theirs.span);
        if messages <= 0.0 || span == Span::ZERO {
            return None;
        }
        let each = |span: Span| span.as_ps() as f64 / messages;
        let arrived: u64 = [ours, theirs].iter().filter_map(|end| Some(end.tcp?.data_segments_in)).sum();
        let passed = messages * if both_ways { 2.0 } else { 1.0 };
        Some(Self {
            base: if setting.pattern.overlaps() { each(span) } else { timed.time },
            span: each(span),
            sending: each(ours.span),
            cpu: [each(ours.cpu), each(theirs.cpu)],
            waited: waited(setting, [ours, theirs], each),
            turns: [ours, theirs].map(|end| end.turns.map(|turns| turns as f64 / messages)),
            messages,
            batch: f64::from(timed.batch),
            fill_one_processor: in_turns(setting, [ours, theirs]),
            late: late([ours, theirs]),
            segment_bytes: (arrived > 0).then(|| passed * timed.size as f64 / arrived as f64),
            tcp: ours.tcp.zip(theirs.tcp).map(|(ours, theirs)| [ours, theirs]),
        })
    }

    /// Whether both ends ran on one processor in turns.
    pub(super) fn share_a_processor(&self, setting: &Setting<'_>) -> bool {
        setting.one_processor || (setting.one_host && !setting.apart && self.fill_one_processor)
    }

    /// A time of a message as a share of all of its time.
    pub(super) fn share(&self, time: f64) -> f64 {
        time / self.base
    }

    /// The same of the mean time.
    pub(super) fn share_of_mean(&self, time: f64) -> f64 {
        time / self.span
    }

    /// What both waited for a processor, in the mean of all messages and as far as the median has a part in it.
    /// Absent unless both say.
    pub(super) fn waited(&self) -> Option<[f64; 2]> {
        let [ours, theirs] = self.waited;
        let mean = ours? + theirs?;
        // What the mean has above the median is that of few messages.
        let of_few = (self.span - self.base).max(0.0);
        Some([mean, (mean - of_few).max(0.0)])
    }

    /// The least round trip that either end knows. Absent without TCP, or before its first.
    pub(super) fn least_round_trip(&self) -> Option<f64> {
        let ends = self.tcp.as_ref()?;
        let known =
            ends.iter().map(|end| end.mean_span(end.min_rtt).as_ps() as f64).filter(|least| *least > 0.0);
        known.reduce(f64::min)
    }

    /// How many segments were sent again, both ways. Absent without TCP.
    pub(super) fn retransmits(&self) -> Option<u64> {
        Some(self.tcp.as_ref()?.iter().fold(0, |sum, end| sum.saturating_add(end.retransmits)))
    }

    /// The largest payload that a segment may have. Unit: bytes.
    pub(super) fn largest_segment(&self) -> Option<f64> {
        let ends = self.tcp.as_ref()?;
        ends.iter().map(|end| end.mean(end.mss)).reduce(f64::max).filter(|mss| *mss > 0.0)
    }
}

/// What each end waited for a processor. On one host a part of that may be the other end's turn on the same
/// processor, which is as long as that end works.
fn waited(setting: &Setting<'_>, ends: [&Effort; 2], each: impl Fn(Span) -> f64) -> [Option<f64>; 2] {
    let [ours, theirs] = ends;
    let of_others = |end: &Effort, other: &Effort| {
        let turn = if setting.one_host { other.cpu } else { Span::ZERO };
        end.waited.map(|waited| each(waited.saturating_sub(turn)))
    };
    [of_others(ours, theirs), of_others(theirs, ours)]
}

/// Whether both ends filled one processor in turns.
fn in_turns(setting: &Setting<'_>, ends: [&Effort; 2]) -> bool {
    let whole = ends[0].span.max(ends[1].span).as_seconds();
    let shares = ends.map(|end| [end.cpu, end.waited.unwrap_or_default()].map(|it| it.as_seconds() / whole));
    fill_one_processor(shares, setting.pattern.overlaps())
}

/// What waits for a thread of either end waits, in the mean, for as long as that thread for a processor each time; its kernel's
/// part may wait for that again.
fn late(ends: [&Effort; 2]) -> Option<f64> {
    let [ours, theirs] = ends.map(|end| {
        let turns = end.turns.filter(|turns| *turns > 0)?;
        Some(end.waited?.as_ps() as f64 / turns as f64 * TURNS)
    });
    Some(ours?.max(theirs?))
}

/// What the file does not say and would have helped.
pub(super) fn missing(setting: &Setting<'_>, facts: &[Facts]) -> Vec<String> {
    let mut missing = Vec::new();
    let observed: Vec<&Observed> = facts.iter().filter_map(|facts| facts.observed.as_ref()).collect();
    if observed.is_empty() {
        missing.push(if setting.modelled {
            "what processors and TCP did at each size: the hosts of this model cost nothing".into()
        } else {
            "what processors and TCP did at each size: an older linerate or another tool wrote it".into()
        });
    } else if observed.iter().all(|it| it.tcp.is_none()) {
        missing.push("round trips, windows and retransmissions: TCP does not carry the messages".into());
    }
    if setting.link.is_none() {
        missing.push(format!("the rate of the link: {}", setting.no_link));
    }
    if !observed.is_empty() && !setting.modelled && observed.iter().all(|it| it.waited().is_none()) {
        missing.push("how long threads waited for a processor: a host has no schedstat".into());
    }
    missing
}
