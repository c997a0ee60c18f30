//! Servers of other tools as peers: which one the name of a host asks for, and what its protocol can carry.

use super::{Direction, Load, Plan, PlanError, StreamPlan, Task};
use crate::options::{Io, SocketOptions};
use crate::transport::Transport;
use crate::units::{Size, Span};

/// Another tool whose server can be the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// iperf3: bulk over TCP and UDP.
    Iperf3,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Self; 1] = [Self::Iperf3];

    /// What its addresses begin with, before `://`.
    #[must_use]
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::Iperf3 => "iperf3",
        }
    }

    /// The port of its server, unless the address names one.
    #[must_use]
    pub const fn port(self) -> u16 {
        match self {
            Self::Iperf3 => 5201,
        }
    }

    /// The tool whose server `host` names, as `iperf3://HOST` or `iperf3://HOST:PORT`, and its address. None for a linerate.
    #[must_use]
    pub fn of(host: &str) -> Option<(Self, &str)> {
        let (scheme, address) = host.split_once("://")?;
        let tool = Self::ALL.into_iter().find(|tool| tool.scheme() == scheme)?;
        Some((tool, address))
    }

    /// Refuses what the protocols of the peers that `plan` names cannot carry.
    pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
        for host in plan.hosts().filter(|host| host.contains("://")) {
            let range = |ok, allowed| PlanError::range(ok, "host", host.to_owned(), allowed);
            let Some((Self::Iperf3, _)) = Self::of(host) else {
                return range(false, "HOST or HOST:PORT of a linerate, or iperf3://HOST");
            };
            let Task::Stream(task) = &plan.task else {
                return range(false, "the peer of `linerate stream`: iperf3 carries bulk and nothing else");
            };
            range(task.more_hosts.is_empty(), "the only host: an iperf3 server is measured alone")?;
            let remote = plan.common.remote.cpu_latency_us;
            let allowed = "left out: iperf3 cannot keep its host awake";
            PlanError::range(remote.is_none(), "cpu-latency-us", remote.unwrap_or(0).to_string(), allowed)?;
            let memory = &plan.common.memory;
            let allowed = "left out: an iperf3 server has its messages in one place";
            PlanError::range(memory.is_plain(), "memory", memory.named(), allowed)?;
            let transport = plan.common.transport;
            for asked in plan.loads()? {
                let Load { stream: Some(bulk), socket, time, .. } = &asked.load else { continue };
                iperf3(transport, bulk, *time)?;
                iperf3_socket(socket)?;
            }
        }
        Ok(())
    }
}

/// The most streams of iperf3 each way, its longest message over TCP and over UDP, its shortest, and its longest times.
/// Source: iperf3(1), and its server.
const STREAMS: u32 = 128;
const LONGEST: u64 = 1 << 20;
const DATAGRAM: std::ops::RangeInclusive<u64> = 16..=65_507;
const OMITTED: Span = Span::from_ms(600_000);

fn iperf3(transport: Transport, bulk: &StreamPlan, time: Span) -> Result<(), PlanError> {
    let range = PlanError::range;
    let udp = transport == Transport::Udp;
    let known = udp || transport == Transport::Tcp;
    range(known, "transport", transport.to_string(), "tcp or udp: iperf3 has no other")?;
    range(bulk.flows <= STREAMS, "flows", bulk.flows.to_string(), "at most 128, as many as iperf3 takes")?;
    let threads = bulk.threads.map_or_else(String::new, |threads| threads.to_string());
    range(bulk.threads.is_none(), "threads", threads, "left out: each flow of iperf3 has a thread here")?;
    let length = bulk.message.map_or(LONGEST, Size::bytes);
    let shown = || bulk.message.map_or_else(String::new, |message| message.to_string());
    if udp {
        let fits = bulk.message.is_none() || DATAGRAM.contains(&length);
        range(fits, "message", shown(), "from 16 to 65507 B: a datagram of iperf3")?;
    } else {
        range(length <= LONGEST, "message", shown(), "at most 1 MiB, as iperf3 takes")?;
    }
    let whole = bulk.warm_up.as_ps().is_multiple_of(Span::from_ms(1_000).as_ps()) && bulk.warm_up <= OMITTED;
    range(whole, "warm-up", bulk.warm_up.exact(), "whole seconds, at most 600: iperf3 omits no part of one")?;
    range(time <= Span::from_ms(86_400_000), "time", time.exact(), "at most 24h")?;
    if let Some(rate) = bulk.read_rate {
        let here = bulk.direction == Direction::Receive;
        range(here, "read-rate", rate.to_string(), "left out: an iperf3 server reads as fast as it can")?;
    }
    let shared = !bulk.lasts() && bulk.direction != Direction::Send && bulk.flows > 1;
    let allowed =
        "1 where an iperf3 server sends a number of bytes: it counts those of all its flows together";
    range(!shared, "flows", bulk.flows.to_string(), allowed)?;
    let Some(bytes) = bulk.bytes.filter(|_| udp) else { return Ok(()) };
    let whole = bulk.message.is_some_and(|message| bytes.bytes().is_multiple_of(message.bytes().max(1)));
    let allowed = "a multiple of --message: a datagram of iperf3 must not be shorter than the others";
    range(whole, "bytes", bytes.to_string(), allowed)
}

fn iperf3_socket(socket: &SocketOptions) -> Result<(), PlanError> {
    let buffers =
        |size: Option<Size>| size.map_or_else(|| "the system's".to_owned(), |size| size.to_string());
    let one = socket.sndbuf == socket.rcvbuf;
    let allowed = "as large as rcvbuf: iperf3 has one option for both";
    PlanError::range(one, "sndbuf", buffers(socket.sndbuf), allowed)?;
    let io = matches!(socket.io, Io::SendRecv | Io::Sendfile) && socket.receive_io.is_none();
    PlanError::range(io, "io", socket.io.to_string(), "send-recv or sendfile: iperf3 has no other")?;
    for (asked, field) in [
        (socket.busy_poll.is_some(), "busy-poll"),
        (socket.ecn.is_some(), "ecn"),
        (socket.gso, "gso"),
        (socket.gro, "gro"),
        (socket.batch.is_some(), "batch"),
    ] {
        PlanError::range(
            !asked,
            field,
            "given".to_owned(),
            "left out: an iperf3 server cannot be asked for it",
        )?;
    }
    Ok(())
}
