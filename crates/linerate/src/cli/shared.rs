//! Flags that several verbs have, and the parts of a plan that they make.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use linerate_core::options::{Io, MemoryOptions, SocketOptions};
use linerate_core::plan::{Common, Family, Format, Output};
use linerate_core::transport::Transport;
use linerate_core::units::Size;
use linerate_net::memory::working_set;
use linerate_net::observe::caches;

/// Lays a flag that was given over a field of the plan.
pub(super) fn lay<T: Clone>(given: Option<&T>, over: &mut T) {
    if let Some(given) = given {
        over.clone_from(given);
    }
}

/// The same for a field that may have no value.
pub(super) fn lay_option<T: Clone>(given: &Option<T>, over: &mut Option<T>) {
    if given.is_some() {
        over.clone_from(given);
    }
}

#[derive(Debug, Default, clap::Args)]
pub(crate) struct KeyArgs {
    /// The key that the server printed.
    #[arg(long, env = "LINERATE_KEY", hide_env_values = true, value_name = "K")]
    pub(crate) key: Option<String>,
    /// Take the key from a file.
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub(crate) key_file: Option<PathBuf>,
}

/// A plan from a file, and the one that comes of it and the flags.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct PlanArgs {
    /// Take every option from a TOML file; flags given beside it win.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) plan: Option<PathBuf>,
    /// Print the effective plan as TOML and measure nothing.
    #[arg(long)]
    pub(crate) print_plan: bool,
}

/// What everything that is measured over a path can be asked for.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct PathArgs {
    #[command(flatten)]
    carrier: CarrierArgs,
    #[command(flatten)]
    socket: SocketArgs,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    ends: EndArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "What is measured")]
struct CarrierArgs {
    /// What carries the bytes [default: tcp].
    #[arg(long, value_parser = transport_parser())]
    transport: Option<Transport>,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Sockets, at both ends")]
struct SocketArgs {
    /// Send buffer to ask for [default: autotuned].
    #[arg(long, value_name = "SIZE")]
    sndbuf: Option<Size>,
    /// Receive buffer to ask for [default: autotuned].
    #[arg(long, value_name = "SIZE")]
    rcvbuf: Option<Size>,
    /// Send small segments at once (`TCP_NODELAY`) [default: on].
    #[arg(long, value_name = "on|off", value_parser = parse_switch)]
    nodelay: Option<bool>,
    /// Congestion control by its kernel name, such as cubic [default: the host's].
    #[arg(long, value_name = "NAME")]
    congestion: Option<String>,
    /// Largest segment to ask for, in bytes [default: the path's].
    #[arg(long, value_name = "BYTES")]
    mss: Option<u16>,
    /// Differentiated services code point, 0 to 63 [default: 0].
    #[arg(long, value_name = "N")]
    dscp: Option<u8>,
    /// Poll the device queue so many microseconds in a receive (`SO_BUSY_POLL`) [default: the host's].
    #[arg(long, value_name = "US")]
    busy_poll: Option<u32>,
    /// Have the kernel or the adaptor cut datagrams out of one large send (UDP segmentation offload).
    #[arg(long)]
    gso: bool,
    /// Have the kernel hand over datagrams that arrived together as one (UDP receive offload).
    #[arg(long)]
    gro: bool,
    /// Refuse datagrams that do not fit the path instead of fragmenting them.
    #[arg(long)]
    dont_fragment: bool,
    /// Datagrams that one call sends or receives at most [default: as the transport chooses].
    #[arg(long, value_name = "N")]
    batch: Option<u32>,
    /// System calls that move the bytes; SEND,RECEIVE for two kinds [default: send-recv].
    #[arg(long, value_name = "IO", value_parser = parse_io, long_help = io_help())]
    io: Option<(Io, Option<Io>)>,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Memory, at both ends")]
struct MemoryArgs {
    /// Let the messages go round in so much memory instead of one place: a size, or what fits `l2` or
    /// `llc`, or does not (`memory`).
    #[arg(long, value_name = "SIZE", value_parser = parse_working_set)]
    working_set: Option<Size>,
    /// Read every cache line that arrived.
    #[arg(long)]
    touch: bool,
    /// Begin the messages so many bytes after a page boundary [default: 0].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(..4096))]
    offset: Option<u16>,
    /// Ask for huge pages.
    #[arg(long)]
    huge_pages: bool,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Ends")]
struct EndArgs {
    /// Source address.
    #[arg(long, value_name = "ADDR")]
    bind: Option<IpAddr>,
    /// Interface to send through.
    #[arg(long, value_name = "IF")]
    bind_dev: Option<String>,
    /// Processors to tie the two measuring threads to; either may be left empty.
    #[arg(long, value_name = "LOCAL,REMOTE", value_parser = parse_pin)]
    pin: Option<Pin>,
    /// Use IPv4.
    #[arg(short = '4', conflicts_with = "ipv6")]
    ipv4: bool,
    /// Use IPv6.
    #[arg(short = '6')]
    ipv6: bool,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// The run file [default: linerate-HOST-TIME.run.json].
    #[arg(long, value_name = "X.run.json")]
    out: Option<String>,
    /// The HTML report [default: beside the run file].
    #[arg(long, value_name = "X.html")]
    report: Option<String>,
    /// What goes to standard output [default: table].
    #[arg(long, value_parser = format_parser(&["table", "json", "csv", "np"]))]
    format: Option<Format>,
    /// Label the run, such as `kernel=6.18`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String)>,
}

/// What a load over a path can be asked for: the same, without what holds only curves.
#[derive(Debug, Default)]
pub(crate) struct LoadPathArgs(PathArgs);

impl LoadPathArgs {
    /// Lays the flags that were given over what every task is asked.
    pub(super) fn over(&self, common: &mut Common) {
        self.0.over(common);
    }

    fn narrowed(command: clap::Command) -> clap::Command {
        command
            .mut_arg("transport", |arg| arg.value_parser(load_transport_parser()))
            .mut_arg("format", |arg| arg.value_parser(format_parser(&["table", "json", "csv"])))
    }
}

impl clap::Args for LoadPathArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        Self::narrowed(PathArgs::augment_args(command))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::narrowed(PathArgs::augment_args_for_update(command))
    }
}

impl clap::FromArgMatches for LoadPathArgs {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        PathArgs::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Processors of the two ends.
#[derive(Clone, Copy, Debug)]
struct Pin {
    local: Option<u32>,
    remote: Option<u32>,
}

impl PathArgs {
    /// Lays the flags that were given over what every task is asked.
    pub(super) fn over(&self, common: &mut Common) {
        self.carrier.over(common);
        self.socket.over(&mut common.socket);
        self.memory.over(&mut common.memory);
        self.ends.over(common);
        self.output.over(&mut common.output);
    }
}

impl CarrierArgs {
    fn over(&self, common: &mut Common) {
        lay(self.transport.as_ref(), &mut common.transport);
    }
}

impl SocketArgs {
    fn over(&self, asked: &mut SocketOptions) {
        lay_option(&self.sndbuf, &mut asked.sndbuf);
        lay_option(&self.rcvbuf, &mut asked.rcvbuf);
        lay(self.nodelay.as_ref(), &mut asked.nodelay);
        lay_option(&self.congestion, &mut asked.congestion);
        lay_option(&self.mss, &mut asked.mss);
        lay_option(&self.dscp, &mut asked.dscp);
        lay_option(&self.busy_poll, &mut asked.busy_poll);
        asked.gso |= self.gso;
        asked.gro |= self.gro;
        asked.dont_fragment |= self.dont_fragment;
        lay_option(&self.batch, &mut asked.batch);
        if let Some((io, receive_io)) = self.io {
            (asked.io, asked.receive_io) = (io, receive_io);
        }
    }
}

impl MemoryArgs {
    fn over(&self, asked: &mut MemoryOptions) {
        lay_option(&self.working_set, &mut asked.working_set);
        lay(self.offset.as_ref(), &mut asked.offset);
        asked.touch |= self.touch;
        asked.huge_pages |= self.huge_pages;
    }
}

impl OutputArgs {
    fn over(&self, asked: &mut Output) {
        lay_option(&self.out, &mut asked.out);
        lay_option(&self.report, &mut asked.report);
        lay(self.format.as_ref(), &mut asked.format);
        asked.labels.extend(self.label.iter().cloned());
    }
}

impl EndArgs {
    fn over(&self, common: &mut Common) {
        lay_option(&self.bind, &mut common.local.bind);
        lay_option(&self.bind_dev, &mut common.local.bind_dev);
        lay_option(&self.family(), &mut common.local.family);
        if let Some(pin) = self.pin {
            lay_option(&pin.local, &mut common.local.pin);
            lay_option(&pin.remote, &mut common.remote.pin);
        }
    }

    const fn family(&self) -> Option<Family> {
        match (self.ipv4, self.ipv6) {
            (true, _) => Some(Family::V4),
            (false, true) => Some(Family::V6),
            (false, false) => None,
        }
    }
}

fn parse_working_set(text: &str) -> Result<Size, String> {
    working_set(text, &caches()).map_err(|error| error.to_string())
}

fn transport_parser() -> impl clap::builder::TypedValueParser<Value = Transport> {
    PossibleValuesParser::new(Transport::ALL.map(Transport::name)).try_map(|text| text.parse::<Transport>())
}

/// `zerocopy`, or `zerocopy,truncate`.
fn parse_io(text: &str) -> Result<(Io, Option<Io>), String> {
    match text.split_once(',') {
        None => Ok((text.parse()?, None)),
        Some((send, receive)) => Ok((send.parse()?, Some(receive.parse()?))),
    }
}

fn io_help() -> String {
    format!(
        "System calls that move the bytes; SEND,RECEIVE for two kinds [default: send-recv, which copies as most \
         applications do]. There are {}. What concerns one direction leaves the other to send or recv.",
        Io::ALL.map(Io::name).join(", ")
    )
}

/// Copies in one process have no peer that a load could go to.
fn load_transport_parser() -> impl clap::builder::TypedValueParser<Value = Transport> {
    let names = Transport::ALL.into_iter().filter(|transport| *transport != Transport::Memory);
    PossibleValuesParser::new(names.map(Transport::name)).try_map(|text| text.parse::<Transport>())
}

fn format_parser(names: &'static [&'static str]) -> impl clap::builder::TypedValueParser<Value = Format> {
    PossibleValuesParser::new(names).map(|text| match text.as_str() {
        "json" => Format::Json,
        "csv" => Format::Csv,
        "np" => Format::Np,
        _ => Format::Table,
    })
}

fn parse_label(text: &str) -> Result<(String, String), String> {
    let label = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    let label =
        label.filter(|(key, _)| !key.is_empty()).map(|(key, value)| (key.to_owned(), value.to_owned()));
    label.ok_or_else(|| format!("`{text}` is no label; write KEY=VALUE, such as kernel=6.18"))
}

fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{text}` is neither on nor off")),
    }
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
