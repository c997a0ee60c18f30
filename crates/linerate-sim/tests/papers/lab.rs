//! Two modelled hosts as a plan describes them, and single trials on them.

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_core::units::{Rate, Size, Span};
use linerate_sim::frame::Station;
use linerate_sim::machine::{AdaptorCounters, Bus, Profile};
use linerate_sim::model::{self, Curve};
use linerate_sim::plan::{HostPlan, ModelPlan, Network, TcpPlan};
use linerate_sim::stack::Side;
use linerate_sim::tcp::Connection;

/// One of `plans/papers`.
pub(crate) fn paper(name: &str) -> ModelPlan {
    let path = format!("{}/../../plans/papers/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    ModelPlan::from_toml(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Both hosts of a plan that has one description for both.
pub(crate) fn host(plan: &mut ModelPlan) -> &mut Profile {
    assert!(plan.peer.is_none(), "both hosts are alike");
    &mut plan.host.as_mut().expect("the plan has hosts").0
}

pub(crate) fn tcp(plan: &mut ModelPlan) -> &mut TcpPlan {
    plan.tcp.as_mut().expect("the plan has TCP")
}

/// The plan with other hosts at both ends.
pub(crate) fn with_host(mut plan: ModelPlan, profile: Profile) -> ModelPlan {
    plan.host = Some(HostPlan(profile));
    plan
}

/// The plan with another MTU (bytes).
pub(crate) fn with_mtu(mut plan: ModelPlan, mtu: u32) -> ModelPlan {
    let Network::Ethernet(network) = &mut plan.network else { panic!("only Ethernet's MTU is changed") };
    network.mtu = mtu;
    plan
}

/// A connection between the two hosts of a plan.
pub(crate) struct Lab {
    pub(crate) curve: Curve,
}

impl Lab {
    pub(crate) fn new(plan: &ModelPlan) -> Self {
        let curve = model::curve(plan, None).unwrap_or_else(|error| panic!("{error}"));
        assert!(curve.exact.is_some(), "nothing in it is random");
        Self { curve }
    }

    /// The one-way time of each of this many messages.
    pub(crate) fn times(&mut self, pattern: Pattern, size: u64, samples: u32) -> Vec<Span> {
        self.run(Trial { pattern, size, samples, batch: 1, lead: 0, seed: 1, check: Check::Marks })
    }

    /// The same, every byte of them compared.
    pub(crate) fn verified(&mut self, pattern: Pattern, size: u64, samples: u32) -> Vec<Span> {
        self.run(Trial { pattern, size, samples, batch: 1, lead: 0, seed: 1, check: Check::Full })
    }

    fn run(&mut self, trial: Trial) -> Vec<Span> {
        self.curve.bench.run(&trial).unwrap_or_else(|error| panic!("{trial:?}: {error}")).times
    }

    /// The one-way time of a message of a ping-pong: the middle one of eight.
    pub(crate) fn one_way(&mut self, size: u64) -> Span {
        let mut times = self.times(Pattern::PingPong, size, 8);
        times.sort();
        times[4]
    }

    /// Throughput of a ping-pong of such messages. Unit: Mb/s.
    pub(crate) fn mbps(&mut self, size: u64) -> f64 {
        mbps(size, self.one_way(size))
    }

    /// Reads the protocol at an end.
    pub(crate) fn connection<T>(&self, side: Side, read: impl FnOnce(&Connection) -> T) -> T {
        self.curve.bench.look(|world| read(world.stations.connection(0, side).expect("the only flow")))
    }

    /// What the adaptor of a station counted.
    pub(crate) fn adaptor(&self, station: u32) -> AdaptorCounters {
        self.curve.bench.look(|world| world.stations.machine(Station(station)).expect("it has one").adaptor())
    }
}

/// Unit: Mb/s.
pub(crate) fn mbps(bytes: u64, span: Span) -> f64 {
    Rate::of(bytes, span).expect("it took time").as_mbps()
}

/// The plan with socket buffers asked for at both ends (bytes).
pub(crate) fn asking(mut plan: ModelPlan, buffer: Option<u64>) -> ModelPlan {
    let tcp = tcp(&mut plan);
    (tcp.receive_buffer, tcp.send_buffer) = (buffer.map(Size), buffer.map(Size));
    plan
}

/// Headers of IPv4 and TCP with timestamps (RFC 791, 9293, 7323). Unit: bytes.
pub(crate) const HEADERS: u64 = 52;

/// A packet (bytes) on a line of 1 Gb/s, with preamble, header and checksum (IEEE 802.3, 3.1.1).
pub(crate) fn on_the_wire(packet: u64) -> Span {
    Span::from_ns(8) * ((packet + 18).max(64) + 8)
}

/// B(L): a packet (bytes) on a parallel bus, from docs/models/host.md.
pub(crate) fn bus_span(bus: &Bus, packet: u64) -> Span {
    let Bus::Pci { width_bits, clock_mhz, burst, overhead_clocks, setup } = bus else {
        panic!("the form is that of a parallel bus")
    };
    let bursts = packet.div_ceil(burst.bytes()) as f64;
    let clocks = packet as f64 * 8.0 / f64::from(*width_bits) + bursts * overhead_clocks;
    *setup + Span::from_seconds(clocks / (clock_mhz * 1e6))
}

/// A parallel bus in round numbers: 10 ns a byte, 320 ns a burst of up to 256 B, 1 us a transfer.
pub(crate) fn round_bus() -> Bus {
    Bus::Pci {
        width_bits: 32,
        clock_mhz: 25.0,
        burst: Size(256),
        overhead_clocks: 8.0,
        setup: Span::from_us(1),
    }
}

/// A host that costs nothing, whose adaptor interrupts for every frame and leaves checksums to it.
pub(crate) fn free_host() -> Profile {
    let mut profile = Profile::free();
    profile.adaptor.polling = false;
    profile.adaptor.checksum_receive = false;
    profile
}

/// The host to check by hand of docs/models/host.md.
pub(crate) fn round_host() -> Profile {
    let mut profile = free_host();
    profile.bus = round_bus();
    profile.costs.system_call = Span::from_us(3);
    profile.costs.transmit = Span::from_us(10);
    profile.costs.receive = Span::from_us(9);
    profile.costs.interrupt = Span::from_us(7);
    profile.costs.wake_up = Span::from_us(9);
    profile.costs.transmit_acknowledgement = Span::from_us(6);
    profile.costs.receive_acknowledgement = Span::from_us(5);
    (profile.memory.copy_in_ns, profile.memory.copy_out_ns) = (5.0, 5.0);
    profile.memory.checksum_out_ns = 3.5;
    profile.adaptor.latency = Span::from_us(5);
    profile
}
