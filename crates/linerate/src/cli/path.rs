//! Flags of the path between the two ends: transport, addresses, sockets, calls and memory.

use std::net::IpAddr;

use clap::builder::TypedValueParser as _;
use clap::builder::{PossibleValue, PossibleValuesParser};
use linerate_core::options::{Ecn, Io, MemoryOptions, SocketOptions, Waiting};
use linerate_core::plan::{Common, Family};
use linerate_core::transport::Transport;
use linerate_core::units::Size;
use linerate_net::memory::working_set;
use linerate_net::observe::caches;

use super::shared::{lay, lay_option, parse_switch};

/// The options of everything measured over a path.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct PathArgs {
    #[command(flatten)]
    ends: EndArgs,
    #[command(flatten)]
    tcp: TcpArgs,
    #[command(flatten)]
    datagrams: DatagramArgs,
    #[command(flatten)]
    calls: CallArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Path")]
struct EndArgs {
    /// Transport: tcp, udp, quic, unix, .. [default: tcp]
    #[arg(long, value_name = "NAME", value_parser = transport_parser(), hide_possible_values = true, long_help = transport_help())]
    transport: Option<Transport>,
    /// The same as --transport udp
    #[arg(short = 'u', conflicts_with = "transport", hide_short_help = true)]
    udp: bool,
    /// Send from this address
    #[arg(long, value_name = "ADDR", hide_short_help = true)]
    bind: Option<IpAddr>,
    /// Send through this interface
    #[arg(long, value_name = "IF", hide_short_help = true)]
    bind_dev: Option<String>,
    /// Use IPv4
    #[arg(short = '4', conflicts_with = "ipv6", hide_short_help = true)]
    ipv4: bool,
    /// Use IPv6
    #[arg(short = '6', hide_short_help = true)]
    ipv6: bool,
    /// Differentiated services code point, 0 to 63 [default: 0]
    #[arg(long, value_name = "N", hide_short_help = true)]
    dscp: Option<u8>,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "TCP")]
struct TcpArgs {
    /// Send buffer at both ends, of datagram sockets too [default: autotuned]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    sndbuf: Option<Size>,
    /// Receive buffer at both ends, of datagram sockets too [default: autotuned]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    rcvbuf: Option<Size>,
    /// Send small segments at once (`TCP_NODELAY`) [default: on]
    #[arg(long, value_name = "on|off", value_parser = parse_switch, hide_short_help = true)]
    nodelay: Option<bool>,
    /// Congestion control, by its kernel name, such as cubic [default: the host's]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    congestion: Option<String>,
    /// Maximum segment size, in bytes [default: the path's]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    mss: Option<u16>,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Datagrams")]
struct DatagramArgs {
    /// UDP segmentation offload (`UDP_SEGMENT`): one large send, cut into datagrams below the socket
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = parse_switch, hide_short_help = true)]
    gso: Option<bool>,
    /// UDP receive offload (`UDP_GRO`): one large receive of datagrams that arrived together
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = parse_switch, hide_short_help = true)]
    gro: Option<bool>,
    /// Refuse datagrams that exceed the path MTU instead of fragmenting them
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = parse_switch, hide_short_help = true)]
    dont_fragment: Option<bool>,
    /// Send UDP datagrams of a stream as ECT(0) or ECT(1), and count those that arrive marked (CE), bleached or changed
    #[arg(long, value_name = "ect0|ect1", hide_short_help = true)]
    ecn: Option<Ecn>,
    /// Datagrams per system call, at most [default: the transport's choice]
    #[arg(long, value_name = "N", hide_short_help = true)]
    batch: Option<u32>,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Calls and memory")]
struct CallArgs {
    /// System calls that move the data; SEND,RECEIVE for two kinds [default: send-recv]
    #[arg(long, value_name = "IO", value_parser = parse_io, long_help = io_help(), hide_short_help = true)]
    io: Option<(Io, Option<Io>)>,
    /// How receivers wait: block, or spin, which keeps their processors awake [default: block]
    ///
    /// With block, a time includes waking the receiver's processor, which may be most of it and may vary from run to run. With spin, each end needs a processor of its own.
    #[arg(long, value_name = "block|spin", hide_short_help = true)]
    wait: Option<Waiting>,
    /// Let no processor of either host take longer than this many microseconds to wake (`/dev/cpu_dma_latency`); 0 keeps them awake [default: the hosts']
    #[arg(long, value_name = "US", hide_short_help = true)]
    cpu_latency: Option<u32>,
    /// Busy-poll the device queue for this many microseconds (`SO_BUSY_POLL`) [default: the host's]
    #[arg(long, value_name = "US", hide_short_help = true)]
    busy_poll: Option<u32>,
    /// Pin the two measuring threads to processors; either may be left empty
    #[arg(long, value_name = "LOCAL,REMOTE", value_parser = parse_pin, hide_short_help = true)]
    pin: Option<Pin>,
    /// Cycle the messages through this much memory instead of reusing one buffer
    ///
    /// A size; or `l2` or `llc`, which fit that cache; or `memory`, which exceeds every cache.
    #[arg(long, value_name = "SIZE", value_parser = parse_working_set, hide_short_help = true)]
    working_set: Option<Size>,
    /// Read every cache line of what arrived
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = parse_switch, hide_short_help = true)]
    touch: Option<bool>,
    /// Start messages this many bytes after a page boundary [default: 0]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(..4096), hide_short_help = true)]
    offset: Option<u16>,
    /// Put messages in huge pages
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = parse_switch, hide_short_help = true)]
    huge_pages: Option<bool>,
}

/// Processors of the two ends.
#[derive(Clone, Copy, Debug)]
struct Pin {
    local: Option<u32>,
    remote: Option<u32>,
}

impl PathArgs {
    /// Puts the given flags over `common`.
    pub(super) fn over(&self, common: &mut Common) {
        self.ends.over(common);
        self.tcp.over(&mut common.socket);
        self.datagrams.over(&mut common.socket);
        self.calls.over(common);
    }
}

impl EndArgs {
    fn over(&self, common: &mut Common) {
        lay(self.transport.as_ref().or(self.udp.then_some(&Transport::Udp)), &mut common.transport);
        lay_option(&self.bind, &mut common.local.bind);
        lay_option(&self.bind_dev, &mut common.local.bind_dev);
        lay_option(&self.family(), &mut common.local.family);
        lay_option(&self.dscp, &mut common.socket.dscp);
    }

    const fn family(&self) -> Option<Family> {
        match (self.ipv4, self.ipv6) {
            (true, _) => Some(Family::V4),
            (false, true) => Some(Family::V6),
            (false, false) => None,
        }
    }
}

impl TcpArgs {
    fn over(&self, asked: &mut SocketOptions) {
        lay_option(&self.sndbuf, &mut asked.sndbuf);
        lay_option(&self.rcvbuf, &mut asked.rcvbuf);
        lay(self.nodelay.as_ref(), &mut asked.nodelay);
        lay_option(&self.congestion, &mut asked.congestion);
        lay_option(&self.mss, &mut asked.mss);
    }
}

impl DatagramArgs {
    fn over(&self, asked: &mut SocketOptions) {
        lay(self.gso.as_ref(), &mut asked.gso);
        lay(self.gro.as_ref(), &mut asked.gro);
        lay(self.dont_fragment.as_ref(), &mut asked.dont_fragment);
        lay_option(&self.batch, &mut asked.batch);
        lay_option(&self.ecn, &mut asked.ecn);
    }
}

impl CallArgs {
    fn over(&self, common: &mut Common) {
        if let Some((io, receive_io)) = self.io {
            (common.socket.io, common.socket.receive_io) = (io, receive_io);
        }
        lay(self.wait.as_ref(), &mut common.socket.wait);
        lay_option(&self.cpu_latency, &mut common.local.cpu_latency_us);
        lay_option(&self.cpu_latency, &mut common.remote.cpu_latency_us);
        lay_option(&self.busy_poll, &mut common.socket.busy_poll);
        if let Some(pin) = self.pin {
            lay_option(&pin.local, &mut common.local.pin);
            lay_option(&pin.remote, &mut common.remote.pin);
        }
        self.over_memory(&mut common.memory);
    }

    fn over_memory(&self, asked: &mut MemoryOptions) {
        lay_option(&self.working_set, &mut asked.working_set);
        lay(self.touch.as_ref(), &mut asked.touch);
        lay(self.offset.as_ref(), &mut asked.offset);
        lay(self.huge_pages.as_ref(), &mut asked.huge_pages);
    }
}

fn parse_working_set(text: &str) -> Result<Size, String> {
    working_set(text, &caches()).map_err(|error| error.to_string())
}

fn transport_parser() -> impl clap::builder::TypedValueParser<Value = Transport> {
    of_transports(Transport::ALL.to_vec())
}

/// These by name. One that is a program of its own is understood, so that it can be refused with that program's name.
fn of_transports(offered: Vec<Transport>) -> impl clap::builder::TypedValueParser<Value = Transport> + use<> {
    let value = |it: Transport| PossibleValue::new(it.name()).hide(!it.is_built_in());
    PossibleValuesParser::new(offered.into_iter().map(value)).try_map(|text| text.parse::<Transport>())
}

/// The transports of loads: copies in memory have no peer.
pub(super) fn load_transport_parser() -> impl clap::builder::TypedValueParser<Value = Transport> {
    of_transports(Transport::ALL.into_iter().filter(|it| *it != Transport::Memory).collect())
}

fn transport_help() -> String {
    let built_in = Transport::ALL.into_iter().filter(|it| it.is_built_in());
    let all = built_in.map(Transport::name).collect::<Vec<_>>().join(", ");
    format!(
        "Transport [default: tcp].\n\nOne of {all}. docs/transports.md says what each one measures and what it needs."
    )
}

/// `zerocopy`, or `zerocopy,truncate`.
fn parse_io(text: &str) -> Result<(Io, Option<Io>), String> {
    match text.split_once(',') {
        None => Ok((text.parse()?, None)),
        Some((send, receive)) => Ok((send.parse()?, Some(receive.parse()?))),
    }
}

fn io_help() -> String {
    let all = Io::ALL.map(Io::name).join(", ");
    format!(
        "System calls that move the data; SEND,RECEIVE for two kinds [default: send-recv].\n\nOne of {all}. \
         send-recv copies, as most applications do. An engine that concerns one direction leaves the other to \
         send or recv."
    )
}

/// `0,1`, `0,` or `,1`.
fn parse_pin(text: &str) -> Result<Pin, String> {
    let bad = || format!("`{text}` is not LOCAL,REMOTE; write two processor numbers, such as 0,1");
    let (local, remote) = text.split_once(',').ok_or_else(bad)?;
    let cpu = |text: &str| match text.trim() {
        "" => Ok(None),
        number => number.parse().map(Some).map_err(|_| bad()),
    };
    Ok(Pin { local: cpu(local)?, remote: cpu(remote)? })
}
