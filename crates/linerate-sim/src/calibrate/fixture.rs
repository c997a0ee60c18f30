//! A host whose costs are known, and a model of it in closed form.

use std::convert::Infallible;

use linerate_core::pattern::Pattern;
use linerate_core::units::{Size, Span};

use super::{Belief, Conditions, Evidence, Measured, Parameter, Predicted};
use crate::machine::{Adaptor, Costs, Memory, Processor, Profile};

pub(super) fn profile() -> Profile {
    let ns = Span::from_ns;
    let free = Profile::free();
    Profile {
        about: "a test".to_owned(),
        processor: Processor { clock_mhz: 3000.0, reference_mhz: 3000.0, count: 2, ..free.processor },
        costs: Costs {
            system_call: ns(300),
            transmit: ns(900),
            receive: ns(1_200),
            transmit_acknowledgement: ns(600),
            receive_acknowledgement: ns(500),
            interrupt: Span::ZERO,
            wake_up: ns(5_000),
            allocate_page: ns(100),
            push: ns(1_600),
            take: ns(250),
            wake: ns(600),
            wake_up_delay: ns(9_000),
            apart: ns(400),
            apart_segment: ns(150),
            ..free.costs
        },
        memory: Memory {
            copy_in_ns: 0.12,
            copy_out_ns: 0.15,
            uncached_ns: 0.1,
            apart_ns: 0.2,
            checksum_in_ns: 0.1,
            checksum_out_ns: 0.1,
            cache: Size(1 << 20),
            size: Size(1 << 33),
            paging_ns: 0.0,
        },
        adaptor: Adaptor { backlog: 1000, fifo: Size(1 << 24), ..free.adaptor },
        ..free
    }
}

/// Sizes round the segment of each of four MTUs, and two points of a curve.
pub(super) fn usual_conditions() -> Vec<Conditions> {
    let mut all = vec![Conditions::usual(1500, 64), Conditions::usual(1500, 1 << 21)];
    for mtu in [1500, 3000, 4500, 9000] {
        let mss = u64::from(mtu) - 52;
        all.extend([mss, 2 * mss, 4 * mss, 32 << 10].map(|size| Conditions::usual(mtu, size)));
    }
    let streams = [64, 1448, 16 << 10, 256 << 10].map(|size| Conditions::usual(1500, size).one_way());
    let shared = streams.clone().map(Conditions::on_one_processor);
    let answered = [64, 16 << 10].map(|size| Conditions::usual(1500, size).on_one_processor());
    [all, streams.into(), shared.into(), answered.into()].concat()
}

/// A message's one-way time in closed form: the first segment through every stage, the others
/// through the slower of the two hosts, and an acknowledgement for every second segment.
pub(super) fn closed_form(profile: &Profile, all: &[Conditions]) -> Result<Vec<Predicted>, Infallible> {
    Ok(all
        .iter()
        .map(|it| {
            let [time, sends, takes] = nanoseconds(profile, it).map(|ns| Span::from_seconds(ns / 1e9));
            Predicted { time, worked: [sends, takes] }
        })
        .collect())
}

/// The time, and the work of both ends.
fn nanoseconds(profile: &Profile, it: &Conditions) -> [f64; 3] {
    let of = |parameter: Parameter| parameter.of(profile);
    let mss = u64::from(it.mtu) - 52;
    let segments = it.size.div_ceil(mss).max(1) as f64;
    let first = it.size.min(mss) as f64;
    let pages = (f64::from(it.mtu) / 4096.0).ceil() - 1.0;
    let far = if it.size > profile.memory.cache.bytes() { of(Parameter::Uncached) } else { 0.0 };
    let send = of(Parameter::Transmit)
        + (of(Parameter::CopyIn) + far) * first
        + of(Parameter::ReceiveAcknowledgement) / 2.0;
    let take = of(Parameter::Receive)
        + pages * of(Parameter::AllocatePage)
        + (of(Parameter::CopyOut) + far) * first
        + of(Parameter::Take)
        + of(Parameter::TransmitAcknowledgement) / 2.0;
    if it.pattern == Pattern::OneWay {
        let sends = of(Parameter::SystemCall) + of(Parameter::Push) + segments * send;
        let takes = of(Parameter::SystemCall) + segments * take;
        // One processor does both in turn; two of them pass the segments from cache to cache.
        let turn = of(Parameter::WakeUp) + of(Parameter::Wake);
        let passed = of(Parameter::Apart)
            + segments * of(Parameter::ApartSegment)
            + it.size as f64 * of(Parameter::ApartByte);
        let time = if it.one_processor { sends + takes + turn } else { passed + sends.max(takes) };
        return [time, sends, takes];
    }
    let calls = 2.0 * of(Parameter::SystemCall) + of(Parameter::Push) + of(Parameter::WakeUp);
    let woken = if it.one_processor {
        of(Parameter::Wake)
    } else {
        of(Parameter::WakeUpDelay) + of(Parameter::Apart) + 2.0 * it.size as f64 * of(Parameter::ApartByte)
    };
    [calls + woken + send + take + (segments - 1.0) * send.max(take), send * segments, take * segments]
}

/// What stands for a parameter besides the curve: its truth times `error`, and how well that is known.
pub(super) fn belief(parameter: Parameter, error: f64, sigma: f64) -> Belief {
    Belief {
        parameter,
        relative_to: None,
        value: parameter.of(&profile()) * error,
        sigma,
        source: "a test".to_owned(),
    }
}

/// How well each parameter is known without the curve, in the order of `ALL`.
pub(super) const SIGMAS: [f64; 17] =
    [0.2, 0.8, 0.8, 0.8, 0.8, 0.5, 0.8, 0.2, 0.2, 0.5, 0.8, 0.8, 0.5, 0.5, 0.8, 0.8, 0.8];

/// Evidence without any error.
pub(super) fn exact(
    predict: impl Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, Infallible>,
) -> Evidence {
    let conditions = usual_conditions();
    let times = predict(&profile(), &conditions).expect("it cannot fail");
    let measured = conditions.into_iter().zip(times);
    Evidence {
        beliefs: Parameter::ALL.into_iter().zip(SIGMAS).map(|(it, sigma)| belief(it, 1.0, sigma)).collect(),
        measured: measured
            .map(|(conditions, Predicted { time, worked })| {
                let worked = (conditions.pattern == Pattern::OneWay).then_some((worked, 0.02));
                Measured { conditions, time, sigma: 0.01, worked }
            })
            .collect(),
    }
}
