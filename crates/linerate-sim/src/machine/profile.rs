//! A host's parameters, as TOML for people.

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// Above it an adaptor takes its receive buffers from the ring of large ones. Unit: bytes.
const STANDARD_MTU: u32 = 1500;
/// How much longer a frame in memory is than its packet. Unit: bytes. Source: IEEE 802.3, 3.2.
const ETHERNET_HEADER_BYTES: u64 = 14;

/// The most that is handed over at once. Unit: bytes. Linux's own limits are 64 KiB, and more with IPv6
/// (BIG TCP).
const MOST_OFFLOAD: u64 = 512 << 10;

/// A host: what each of its stages costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    /// One line about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// How fast its processor is, and how many there are.
    pub processor: Processor,
    /// What the kernel does, at the reference clock.
    pub costs: Costs,
    /// What moving bytes costs.
    pub memory: Memory,
    /// What is between memory and adaptor.
    pub bus: Bus,
    /// The network adaptor and its driver.
    pub adaptor: Adaptor,
}

/// The processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Processor {
    /// Its clock. Unit: MHz.
    pub clock_mhz: f64,
    /// The clock at which the costs were measured. Unit: MHz.
    pub reference_mhz: f64,
    /// Share of each cost of a processor that scales with its clock; the rest is memory's. From 0
    /// to 1.
    pub clock_share: f64,
    /// How many processors there are. Interrupts and protocol run on the first.
    pub count: u32,
    /// Whether applications run on the others; without it they stay on the processor that takes
    /// their interrupts (as with the schedulers of Linux up to 2.4), and the others stay idle.
    #[serde(default = "yes")]
    pub spread: bool,
    /// Both ends of the path are on this host (a loopback, a veth): the threads of its first and its last
    /// station run on these of its processors, and what one end sends, the other's protocol takes in the
    /// sender's call. If absent, each end is a host of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<[u8; 2]>,
    /// How long a thread of an end runs before the other, woken on the same processor, gets its turn.
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub slice: Span,
    /// Factor by which a multiprocessor kernel multiplies every cost of `[costs]`, because of
    /// locks.
    pub multiprocessor_factor: f64,
}

const fn yes() -> bool {
    true
}

/// The costs of the kernel's work, at the reference clock, on one processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Costs {
    /// A call of send or receive without its copies.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub system_call: Span,
    /// A data segment from the socket to the transmit ring.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub transmit: Span,
    /// A data segment from the receive ring to the socket.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub receive: Span,
    /// A bare acknowledgement to the transmit ring.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub transmit_acknowledgement: Span,
    /// A bare acknowledgement from the receive ring.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub receive_acknowledgement: Span,
    /// An interrupt.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub interrupt: Span,
    /// From a sleeper's wake-up until it runs.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub wake_up: Span,
    /// Each page of a buffer after its first (allocation by powers of two).
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub allocate_page: Span,
    /// A segment that the driver merges with the one before it (GRO).
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub merge: Span,
    /// Beginning to send: once for every call, or segment that arrives, of which data segments come, besides
    /// each of them.
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub push: Span,
    /// A segment's worth of payload that a call of receive takes, besides its bytes.
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub take: Span,
    /// A sleeper's wake-up, for the processor that wakes it.
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub wake: Span,
    /// From a sleeper's wake-up on another processor until its own begins `wake-up`: no processor's time.
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub wake_up_delay: Span,
    /// What a call that sends or receives costs more if the two ends of `processor.ends` have processors of
    /// their own: what both know of the connection passes from one's cache to the other's.
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub apart: Span,
    /// The same of each data segment, at both ends.
    #[serde(default, with = "span_text", skip_serializing_if = "is_nothing")]
    #[schemars(with = "SpanText")]
    pub apart_segment: Span,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_free(cost: &f64) -> bool {
    *cost == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_nothing(span: &Span) -> bool {
    *span == Span::ZERO
}

/// The processor time to move a byte, at the reference clock. Unit: nanoseconds a byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Memory {
    /// From the application into the kernel, within the cache.
    pub copy_in_ns: f64,
    /// From the kernel to the application, within the cache.
    pub copy_out_ns: f64,
    /// The extra cost of a copy where the message does not fit the cache.
    pub uncached_ns: f64,
    /// The extra cost of a copy, at both ends, if the two ends of `processor.ends` have processors of their
    /// own: the bytes pass from one's cache to the other's.
    #[serde(default, skip_serializing_if = "is_free")]
    pub apart_ns: f64,
    /// What a checksum adds to the copy in, where the adaptor does not compute it.
    pub checksum_in_ns: f64,
    /// A checksum of what arrived, where the adaptor did not compute it.
    pub checksum_out_ns: f64,
    /// The last cache.
    pub cache: Size,
    /// Memory for messages; beyond it they page.
    pub size: Size,
    /// The cost of each byte of a message beyond that. Unit: nanoseconds a byte.
    pub paging_ns: f64,
}

/// What is between memory and adaptor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
pub enum Bus {
    /// A shared parallel bus: PCI, PCI-X.
    #[serde(rename_all = "kebab-case")]
    Pci {
        /// Width. Unit: bits.
        width_bits: u32,
        /// Clock. Unit: MHz.
        clock_mhz: f64,
        /// The most that one transaction moves (MMRBC on PCI-X).
        burst: Size,
        /// Clocks of each transaction besides its data: arbitration, address, turn-around, latency.
        overhead_clocks: f64,
        /// Each transfer besides: doorbell, descriptor.
        #[serde(with = "span_text")]
        #[schemars(with = "SpanText")]
        setup: Span,
    },
    /// Lanes with packets, both directions at once.
    #[serde(rename_all = "kebab-case")]
    Pcie {
        /// Line rate of a lane after coding. Unit: Mb/s.
        lane_mbps: f64,
        /// How many.
        lanes: u32,
        /// The most payload of a packet.
        payload: Size,
        /// Header of a packet: its length beyond the payload. Unit: bytes.
        overhead: u32,
        /// Each transfer besides: doorbell, descriptor.
        #[serde(with = "span_text")]
        #[schemars(with = "SpanText")]
        setup: Span,
    },
    /// No bus at all: frames are handed over in memory (veth, loopback).
    Memory,
}

/// The adaptor and its driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Adaptor {
    /// Descriptors of frames to send.
    pub transmit_ring: u32,
    /// Descriptors of frames that come in: without a free one a frame is lost.
    pub receive_ring: u32,
    /// Frames that the interrupt handler may queue for the protocol; more are lost.
    pub backlog: u32,
    /// Memory for frames between bus and wire.
    pub fifo: Size,
    /// Latency of a frame in the adaptor besides bus and wire, each way.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub latency: Span,
    /// An interrupt comes this long after its first frame; zero is at once.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub coalesce_time: Span,
    /// Or as soon as no frame has come for this long; with zero, that does not matter.
    #[serde(default, with = "span_text", skip_serializing_if = "is_zero")]
    #[schemars(with = "SpanText")]
    pub coalesce_gap: Span,
    /// Or as soon as this many frames wait.
    pub coalesce_frames: u32,
    /// The driver goes on looking for frames as long as the protocol has some, without interrupts
    /// (NAPI, Linux 2.6 and later).
    #[serde(default)]
    pub polling: bool,
    /// The most payload that it is given at once and cuts into segments (TSO). If absent, it is given
    /// single segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segmentation_offload: Option<Size>,
    /// The most payload that its driver merges before the protocol sees it (GRO). If absent, it
    /// merges nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_offload: Option<Size>,
    /// It computes checksums of what is sent.
    pub checksum_transmit: bool,
    /// It checks those of what arrives.
    pub checksum_receive: bool,
    /// What a receive buffer is charged, header of the buffer included, for the usual MTU.
    pub standard_buffer: Size,
    /// And for a larger MTU. If absent, the power of two that holds a frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jumbo_buffer: Option<Size>,
}

impl Bus {
    fn is_sound(&self) -> bool {
        match self {
            Self::Pci { width_bits, clock_mhz, burst, overhead_clocks, .. } => {
                let clocks = *clock_mhz > 0.0 && clock_mhz.is_finite() && *overhead_clocks >= 0.0;
                *width_bits > 0 && clocks && overhead_clocks.is_finite() && burst.bytes() > 0
            }
            Self::Pcie { lane_mbps, lanes, payload, .. } => {
                *lane_mbps > 0.0 && lane_mbps.is_finite() && *lanes > 0 && payload.bytes() > 0
            }
            Self::Memory => true,
        }
    }
}

impl Profile {
    /// A host that costs nothing: for TCP alone.
    #[must_use]
    pub fn free() -> Self {
        let none = Span::ZERO;
        Self {
            about: "costs nothing".to_owned(),
            processor: Processor {
                clock_mhz: 1.0,
                reference_mhz: 1.0,
                clock_share: 1.0,
                count: 1,
                spread: true,
                ends: None,
                slice: none,
                multiprocessor_factor: 1.0,
            },
            costs: Costs {
                system_call: none,
                transmit: none,
                receive: none,
                transmit_acknowledgement: none,
                receive_acknowledgement: none,
                interrupt: none,
                wake_up: none,
                allocate_page: none,
                merge: none,
                push: none,
                take: none,
                wake: none,
                wake_up_delay: none,
                apart: none,
                apart_segment: none,
            },
            memory: Memory {
                copy_in_ns: 0.0,
                copy_out_ns: 0.0,
                uncached_ns: 0.0,
                apart_ns: 0.0,
                checksum_in_ns: 0.0,
                checksum_out_ns: 0.0,
                cache: Size(1 << 60),
                size: Size(1 << 60),
                paging_ns: 0.0,
            },
            bus: Bus::Memory,
            adaptor: Adaptor {
                transmit_ring: 1 << 16,
                receive_ring: 1 << 16,
                backlog: 1 << 16,
                fifo: Size(1 << 20),
                latency: none,
                coalesce_time: none,
                coalesce_gap: none,
                coalesce_frames: 1,
                polling: true,
                segmentation_offload: None,
                receive_offload: None,
                checksum_transmit: true,
                checksum_receive: true,
                standard_buffer: Size(2048),
                jumbo_buffer: None,
            },
        }
    }

    /// Checks every value; `table` is what the plan calls the host.
    ///
    /// # Errors
    ///
    /// With the key, the value and what is allowed.
    pub fn check(&self, table: &'static str) -> Result<(), ModelError> {
        let Self { processor, memory, adaptor, .. } = self;
        let positive = |value: f64| value.is_finite() && value > 0.0 && value < 1e9;
        let cost = |value: f64| value.is_finite() && (0.0..1e9).contains(&value);
        let share = (0.0..=1.0).contains(&processor.clock_share);
        let offload = |most: Option<Size>| most.is_none_or(|most| (1..=MOST_OFFLOAD).contains(&most.bytes()));
        let checks = [
            (positive(processor.clock_mhz), "processor.clock-mhz must be above 0"),
            (positive(processor.reference_mhz), "processor.reference-mhz must be above 0"),
            (share, "processor.clock-share must be from 0 to 1"),
            ((1..=64).contains(&processor.count), "processor.count must be from 1 to 64"),
            (
                processor
                    .ends
                    .is_none_or(|ends| ends.into_iter().all(|end| u32::from(end) < processor.count)),
                "processor.ends must be two of its processors, counted from 0",
            ),
            (
                processor.ends.is_none()
                    || adaptor.segmentation_offload.or(adaptor.receive_offload).is_none(),
                "processor.ends needs single segments: leave out segmentation-offload and receive-offload",
            ),
            (positive(processor.multiprocessor_factor), "processor.multiprocessor-factor must be above 0"),
            (cost(memory.copy_in_ns), "memory.copy-in-ns must not be negative"),
            (cost(memory.copy_out_ns), "memory.copy-out-ns must not be negative"),
            (cost(memory.uncached_ns), "memory.uncached-ns must not be negative"),
            (cost(memory.apart_ns), "memory.apart-ns must not be negative"),
            (cost(memory.checksum_in_ns), "memory.checksum-in-ns must not be negative"),
            (cost(memory.checksum_out_ns), "memory.checksum-out-ns must not be negative"),
            (cost(memory.paging_ns), "memory.paging-ns must not be negative"),
            (memory.size.bytes() > 0, "memory.size must be above 0"),
            (self.bus.is_sound(), "bus: widths, clocks, lanes, bursts and rates must be above 0"),
            (adaptor.transmit_ring > 0, "adaptor.transmit-ring must be at least 1"),
            (adaptor.receive_ring > 0, "adaptor.receive-ring must be at least 1"),
            (adaptor.backlog > 0, "adaptor.backlog must be at least 1"),
            (adaptor.coalesce_frames > 0, "adaptor.coalesce-frames must be at least 1"),
            (adaptor.standard_buffer.bytes() > 0, "adaptor.standard-buffer must be above 0"),
            (
                offload(adaptor.segmentation_offload),
                "adaptor.segmentation-offload must be from 1 B to 512 KiB",
            ),
            (offload(adaptor.receive_offload), "adaptor.receive-offload must be from 1 B to 512 KiB"),
        ];
        match checks.into_iter().find(|(sound, _)| !sound) {
            None => Ok(()),
            Some((_, rule)) => Err(ModelError::value(table, "not a valid host", format!("{table}.{rule}"))),
        }
    }

    /// What the buffer of a received frame takes, for an interface with that MTU. Unit: bytes.
    #[must_use]
    pub fn receive_buffer(&self, mtu: u32) -> u64 {
        if mtu <= STANDARD_MTU {
            return self.adaptor.standard_buffer.bytes();
        }
        let frame = u64::from(mtu) + ETHERNET_HEADER_BYTES;
        self.adaptor.jumbo_buffer.map_or_else(|| frame.next_power_of_two(), Size::bytes).max(frame)
    }
}

fn is_zero(span: &Span) -> bool {
    *span == Span::ZERO
}
