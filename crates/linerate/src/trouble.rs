//! Errors as shown to the user: one sentence, and what to do.

mod layout;

use std::io;
use std::ops::Range;
use std::path::Path;

use linerate_core::bench::RunError;
use linerate_core::config::ConfigError;
use linerate_core::endpoint::LinkError;
use linerate_core::foreign::{plain, plain_lines};
use linerate_core::lab::LabPlanError;
use linerate_core::plan::PlanError;
use linerate_net::control::{FrameError, GreetingError};
use linerate_net::memory::MemoryError;
use linerate_net::pair::PairError;
use linerate_net::peers::ToolError;
use linerate_net::ranks::{JoinError, RankError};
use linerate_net::serve::ServeError;
use linerate_net::transport::{DialError, TransportError};
use linerate_sim::end::CARRY;
use linerate_sim::plan::ModelError;
use linerate_study::GridError;

/// An error, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Trouble {
    what: String,
    help: String,
    place: Option<Box<Place>>,
    /// Whether what was measured until then has been printed.
    is_after_report: bool,
}

/// Where in a text the error is.
#[derive(Debug)]
struct Place {
    name: String,
    text: String,
    /// Its bytes in the text.
    span: Range<usize>,
}

impl Place {
    fn new(name: &str, text: &str, span: Range<usize>) -> Box<Self> {
        Box::new(Self { name: plain(name), text: plain_lines(text), span })
    }

    /// Where in `text` the parser stopped, if known.
    fn of(error: &toml::de::Error, name: &str, text: &str) -> Option<Box<Self>> {
        Some(Self::new(name, text, error.span()?))
    }
}

impl Trouble {
    /// What failed, and what to do. Both may quote files and other hosts.
    pub fn new(what: impl AsRef<str>, help: impl AsRef<str>) -> Self {
        Self {
            what: plain_lines(what.as_ref()),
            help: plain_lines(help.as_ref()),
            place: None,
            is_after_report: false,
        }
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error, help: &str) -> Self {
        Self::new(format!("failed to {doing} {}: {error}", path.display()), help)
    }

    /// A command line that clap refuses.
    pub(crate) fn of_command_line(said: &clap::Error) -> Self {
        let text = said.to_string();
        let what = text.split("\n\n").next().unwrap_or_default();
        let what: Vec<&str> = what.strip_prefix("error: ").unwrap_or(what).split_whitespace().collect();
        Self::new(what.join(" "), "--help after the verb shows what it takes")
    }

    /// The same after a report of what was measured until then.
    pub(crate) fn after_report(self) -> Self {
        Self { is_after_report: true, ..self }
    }

    /// As an object for programs that read JSON from standard output, unless they have read a report.
    pub(crate) fn to_json(&self) -> Option<String> {
        let error = serde_json::json!({ "error": { "what": self.what, "help": self.help, "exit": 2 } });
        (!self.is_after_report).then(|| format!("{error:#}\n"))
    }

    /// As it is printed on standard error.
    #[must_use]
    pub fn laid_out(&self) -> String {
        layout::Layout::of_stderr().text(self)
    }

    /// What could not be done, to stand behind "failed to".
    #[must_use]
    pub fn reason(&self) -> String {
        self.what.strip_prefix("failed to ").unwrap_or(&self.what).to_owned()
    }

    /// The same in one line, where it ends nothing.
    pub(crate) fn as_caution(&self) -> String {
        format!("! {}; {}", self.what, self.help)
    }

    /// A plan that cannot be carried out; `text` is its file, if it came from one.
    #[must_use]
    pub fn plan(error: PlanError, file: Option<(&Path, String)>) -> Self {
        let name = file.as_ref().map_or_else(String::new, |(path, _)| format!(" {}", path.display()));
        match (error, file) {
            (PlanError::Syntax(error), Some((path, text))) => {
                let help = "`linerate measure --print-plan` writes a plan with every field";
                let what = format!("failed to read the plan{name}: {}", error.message());
                Self { place: Place::of(&error, &path.display().to_string(), &text), ..Self::new(what, help) }
            }
            (error, _) => Self::new(
                format!("failed to carry out the plan{name}: {error}"),
                "change the value on the command line, in the plan file or in the configuration",
            ),
        }
    }

    /// A configuration that cannot be read; `text` is its content.
    pub(crate) fn config(error: &ConfigError, path: &Path, text: &str) -> Self {
        let what =
            format!("failed to read the configuration {}, line {}: {error}", path.display(), error.line);
        let help = "correct that line, or give --no-config; docs/config.md lists the keys";
        let place = Place::new(&path.display().to_string(), text, error.span.clone());
        Self { place: Some(place), ..Self::new(what, help) }
    }

    /// A model's plan that cannot be read; `text` is its content.
    pub(crate) fn model_text(error: &ModelError, name: &str, text: &str) -> Self {
        let ModelError::Syntax(error) = error else { return Self::model(error, "") };
        let help = "`linerate model load PLAN --print-plan` writes a plan with every key";
        let what = format!("failed to read the plan {name}: {}", error.message());
        Self { place: Place::of(error, name, text), ..Self::new(what, help) }
    }

    /// A laboratory's plan that cannot be read.
    pub(crate) fn lab(error: &LabPlanError, name: &str, text: &str) -> Self {
        let help = "`linerate lab show dumbbell` prints a plan to begin with";
        let what = match error {
            LabPlanError::Syntax(error) => format!("failed to read the plan {name}: {}", error.message()),
            other => format!("failed to plan the laboratory {name}: {other}"),
        };
        let place = if let LabPlanError::Syntax(error) = error { Place::of(error, name, text) } else { None };
        Self { place, ..Self::new(what, help) }
    }

    /// An experiment's plan that cannot be read.
    pub(crate) fn experiment_text(error: &toml::de::Error, name: &str, text: &str) -> Self {
        let help = "`linerate experiment init` prints a plan with comments";
        let what = format!("failed to read the plan {name}: {}", error.message());
        Self { place: Place::of(error, name, text), ..Self::new(what, help) }
    }

    /// A model that cannot be built; `with` says which of several, or is empty.
    pub(crate) fn model(error: &ModelError, with: &str) -> Self {
        Self::new(
            format!("failed to build the model{with}: {}", error.reason()),
            "change the value in the plan, or with --set KEY=VALUE",
        )
    }
}

impl From<ModelError> for Trouble {
    fn from(error: ModelError) -> Self {
        Self::model(&error, "")
    }
}

impl From<GridError> for Trouble {
    fn from(error: GridError) -> Self {
        let help = match &error {
            GridError::Setting { .. } => "write KEY=VALUE, such as stations=4".to_owned(),
            GridError::Sweep { .. } => "write KEY=A,B,.., such as stations=4".to_owned(),
            GridError::Twice { .. } => "give all its values in one --sweep".to_owned(),
            GridError::TooMany { .. } => "give fewer values or --seeds, or several commands".to_owned(),
            GridError::UnknownKey { known, .. } => format!("the keys are {}", known.join(", ")),
            GridError::Ambiguous { .. } => "write the whole path".to_owned(),
            GridError::Differ { .. } => "write the whole path of the key".to_owned(),
            GridError::Empty => "give a value".to_owned(),
            GridError::TooLarge { .. } => "the largest is 9223372036854775807; give a smaller one".to_owned(),
            GridError::NotToml { .. } => {
                "close the quotes and brackets, as in \"station 1\" or [[64, 7], [1518, 1]]".to_owned()
            }
            GridError::Model { with, source } => return Self::model(source, with),
        };
        Self::new(format!("failed to {error}"), help)
    }
}

impl From<PairError> for Trouble {
    fn from(error: PairError) -> Self {
        let help = pair_help(&error);
        Self::new(
            format!("failed to {error}"),
            links_down(&error).map_or_else(|| help.to_owned(), |down| format!("{down}; {help}")),
        )
    }
}

/// Which links here are down that could have carried a connection.
fn links_down(error: &PairError) -> Option<String> {
    match error {
        PairError::Dial(DialError::Connect { address, .. }) => {
            let down: Vec<String> =
                linerate_net::observe::links_down(address.ip()).iter().map(ToString::to_string).collect();
            (!down.is_empty()).then(|| format!("{}: the link is down", down.join(", ")))
        }
        PairError::At { source, .. } => links_down(source),
        _ => None,
    }
}

fn pair_help(error: &PairError) -> &'static str {
    match error {
        PairError::Target { .. } => "write HOST or HOST:PORT, and an IPv6 address as [ADDR]:PORT",
        PairError::Resolve { .. } => "check the name, or give an address; -4 and -6 choose the family",
        PairError::Dial(DialError::Bind { .. }) => {
            "give --bind an address of this host (`ip address` lists them)"
        }
        PairError::Dial(DialError::BindDevice { .. }) => {
            "give --bind-dev an interface of this host; it may need root"
        }
        PairError::Dial(DialError::Connect { .. }) => {
            "start `linerate serve` on that host, check the port, and that no firewall is in between"
        }
        PairError::Silent { .. } => "something else listens there; start `linerate serve` or give its port",
        PairError::Greeting(GreetingError::Foreign { said }) if said.starts_with("HTTP") => {
            "that port is a web server's; give the port of `linerate serve`"
        }
        PairError::Greeting(GreetingError::Foreign { said }) if said.starts_with("SyncMe") => {
            "that port is a NetPIPE receiver's (NPtcp); stop it and start `linerate serve` there"
        }
        PairError::Greeting(GreetingError::Foreign { .. }) => "give the port of `linerate serve`",
        PairError::Greeting(_) => "use the same version of linerate on both hosts",
        PairError::KeyWanted => "give --key with the key that `linerate serve` printed",
        PairError::KeyUnwanted => "leave --key and --key-file out, or start the server without --open",
        PairError::FalseServer => "check the host name: whatever answers there does not have your key",
        PairError::Refused { reason } if reason.contains("--key ") => {
            "give --key with the key that `linerate serve` printed"
        }
        PairError::Unauthenticated(_) => {
            "use the same version of linerate on both hosts, or accept that with --allow-unauthenticated-control on both"
        }
        PairError::Refused { reason } if reason.contains("--allow-unauthenticated-control") => {
            "use the same version of linerate on both hosts, or start the server with that flag too"
        }
        PairError::Refused { reason } if reason.contains("use the transport") => {
            "follow its advice, or choose another --transport; docs/transports.md says what each needs"
        }
        PairError::Refused { reason } if reason.contains("try again later") => {
            "measure again when others are done, or start the server with more room (`linerate serve --help`)"
        }
        PairError::Refused { .. } => "change the plan as it says, or raise the server's limits",
        PairError::NoAccount(_) => {
            "look whether the path or the server has gone; a slow path needs longer --interval or fewer --flows"
        }
        PairError::Busy => {
            "measure again when all hosts are free; a server that is named twice waits for itself"
        }
        PairError::Interrupted => "nothing was measured; measure again when the server is free",
        PairError::Unexpected { .. } => "use the same version of linerate on both hosts",
        PairError::Frame(FrameError::Length(_)) => {
            "give a shorter list of sizes; the plan must fit one message"
        }
        PairError::Frame(FrameError::Forged) => {
            "look for what is between the hosts (a proxy, an attacker), or measure through WireGuard or IPsec"
        }
        PairError::Frame(_) => "check the server's output on the other host, and measure again",
        PairError::Plan(_) => {
            "change the value on the command line, in the plan file or in the configuration"
        }
        PairError::Transport(TransportError::Option(_)) => {
            "leave the option out, or ask for a value that this host has (`sysctl net.ipv4`)"
        }
        PairError::Transport(TransportError::Lacking { .. }) => {
            "choose another --transport; docs/transports.md says what each needs"
        }
        PairError::Transport(_) => "check the server's output on the other host, and measure again",
        PairError::Stamp(_) => "the curve is kept; leave --stages out, or check the server's output",
        PairError::Memory(MemoryError::Huge(_)) => "leave --huge-pages out",
        PairError::Memory(_) => "lower --max-size or --working-set, or free memory on this host",
        PairError::Files(_) => "raise that limit, or lower --flows",
        PairError::Pin { .. } => {
            "give --pin processors that this host has and this process may use (`taskset -p $$`)"
        }
        PairError::At { source, .. } => pair_help(source),
        PairError::Dial(DialError::Socket(_)) | PairError::Address(_) | PairError::Random(_) => {
            "this host ran out of a resource; check its limits (`ulimit -a`)"
        }
    }
}

impl From<ToolError> for Trouble {
    fn from(error: ToolError) -> Self {
        let help = match error {
            ToolError::Here(error) => return error.into(),
            ToolError::Dial(error @ (DialError::Bind { .. } | DialError::BindDevice { .. })) => {
                return PairError::from(error).into();
            }
            ToolError::Dial(_) => {
                "start it there (`iperf3 -s`), check the port, and that no firewall is in between"
            }
            ToolError::Busy => "try again when its other client is done",
            ToolError::Flow(_) | ToolError::Closed(_) | ToolError::Server(_) | ToolError::Terminated => {
                "look at the server's output on the other host"
            }
            ToolError::Unanswered => "let UDP to that port pass, or leave -u out",
            ToolError::Stream(_) => "look whether the path or the server has gone, and measure again",
            ToolError::Unexpected(_) | ToolError::Length(_) | ToolError::Json(_) => {
                "check the port: is it the server of that tool? docs/peers.md has the versions"
            }
        };
        Self::new(format!("failed to {error}"), help)
    }
}

impl From<JoinError> for Trouble {
    fn from(error: JoinError) -> Self {
        let help = match &error {
            JoinError::Resolve { .. } => "check the name, or give an address with --bind or --rendezvous",
            JoinError::Unreachable { .. } | JoinError::Missing { .. } => {
                "look at what the launcher says of that rank, and that no firewall is between the hosts; --within waits longer"
            }
            JoinError::Refused(reason) if reason.contains("key") => {
                "give all ranks the same key (LINERATE_KEY)"
            }
            JoinError::Refused(_) | JoinError::Disagree { .. } => {
                "start all ranks with the same options, and once"
            }
            JoinError::GivenUp { .. } => "start again once that is mended",
            JoinError::System { .. } => "this host ran out of a resource; check its limits (`ulimit -a`)",
        };
        Self::new(format!("failed to {error}"), help)
    }
}

impl From<RankError> for Trouble {
    fn from(error: RankError) -> Self {
        match error {
            RankError::Join(error) => error.into(),
            RankError::Plan(error) => Self::plan(error, None),
            RankError::App(error) => {
                Self::new(format!("failed to {error}"), "`linerate app --describe` lists what can be asked")
            }
            other => Self::new(format!("failed to {other}"), "rank 0 has what was measured until then"),
        }
    }
}

impl From<ServeError> for Trouble {
    fn from(error: ServeError) -> Self {
        let help = match &error {
            ServeError::Listen { .. } => {
                "give --listen an address of this host and a free port; another `linerate serve` may be running"
            }
            ServeError::Accept(_) => "start the server again",
        };
        Self::new(format!("failed to {error}"), help)
    }
}

/// What to do about a measurement that failed.
pub(crate) fn run_help(error: &RunError) -> &'static str {
    match error {
        RunError::Link { source: LinkError::Stalled(_), .. } => {
            "the path or the peer stopped; the results so far are kept; check the link and measure again"
        }
        RunError::Link { source: LinkError::System { operation: CARRY, source }, .. }
            if source.kind() == std::io::ErrorKind::TimedOut =>
        {
            "retransmission did not help; make the plan's network lose less ([[impair]], duplex), or look at the losses with `linerate model load`"
        }
        RunError::Link { source: LinkError::System { operation: CARRY, .. }, .. } => {
            "set transport.kind = \"stream\", which retransmits, or look at the losses with `linerate model load`"
        }
        RunError::Link { source: LinkError::TooLong { .. }, .. } => {
            "lower --max-size (or --message), or choose a transport that carries a stream of bytes"
        }
        RunError::Link { .. } | RunError::Control { .. } => {
            "the peer went away; the results so far are kept; check the server and measure again"
        }
        RunError::Interrupted { .. } => "the results so far are kept",
        RunError::Late { .. } => "allow more --time, or lower --max-size",
        RunError::Peer { .. } => "the results so far are kept; check the server's output on the other host",
        RunError::Corrupt { .. } => {
            "something on the path changes data: check offloads (ethtool -K IF rx off tx off), cables and memory"
        }
        RunError::Disagree { .. } | RunError::Untimed { .. } => {
            "do not trust this peer's numbers; use the same version of linerate on both hosts"
        }
    }
}
