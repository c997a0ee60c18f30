//! What all ranks do, from the command line to the result. Rank 0 decides, prints and writes; the others follow.

mod app;
mod curves;
mod mesh;
mod subject;

use std::process::ExitCode;

use linerate::{
    Context, Given, Interrupt, Line, Stopped, Surroundings, Trouble, Underway, conduct, exit_status, refuse,
};
use linerate_core::plan::Plan;
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use mpi::traits::CommunicatorCollectives as _;

use crate::cli::Command;
use crate::host::Watching;
use crate::sys::Group;

use subject::World;

/// An MPI ends all ranks when one is lost, so nobody is given up by time. A year.
const PATIENCE: Span = Span::from_ms(365 * 86_400_000);

/// Runs this rank's part of `command`.
#[must_use]
pub fn run(command: Command, given: Given) -> ExitCode {
    let ended = match mpi::initialize() {
        Some(universe) => {
            let group = Group::of(&universe.world());
            AllRanks { group, clock: HostClock::start() }.run(command, given)
        }
        None => Err(Trouble::new(
            "failed to begin: the MPI is already in use",
            "start one linerate-mpi for each rank",
        )),
    };
    ended.unwrap_or_else(|trouble| refuse(&trouble))
}

struct AllRanks {
    group: Group,
    clock: HostClock,
}

impl AllRanks {
    fn run(&self, command: Command, given: Given) -> Result<ExitCode, Trouble> {
        // Rank 0 ends after the trial that is running, and the others when it says so.
        let interrupt = Interrupt::listen_beside_launcher()?;
        if self.group.rank() > 0 {
            return self.follow(&command);
        }
        let mut told = false;
        let ended = self.lead(command, given, (&interrupt, &mut told));
        if !told {
            self.group.share(Some(None::<Plan>))?;
        }
        ended
    }

    /// Rank 0. It has `told` the others the plan, or else they still wait for one.
    fn lead(
        &self,
        mut command: Command,
        given: Given,
        (interrupt, told): (&Interrupt, &mut bool),
    ) -> Result<ExitCode, Trouble> {
        let context = Context::of(given.through_launcher(), self.clock)?;
        command.configure()?;
        let planned = command.plan()?;
        let common = command.common();
        if planned.printed(&common.plan)? {
            return Ok(ExitCode::SUCCESS);
        }
        self.enough(&command, &planned.plan)?;
        let context = &context.recording(common.output.record);
        let line = &Line::of(common.plan.shows(common.output.quiet));
        let around = Surroundings { context, line, interrupt };
        let world = World::new(self, &command);
        let report = conduct(world, planned.plan, around, |world, underway| {
            *told = true;
            let plan = underway.run.plan.clone();
            self.group.share(Some(Some(plan.clone()))).map_err(|error| failed(error.into()))?;
            world.meet(underway)?;
            self.work(&command, &plan, &mut world.watching, Some(underway))
        })?;
        Ok(ExitCode::from(exit_status(&report)))
    }

    /// Any other rank.
    fn follow(&self, command: &Command) -> Result<ExitCode, Trouble> {
        let Some(plan) = self.group.share(None::<Option<Plan>>)? else { return Ok(ExitCode::SUCCESS) };
        let mut watching = Watching::start(self.clock);
        self.group.collect(watching.node())?;
        // Rank 0 says what went wrong.
        let _ = self.work(command, &plan, &mut watching, None);
        self.group.communicator().barrier();
        self.group.collect(watching.finish())?;
        Ok(ExitCode::SUCCESS)
    }

    /// This rank's part of what is measured. Only rank 0 has a run.
    fn work(
        &self,
        command: &Command,
        plan: &Plan,
        watching: &mut Watching,
        underway: Option<&mut Underway<'_>>,
    ) -> Result<(), Stopped> {
        match command {
            Command::Measure(_) => self.curves(plan, &[], watching, underway),
            Command::Bandwidth(_) => self.curves(plan, &curves::OF_WINDOW, watching, underway),
            Command::Collectives(_) | Command::Mesh(_) => self.mesh(plan, underway),
            Command::App(_) => self.app(plan, underway),
        }
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
}

/// What ended a run early.
fn failed(trouble: Trouble) -> Stopped {
    Stopped::Failed { reason: trouble.reason(), trouble }
}

/// The same in words.
fn failed_to(reason: impl std::fmt::Display, help: &str) -> Stopped {
    failed(Trouble::new(format!("failed to {reason}"), help))
}
