use super::*;

fn plan(flags: &str) -> Result<Plan, String> {
    let words: Vec<_> =
        ["linerate-mpi"].into_iter().chain(flags.split_whitespace()).map(Into::into).collect();
    let (cli, _) = program().read::<Cli>(&words).unwrap_or_else(|unread| panic!("{flags}: {unread:?}"));
    cli.command.plan().map(|planned| planned.plan).map_err(|trouble| trouble.laid_out())
}

#[test]
fn flags_reach_the_plan_and_the_plan_is_one_of_linerate() {
    let plan =
        plan("measure --pattern exchange --schedule list:1,8 --time 3s --rounds 4 --seed 7 --receive posted")
            .expect("it can be carried out");
    let expected = "transport = 'mpi'\npattern = 'exchange'\nschedule = 'list:1,8'\ntime = '3s'\nrounds = 4\nseed = 7\n\
        [mpi]\nreceive = 'posted'\n[socket]\nwait = 'spin'";
    assert_eq!(plan, Plan::from_toml(expected).expect("a plan"));
    assert_eq!(Plan::from_toml(&plan.to_toml()).expect("its own text"), plan);
}

#[test]
fn each_verb_has_its_own_usual_plan() {
    let bandwidth = plan("bandwidth").expect("a plan");
    let expected = "transport = 'mpi'\npattern = 'one-way'\nschedule = 'octave:1'\nto = '4MiB'\ntime = '10s'\n\
        [mpi]\nwindow = 64\n[socket]\nwait = 'spin'";
    assert_eq!(bandwidth, Plan::from_toml(expected).expect("a plan"));
    let collectives = plan("collectives --sizes 8").expect("a plan");
    let mesh = collectives.mesh().expect("a mesh");
    assert!(mesh.schedules.is_empty() && mesh.collectives.len() > 5, "{mesh:?}");
    let mesh = plan("mesh --repeat 2").expect("a plan");
    assert_eq!(mesh.mesh().map(|mesh| (mesh.repeat, mesh.schedules.len())), Some((2, 1)));
    let app = plan("app md steps=50 --speed-up 1,2").expect("a plan");
    assert_eq!(app.app().map(|app| &*app.ranks), Some(&[1, 2][..]));
}

#[test]
fn what_has_no_meaning_together_is_refused() {
    for (flags, why) in [
        ("measure --wait block", "polling"),
        ("measure --receive unexpected --pattern exchange", "both ends send at once"),
        ("measure --window 8", "ping-pong"),
        ("measure --window 2000 --pattern one-way", "window is 2000"),
        ("measure --receive posted --working-set 1MiB", "memory of messages"),
        ("collectives --calls allgossip", "allgossip"),
    ] {
        let said = plan(flags).expect_err(flags);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(why) && said.contains("help:"), "{flags}: {said}");
    }
}

#[test]
fn old_spellings_mean_the_same() {
    let now = plan("measure --min-size 2 --max-size 9 --label a=b --rows all").expect("a plan");
    assert_eq!(plan("measure --from 2 --to 9 --tag a=b --all-rows").expect("a plan"), now);
}

/// Whether two flags are spelled and understood alike.
fn is_alike(one: &clap::Arg, other: &clap::Arg) -> bool {
    let values = |arg: &clap::Arg| arg.get_action().takes_values();
    one.get_long() == other.get_long() && one.get_short() == other.get_short() && values(one) == values(other)
}

/// Every flag of `linerate measure` under the headings that all its measuring verbs have.
#[test]
fn every_verb_has_each_flag_of_output_and_plan_that_linerate_has() {
    let linerate = linerate::command();
    let measure = linerate.find_subcommand("measure").expect("it measures");
    let shared = |arg: &&clap::Arg| matches!(arg.get_help_heading(), Some("Output" | "Plan file"));
    let program = program();
    let mut seen = 0;
    for flag in measure.get_arguments().filter(shared) {
        seen += 1;
        for verb in program.command.get_subcommands() {
            let mut own = verb.get_arguments();
            assert!(own.any(|arg| is_alike(arg, flag)), "{} has no {flag}", verb.get_name());
        }
    }
    assert!(seen >= 17, "only {seen} were seen");
}

#[test]
fn the_short_help_fits_a_screen() {
    for line in ["-h", "measure -h", "bandwidth -h", "collectives -h", "mesh -h", "app -h"] {
        let words: Vec<_> =
            ["linerate-mpi"].into_iter().chain(line.split_whitespace()).map(Into::into).collect();
        let mut program = program();
        program.command = program.command.term_width(80);
        let Err(linerate::Unread::Clap(help)) = program.read::<Cli>(&words) else { panic!("{line}") };
        let text = help.to_string();
        assert!(text.lines().count() <= 25, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn a_flag_that_is_not_there_is_answered_with_one_that_is() {
    for (line, wanted) in [
        ("mesh --window 3", "linerate-mpi mesh has no --window; linerate-mpi measure has it"),
        ("measure --patern x", "linerate-mpi measure has no --patern; did you mean --pattern?"),
        ("measure --too 3", "linerate-mpi measure has no --too; did you mean --max-size?"),
    ] {
        let words: Vec<_> =
            ["linerate-mpi"].into_iter().chain(line.split_whitespace()).map(Into::into).collect();
        let Err(linerate::Unread::Wrong(trouble)) = program().read::<Cli>(&words) else { panic!("{line}") };
        assert_eq!(trouble.to_string(), wanted);
    }
}

#[test]
fn the_command_line_is_consistent() {
    program().command.debug_assert();
}
