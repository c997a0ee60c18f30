//! Kernels as they ship, and a textbook TCP with nothing of a kernel's own.

use linerate_core::units::{Size, Span};
pub(crate) use linerate_sim::tcp::Recovery;
use linerate_sim::tcp::{
    AcknowledgementRules, Algorithm, Charge, CongestionRules, Counting, Detection, EcnUse, Nagle,
    OptionRules, Raise, ReceiveBuffer, ReceiveMss, ReducedFrom, Reduction, Rules, ScaleFrom, SendBuffer,
    SendingRules, Settings, Threshold, TimerRules, Unit, WindowRules,
};

/// The kernels that ship.
pub(crate) const NAMES: [&str; 7] = [
    "linux-2.0.35",
    "freebsd-2.2",
    "linux-2.1.121",
    "linux-2.2.5",
    "linux-2.2.5-ackfix",
    "linux-2.4",
    "linux-modern",
];

/// A kernel that nobody asked anything.
pub(crate) fn kernel(name: &str, mtu: u32) -> Settings {
    let rules = Rules::find(name).unwrap_or_else(|| panic!("{name} ships"));
    Settings { rules, mtu, mss: None, receive_buffer: None, send_buffer: None, nodelay: false }
}

/// RFC 9293, 5681 and 6298 to the letter: MSS 1460, every segment acknowledged at once, buffers larger
/// than any window, ten segments at the start.
pub(crate) fn textbook(recovery: Recovery) -> Settings {
    let rules = Rules {
        name: "textbook".to_owned(),
        about: String::new(),
        timers: timers(),
        receive_buffer: ReceiveBuffer {
            default: Size(4 << 20),
            grows_from: None,
            most_asked: Size(1 << 30),
            multiplier: 1,
        },
        send_buffer: SendBuffer {
            default: Size(8 << 20),
            grows_from: None,
            most_asked: Size(1 << 30),
            multiplier: 1,
            segment_overhead: Size(0),
            whole_segments: false,
            wake_at_bytes: Size(1),
            wake_at_part: 0,
        },
        window: WindowRules {
            share: [1, 1],
            unit: Unit::Bytes,
            most: Size(1 << 30),
            first: Size(65_535),
            charge: Charge::Payload,
            scale_from: ScaleFrom::Buffer,
            raise: Raise::DoubleTheRemaining,
        },
        acknowledgement: AcknowledgementRules {
            waits_for_read: false,
            threshold: Threshold::Every,
            receive_mss: ReceiveMss::Seen,
            delay_least: Span::ZERO,
            delay_most: Span::ZERO,
            push_resets_delay: false,
            quick: 0,
        },
        options: OptionRules {
            timestamps: false,
            window_scaling: true,
            sack: recovery == Recovery::Sack,
            ecn: EcnUse::No,
        },
        congestion: CongestionRules {
            algorithm: Algorithm::RENO,
            initial_window: 10,
            initial_threshold: None,
            duplicates: 3,
            recovery,
            detection: Detection::Duplicates,
            reduction: Reduction::AtOnce,
            reduced_from: ReducedFrom::Flight,
            hystart: false,
            counting: Counting::Acknowledgements,
            grows_only_when_limiting: true,
            restarts_after_idle: false,
            ignored_below_rtt: Span::ZERO,
        },
        sending: SendingRules { nagle: Nagle::Rfc896 },
    };
    Settings { rules, mtu: 1500, mss: None, receive_buffer: None, send_buffer: None, nodelay: false }
}

fn timers() -> TimerRules {
    TimerRules {
        tick: Span::from_ms(1),
        acknowledgement_tick: Span::from_us(1),
        timestamp_tick: Span::from_ms(1),
        rto_initial: Span::from_ms(1_000),
        rto_least: Span::from_ms(1_000),
        rto_most: Span::from_ms(60_000),
        rto_least_is_of_variance: false,
        probe_least: Span::ZERO,
        retries: 15,
        syn_retries: 6,
    }
}

/// Every second full segment is acknowledged at once, others after `delay`. The receive buffer is what a
/// SYN can tell, so that no window grows after it.
pub(crate) fn delaying(mut settings: Settings, delay: Span) -> Settings {
    settings.receive_buffer = settings.receive_buffer.or(Some(Size(65_535)));
    let rules = &mut settings.rules.acknowledgement;
    rules.threshold = Threshold::TwoSegments;
    (rules.delay_least, rules.delay_most) = (delay, delay);
    settings
}

pub(crate) fn cubic(mut settings: Settings) -> Settings {
    settings.rules.congestion.algorithm = Algorithm::CUBIC;
    settings
}

/// With ECN asked for.
pub(crate) fn marked(mut settings: Settings, algorithm: Algorithm) -> Settings {
    settings.rules.options.ecn = EcnUse::Yes;
    settings.rules.congestion.algorithm = algorithm;
    settings
}

pub(crate) fn without_window_scaling(mut settings: Settings) -> Settings {
    settings.rules.options.window_scaling = false;
    settings
}

pub(crate) fn with_initial_window(mut settings: Settings, segments: u32) -> Settings {
    settings.rules.congestion.initial_window = segments;
    settings
}
