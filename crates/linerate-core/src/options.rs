//! The options requested for the sockets, and what the operating system granted.

use std::ops::Not;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::named::named;
use crate::units::Size;

/// The options requested for each data socket, at both ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SocketOptions {
    /// Send buffer (`SO_SNDBUF`). If absent, the kernel tunes it. Unit: bytes, as requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sndbuf: Option<Size>,
    /// Receive buffer (`SO_RCVBUF`). If absent, the kernel tunes it. Unit: bytes, as requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rcvbuf: Option<Size>,
    /// `TCP_NODELAY`: send small segments at once instead of waiting for acknowledgements (Nagle).
    pub nodelay: bool,
    /// Congestion control algorithm by its kernel name, such as `cubic`. If absent, the system's
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<String>,
    /// Largest TCP segment payload requested (`TCP_MAXSEG`). Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<u16>,
    /// Differentiated services code point, 0 to 63 (RFC 2474).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dscp: Option<u8>,
    /// Datagrams of a stream: the code point of explicit congestion notification that they leave with. Those that
    /// arrive are counted by theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<Ecn>,
    /// `SO_BUSY_POLL`: how long a blocking receive polls the device queue. Unit: microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_poll: Option<u32>,
    /// How a receiver waits for bytes.
    #[serde(skip_serializing_if = "Waiting::is_block")]
    pub wait: Waiting,
    /// Which system calls move the bytes.
    pub io: Io,
    /// Which system calls receive, if others than `io`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_io: Option<Io>,
    /// Datagrams: pass many datagrams of a flow to the kernel in one call, which splits them
    /// (`UDP_SEGMENT`).
    #[serde(skip_serializing_if = "Not::not")]
    pub gso: bool,
    /// Datagrams: receive many datagrams of a flow from the kernel as one buffer (`UDP_GRO`).
    #[serde(skip_serializing_if = "Not::not")]
    pub gro: bool,
    /// Datagrams: do not let this host or a router fragment them (`IP_PMTUDISC_DO`), so each must
    /// fit the path MTU.
    #[serde(skip_serializing_if = "Not::not")]
    pub dont_fragment: bool,
    /// Datagrams of a flow that one call sends or receives (`sendmmsg`, `recvmmsg`), 1 to 1024. If
    /// absent, the transport chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
}

impl SocketOptions {
    /// Which system calls receive.
    #[must_use]
    pub fn receives(&self) -> Io {
        self.receive_io.unwrap_or(self.io)
    }
}

impl Default for SocketOptions {
    fn default() -> Self {
        Self {
            sndbuf: None,
            rcvbuf: None,
            nodelay: true,
            congestion: None,
            mss: None,
            dscp: None,
            ecn: None,
            busy_poll: None,
            wait: Waiting::Block,
            io: Io::default(),
            receive_io: None,
            gso: false,
            gro: false,
            dont_fragment: false,
            batch: None,
        }
    }
}

/// A code point by which a sender says that a queue may mark its packets instead of dropping them.
///
/// Source: RFC 3168, section 5; RFC 8311 and RFC 9331 for ECT(1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ecn {
    /// ECT(0), as TCP sends.
    #[default]
    Ect0,
    /// ECT(1), which asks for the queue of low latency (L4S).
    Ect1,
}

impl Ecn {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ect0, Self::Ect1];

    /// The name on the command line and in plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ect0 => "ect0",
            Self::Ect1 => "ect1",
        }
    }

    /// The name in the standard.
    #[must_use]
    pub const fn code_point(self) -> &'static str {
        match self {
            Self::Ect0 => "ECT(0)",
            Self::Ect1 => "ECT(1)",
        }
    }

    /// The two lowest bits of the octet of the differentiated services.
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            Self::Ect0 => 0b10,
            Self::Ect1 => 0b01,
        }
    }
}

named!(Ecn, "`{}` is none of {}");

/// How a receiver waits for bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// It sleeps until some arrive: what a message takes includes waking its processor.
    #[default]
    Block,
    /// It asks again and again, so that its processor never sleeps.
    Spin,
}

impl Waiting {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Block, Self::Spin];

    /// The name on the command line and in plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Spin => "spin",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    const fn is_block(&self) -> bool {
        matches!(self, Self::Block)
    }
}

named!(Waiting, "`{}` is none of {}");

/// Which system calls move the bytes. An engine for one direction only uses `send` or `recv` for
/// the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Io {
    /// `read` and `write`.
    ReadWrite,
    /// `send` and `recv`: the bytes are copied, as in most applications.
    #[default]
    SendRecv,
    /// `sendmsg` and `recvmsg` with one buffer.
    Sendmsg,
    /// Out: `sendfile` from a file in memory.
    Sendfile,
    /// Out: `vmsplice` into a pipe and `splice` to the socket. In: `splice` to a pipe and on to
    /// `/dev/null`.
    Splice,
    /// Out: `send` with `MSG_ZEROCOPY`; the kernel says for each send whether it really avoided the
    /// copy.
    Zerocopy,
    /// In: `recv` with `MSG_TRUNC`, so that TCP throws the bytes away without a copy.
    Truncate,
    /// In: `TCP_ZEROCOPY_RECEIVE` maps full pages and copies the rest.
    ZerocopyReceive,
    /// `io_uring`: `send` and `recv`, one at a time.
    Uring,
    /// `io_uring` with buffers that are registered once.
    UringFixed,
    /// In: one `io_uring` multishot `recv` that fills buffers of a ring.
    UringMultishot,
    /// Out: `io_uring`'s `send_zc`.
    UringZerocopy,
}

impl Io {
    /// Every choice, for help texts, documentation and tests.
    pub const ALL: [Self; 12] = [
        Self::ReadWrite,
        Self::SendRecv,
        Self::Sendmsg,
        Self::Sendfile,
        Self::Splice,
        Self::Zerocopy,
        Self::Truncate,
        Self::ZerocopyReceive,
        Self::Uring,
        Self::UringFixed,
        Self::UringMultishot,
        Self::UringZerocopy,
    ];

    /// The name on the command line and in plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "read-write",
            Self::SendRecv => "send-recv",
            Self::Sendmsg => "sendmsg",
            Self::Sendfile => "sendfile",
            Self::Splice => "splice",
            Self::Zerocopy => "zerocopy",
            Self::Truncate => "truncate",
            Self::ZerocopyReceive => "zerocopy-receive",
            Self::Uring => "uring",
            Self::UringFixed => "uring-fixed",
            Self::UringMultishot => "uring-multishot",
            Self::UringZerocopy => "uring-zerocopy",
        }
    }

    /// Whether its calls can be non-blocking, which a thread with many flows needs. If not, such a
    /// thread uses `send` and `recv`.
    #[must_use]
    pub const fn returns_at_once(self) -> bool {
        !matches!(
            self,
            Self::ReadWrite | Self::Sendfile | Self::Splice | Self::UringFixed | Self::UringMultishot
        )
    }

    /// Whether what arrives is really in the application's memory afterwards.
    #[must_use]
    pub const fn delivers(self) -> bool {
        !matches!(self, Self::Splice | Self::Truncate)
    }
}

named!(Io, "`{}` is none of {}");

/// Where messages lie in memory, and what the application does with them. Applies to curves and
/// bulk flows, in each direction at both ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MemoryOptions {
    /// Memory that the messages of one direction cycle through, so that it fits a cache or does
    /// not. If absent, every message uses the same memory. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_set: Option<Size>,
    /// Read every cache line that arrived, as an application would.
    pub touch: bool,
    /// Distance of the messages from a page boundary. Unit: bytes, below 4096.
    pub offset: u16,
    /// Ask for huge pages (`MADV_HUGEPAGE`).
    pub huge_pages: bool,
}

impl MemoryOptions {
    /// Whether all options have their defaults.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The names of the options that are set, as in plans.
    pub(crate) fn named(&self) -> String {
        let asked = [
            ("working-set", self.working_set.is_some()),
            ("touch", self.touch),
            ("offset", self.offset > 0),
            ("huge-pages", self.huge_pages),
        ];
        let names: Vec<_> = asked.into_iter().filter_map(|(name, asked)| asked.then_some(name)).collect();
        names.join(", ")
    }
}

/// How an MPI is asked to carry the messages of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MpiOptions {
    /// When a message is received.
    pub receive: Receive,
    /// Messages that are on their way at once where they do not wait for each other, 1 to 1024: `MPI_Isend` and
    /// `MPI_Irecv`. If absent, one call sends or receives one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
}

impl MpiOptions {
    /// Whether all options have their defaults.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// When a receiver asks an MPI for a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Receive {
    /// When it wants the message (`MPI_Recv`), whether that has arrived or not: as most programs do.
    #[default]
    Called,
    /// Before the message can be sent (`MPI_Irecv`): it goes where it belongs at once.
    Posted,
    /// After the message has arrived (`MPI_Probe`, then `MPI_Recv`): the library first has to put it somewhere.
    Unexpected,
}

impl Receive {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Called, Self::Posted, Self::Unexpected];

    /// The name on the command line and in plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Called => "called",
            Self::Posted => "posted",
            Self::Unexpected => "unexpected",
        }
    }
}

named!(Receive, "`{}` is none of {}");

/// The options that one end's data socket really has, read back after they were set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Granted {
    /// The send buffer as the kernel states it. Linux doubles the requested size (socket(7)). Unit:
    /// bytes.
    pub sndbuf: Fact<u64>,
    /// The receive buffer as the kernel states it, doubled likewise. Unit: bytes.
    pub rcvbuf: Fact<u64>,
    /// The largest window the receive buffer can offer, after the kernel's share for its own
    /// overhead (`tcp_adv_win_scale`, truesize). Unit: bytes.
    pub usable_window: Fact<u64>,
    /// Whether `TCP_NODELAY` is on.
    pub nodelay: Fact<bool>,
    /// The congestion control algorithm in force.
    pub congestion: Fact<String>,
    /// Largest segment payload this end sends. Unit: bytes.
    pub mss: Fact<u64>,
    /// Path MTU as the kernel knows it. Unit: bytes of IP packet.
    pub path_mtu: Fact<u64>,
    /// The differentiated services code point in force.
    pub dscp: Fact<u8>,
    /// `SO_BUSY_POLL`. Unit: microseconds.
    pub busy_poll: Fact<u32>,
    /// TCP timestamps negotiated (RFC 7323): 12 bytes of every segment.
    pub timestamps: Fact<bool>,
    /// Whether Multipath TCP carries it; false where it has fallen back to TCP (RFC 8684, section
    /// 3.7). Absent if it was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipath: Option<Fact<bool>>,
    /// The TLS cipher suite that encrypts the bytes. If absent, they are not encrypted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cipher: Option<String>,
    /// How much of the messages' memory at this end the kernel has in huge pages (`AnonHugePages`,
    /// proc_pid_smaps(5)). Absent if they were not requested. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge_pages: Option<Fact<u64>>,
    /// The processor that the measuring thread was pinned to, if any.
    pub pinned: Option<u32>,
    /// The longest that processors may take to wake, while the measurement holds that
    /// (`/dev/cpu_dma_latency`). Absent if it was not requested. Unit: microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_latency_us: Option<Fact<u32>>,
}
