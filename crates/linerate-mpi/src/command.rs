//! What all ranks do, from the command line to the result. Rank 0 decides, prints and writes; the others follow.

mod app;

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use linerate_core::measure::{Ended, Method, measure};
use linerate_core::mesh::{Asked, Mesh, Rank, conduct, follow};
use linerate_core::pattern::Pattern;
use linerate_core::plan::Plan;
use linerate_core::run::Node;
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use mpi::traits::CommunicatorCollectives as _;

use crate::bench::{Conductor, Ranks};
use crate::cli::{Cli, Command};
use crate::comm::{Lengths, MpiComm};
use crate::host::Watching;
use crate::job::{Job, Stopped, note, show};
use crate::library;
use crate::sys::Group;
use crate::trouble::Trouble;

/// An MPI ends all ranks when one is lost, so nobody is given up by time. A year.
const PATIENCE: Span = Span::from_ms(365 * 86_400_000);

/// Runs this rank's part of `cli`.
#[must_use]
pub fn run(cli: &Cli) -> ExitCode {
    let Some(universe) = mpi::initialize() else {
        note(Trouble::new(
            "failed to begin: the MPI is already in use",
            "start one linerate-mpi for each rank",
        ));
        return ExitCode::from(2);
    };
    let ranks = AllRanks {
        group: Group::of(&universe.world()),
        clock: HostClock::start(),
        asked_to_end: Arc::default(),
    };
    match ranks.run(&cli.command) {
        Ok(code) => code,
        Err(trouble) => {
            note(trouble);
            ExitCode::from(2)
        }
    }
}

/// What the library calls itself, in one line.
fn library_version() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    let first = version.lines().next().unwrap_or_default();
    let words = first.split(',').next().unwrap_or_default().replace("Version:", " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct AllRanks {
    group: Group,
    clock: HostClock,
    asked_to_end: Arc<AtomicBool>,
}

/// How far rank 0 came before the others hear of it.
enum Prepared {
    Job(Box<Job>),
    Nothing,
}

impl AllRanks {
    fn run(&self, command: &Command) -> Result<ExitCode, Trouble> {
        self.listen()?;
        let prepared = (self.group.rank() == 0).then(|| self.prepare(command));
        let plan = prepared.as_ref().map(|prepared| match prepared {
            Ok(Prepared::Job(job)) => Some(job.run.plan.clone()),
            _ => None,
        });
        let plan: Option<Plan> = self.group.share(plan)?;
        let job = match prepared.transpose()? {
            Some(Prepared::Job(job)) => Some(job),
            _ => None,
        };
        let Some(plan) = plan else { return Ok(ExitCode::SUCCESS) };
        self.together(command, &plan, job)
    }

    /// Ctrl-C, and what mpirun passes on: rank 0 ends after the trial that is running, and the others when it says so.
    fn listen(&self) -> Result<(), Trouble> {
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            signal_hook::flag::register(signal, Arc::clone(&self.asked_to_end)).map_err(|error| {
                Trouble::new(format!("failed to listen for Ctrl-C: {error}"), "look at `ulimit -n`")
            })?;
        }
        Ok(())
    }

    fn prepare(&self, command: &Command) -> Result<Prepared, Trouble> {
        let plan = command.plan().map_err(|[what, help]| Trouble::new(format!("failed to {what}"), help))?;
        if let Command::Measure(args) = command
            && args.print_plan
        {
            show(&plan.to_toml())?;
            return Ok(Prepared::Nothing);
        }
        self.enough(command, &plan)?;
        let asked = command.output();
        let job = Job::begin(plan, asked, &library_version(), Arc::clone(&self.asked_to_end))?;
        Ok(Prepared::Job(Box::new(job)))
    }

    /// Refuses a number of ranks that the command cannot use.
    fn enough(&self, command: &Command, plan: &Plan) -> Result<(), Trouble> {
        let size = self.group.size();
        let refused = |what: &str, help: &str| {
            let ranks = if size == 1 { "one rank".to_owned() } else { format!("{size} ranks") };
            Err(Trouble::new(format!("failed to {what} with {ranks}"), help))
        };
        match command {
            Command::Measure(_) if size != 2 => refused(
                "measure a curve, which has two ends,",
                "start it with `mpirun -n 2 linerate-mpi measure`",
            ),
            Command::Bandwidth(_) if !size.is_multiple_of(2) => {
                refused("send in pairs", "start it with an even number of ranks, such as `mpirun -n 2`")
            }
            Command::Collectives(_) | Command::Mesh(_) if size < 2 => {
                refused("measure between ranks", "start it with `mpirun -n 2` or more")
            }
            Command::App(_) => self.enough_for_app(plan),
            _ => {
                let checked = plan.mesh().map_or(Ok(()), |mesh| mesh.check_for(size));
                let help = "choose other collectives or sizes, or another number of ranks";
                checked.map_err(|error| Trouble::new(format!("failed to carry out the plan: {error}"), help))
            }
        }
    }

    fn together(
        &self,
        command: &Command,
        plan: &Plan,
        mut job: Option<Box<Job>>,
    ) -> Result<ExitCode, Trouble> {
        let mut watching = Watching::start(self.clock);
        let nodes = self.group.collect(watching.node())?;
        if let Some(job) = &mut job {
            job.set_nodes(nodes, &self.pairs(command));
        }
        let ended = match command {
            Command::Measure(_) | Command::Bandwidth(_) => {
                self.curves(plan, (&mut watching, command), job.as_deref_mut())
            }
            Command::Collectives(_) | Command::Mesh(_) => self.mesh(plan, job.as_deref_mut()),
            Command::App(_) => self.app(plan, job.as_deref_mut()),
        };
        self.group.communicator().barrier();
        let saw = self.group.collect(watching.finish())?;
        let Some(mut job) = job else { return Ok(ExitCode::SUCCESS) };
        for (node, saw) in job.run.nodes.iter_mut().zip(saw) {
            node.observation = saw;
        }
        job.conclude(ended)
    }

    /// Who sends to whom, as the run file says.
    fn pairs(&self, command: &Command) -> Vec<[usize; 2]> {
        let size = self.group.size();
        match command {
            Command::Measure(_) | Command::Bandwidth(_) => {
                (0..size / 2).map(|from| [from, from + size / 2]).collect()
            }
            Command::Collectives(_) | Command::Mesh(_) | Command::App(_) => {
                (1..size).map(|to| [0, to]).collect()
            }
        }
    }

    /// The curve of `measure`, or those of a window one way and both ways.
    fn curves(
        &self,
        plan: &Plan,
        (watching, command): (&mut Watching, &Command),
        job: Option<&mut Job>,
    ) -> Result<(), Stopped> {
        let failed =
            |what: String, help: &str| Stopped::Failed(Trouble::new(format!("failed to {what}"), help));
        let common = &plan.common;
        let cost = watching.clock_cost();
        let largest = plan.largest().unwrap_or(1);
        let ranks = Ranks::new(&self.group, self.clock, largest, (common.mpi, &common.memory), watching);
        // Either all have the memory or none goes on.
        let there = self.group.collect(ranks.is_ok()).and_then(|all| {
            let own = (self.group.rank() == 0).then(|| all.into_iter().all(|there| there));
            self.group.share(own)
        });
        let mut ranks =
            ranks.map_err(|error| failed(error.to_string(), "lower --max-size or --working-set"))?;
        if !there.map_err(|error| Stopped::Failed(error.into()))? {
            return Err(failed(
                "hold the messages at another rank".into(),
                "lower --max-size or --working-set",
            ));
        }
        let Some(job) = job else { return ranks.follow().map_err(|error| Stopped::Failed(error.into())) };
        let asked = plan.curve().cloned().unwrap_or_default();
        let method = Method::of(common, &asked, cost)
            .map_err(|error| failed(format!("carry out the plan: {error}"), "change the sizes"))?;
        let mut bench = Conductor::new(ranks);
        let both = matches!(command, Command::Bandwidth(_));
        let patterns = if both { vec![Pattern::OneWay, Pattern::Exchange] } else { vec![asked.pattern] };
        for pattern in patterns {
            bench.begin_again();
            let outcome = measure(&mut bench, &Method { pattern, ..method.clone() }, job);
            let timed = outcome.series.timed().next().is_some();
            job.measured(outcome.series);
            match outcome.ended {
                Ended::Complete if timed => {}
                Ended::Complete => {
                    return Err(failed("time any size: the time was not enough".into(), "allow more --time"));
                }
                Ended::Interrupted => return Err(Stopped::Interrupted),
                Ended::Failed(error) => return Err(failed(error.to_string(), "the results so far are kept")),
            }
        }
        Ok(())
    }

    /// Every pair, and collectives by name; then those of the library.
    fn mesh(&self, plan: &Plan, mut job: Option<&mut Job>) -> Result<(), Stopped> {
        let stopped = |error: crate::sys::MpiError| Stopped::Failed(error.into());
        let Some(mesh) = plan.mesh() else { return Ok(()) };
        let mut comm = MpiComm::new(Group::of(self.group.communicator()), self.clock, Lengths::Trusted);
        let asked = Asked { plan: mesh, seed: plan.common.seed, patience: PATIENCE, first: 0 };
        let mut found = Mesh::default();
        let mut flow = ControlFlow::Continue(());
        if let Some(job) = job.as_deref_mut() {
            let names = names(&job.run.nodes);
            let (measured, ended) = linerate_core::endpoint::run_ready(conduct(&mut comm, asked, names, job));
            found = measured;
            job.run.mesh = Some(found.clone());
            flow = ended;
        } else {
            linerate_core::endpoint::run_ready(follow(&mut comm, asked)).map_err(|error| {
                Stopped::Failed(Trouble::new(format!("failed to {error}"), "rank 0's own error stands above"))
            })?;
        }
        for call in library::once_each(&mesh.calls(self.group.size())) {
            let own = job.as_deref().map_or(flow, |job| if flow.is_break() { flow } else { job.go_on() });
            if library::all_go_on(&self.group, own).map_err(stopped)?.is_break() {
                return Err(Stopped::Interrupted);
            }
            let times = library::time(&self.group, self.clock, call, mesh.visit * 10).map_err(stopped)?;
            found.collectives.extend(times);
        }
        if let Some(job) = job {
            if flow.is_break() {
                return Err(Stopped::Interrupted);
            }
            found.collectives.sort_by_key(|one| (one.collective.clone(), one.bytes));
            job.run.mesh = Some(found);
        }
        Ok(())
    }
}

/// What ranks are called: their host, with a number if several ranks are there. Those of one host are of its first node.
fn names(nodes: &[Node]) -> Vec<Rank> {
    let host = |node: &Node| node.environment.hostname.known().cloned().unwrap_or_else(|| "host".to_owned());
    let hosts: Vec<String> = nodes.iter().map(host).collect();
    let same = |one: &Node, other: &Node| {
        let [one, other] = [&one.environment, &other.environment];
        one.same_host(other) == Some(true) && one.network_namespace == other.network_namespace
    };
    let rank = |(number, name): (usize, &String)| {
        let before = hosts[..number].iter().filter(|other| *other == name).count();
        let alone = hosts.iter().filter(|other| *other == name).count() == 1;
        let name = if alone { name.clone() } else { format!("{name}#{before}") };
        let first = nodes.iter().position(|node| same(node, &nodes[number])).unwrap_or(number);
        Rank { name, node: first as u32, ..Rank::default() }
    };
    hosts.iter().enumerate().map(rank).collect()
}
