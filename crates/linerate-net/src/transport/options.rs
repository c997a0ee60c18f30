//! The options requested for a data socket, and what it was granted.

use std::io;
use std::net::{TcpStream, UdpSocket};

use linerate_core::comm::Segments;
use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::observation::Connection;
use linerate_core::options::{Ecn, Granted, SocketOptions};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Span};
use socket2::Socket;

use crate::sys::socket_option;
use crate::sys::tcp_info::{Queues, TcpInfo, queues, tcp_info, window_clamp};

/// Bits of a type-of-service byte below the code point. Source: RFC 2474, section 3.
pub(super) const ECN_BITS: u32 = 2;
/// `TCPI_OPT_TIMESTAMPS` of linux/tcp.h.
const TIMESTAMPS: u8 = 1;
/// `TCP_INFINITE_SSTHRESH` of net/tcp.h: no loss so far.
const NO_THRESHOLD: u32 = 0x7fff_ffff;
/// What `tcpi_min_rtt` is before the first round trip was timed: all bits set.
const NO_ROUND_TRIP: u32 = u32::MAX;

/// An option that the operating system refuses. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[error("set {option} to {value}: {source}")]
pub struct OptionError {
    /// The option's name on the command line.
    pub option: &'static str,
    /// What was asked.
    pub value: String,
    /// What the operating system answered.
    pub source: io::Error,
}

/// The shortest round trip of a connection, without queues of its own; zero if TCP does not say.
pub(crate) fn round_trip(stream: &TcpStream) -> Span {
    let us = tcp_info(stream).map_or(NO_ROUND_TRIP, |info| info.tcpi_min_rtt);
    if us == NO_ROUND_TRIP { Span::ZERO } else { Span::from_us(us.into()) }
}

/// Segments with payload that TCP has sent on a connection, if it says so.
pub(crate) fn segments(stream: &TcpStream) -> Option<Segments> {
    let info = tcp_info(stream).ok()?;
    let unneeded = info.tcpi_dsack_dups;
    Some(Segments {
        sent: info.tcpi_data_segs_out.into(),
        retransmitted: info.tcpi_total_retrans.saturating_sub(unneeded).into(),
    })
}

/// How long ago anything came from the peer: bytes, or the acknowledgement of ours.
///
/// # Errors
///
/// When the kernel does not say.
pub(crate) fn heard_ago(socket: &Socket) -> io::Result<Span> {
    let info = tcp_info(socket)?;
    Ok(Span::from_ms(info.tcpi_last_data_recv.min(info.tcpi_last_ack_recv).into()))
}

/// What the kernel has heard of the path of a connected socket of datagrams, at most what 16 bits hold. Unit: bytes of IP
/// packet.
pub(crate) fn announced(socket: &UdpSocket) -> io::Result<u16> {
    let mtu = socket_option::path_mtu(socket, crate::control::is_ipv6(socket))?;
    Ok(u16::try_from(mtu).unwrap_or(u16::MAX))
}

/// Sets `asked` on a socket. Buffers and MSS affect the handshake, so call it before that if
/// possible.
///
/// # Errors
///
/// The first option that is refused. A value granted in part is not an error; see [`granted`].
pub fn apply(socket: &Socket, asked: &SocketOptions, ipv6: bool) -> Result<(), OptionError> {
    apply_to_socket(socket, asked)?;
    socket.set_tcp_nodelay(asked.nodelay).map_err(refused("nodelay", asked.nodelay.to_string()))?;
    if let Some(name) = &asked.congestion {
        socket_option::set_congestion(socket, name).map_err(refused("congestion", name.clone()))?;
    }
    if let Some(mss) = asked.mss {
        socket.set_tcp_mss(u32::from(mss)).map_err(refused("mss", mss.to_string()))?;
    }
    apply_class(socket, asked, ipv6)
}

/// The part of [`apply`] that every socket has: buffers and busy polling.
pub(super) fn apply_to_socket(socket: &Socket, asked: &SocketOptions) -> Result<(), OptionError> {
    apply_buffers(socket, asked)?;
    if let Some(us) = asked.busy_poll {
        socket_option::set_busy_poll(socket, us).map_err(refused("busy-poll", us.to_string()))?;
    }
    Ok(())
}

/// Sets the buffers that are asked, on a socket of any family.
///
/// # Errors
///
/// The first option that is refused.
pub(super) fn apply_buffers(socket: &Socket, asked: &SocketOptions) -> Result<(), OptionError> {
    if let Some(size) = asked.sndbuf {
        let bytes = usize::try_from(size.0).unwrap_or(usize::MAX);
        socket.set_send_buffer_size(bytes).map_err(refused("sndbuf", size.to_string()))?;
    }
    if let Some(size) = asked.rcvbuf {
        let bytes = usize::try_from(size.0).unwrap_or(usize::MAX);
        socket.set_recv_buffer_size(bytes).map_err(refused("rcvbuf", size.to_string()))?;
    }
    Ok(())
}

/// Asks for the largest receive buffer that the host grants (`net.core.rmem_max`), unless one was asked
/// for: what a datagram socket cannot hold is lost.
pub(super) fn widen_receive_buffer(socket: &Socket, asked: &SocketOptions) -> Result<(), OptionError> {
    if asked.rcvbuf.is_some() {
        return Ok(());
    }
    // The kernel cuts it to what it allows.
    let most = i32::MAX as usize / 2;
    socket.set_recv_buffer_size(most).map_err(refused("rcvbuf", most.to_string()))
}

/// For `map_err`: which option was refused.
pub(super) fn refused(option: &'static str, value: String) -> impl FnOnce(io::Error) -> OptionError {
    move |source| OptionError { option, value, source }
}

/// Refuses options of TCP or IP where neither carries the bytes.
///
/// # Errors
///
/// The first requested option that has no meaning for `transport`.
pub(super) fn without_tcp(asked: &SocketOptions, transport: Transport) -> Result<(), OptionError> {
    let asked = [
        ("congestion", asked.congestion.clone()),
        ("mss", asked.mss.map(|mss| mss.to_string())),
        ("dscp", asked.dscp.map(|dscp| dscp.to_string())),
        ("busy-poll", asked.busy_poll.map(|us| us.to_string())),
    ];
    match asked.into_iter().find_map(|(option, value)| Some((option, value?))) {
        Some((option, value)) => Err(not_of(transport, option, value)),
        None => Ok(()),
    }
}

/// The same where one buffer is between the two ends, which `sndbuf` sets.
///
/// # Errors
///
/// The first option that is asked and has no meaning for `transport`.
pub(super) fn with_one_buffer(asked: &SocketOptions, transport: Transport) -> Result<(), OptionError> {
    without_tcp(asked, transport)?;
    asked.rcvbuf.map_or(Ok(()), |size| Err(not_of(transport, "rcvbuf", size.to_string())))
}

/// An option that has no meaning for a transport.
pub(super) fn not_of(transport: Transport, option: &'static str, value: String) -> OptionError {
    let why = format!("the transport {transport} has no such option");
    OptionError { option, value, source: io::Error::new(io::ErrorKind::Unsupported, why) }
}

/// The options of a channel that neither TCP nor IP carries: all unknown, except what the caller
/// adds.
pub(super) fn unlike_tcp() -> Granted {
    fn none<T>() -> Fact<T> {
        Fact::unknown("TCP does not carry it")
    }
    Granted {
        usable_window: none(),
        nodelay: none(),
        congestion: none(),
        mss: none(),
        path_mtu: none(),
        dscp: none(),
        busy_poll: none(),
        timestamps: none(),
        ..Granted::default()
    }
}

/// Reads back the buffers of a socket that is no TCP socket.
pub(crate) fn buffers(socket: &Socket) -> Granted {
    Granted {
        sndbuf: socket.send_buffer_size().map(|bytes| bytes as u64).into(),
        rcvbuf: socket.recv_buffer_size().map(|bytes| bytes as u64).into(),
        ..unlike_tcp()
    }
}

/// The part of [`apply`] that every socket of the Internet has: the code points of differentiated services and of
/// explicit congestion notification, which share an octet.
pub(super) fn apply_class(socket: &Socket, asked: &SocketOptions, ipv6: bool) -> Result<(), OptionError> {
    let option = match (asked.dscp, asked.ecn) {
        (None, None) => return Ok(()),
        (None, Some(_)) => "ecn",
        (Some(_), _) => "dscp",
    };
    let class = asked.dscp.unwrap_or_default() << ECN_BITS | asked.ecn.map_or(0, Ecn::bits);
    let set = if ipv6 { socket.set_tclass_v6(class.into()) } else { socket.set_tos_v4(class.into()) };
    set.map_err(refused(option, format!("octet {class}")))
}

/// Reads back the options of a connected socket. The caller adds the processor of its thread.
#[must_use]
pub fn granted(socket: &Socket, ipv6: bool) -> Granted {
    let info = tcp_info(socket);
    let from_info = |field: fn(&TcpInfo) -> u64| match &info {
        Ok(info) => Fact::Known(field(info)),
        Err(error) => Fact::unknown(error.to_string()),
    };
    let class = if ipv6 { socket.tclass_v6() } else { socket.tos_v4() };
    Granted {
        sndbuf: socket.send_buffer_size().map(|bytes| bytes as u64).into(),
        rcvbuf: socket.recv_buffer_size().map(|bytes| bytes as u64).into(),
        usable_window: window_clamp(socket).into(),
        nodelay: socket.tcp_nodelay().into(),
        congestion: socket_option::congestion(socket).into(),
        mss: from_info(|info| info.tcpi_snd_mss.into()),
        path_mtu: from_info(|info| info.tcpi_pmtu.into()),
        dscp: class.map(|class| u8::try_from(class >> ECN_BITS).unwrap_or(u8::MAX)).into(),
        busy_poll: socket_option::busy_poll(socket).into(),
        timestamps: match &info {
            Ok(info) => Fact::Known(info.tcpi_options & TIMESTAMPS != 0),
            Err(error) => Fact::unknown(error.to_string()),
        },
        multipath: None,
        cipher: None,
        huge_pages: None,
        pinned: None,
        cpu_latency_us: None,
    }
}

/// What TCP reports about the connection so far.
#[must_use]
pub fn connection(socket: &Socket) -> Fact<Connection> {
    let read = tcp_info(socket).map(|info| Connection {
        retransmitted: info.tcpi_total_retrans.into(),
        segments_out: info.tcpi_segs_out.into(),
        rtt: Span::from_us(info.tcpi_rtt.into()),
        min_rtt: Span::from_us(info.tcpi_min_rtt.into()),
        congestion_window: info.tcpi_snd_cwnd.into(),
        mss: info.tcpi_snd_mss.into(),
    });
    read.into()
}

/// What TCP reports about the connection now; the time is left at zero.
pub(super) fn sample(socket: &Socket) -> io::Result<TcpSample> {
    let info = tcp_info(socket)?;
    let rate = |bytes: u64| Rate::from_bits_per_second(bytes as f64 * 8.0);
    // Old kernels do not say.
    let Queues { queued, unread } = queues(socket).unwrap_or_default();
    Ok(TcpSample {
        at: Span::ZERO,
        rtt: Span::from_us(info.tcpi_rtt.into()),
        rttvar: Span::from_us(info.tcpi_rttvar.into()),
        min_rtt: match info.tcpi_min_rtt {
            NO_ROUND_TRIP => Span::ZERO,
            us => Span::from_us(us.into()),
        },
        cwnd: info.tcpi_snd_cwnd.into(),
        ssthresh: (info.tcpi_snd_ssthresh < NO_THRESHOLD).then_some(info.tcpi_snd_ssthresh.into()),
        retransmits: info.tcpi_total_retrans.into(),
        data_segments_out: info.tcpi_data_segs_out.into(),
        data_segments_in: info.tcpi_data_segs_in.into(),
        delivered_ce: info.tcpi_delivered_ce.into(),
        reordering: info.tcpi_reordering.into(),
        delivery_rate: (info.tcpi_delivery_rate > 0).then(|| rate(info.tcpi_delivery_rate)),
        pacing_rate: (1..u64::MAX).contains(&info.tcpi_pacing_rate).then(|| rate(info.tcpi_pacing_rate)),
        busy: info.counts_busy_time().then(|| Span::from_us(info.tcpi_busy_time)),
        rwnd_limited: Span::from_us(info.tcpi_rwnd_limited),
        sndbuf_limited: Span::from_us(info.tcpi_sndbuf_limited),
        unacked: info.tcpi_unacked.into(),
        pmtu: info.tcpi_pmtu.into(),
        mss: info.tcpi_snd_mss.into(),
        notsent: info.tcpi_notsent_bytes.into(),
        queued,
        acknowledged: info.tcpi_bytes_acked,
        received: info.tcpi_bytes_received,
        rcv_wnd: info.tcpi_rcv_wnd.into(),
        snd_wnd: info.tcpi_snd_wnd.into(),
        sndbuf: socket.send_buffer_size()? as u64,
        rcvbuf: socket.recv_buffer_size()? as u64,
        unread,
    })
}
