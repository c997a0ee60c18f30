//! Which runs can be predicted, under which conditions they were measured, and what is doubtful.

use linerate_analysis::report::NamedRun;
use linerate_core::environment::{Environment, Interface};
use linerate_core::run::{End, Run, Source, State};
use linerate_core::stats::Estimate;
use linerate_sim::calibrate::{Conditions, HostFile};

use super::model::{MEMORY, Wire};
use crate::trouble::Trouble;

/// The largest MTU that a modelled Ethernet has; the loopback's (65536) is a little larger.
const MOST_MTU: u64 = 65_517;

/// Congestion controls that send whatever their window allows at once.
const SENDS_AT_ONCE: [&str; 2] = ["cubic", "reno"];

/// Every size that was timed, with its conditions and its time (picoseconds).
pub(super) fn timed(named: &NamedRun) -> Result<Vec<(Conditions, Estimate)>, Trouble> {
    let run = &named.run;
    refuse_what_was_not_measured(named)?;
    let mtu = mtu(run).ok_or_else(|| {
        let help = "predict a run of linerate over an interface whose MTU the kernel tells";
        unpredictable(named, "it does not say the MTU of its path", help)
    })?;
    let socket = &run.plan.common.socket;
    // Of two hosts, processors with the same number are two.
    let one_host = by_memory(run.local()) || by_memory(run.remote());
    let [here, there] = [run.plan.common.local.pin, run.plan.common.remote.pin];
    let one_processor = one_host && here.is_some() && here == there;
    let conditions = |pattern, size| Conditions {
        pattern,
        size,
        mtu: u32::try_from(mtu.min(MOST_MTU)).unwrap_or(u32::MAX),
        mss: socket.mss.map(u32::from),
        receive_buffer: socket.rcvbuf,
        send_buffer: socket.sndbuf,
        nodelay: socket.nodelay,
        one_processor,
    };
    let points = run.series.iter().flat_map(|series| series.points.iter().map(|it| (series.pattern, it)));
    let timed: Vec<_> =
        points.filter_map(|(pattern, it)| Some((conditions(pattern, it.size), it.time()?))).collect();
    if timed.is_empty() {
        let help = "predict a run that timed at least one size";
        return Err(unpredictable(named, "it timed no size", help));
    }
    Ok(timed)
}

fn refuse_what_was_not_measured(named: &NamedRun) -> Result<(), Trouble> {
    let help = "give a run that `linerate measure` measured over TCP";
    match &named.run.source {
        Source::Modelled(_) => {
            return Err(unpredictable(named, "it was computed by a model, not measured", help));
        }
        Source::Imported(program) => {
            let why = format!("{program} recorded neither hosts, nor MTU, nor options");
            return Err(unpredictable(named, &why, help));
        }
        Source::Measured | Source::Loopback => {}
    }
    match named.run.path().transport.as_str() {
        "tcp" => Ok(()),
        other => {
            let why = format!("it was measured over {other:?}, and hosts are calibrated for TCP");
            Err(unpredictable(named, &why, help))
        }
    }
}

fn unpredictable(named: &NamedRun, why: &str, help: &str) -> Trouble {
    Trouble::new(format!("failed to predict {}: {why}", named.name), help)
}

/// The smaller of both ends' MTUs, as far as they are known. Unit: bytes.
fn mtu(run: &Run) -> Option<u64> {
    let of = |end: End<'_>| interface(end)?.mtu.known().copied();
    [of(run.local()), of(run.remote())].into_iter().flatten().min()
}

fn interface(end: End<'_>) -> Option<&Interface> {
    end.environment.interface.known()
}

/// Whether nothing but memory is between the ends.
fn by_memory(end: End<'_>) -> bool {
    interface(end).is_some_and(|it| it.loopback || it.driver.known().is_some_and(|driver| driver == "veth"))
}

/// The wire between the run's ends: memory, or one of the link's rate.
pub(super) fn wire(named: &NamedRun) -> Result<Wire, Trouble> {
    if by_memory(named.run.local()) || by_memory(named.run.remote()) {
        return Ok(MEMORY);
    }
    let Some(link) = named.run.link() else { return Ok(MEMORY) };
    Wire::of(link.as_mbps().round() as u64).ok_or_else(|| {
        let why = format!("its link has {link}, and no wire of that rate is modelled");
        unpredictable(named, &why, "`linerate model list` names the physical layers")
    })
}

/// What is doubtful about predicting this run by that host.
pub(super) fn cautions(run: &Run, host: &HostFile, wire: Wire) -> Vec<[String; 2]> {
    let mut found = Vec::new();
    let mut doubt = |finding: String, advice: &str| found.push([finding, advice.to_owned()]);
    let of = &host.calibration.of;
    for (who, end) in [("this host", run.local()), ("the peer", run.remote())] {
        for (what, had, has) in differences(end.environment, of) {
            doubt(
                format!("{who} had {what} `{had}`, and `{has}` was calibrated"),
                "calibrate the host that was measured, with the kernel that it ran",
            );
        }
    }
    if [run.local(), run.remote()].into_iter().any(segments_for_tcp) {
        doubt(
            "TCP handed its interface packets larger than the MTU (segmentation offload), and the model does not".to_owned(),
            "measure with offloads off (`ethtool -K IF tso off gso off gro off`), or in the laboratory (`linerate calibrate --measure`)",
        );
    }
    if wire != MEMORY || !by_memory(run.local()) {
        doubt(
            "the run crossed an adaptor and a bus, which a calibration between two namespaces knows nothing of".to_owned(),
            "set [host.bus] and [host.adaptor] of the host file by what the adaptor is",
        );
    }
    if let Some(name) =
        run.local().granted.congestion.known().filter(|name| !SENDS_AT_ONCE.contains(&name.as_str()))
    {
        doubt(
            format!(
                "the congestion control was `{name}`, which spaces its packets; the modelled hosts do not"
            ),
            "measure with --congestion cubic",
        );
    }
    if run.plan.common.socket.busy_poll.is_some() {
        doubt(
            "the run polled the device queue, and the modelled hosts sleep".to_owned(),
            "measure without --busy-poll",
        );
    }
    if run.state != State::Complete {
        doubt("the run did not end as planned".to_owned(), "predict a run that was complete");
    }
    found
}

/// What an end had that differs from the calibrated host: what, there, here. What either does not
/// say is no difference.
fn differences<'a>(
    end: &'a Environment,
    of: &'a linerate_sim::calibrate::Identity,
) -> impl Iterator<Item = (&'static str, &'a str, &'a str)> {
    let pairs = [
        ("the processor", end.cpu_model.known(), &of.processor),
        ("the kernel", end.kernel.known(), &of.kernel),
        ("the name", end.hostname.known(), &of.hostname),
    ];
    pairs
        .into_iter()
        .filter_map(|(what, had, has)| Some((what, had?.as_str(), has.as_str())))
        .filter(|(_, had, has)| !has.is_empty() && had != has)
}

fn segments_for_tcp(end: End<'_>) -> bool {
    let offloads = interface(end).and_then(|it| it.offloads.known());
    offloads.is_some_and(|all| {
        ["tx-tcp-segmentation", "tx-generic-segmentation", "rx-gro"]
            .iter()
            .any(|name| all.get(*name).is_some_and(|on| *on))
    })
}
