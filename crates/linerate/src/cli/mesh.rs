//! The flags of `linerate mesh`.

use std::net::IpAddr;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use linerate_core::comm::call::Call;
use linerate_core::host_list;
use linerate_core::plan::{Common, MeshPlan, MeshSchedule, Plan, Task};
use linerate_core::units::{Size, Span};

use super::lab::InLabArgs;
use super::shared::{KeyArgs, OnModelArgs, OutputArgs, PlanArgs, lay, parse_share};

/// The most hosts of a mesh that is started from here.
const MOST_HOSTS: usize = 65_536;
/// The sizes of `--curve`: powers of two up to this. Unit: bytes.
const LARGEST_OF_CURVE: u64 = 4 << 20;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct MeshArgs {
    #[command(flatten)]
    pub(crate) ranks: RanksArgs,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    question: MeshQuestionArgs,
    #[command(flatten)]
    pub(crate) lab: InLabArgs,
    #[command(flatten)]
    pub(crate) model: OnModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Refuse to begin unless every host takes part
    ///
    /// Else those that come are measured. Without --within, the next has --patience after the one before.
    #[arg(long, conflicts_with = "model", help_heading = "Ranks", hide_short_help = true)]
    pub(crate) require_all: bool,
    /// Be a rank that another linerate has started: what it is told is on standard input
    #[arg(long, hide = true)]
    pub(crate) as_rank: bool,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Ranks")]
pub(crate) struct RanksArgs {
    /// Start a rank on each over ssh, such as n[1-16]
    ///
    /// A list as Slurm writes it: head,n[1-16],user@m[01-04].
    #[arg(long, value_name = "HOSTS", value_parser = parse_hosts, conflicts_with_all = ["servers", "ranks", "model", "lab"])]
    pub(crate) hosts: Option<HostList>,
    /// Ask `linerate serve` on each to be a rank
    ///
    /// All servers have one key (`serve --key-file`).
    #[arg(long, value_name = "HOSTS", value_parser = parse_hosts, conflicts_with_all = ["ranks", "model", "lab"])]
    pub(crate) servers: Option<HostList>,
    /// Start this many ranks on this host [default: 2]
    ///
    /// Of a model its first stations, of a laboratory its first hosts; there the default is all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) ranks: Option<u32>,
    /// Ranks on each host [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "model", hide_short_help = true)]
    pub(crate) per_host: Option<u32>,
    /// The command that starts another on a host, as `COMMAND HOST SCRIPT` [default: ssh]
    #[arg(long, value_name = "COMMAND", requires = "hosts", hide_short_help = true)]
    pub(crate) agent: Option<String>,
    /// Copy linerate to each host first; remove it after
    #[arg(long, requires = "hosts", conflicts_with = "program")]
    pub(crate) deploy: bool,
    /// linerate on the hosts [default: linerate]
    #[arg(long, value_name = "PATH", requires = "hosts", hide_short_help = true)]
    pub(crate) program: Option<String>,
    /// Where the ranks of srun or mpirun find rank 0: HOST:PORT, or a file that all can read
    ///
    /// Without it, rank 0 writes where it is, and a key, to a file in the working directory, which all ranks must share; it
    /// is removed once all have come. With HOST:PORT, give all the same key.
    #[arg(long, value_name = "WHERE", hide_short_help = true)]
    pub(crate) rendezvous: Option<String>,
    /// Let the ranks find rank 0 at this address of this host [default: any]
    #[arg(long, value_name = "ADDR", hide_short_help = true)]
    pub(crate) bind: Option<IpAddr>,
    /// Wait this long for the last rank to come [default: 30s]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) within: Option<Span>,
    /// Call a rank lost if it does not move a byte for this long [default: 10s]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) patience: Option<Span>,
}

/// Hosts, as they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostList(pub(crate) Vec<String>);

/// What of a mesh is measured.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Question")]
pub struct MeshQuestionArgs {
    /// Who talks at once: pairs, serial, bisection, ..
    ///
    /// One or several of pairs (the default: every pair, in rounds without a shared end), serial (one pair at a time), shifts,
    /// ring, random-ring, bisection (random matchings), fan-in, fan-out, victim; `none` for collectives only.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = schedule_parser(), hide_possible_values = true)]
    schedules: Option<Vec<Option<MeshSchedule>>>,
    /// Sizes of round trips [default: 1]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    latency: Option<Vec<Size>>,
    /// Sizes of messages one way [default: 1MiB]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    throughput: Option<Vec<Size>>,
    /// Measure a curve for each pair: every power of two to 4 MiB, both ways
    #[arg(long, conflicts_with_all = ["latency", "throughput"], hide_short_help = true)]
    curve: bool,
    /// Call these too: all, allreduce, alltoall, ..
    ///
    /// A collective with all of its algorithms, or with one: allreduce:ring. It is checked, and timed at every rank.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parse_calls)]
    collectives: Option<Vec<Calls>>,
    /// Sizes of collectives [default: 8 B to 1 MiB]
    #[arg(
        long,
        value_name = "SIZES",
        value_delimiter = ',',
        requires = "collectives",
        hide_short_help = true
    )]
    collective_sizes: Option<Vec<Size>>,
    /// One rank sends to another at one size for this long [default: 20ms]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    visit: Option<Span>,
    /// Go through every schedule this often [default: 3]
    #[arg(long, value_name = "N", hide_short_help = true)]
    repeat: Option<u32>,
    /// Random matchings of `bisection` [default: 30]
    #[arg(long, value_name = "N", hide_short_help = true)]
    matchings: Option<u32>,
    /// Measure each slow pair alone this often afterwards; 0 leaves that out [default: 5]
    #[arg(long, value_name = "N", hide_short_help = true)]
    recheck: Option<u32>,
    /// Name what is slower than the usual by more than this share [default: 10%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, hide_short_help = true)]
    tolerance: Option<f64>,
    /// Seed of the order of pairs and of the payload [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true)]
    seed: Option<u64>,
}

/// Collectives that one word names.
#[derive(Clone, Debug)]
struct Calls(Vec<Call>);

impl MeshArgs {
    /// The plan in `base` with the given flags over it. If `base` has another task, the mesh has its defaults.
    pub(crate) fn over(&self, base: Plan) -> Plan {
        let Plan { mut common, task } = base;
        let mut mesh = if let Task::Mesh(mesh) = task { mesh } else { MeshPlan::default() };
        self.question.over(&mut common, &mut mesh);
        self.output.over(&mut common.output);
        Plan { common, task: Task::Mesh(mesh) }
    }
}

impl MeshQuestionArgs {
    /// Puts the given flags over what is asked.
    pub fn over(&self, common: &mut Common, mesh: &mut MeshPlan) {
        if let Some(schedules) = &self.schedules {
            mesh.schedules = schedules.iter().flatten().copied().collect();
        }
        lay(self.latency.as_ref(), &mut mesh.latency);
        lay(self.throughput.as_ref(), &mut mesh.throughput);
        if self.curve {
            let powers = (0..=LARGEST_OF_CURVE.ilog2()).map(|power| Size(1 << power));
            mesh.latency = powers.collect();
            mesh.throughput.clone_from(&mesh.latency);
        }
        if let Some(calls) = &self.collectives {
            mesh.collectives.clear();
            for Calls(calls) in calls {
                let new = calls.iter().filter(|call| !mesh.collectives.contains(call));
                let new: Vec<Call> = new.copied().collect();
                mesh.collectives.extend(new);
            }
        }
        lay(self.collective_sizes.as_ref(), &mut mesh.collective_sizes);
        lay(self.visit.as_ref(), &mut mesh.visit);
        lay(self.repeat.as_ref(), &mut mesh.repeat);
        lay(self.matchings.as_ref(), &mut mesh.matchings);
        lay(self.recheck.as_ref(), &mut mesh.recheck);
        lay(self.tolerance.as_ref(), &mut mesh.tolerance);
        lay(self.seed.as_ref(), &mut common.seed);
    }
}

fn schedule_parser() -> impl clap::builder::TypedValueParser<Value = Option<MeshSchedule>> {
    let names = MeshSchedule::ALL.map(MeshSchedule::name).into_iter().chain(["none"]);
    PossibleValuesParser::new(names.collect::<Vec<_>>()).map(|text| text.parse::<MeshSchedule>().ok())
}

fn parse_calls(text: &str) -> Result<Calls, String> {
    Call::named(text).map(Calls).map_err(|_| {
        let mut names: Vec<&str> = Call::ALL.iter().map(|call| call.parts().0).collect();
        names.dedup();
        format!(
            "no collective is called `{text}`; write all, one of {}, or one with its algorithm, such as {}",
            names.join(", "),
            Call::ALL[6].name()
        )
    })
}

pub(super) fn parse_hosts(text: &str) -> Result<HostList, String> {
    let names = host_list::parse(text, MOST_HOSTS).map_err(|error| error.to_string())?;
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        return Err(format!("{twice} is there twice; --per-host starts several ranks on each host"));
    }
    // What begins with a dash would be an option of ssh.
    let odd =
        |name: &&String| name.starts_with('-') || name.chars().any(|c| c.is_whitespace() || c.is_control());
    match names.iter().find(odd) {
        Some(odd) => Err(format!("`{odd}` is no name of a host")),
        None if names.is_empty() => Err("it names no host".to_owned()),
        None => Ok(HostList(names)),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    fn args(flags: &str) -> MeshArgs {
        let words = ["linerate", "mesh"].into_iter().chain(flags.split_whitespace());
        let Ok(Cli { command: Command::Mesh(args), .. }) = Cli::try_parse_from(words) else {
            panic!("{flags} is a mesh command");
        };
        *args
    }

    #[test]
    fn every_flag_reaches_its_field_of_the_plan() {
        let plan = args(
            "--schedules pairs,fan-in,victim --latency 1,64 --throughput 1MiB,4MiB --collectives allreduce:ring,barrier \
             --collective-sizes 8,1KiB --visit 5ms --repeat 2 --matchings 40 --recheck 0 --tolerance 20% --seed 9",
        )
        .over(Plan::default());
        let expected = "seed = 9\n[mesh]\nschedules = ['pairs', 'fan-in', 'victim']\nlatency = [1, 64]\n\
             throughput = ['1MiB', '4MiB']\ncollectives = ['allreduce:ring', 'barrier:dissemination']\n\
             collective-sizes = [8, '1KiB']\nvisit = '5ms'\nrepeat = 2\nmatchings = 40\nrecheck = 0\ntolerance = 0.2";
        assert_eq!(plan, Plan::from_toml(expected).expect("a plan"));
        assert_eq!(Plan::from_toml(&plan.to_toml()).expect("it is read again"), plan);
    }

    #[test]
    fn a_curve_has_every_power_of_two() {
        let plan = args("--curve").over(Plan::default());
        let mesh = plan.mesh().expect("a mesh");
        assert_eq!((mesh.latency.len(), mesh.throughput[22]), (23, Size(4 << 20)));
        plan.check().expect("it can be measured");
    }

    #[test]
    fn collectives_alone_need_no_schedule() {
        let plan = args("--schedules none --collectives all").over(Plan::default());
        plan.check().expect("it can be measured");
        assert_eq!(plan.mesh().expect("a mesh").collectives.len(), 13);
    }

    #[test]
    fn lists_of_hosts_are_read_and_checked() {
        assert_eq!(parse_hosts("a,n[1-2]").expect("a list").0, ["a", "n1", "n2"]);
        for (text, said) in [
            ("a,b,a", "a is there twice"),
            ("n[1-2],n2", "n2 is there twice"),
            ("", "names no host"),
            ("-oProxyCommand=x", "is no name of a host"),
            ("n[1", "write several names"),
        ] {
            let found = parse_hosts(text).expect_err(text);
            assert!(found.contains(said), "{text}: {found}");
        }
    }
}
