//! The flags of `linerate serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use linerate_core::units::{Size, Span};
#[cfg(on_linux)]
use linerate_net::serve::AllowedSetting;
use linerate_net::serve::Limits;

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 picks one [default: all, 5470]
    #[arg(
        long,
        value_name = "ADDR:PORT",
        long_help = "Address and port to listen on; port 0 lets the system choose [default: every address, port 5470]"
    )]
    pub(crate) listen: Option<SocketAddr>,
    /// Port to listen on, at every address [default: 5470]
    #[arg(long, short, value_name = "N", conflicts_with = "listen", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Ports for data that does not come through the server's own, such as 5471-5500 [default: any free one]
    ///
    /// UDP and QUIC have sockets of their own: UDP one for greetings and one for each flow, QUIC one. So has TCP where
    /// --sndbuf, --rcvbuf or --mss is asked for, and Multipath TCP. A firewall must let them pass.
    #[arg(long, value_name = "A-B", value_parser = ports, hide_short_help = true)]
    data_ports: Option<(u16, u16)>,
    /// Read the key from a file instead of making one
    ///
    /// The file is read again at every new conversation, so a new key needs no restart.
    #[arg(long, value_name = "FILE", conflicts_with = "open")]
    pub(crate) key_file: Option<PathBuf>,
    /// Accept clients that are too old to protect control messages from changes on the path
    #[arg(long, conflicts_with = "open", hide_short_help = true)]
    pub(crate) allow_unauthenticated_control: bool,
    /// Require no key: anyone who can reach the port may measure
    #[arg(long)]
    pub(crate) open: bool,
    /// Concurrent measurements; others queue
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    slots: u16,
    /// Clients that may wait for a slot
    #[arg(long, value_name = "N", default_value_t = 16)]
    max_waiting: u16,
    /// Clients with the key at the same time, and as many connections that did not prove it yet
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(2..))]
    max_connections: u16,
    /// Largest message
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    max_size: Size,
    /// Longest measurement
    #[arg(long, value_name = "TIME", default_value = "10min")]
    max_time: Span,
    /// Memory for the messages of all measurements
    #[arg(long, value_name = "SIZE", default_value = "4GiB")]
    max_memory: Size,
    /// Let clients change these settings of this host, such as mtu,coalesce
    ///
    /// Names are those of settings (mtu, sysctl.net.ipv4.tcp_rmem) and of groups (offload, ring, coalesce, channels,
    /// pause). They are of the interface over which the client comes; mtu@eth1 is that of eth1. Everything is put back
    /// when the client leaves. Needs root.
    #[cfg(on_linux)]
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        conflicts_with = "open",
        hide_short_help = true
    )]
    pub(crate) allow_settings: Vec<AllowedSetting>,
    /// Let clients trace their messages in this host's kernel (eBPF)
    ///
    /// Programs at tracepoints see every packet and every switch of threads, and tell a client of its own messages only.
    /// They cost every switch a fraction of a microsecond, while such a client measures. Needs root, or CAP_BPF and
    /// CAP_PERFMON. Without this flag a trace has the kernel's timestamps.
    #[arg(long, conflicts_with = "open", hide_short_help = true)]
    allow_trace: bool,
    /// Serve the parent process: the key is the first line of standard input, which stays open as
    /// long as the parent lives
    #[arg(long, hide = true)]
    pub(crate) child: bool,
}

/// `5471-5500`, or one port.
fn ports(text: &str) -> Result<(u16, u16), String> {
    let bad = || format!("`{text}` is no range of ports; write 5471-5500");
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let port = |text: &str| text.trim().parse().map_err(|_| bad());
    let (first, last) = (port(first)?, port(last)?);
    if (1..=last).contains(&first) { Ok((first, last)) } else { Err(bad()) }
}

impl ServeArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            slots: self.slots.into(),
            waiting: self.max_waiting.into(),
            connections: self.max_connections.into(),
            size: self.max_size,
            time: self.max_time,
            memory: self.max_memory,
            data_ports: self.data_ports,
            programs: self.allow_trace,
            ..Limits::default()
        }
    }
}
