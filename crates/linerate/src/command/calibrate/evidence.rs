//! What the micro-measurements say of a host's costs, and where the fit begins.

use linerate_core::environment::Fact;
use linerate_core::units::{Size, Span};
use linerate_net::probe::{Place, Probe, Probes};
use linerate_sim::calibrate::{Belief, Parameter};
use linerate_sim::machine::{Adaptor, Memory, Processor, Profile};

/// How well a probe stands for its parameter, whatever its own interval: a call that moves nothing
/// is not quite a call of send, and a pipe not quite a socket. Standard deviations of logarithms, by
/// judgement: 0.3 is about a third, 0.7 a factor of two.
const CALL: f64 = 0.3;
const COPY: f64 = 0.3;
const UNCACHED: f64 = 0.7;
const WAKE_UP: f64 = 0.7;
/// What a wake-up takes the two processors, and what a stream takes besides: nothing but messages tells. First
/// guesses of a host of today, known to a factor of two or three.
const THREADS: f64 = 0.7;
const WAKE_NS: f64 = 600.0;
const SWITCH_NS: f64 = 1_000.0;
const STREAMS: f64 = 1.0;
const PUSH_NS: f64 = 1_000.0;
const TAKE_NS: f64 = 300.0;
const APART_NS: f64 = 1_000.0;
const APART_SEGMENT_NS: f64 = 500.0;
const APART_BYTE_NS: f64 = 0.3;
/// Nothing but the curve tells these; wide enough to hold a host of 1998 and one of today.
const PACKET: f64 = 1.5;
const PACKET_NS: f64 = 1_000.0;
const PAGE: f64 = 1.0;
const PAGE_NS: f64 = 60.0;
/// In and out are of one kind. The multiple is that of the reference host (Pentium II/350: 10 and 9, 6 and
/// 5 us). An acknowledgement is no part of what a call sends, and may cost more than one of its segments.
const KIN: f64 = 0.5;
const IN_TO_OUT: f64 = 0.9;

/// What a frame's buffer is charged on a 64-bit Linux at the usual MTU: two KiB of data with its
/// control structures. Unit: bytes. Inferred from `SKB_TRUESIZE`, not measured.
const BUFFER: Size = Size(2304);
/// `net.core.netdev_max_backlog` of Linux. Unit: frames. Source: kernel documentation, sysctl/net.
const BACKLOG: u32 = 1000;
/// Where the fit begins, and what is known of each parameter.
pub(super) fn start(probes: &Probes, place: &Place, slice: Span) -> (Profile, Vec<Belief>) {
    let beliefs = beliefs(probes);
    let mut profile = given(probes, place);
    profile.processor.slice = slice;
    for belief in &beliefs {
        let other = belief.relative_to.map_or(1.0, |other| other.of(&profile));
        belief.parameter.set(&mut profile, belief.value * other);
    }
    (profile, beliefs)
}

/// One of each parameter; those that another is a multiple of come first.
fn beliefs(probes: &Probes) -> Vec<Belief> {
    let median = |probe: &Probe| probe.estimate().median;
    let by = |parameter, value: f64, probe: &Probe, judged: f64| Belief {
        parameter,
        relative_to: None,
        // A difference of two medians may come out as nothing; a logarithm needs more.
        value: value.max(1e-3),
        sigma: judged.hypot(own_sigma(probe)),
        source: format!("probe: {}", probe.name),
    };
    let assumed = |parameter, value, sigma| Belief {
        parameter,
        relative_to: None,
        value,
        sigma,
        source: "from the times of messages".to_owned(),
    };
    let multiple = |parameter, of: Parameter, value: f64| Belief {
        parameter,
        relative_to: Some(of),
        value,
        sigma: KIN,
        source: format!("from the times of messages, and about {value} of {}", of.key()),
    };
    let (near, far) = (median(&probes.copy_near), median(&probes.copy_far));
    let (turn, trip) = (median(&probes.pipe_turn), median(&probes.pipe_trip));
    vec![
        by(Parameter::SystemCall, median(&probes.system_call), &probes.system_call, CALL),
        by(Parameter::CopyIn, median(&probes.copy_in), &probes.copy_in, COPY),
        by(Parameter::CopyOut, median(&probes.copy_out), &probes.copy_out, COPY),
        by(Parameter::Uncached, far - near, &probes.copy_far, UNCACHED),
        by(Parameter::WakeUpDelay, trip - turn, &probes.pipe_trip, WAKE_UP),
        assumed(Parameter::WakeUp, SWITCH_NS, THREADS),
        assumed(Parameter::Wake, WAKE_NS, THREADS),
        assumed(Parameter::Push, PUSH_NS, STREAMS),
        assumed(Parameter::Take, TAKE_NS, STREAMS),
        assumed(Parameter::Apart, APART_NS, STREAMS),
        assumed(Parameter::ApartSegment, APART_SEGMENT_NS, STREAMS),
        assumed(Parameter::ApartByte, APART_BYTE_NS, STREAMS),
        assumed(Parameter::Transmit, PACKET_NS, PACKET),
        assumed(Parameter::TransmitAcknowledgement, PACKET_NS, PACKET),
        assumed(Parameter::AllocatePage, PAGE_NS, PAGE),
        multiple(Parameter::Receive, Parameter::Transmit, IN_TO_OUT),
        multiple(Parameter::ReceiveAcknowledgement, Parameter::TransmitAcknowledgement, IN_TO_OUT),
    ]
}

/// Standard deviation of the logarithm of a probe's median.
fn own_sigma(probe: &Probe) -> f64 {
    probe.estimate().relative_half_width().map_or(0.5, |width| width / 1.96)
}

/// The profile without what is fitted.
fn given(probes: &Probes, place: &Place) -> Profile {
    let mhz = *place.clock_mhz.known().unwrap_or(&1_000.0);
    let checksum = probes.checksum.estimate().median;
    let free = Profile::free();
    Profile {
        about: about(place),
        processor: Processor {
            clock_mhz: mhz,
            reference_mhz: mhz,
            count: place.processors.max(1),
            // Both ends are on this host; which of its processors they have depends on what is predicted.
            ends: Some([0, u8::from(place.processors > 1)]),
            ..free.processor
        },
        memory: Memory {
            checksum_in_ns: checksum,
            checksum_out_ns: checksum,
            cache: Size(*place.cache_bytes.known().unwrap_or(&(8 << 20))),
            size: Size(*place.memory_bytes.known().unwrap_or(&(1 << 40))),
            ..free.memory
        },
        // The end of a veth, which has no rings.
        adaptor: Adaptor { backlog: BACKLOG, fifo: Size(16 << 20), standard_buffer: BUFFER, ..free.adaptor },
        ..free
    }
}

fn about(place: &Place) -> String {
    let text = |fact: &Fact<String>| fact.known().cloned().unwrap_or_else(|| "unknown".to_owned());
    format!("{}, {}, {}; calibrated", text(&place.hostname), text(&place.processor), text(&place.kernel))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(name: &'static str, value: f64) -> Probe {
        Probe { name, unit: "ns", samples: vec![value; 20] }
    }

    #[test]
    fn every_parameter_is_believed_something_and_starts_above_nothing() {
        let probes = Probes {
            system_call: probe("call", 200.0),
            copy_in: probe("in", 0.04),
            copy_out: probe("out", 0.04),
            copy_near: probe("near", 0.03),
            // A far copy that came out as quick as a near one.
            copy_far: probe("far", 0.03),
            checksum: probe("sum", 0.1),
            pipe_turn: probe("turn", 400.0),
            pipe_trip: probe("trip", 5_400.0),
        };
        let place = Place {
            clock_mhz: Fact::Known(2_000.0),
            cache_bytes: Fact::unknown("a test"),
            memory_bytes: Fact::unknown("a test"),
            processors: 2,
            hostname: Fact::Known("h".to_owned()),
            kernel: Fact::unknown("a test"),
            processor: Fact::unknown("a test"),
        };
        let (profile, beliefs) = start(&probes, &place, Span::from_us(9));
        for parameter in Parameter::ALL {
            assert!(parameter.of(&profile) > 0.0, "{parameter:?}");
            assert_eq!(beliefs.iter().filter(|belief| belief.parameter == parameter).count(), 1);
        }
        assert!((Parameter::WakeUpDelay.of(&profile) - 5_000.0).abs() < 1e-9);
        assert_eq!((profile.processor.ends, profile.processor.slice), (Some([0, 1]), Span::from_us(9)));
        assert!((Parameter::ReceiveAcknowledgement.of(&profile) - 900.0).abs() < 1e-6);
    }
}
