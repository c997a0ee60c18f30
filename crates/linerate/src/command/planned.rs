//! Plans from the configuration, files, models and flags.

use std::io;
use std::net::Ipv6Addr;
use std::path::{Path, PathBuf};

use linerate_core::plan::{Format, Layer, Layered, Plan, Task};

use crate::cli::{InLabArgs, OnModelArgs, PeerArgs, PlanArgs};
use crate::config::{Named, Sources};
use crate::screen::show;
use crate::store;
use crate::trouble::Trouble;

/// Keys that say how a peer is reached.
const OF_PATH: [&str; 8] = ["host", "more-hosts", "transport", "socket", "memory", "mpi", "local", "remote"];
/// Those of them that say where it and this end are.
const OF_PLACE: [&str; 3] = ["host", "more-hosts", "local"];
/// What an MPI does itself, and what its curves do not have.
const NOT_OF_MPI: [&str; 9] =
    ["host", "more-hosts", "transport", "socket", "local", "remote", "repeat", "stages", "explain"];

/// Where the peers of a plan are, which says what of a configuration concerns it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// On hosts that have names.
    Hosts,
    /// On hosts to which linerate is copied.
    Deployed,
    /// In a laboratory.
    Laboratory,
    /// In a model, or they are ranks, which have no options of a path.
    Apart,
    /// Ranks of an MPI, which finds its own path.
    Mpi,
}

/// What a command is asked, without its flags.
pub struct Asked<'a> {
    /// The flags that say where plans come from.
    pub args: &'a PlanArgs,
    /// The verb of the task.
    pub verb: &'static str,
    /// Where its peers are.
    pub ground: Ground,
    /// What the verb does if nothing else is asked.
    pub usual: Plan,
    /// What the verb makes of a plan of another task or none, without flags.
    pub plain: &'a dyn Fn(Plan) -> Result<Plan, Trouble>,
    /// What the model's plan asks, if there is a model.
    pub of_model: Option<Plan>,
}

/// The effective plan.
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// Where the configuration says that the key is.
    pub(super) key_file: Option<PathBuf>,
    layers: Layered,
}

impl Planned {
    /// Merges all sources: defaults, the configuration, its profile, the plan file or else the model's plan, and `over`, the flags.
    ///
    /// # Errors
    ///
    /// When a source cannot be read, or they make no plan together.
    pub fn of(asked: Asked<'_>, over: impl Fn(Plan) -> Result<Plan, Trouble>) -> Result<Self, Trouble> {
        let Asked { args, verb, ground, usual, plain, of_model } = asked;
        let of_file = args.plan.as_deref().map(|path| given(path, verb)).transpose()?;
        let unasked = plain(Plan::default())?;
        let of_model = of_model.map(|plan| (Layer::beyond(&plan, &unasked), "the model's plan".to_owned()));
        let above = of_file.or(of_model);
        // The defaults of a file that says nothing are those of a plan, whatever the verb.
        let start = if above.is_some() { Plan::default() } else { usual };
        let leave: &[&str] = match ground {
            Ground::Hosts | Ground::Deployed => &[],
            Ground::Laboratory => &OF_PLACE,
            Ground::Apart => &OF_PATH,
            Ground::Mpi => &NOT_OF_MPI,
        };
        let make = |hosts: &[Named<'_>]| -> Result<Self, Trouble> {
            let mut layers = Layered::new(&start);
            for (layer, source) in args.sources.layers(hosts) {
                layers.lay(&layer.clone().of_task(verb).without(leave), &source);
            }
            if let Some((layer, source)) = &above {
                layers.lay(layer, source);
            }
            let base = layers.plan().map_err(|error| Trouble::plan(error, None))?;
            layers.note(&plain(base.clone())?, "default");
            let plan = over(base)?;
            layers.note(&plan, "flag");
            Ok(Self { plan, key_file: args.sources.key_file(hosts), layers })
        };
        let made = make(&[])?;
        if ground != Ground::Hosts {
            return Ok(made);
        }
        let named = args.sources.named(made.plan.hosts());
        if named.is_empty() {
            return Ok(made);
        }
        Sources::agree(&named)?;
        let mut found = make(&named)?;
        for host in &named {
            rename(&mut found.plan, host.name, host.address());
            found.layers.note(&found.plan, &format!("[host.{}]", host.name));
        }
        Ok(found)
    }

    /// The same, with the servers at the port that a flag gives.
    pub(super) fn at_port(mut self, port: Option<u16>) -> Result<Self, Trouble> {
        let Some(port) = port else { return Ok(self) };
        if self.plan.hosts().next().is_none() {
            let help = "name the host: `linerate HOST --port N`";
            return Err(Trouble::new(format!("failed to use port {port}: no HOST is given"), help));
        }
        for host in hosts_mut(&mut self.plan) {
            *host = with_port(host, port)?;
        }
        self.layers.note(&self.plan, "flag");
        Ok(self)
    }

    /// Prints the effective plan if that was requested; returns whether it was.
    ///
    /// # Errors
    ///
    /// When standard output cannot be written.
    pub fn printed(&self, args: &PlanArgs) -> Result<bool, Trouble> {
        if args.print_plan {
            show(&self.layers.annotated(&self.plan))?;
        }
        Ok(args.print_plan)
    }
}

/// Where the flags put the peers.
pub(super) fn ground(peer: &PeerArgs, lab: &InLabArgs, model: &OnModelArgs) -> Ground {
    if model.model.is_some() {
        Ground::Apart
    } else if lab.lab.is_some() {
        Ground::Laboratory
    } else if peer.deploy.is_some() {
        Ground::Deployed
    } else {
        Ground::Hosts
    }
}

/// Puts the address of a host for its name.
fn rename(plan: &mut Plan, name: &str, address: &str) {
    for host in hosts_mut(plan).filter(|host| *host == name) {
        address.clone_into(host);
    }
}

fn hosts_mut(plan: &mut Plan) -> impl Iterator<Item = &mut String> {
    let more =
        if let Task::Stream(stream) = &mut plan.task { stream.more_hosts.as_mut_slice() } else { &mut [] };
    plan.common.host.iter_mut().chain(more)
}

/// HOST:PORT; an IPv6 address in brackets.
fn with_port(host: &str, port: u16) -> Result<String, Trouble> {
    if let Some((scheme, host)) = host.split_once("://") {
        return Ok(format!("{scheme}://{}", with_port(host, port)?));
    }
    let address = host.trim_start_matches('[').trim_end_matches(']');
    if address.split('%').next().is_some_and(|address| address.parse::<Ipv6Addr>().is_ok()) {
        return Ok(format!("[{address}]:{port}"));
    }
    if host.contains(':') {
        let what = format!("failed to use port {port}: {host} has a port already");
        return Err(Trouble::new(what, "give one port: with HOST, or with --port"));
    }
    Ok(format!("{host}:{port}"))
}

/// What the plan file at `path` asks, and its name. It must have the task of `verb`; a plan without a task serves every verb.
fn given(path: &Path, verb: &str) -> Result<(Layer, String), Trouble> {
    let text = text(path)?;
    let refused = |error| Trouble::plan(error, Some((path, text.clone())));
    let plan = Plan::from_toml(&text).map_err(refused)?;
    fitting(plan, verb)?;
    Ok((Layer::from_toml(&text).map_err(refused)?, format!("plan {}", path.display())))
}

/// Refuses a plan whose task is another than `verb`'s.
pub(super) fn fitting(plan: Plan, verb: &str) -> Result<Plan, Trouble> {
    let other = plan.task.verb();
    if other == verb || !(plan.has_loads() || plan.is_of_ranks()) {
        return Ok(plan);
    }
    let what = match verb {
        "stream" => "move bulk",
        "rr" => "ask requests",
        "mesh" => "measure a mesh",
        "app" => "run an application",
        _ => "measure a curve",
    };
    Err(Trouble::new(
        format!("failed to {what}: the plan asks for [{other}]"),
        format!("run `linerate {other} --plan FILE`, or take [{other}] out of the plan"),
    ))
}

/// The text of a file, or of standard input.
fn text(path: &Path) -> Result<String, Trouble> {
    let text = store::bytes(path).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    text.map_err(|error| {
        Trouble::file("read the plan", path, &error, "name a TOML file; `--print-plan` writes one")
    })
}

/// Refuses a format that holds only curves.
///
/// # Errors
///
/// When `plan` asks for it.
pub fn refuse_np(plan: &Plan) -> Result<(), Trouble> {
    if plan.common.output.format != Format::Np {
        return Ok(());
    }
    Err(Trouble::new("failed to choose a format: np holds only curves", "give --format table, json or csv"))
}

/// Refuses a transport that only another program has.
pub(super) fn built_in(plan: &Plan) -> Result<(), Trouble> {
    let transport = plan.common.transport;
    if transport.is_built_in() {
        return Ok(());
    }
    Err(Trouble::new(
        format!(
            "failed to use the transport {transport}: linerate is built without an MPI, so that it runs anywhere"
        ),
        "run `mpirun -n 2 linerate-mpi measure`, which writes the same run file; docs/mpi.md says how to build it",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_goes_to_a_host_that_has_none() {
        for (host, wanted) in [
            ("node7", "node7:99"),
            ("10.0.0.7", "10.0.0.7:99"),
            ("::1", "[::1]:99"),
            ("[::1]", "[::1]:99"),
            ("fe80::1%eth0", "[fe80::1%eth0]:99"),
            ("iperf3://node7", "iperf3://node7:99"),
            ("iperf3://::1", "iperf3://[::1]:99"),
        ] {
            assert_eq!(with_port(host, 99).ok().as_deref(), Some(wanted), "{host}");
        }
        for host in ["node7:5470", "[::1]:5470", "iperf3://node7:5201"] {
            assert!(with_port(host, 99).is_err(), "{host}");
        }
    }
}
