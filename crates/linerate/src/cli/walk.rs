//! A walk over every flag of the verbs that make a plan: each changes the plan, or acts beside it.

use std::ffi::OsString;

use clap::FromArgMatches as _;
use linerate_core::plan::Plan;

use super::{Cli, Command, RrArgs, StreamArgs, TraceArgs, command, line};

/// Flags that act beside the plan: how the other end is reached, a model or a laboratory in its place, files, and the screen.
const BESIDE: &str = "agent allow_unauthenticated_control as_rank bind color deploy describe force hdr history host_limits hosts key key_file lab model no_config on \
     patience pcapng per_host perfetto plan port print_plan profile program progress quiet ranks record rendezvous require_all servers set \
     show threads trace within";

/// Values to try: of one of them every flag takes something.
const VALUES: &str = "on off 2 8KiB 250ms 1M 3% 127.0.0.1 lo udp spin sendmsg 0,1 octave:4 cubic k=v buffers=8KiB allreduce \
     serial exchange x receive all json round interval none ect1";

/// Flags that need another.
const NEEDS: [(&str, &str); 2] = [("collective_sizes", "--collectives=barrier"), ("unit_cost", "--model=x")];

/// What `words` ask for, beyond what the verb asks for by itself; nothing if they cannot be read.
fn plan(words: &[OsString], command: &clap::Command) -> Option<Plan> {
    let matches = line::read(words, command).ok()?;
    match Cli::from_arg_matches(&matches).ok()?.command {
        Command::Measure(args) => Some(args.over(Plan::default())),
        Command::Stream(args) => args.over(StreamArgs::usual()).ok(),
        Command::Rr(args) => Some(args.over(RrArgs::usual())),
        Command::Mesh(args) => Some(args.over(Plan::default())),
        Command::App(args) => Some(args.over(Plan::default())),
        Command::Trace(args) => Some(args.over(TraceArgs::usual())),
        _ => None,
    }
}

/// A flag as it is written.
fn written(arg: &clap::Arg) -> String {
    let letter = || format!("-{}", arg.get_short().expect("a name or a letter"));
    arg.get_long().map_or_else(letter, |long| format!("--{long}"))
}

/// Whether the flag, alone or with some value, changes what `verb` does.
fn changes(verb: &str, arg: &clap::Arg, command: &clap::Command) -> bool {
    let other = NEEDS.iter().find(|(id, _)| *id == arg.get_id().as_str()).map(|(_, other)| *other);
    let subject = (verb == "app").then_some("hint");
    let usual: Vec<OsString> =
        ["linerate", verb].into_iter().chain(subject).chain(other).map(OsString::from).collect();
    let before = plan(&usual, command);
    let with = |given: String| plan(&[&usual[..], &[given.into()]].concat(), command);
    let differs = |given: String| with(given).is_some_and(|plan| Some(plan) != before);
    let flag = written(arg);
    differs(flag.clone()) || VALUES.split_whitespace().any(|value| differs(format!("{flag}={value}")))
}

#[test]
fn every_flag_of_a_plan_changes_it() {
    let command = command();
    let mut idle = Vec::new();
    for verb in ["measure", "stream", "rr", "mesh", "app", "trace"] {
        let found = command.find_subcommand(verb).expect("a verb");
        let shown = found.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set());
        let in_plan = shown.filter(|arg| BESIDE.split_whitespace().all(|id| id != arg.get_id().as_str()));
        idle.extend(
            in_plan.filter(|arg| !changes(verb, arg, &command)).map(|arg| format!("{verb} {}", written(arg))),
        );
    }
    assert!(idle.is_empty(), "these do nothing: {}", idle.join(", "));
}
