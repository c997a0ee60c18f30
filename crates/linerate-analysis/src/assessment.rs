//! The rules that raise cautions about a run: a pure function of what is stored.

mod loads;
mod mpi;
mod ranks;
#[cfg(test)]
mod tests;
mod wake_ups;

use linerate_core::caution::{Caution, Side};
use linerate_core::environment::Fact;
use linerate_core::observation::{Grade, Observation};
use linerate_core::options::{Granted, SocketOptions, Waiting};
use linerate_core::plan::DEFAULT_TARGET;
use linerate_core::run::{End, Run, Source, State};
use linerate_core::series::{Late, Point, Series, Stop};
use linerate_core::traffic::Direction;
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Span};

pub use loads::PACE_KEPT;

use loads::loads;
pub(crate) use loads::{OFTEN, slower_later};

/// A thread that waits for a processor for more than this share of a run is crowded out.
const CROWDED: f64 = 0.01;
/// A process that a CPU quota stops for more than this share of a run is not measured alone.
const THROTTLED: f64 = 0.01;
/// Bytes of a segment that TCP's timestamps take (RFC 7323, appendix A).
const TIMESTAMP_BYTES: u64 = 12;
/// Throughput above the link's rate by more than this is impossible.
const ABOVE_LINK: f64 = 1.01;
/// And above what the path sustains one way by more than this is that of bursts, or of a faster way back.
const ABOVE_SUSTAINED: f64 = 1.25;
/// An end that had work for more than this share of that look was the bound, and no shaper. Between two namespaces 42 looks
/// without a shaper, beside 0 to 4 burning processes, had 0.71 to 1.00, and 28 behind one of up to half of what the
/// processors carry 0.01 to 0.62.
const OCCUPIED: f64 = 2.0 / 3.0;
/// The most that a measurement adds to an interface besides payload: a share of the payload
/// (headers and acknowledgements of small segments), this many bytes for each message (headers of
/// messages smaller than a segment, in both directions), and the control connection.
const HEADER_PERCENT: u64 = 60;
const HEADER_BYTES_A_MESSAGE: u64 = 400;
const CONTROL_BYTES: u64 = 4 << 20;

/// Every caution about `run`, from what it stores.
#[must_use]
pub fn assess(run: &Run) -> Vec<Caution> {
    let mut cautions = Vec::new();
    match &run.source {
        Source::Measured | Source::Loopback if run.ranks().is_some() => ranks::ranks(run, &mut cautions),
        Source::Imported(program) => return vec![Caution::Imported { program: program.clone() }],
        Source::Measured | Source::Loopback => both_ends(run, &mut cautions),
        Source::Modelled(_) => cautions.extend(run.model.iter().flat_map(|model| model.cautions.clone())),
    }
    match &run.state {
        State::Failed(reason) => cautions.push(Caution::Incomplete { reason: reason.clone() }),
        State::Interrupted => cautions.push(Caution::Incomplete { reason: "it was interrupted".to_owned() }),
        State::Running | State::Complete => {}
    }
    loads(run, &mut cautions);
    let silent = run.nodes.first().map_or(Span::ZERO, |node| node.observation.silent);
    if silent > Span::ZERO {
        cautions.push(Caution::Silent { silent });
    }
    for series in &run.series {
        curve(run, series, &mut cautions);
    }
    cautions
}

/// The size at which round trips went fastest and its rate, and the rate that the path was found to sustain one way, if
/// that is so much less and no processor was the reason. Whether one was is not known of ends that spin.
fn above_sustained(run: &Run, series: &Series) -> Option<(u64, Rate, Rate)> {
    let point = run.sustained.as_ref()?.timed().next()?;
    let blocked = run.plan.common.socket.wait == Waiting::Block;
    if blocked && occupied(point).is_some_and(|share| share > OCCUPIED) {
        return None;
    }
    let sustained = point.throughput()?;
    let rates = series.points.iter().filter_map(|point| Some((point.size, point.throughput()?)));
    let (size, rate) =
        rates.max_by(|(_, one), (_, other)| one.bits_per_second().total_cmp(&other.bits_per_second()))?;
    (rate.share_of(sustained) > ABOVE_SUSTAINED).then_some((size, rate, sustained))
}

/// The share of the trials of a size in which the busier end ran or waited for a processor. None if nobody looked.
fn occupied(point: &Point) -> Option<f64> {
    let ends = point.effort.as_deref()?;
    // A sender whose bytes all fit its buffer is done long before they have arrived.
    let span = ends.iter().map(|end| end.span).max()?;
    let had_work = ends.iter().map(|end| end.cpu + end.waited.unwrap_or_default()).max()?;
    (span > Span::ZERO).then(|| had_work.as_ps() as f64 / span.as_ps() as f64)
}

fn both_ends(run: &Run, cautions: &mut Vec<Caution>) {
    let here = |end: End<'_>| run.local().environment.same_host(end.environment) == Some(true);
    if run.path().transport.parse() == Ok(Transport::Mpi) {
        mpi::ends(run, cautions);
    } else if run.answering().any(|(end, _)| here(end)) {
        let network = |end: End<'_>| end.environment.network_namespace.clone();
        let beside = |(end, _)| here(end) && network(end) == network(run.local());
        let apart = run.crosses_network() && !run.answering().any(beside);
        cautions.push(Caution::SameHost { apart });
    }
    if here(run.remote())
        && let [cpu] = run.local().observation.cpus[..]
        && run.remote().observation.cpus == [cpu]
    {
        cautions.push(Caution::SameCpu { cpu });
    }
    for (number, (_, path)) in (1..).zip(run.answering()) {
        let Some(mtu) = path.mtu.known() else { continue };
        let there = if number == 1 { Side::Remote } else { Side::Other(number) };
        for (side, way) in [(Side::Local, mtu.there), (there, mtu.back)] {
            if way.is_black_hole() {
                cautions.push(Caution::BlackHole {
                    side,
                    largest: way.largest_bytes,
                    mtu: way.announced_bytes,
                });
            }
        }
    }
    let answering = (1..).zip(run.answering()).map(|(number, (end, _))| match number {
        1 => (Side::Remote, end),
        _ => (Side::Other(number), end),
    });
    let ends = std::iter::once((Side::Local, run.local())).chain(answering);
    let network = |end: End<'_>| end.environment.network_namespace.clone();
    let same_network = |end: End<'_>| here(end) && network(end) == network(run.local());
    for (side, end) in ends {
        host(side, end, cautions);
        granted(side, &run.plan.common.socket, end.granted, cautions);
        // Two ends on one loopback share its counters: once is enough.
        // What never leaves the host's memory crosses no interface.
        // VM sockets cross the hypervisor, and not the interface of the conversation.
        let aside = |transport: Transport| transport.is_local() || transport == Transport::Vsock;
        let local = run.path().transport.parse().is_ok_and(aside);
        // With several paths, only one interface of this host was counted.
        let several =
            side == Side::Local && run.paths.iter().any(|path| path.from_address != run.path().from_address);
        if !local && !several && (side == Side::Local || !same_network(end)) {
            let mut payload = Payload::of(end.observation).arrived(side, run);
            let counted = |end: End<'_>| end.observation.interface.known().map(|it| it.interface.clone());
            let shares = |(other, _)| same_network(other) && counted(other) == counted(end);
            if side == Side::Local && run.answering().any(shares) {
                payload = payload.of_both_ends();
            }
            interface(side, end.observation, payload, cautions);
        }
        retransmitted(side, end.observation, cautions);
    }
}

fn host(side: Side, end: End<'_>, cautions: &mut Vec<Caution>) {
    if let Some(source) = end.environment.clocksource.known()
        && !matches!(source.as_str(), "tsc" | "arch_sys_counter" | "timebase")
    {
        cautions.push(Caution::SlowClock { side, clocksource: source.clone() });
    }
    if let Some(clock) = end.observation.clock.known().filter(|clock| clock.backwards > 0) {
        cautions.push(Caution::ClockBackwards { side, times: clock.backwards });
    }
    if let Some(noise) = end.observation.noise.known().filter(|noise| noise.grade() > Grade::B) {
        cautions.push(Caution::Noisy { side, share: noise.share(), longest: noise.longest });
    }
    let load = &end.observation.load;
    if let Some(delay) = load.run_delay.known() {
        let share = delay.saturating_sub(load.throttled()).share_of(load.span);
        if share > CROWDED {
            cautions.push(Caution::Crowded { side, share });
        }
    }
    let share = load.throttled().share_of(load.span);
    if let Some(quota) = load.throttled.known().filter(|_| share > THROTTLED) {
        let (group, quota, period) = (quota.group.clone(), quota.quota, quota.period);
        cautions.push(Caution::Throttled { side, group, quota, period, share });
    }
    if let Some(governor) = end.environment.governor.known().filter(|governor| *governor != "performance") {
        cautions.push(Caution::Governor { side, governor: governor.clone() });
    }
}

/// Compares what was asked of the socket with what it has.
fn granted(side: Side, asked: &SocketOptions, granted: &Granted, cautions: &mut Vec<Caution>) {
    let mut check = |option: &str, asked: Option<String>, granted: Option<String>, ok: bool| {
        if let (Some(asked), Some(granted), false) = (asked, granted, ok) {
            cautions.push(Caution::NotGranted { side, option: option.to_owned(), asked, granted });
        }
    };
    // Linux grants twice what is asked (socket(7)); less than that means that a limit cut it.
    let buffers = [("sndbuf", asked.sndbuf, &granted.sndbuf), ("rcvbuf", asked.rcvbuf, &granted.rcvbuf)];
    for (option, wanted, got) in buffers {
        let enough = wanted.zip(got.known()).is_none_or(|(wanted, got)| *got >= wanted.0);
        check(option, wanted.map(|size| size.to_string()), got.known().map(|got| format!("{got} B")), enough);
    }
    let got = granted.congestion.known();
    check("congestion control", asked.congestion.clone(), got.cloned(), asked.congestion.as_ref() == got);
    let got = granted.mss.known();
    // Timestamps take their bytes of each segment; what is smaller still was cut by the path.
    let fits = |(asked, got): (u16, &u64)| {
        let asked = u64::from(asked);
        (asked.saturating_sub(TIMESTAMP_BYTES)..=asked).contains(got)
    };
    let fits = asked.mss.zip(got).is_none_or(fits);
    check("mss", asked.mss.map(|mss| mss.to_string()), got.map(u64::to_string), fits);
    let got = granted.dscp.known();
    check(
        "dscp",
        asked.dscp.map(|code| code.to_string()),
        got.map(u8::to_string),
        asked.dscp.as_ref() == got,
    );
    if let Some(Fact::Unknown { unknown }) = &granted.cpu_latency_us {
        let got = Some(format!("nothing ({unknown})"));
        check("cpu latency", Some("a bound".to_owned()), got, false);
    }
    let got = granted.busy_poll.known();
    check(
        "busy poll",
        asked.busy_poll.map(|us| us.to_string()),
        got.map(u32::to_string),
        asked.busy_poll.as_ref() == got,
    );
}

/// What an interface must have carried of a measurement.
#[derive(Clone, Copy)]
struct Payload {
    /// Unit: bytes.
    sent: u64,
    /// Unit: bytes.
    received: u64,
    messages: u64,
}

impl Payload {
    fn of(seen: &Observation) -> Self {
        let tally = seen.tally;
        let messages = tally.sent.saturating_add(tally.received);
        Self { sent: tally.sent_bytes, received: tally.received_bytes, messages }
    }

    /// Of what this end sent in loads, only what arrived must have crossed its interface: the rest was lost or
    /// discarded on the way, perhaps before it.
    fn arrived(self, side: Side, run: &Run) -> Self {
        let (direction, peer) = match side {
            Side::Local => (Direction::Send, None),
            Side::Remote => (Direction::Receive, Some(0)),
            Side::Other(number) => (Direction::Receive, Some(number - 1)),
        };
        let flows = run.transfers.iter().flat_map(|transfer| &transfer.flows);
        let own =
            flows.filter(|flow| flow.direction == direction && peer.is_none_or(|peer| flow.peer == peer));
        let missing: u64 = own.map(|flow| flow.sender.bytes.saturating_sub(flow.receiver.bytes)).sum();
        Self { sent: self.sent.saturating_sub(missing), ..self }
    }

    /// Where both ends share the interface, as on a loopback, it sends and receives what either
    /// end sends.
    fn of_both_ends(self) -> Self {
        let all = self.sent.saturating_add(self.received);
        Self { sent: all, received: all, ..self }
    }
}

/// Compares the interface's counters with the payload.
fn interface(side: Side, seen: &Observation, of: Payload, cautions: &mut Vec<Caution>) {
    let Some(counters) = seen.interface.known() else { return };
    // Headers of both directions: what is received is acknowledged in what is sent.
    let payload = of.sent.saturating_add(of.received);
    let headers = of.messages.saturating_mul(HEADER_BYTES_A_MESSAGE);
    let overhead = (payload / 100 * HEADER_PERCENT).saturating_add(headers).saturating_add(CONTROL_BYTES);
    for (payload, counted) in [(of.sent, counters.tx_bytes), (of.received, counters.rx_bytes)] {
        let interface = counters.interface.clone();
        if counted < payload {
            cautions.push(Caution::PathNotProven { side, interface, payload, counted });
            return;
        }
        let extra = counted.saturating_sub(payload.saturating_add(overhead));
        if extra > 0 {
            cautions.push(Caution::OtherTraffic { side, interface, extra });
            return;
        }
    }
}

fn retransmitted(side: Side, seen: &Observation, cautions: &mut Vec<Caution>) {
    if let Some(connection) = seen.connection.known().filter(|connection| connection.retransmitted > 0) {
        let (segments, of) = (connection.retransmitted, connection.segments_out);
        cautions.push(Caution::Retransmitted { side, segments, of });
    }
}

fn curve(run: &Run, series: &Series, cautions: &mut Vec<Caution>) {
    let found = |wanted: &dyn Fn(&Point) -> bool| {
        let sizes = series.points.iter().filter(|point| wanted(point)).map(|point| point.size);
        let sizes: Vec<u64> = sizes.collect();
        sizes.iter().min().map(|from| (sizes.len() as u64, *from))
    };
    if let Some((sizes, from)) = found(&|point| point.rounds.is_empty()) {
        cautions.push(Caution::NotTimed { sizes, from, needed: series.needed });
    }
    if let Some((sizes, from)) = found(&Point::in_bursts) {
        cautions.push(Caution::InBursts { sizes, from });
    }
    if let Some(Late { size, after }) = series.late {
        cautions.push(Caution::Late { size, after });
    }
    let interval = |point: &Point| point.time().and_then(|time| time.interval);
    let bare = |point: &Point| point.sustained() && interval(point).is_none();
    let exact =
        matches!(run.source, Source::Modelled(_)) && run.plan.curve().is_some_and(|curve| curve.rounds == 1);
    if let Some((sizes, from)) = found(&bare).filter(|_| !exact) {
        cautions.push(Caution::FewRounds { sizes, from });
    }
    let target = run.plan.curve().map_or(DEFAULT_TARGET, |curve| curve.ci);
    let over_passes = series.passes() > 1;
    let narrow = |point: &Point| {
        if over_passes { point.settled(target) } else { point.stop == Some(Stop::Target) }
    };
    if let Some((sizes, _)) = found(&|point| interval(point).is_some() && !narrow(point)) {
        let of = series.timed().count() as u64;
        cautions.push(Caution::WideIntervals { sizes, of, target });
    }
    if let Some(ratio) = wake_ups::drift(run, series) {
        cautions.push(Caution::WakeUpsDrift { ratio });
    }
    if let Some(sustained) = &run.sustained
        && run.state == State::Complete
        && sustained.timed().next().is_none()
    {
        cautions.push(Caution::SustainedUnknown { needed: sustained.needed });
    }
    if let Some((size, rate, sustained)) = above_sustained(run, series) {
        cautions.push(Caution::AboveSustained { size, rate, sustained });
    }
    let Some(link) = run.link() else { return };
    let fast = series.points.iter().filter_map(|point| Some((point.size, point.throughput()?)));
    if let Some((size, throughput)) = fast.into_iter().find(|(_, rate)| rate.share_of(link) > ABOVE_LINK) {
        cautions.push(Caution::AboveLink { size, throughput, link });
    }
}
