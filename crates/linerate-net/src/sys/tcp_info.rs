//! `TCP_INFO`, the window clamp and the send queue of a connection.

#[cfg(not(on_linux))]
#[path = "tcp_info/absent.rs"]
mod ask;
#[cfg(on_linux)]
mod ask;

use std::mem::{offset_of, size_of};
use std::ops::Deref;

pub(crate) use ask::{queues, tcp_info, window_clamp};

/// The start of `struct tcp_info`, which newer kernels lengthen at its end.
///
/// Here and not from a crate, because what a C library's header has is its age's, not the
/// kernel's. Times are in microseconds but for `rto`, `ato` and `last_*`, rates in bytes a second.
///
/// Source: linux/tcp.h, kernel user-space interface, through `tcpi_rehash` (Linux 6.2).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpInfo {
    pub(crate) tcpi_state: u8,
    pub(crate) tcpi_ca_state: u8,
    pub(crate) tcpi_retransmits: u8,
    pub(crate) tcpi_probes: u8,
    pub(crate) tcpi_backoff: u8,
    pub(crate) tcpi_options: u8,
    /// Two numbers of four bits each, and two of one and two bits.
    pub(crate) tcpi_scales_and_flags: [u8; 2],
    pub(crate) tcpi_rto: u32,
    pub(crate) tcpi_ato: u32,
    pub(crate) tcpi_snd_mss: u32,
    pub(crate) tcpi_rcv_mss: u32,
    pub(crate) tcpi_unacked: u32,
    pub(crate) tcpi_sacked: u32,
    pub(crate) tcpi_lost: u32,
    pub(crate) tcpi_retrans: u32,
    pub(crate) tcpi_fackets: u32,
    pub(crate) tcpi_last_data_sent: u32,
    pub(crate) tcpi_last_ack_sent: u32,
    pub(crate) tcpi_last_data_recv: u32,
    pub(crate) tcpi_last_ack_recv: u32,
    pub(crate) tcpi_pmtu: u32,
    pub(crate) tcpi_rcv_ssthresh: u32,
    pub(crate) tcpi_rtt: u32,
    pub(crate) tcpi_rttvar: u32,
    pub(crate) tcpi_snd_ssthresh: u32,
    pub(crate) tcpi_snd_cwnd: u32,
    pub(crate) tcpi_advmss: u32,
    pub(crate) tcpi_reordering: u32,
    pub(crate) tcpi_rcv_rtt: u32,
    pub(crate) tcpi_rcv_space: u32,
    pub(crate) tcpi_total_retrans: u32,
    pub(crate) tcpi_pacing_rate: u64,
    pub(crate) tcpi_max_pacing_rate: u64,
    pub(crate) tcpi_bytes_acked: u64,
    pub(crate) tcpi_bytes_received: u64,
    pub(crate) tcpi_segs_out: u32,
    pub(crate) tcpi_segs_in: u32,
    pub(crate) tcpi_notsent_bytes: u32,
    pub(crate) tcpi_min_rtt: u32,
    pub(crate) tcpi_data_segs_in: u32,
    pub(crate) tcpi_data_segs_out: u32,
    pub(crate) tcpi_delivery_rate: u64,
    pub(crate) tcpi_busy_time: u64,
    pub(crate) tcpi_rwnd_limited: u64,
    pub(crate) tcpi_sndbuf_limited: u64,
    pub(crate) tcpi_delivered: u32,
    pub(crate) tcpi_delivered_ce: u32,
    pub(crate) tcpi_bytes_sent: u64,
    pub(crate) tcpi_bytes_retrans: u64,
    pub(crate) tcpi_dsack_dups: u32,
    pub(crate) tcpi_reord_seen: u32,
    pub(crate) tcpi_rcv_ooopack: u32,
    pub(crate) tcpi_snd_wnd: u32,
    pub(crate) tcpi_rcv_wnd: u32,
    pub(crate) tcpi_rehash: u32,
}

/// What the kernel reports about a TCP connection, and how much of it this kernel filled; the rest
/// is zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    info: TcpInfo,
    /// Unit: bytes from the begin.
    filled: usize,
}

impl Answer {
    /// Whether this kernel counts the time in which a connection is busy and what limits it.
    pub(crate) fn counts_busy_time(&self) -> bool {
        self.filled >= offset_of!(TcpInfo, tcpi_sndbuf_limited) + size_of::<u64>()
    }
}

impl Deref for Answer {
    type Target = TcpInfo;
    fn deref(&self) -> &TcpInfo {
        &self.info
    }
}

/// What the queues of a socket take, with the kernel's overhead. Unit: bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Queues {
    /// What was handed over and is not acknowledged, sent and unsent.
    pub(crate) queued: u64,
    /// What arrived and was not read.
    pub(crate) unread: u64,
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_layout_is_that_of_the_kernel() {
        // Counted in linux/tcp.h: 8 bytes of small fields, 24 numbers of 32 bits, then mixed.
        assert_eq!(offset_of!(TcpInfo, tcpi_rto), 8);
        assert_eq!(offset_of!(TcpInfo, tcpi_total_retrans), 100);
        assert_eq!(offset_of!(TcpInfo, tcpi_pacing_rate), 104);
        assert_eq!(offset_of!(TcpInfo, tcpi_delivery_rate), 160);
        assert_eq!(offset_of!(TcpInfo, tcpi_busy_time), 168);
        assert_eq!(offset_of!(TcpInfo, tcpi_snd_wnd), 228);
        assert_eq!(size_of::<TcpInfo>(), 240);
    }

    #[test]
    fn an_answer_says_how_much_of_it_the_kernel_filled() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stream = TcpStream::connect(listener.local_addr().expect("it listens")).expect("connected");
        let full = tcp_info(&stream).expect("a TCP socket");
        assert!(full.tcpi_snd_mss > 0 && full.filled > 0, "{full:?}");
        // A kernel before 4.10 fills less.
        let counts = |filled| Answer { filled, ..full }.counts_busy_time();
        assert_eq!([104, 168, 184, 191, 192, 240].map(counts), [false, false, false, false, true, true]);
    }

    #[test]
    fn what_nobody_reads_is_in_both_queues() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut stream = TcpStream::connect(listener.local_addr().expect("it listens")).expect("connected");
        let Ok(empty) = queues(&stream) else { return assert_old_kernel() };
        assert_eq!((empty.queued, empty.unread), (0, 0));
        stream.set_nonblocking(true).expect("an option");
        while std::io::Write::write(&mut stream, &[7; 1 << 16]).is_ok() {}
        let buffer = socket2::SockRef::from(&stream).send_buffer_size().expect("an option") as u64;
        let full = queues(&stream).expect("as before").queued;
        assert!(full > buffer / 2, "{full} of {buffer}");
        let (receiver, _) = listener.accept().expect("it is connected");
        let buffer = socket2::SockRef::from(&receiver).recv_buffer_size().expect("an option") as u64;
        let unread = queues(&receiver).expect("as before").unread;
        assert!(unread > buffer / 2, "{unread} of {buffer}");
    }

    /// `SO_MEMINFO` is missing below Linux 4.12 only.
    fn assert_old_kernel() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs Linux 4.12");
        eprintln!("skipped: SO_MEMINFO is missing");
    }

    #[test]
    fn a_socket_without_tcp_is_refused() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
        assert!(tcp_info(&socket).is_err());
    }
}
