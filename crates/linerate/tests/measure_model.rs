//! `linerate measure --model` as a user runs it: a modelled network through the same command, file
//! and report as a real one.

use linerate_core::caution::Caution;
use linerate_core::run::{Run, Source, State};
use rstest::rstest;

use crate::support::{Desk, Said, has};

/// Two stations at 1 Gb/s with 100 m of category 5 cable between them.
const GIGABIT: &str = "about = 'a test'\n[network]\nmedium = 'ethernet'\n";
const FILES: [&str; 4] = ["--out", "x.run.json", "--report", "x.html"];

fn measure(desk: &Desk, plan: &str, options: &[&str]) -> Said {
    desk.write("x.toml", plan);
    desk.linerate(&[&["measure", "--model", "x.toml"], options, &FILES].concat())
}

/// The median one-way time of a size. Unit: picoseconds.
fn time(run: &Run, size: u64) -> f64 {
    let point = run.series[0].points.iter().find(|point| point.size == size).expect("it was asked for");
    point.time().expect("it was timed").median
}

#[test]
fn a_model_gives_the_curve_the_file_and_the_report_of_a_real_network() {
    let desk = Desk::new();
    let said = measure(&desk, GIGABIT, &[]).done();
    let run = desk.run_file("x.run.json");
    assert_eq!((&run.source, &run.state), (&Source::Modelled("x".to_owned()), &State::Complete));
    assert_eq!(run.series[0].timed().count(), 124, "NetPIPE's sizes");
    assert!(run.series[0].points.iter().all(|point| point.verified && point.rounds.len() == 1));
    assert_eq!(run.cautions, [], "nothing about an exact model is doubtful");
    // 64 B and the preamble at 1 ns a bit, and 100 m at 5.56 ns.
    assert_eq!(time(&run, 1), 576_000.0 + 556_000.0);
    assert!(said.stdout.contains("modelled: x") && said.stdout.contains("949 Mb/s"), "{}", said.stdout);
    let page = desk.read("x.html");
    assert!(page.contains("Simulated: no measurement noise.") && page.contains("The model"), "{page}");

    let again = desk.linerate(&["report", "x.run.json", "--report", "x.csv"]).done();
    assert_eq!(again.stdout, desk.linerate(&["report", "x.run.json"]).done().stdout, "the table too");
    assert_eq!(desk.read("x.csv").lines().filter(|line| !line.starts_with('#')).count(), 125);
}

#[test]
fn the_same_seed_gives_the_same_curve() {
    let desk = Desk::new();
    let hub = format!("{GIGABIT}topology = 'hub'\n");
    let few = ["--schedule", "list:64,1500,65536", "--time", "200ms"];
    let mut series = Vec::new();
    for seed in ["seed = 3", "seed = 3", "seed = 4"] {
        measure(&desk, &format!("{seed}\n{hub}"), &[&few[..], &["--force"]].concat()).done();
        series.push(desk.run_file("x.run.json").series);
    }
    assert_eq!(series[0], series[1]);
    assert_ne!(series[0], series[2], "collisions are random");
}

#[test]
fn the_file_holds_the_model_that_gave_it() {
    let desk = Desk::new();
    measure(&desk, GIGABIT, &["--set", "length-m=2000", "--rcvbuf", "8KiB", "--max-size", "1KiB"]).done();
    let first = desk.run_file("x.run.json");
    let model = first.model.clone().expect("what it was computed from");
    assert!(model.plan.contains("length-m = 2000") && model.plan.contains("window = 8192"), "{}", model.plan);
    measure(&desk, &model.plan, &["--max-size", "1KiB", "--force"]).done();
    assert_eq!(desk.run_file("x.run.json").series, first.series);
}

#[test]
fn a_plan_says_how_it_is_measured_and_a_flag_wins() {
    let desk = Desk::new();
    let plan = format!("{GIGABIT}[measure]\npattern = 'one-way'\nschedule = 'list:1000,5000'\n");
    measure(&desk, &plan, &["--schedule", "list:2000"]).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(
        (run.plan.curve().expect("a curve").pattern.name(), run.series[0].points.len()),
        ("one-way", 1)
    );
}

#[test]
fn a_setting_reaches_how_the_curve_is_measured_too() {
    let desk = Desk::new();
    let settings = ["--set", "measure.pattern=stream", "--set", "measure.schedule=list:3000"];
    measure(&desk, GIGABIT, &settings).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(
        (run.plan.curve().expect("a curve").pattern.name(), run.series[0].points.len()),
        ("one-way", 1)
    );
}

#[test]
fn duplex_mismatch_spares_the_small_and_ruins_the_large() {
    let desk = Desk::new();
    let plan = format!("{GIGABIT}phy = '100BASE-TX'\nduplex = 'full'\nrelay-duplex = 'half'\n");
    measure(&desk, &plan, &["--schedule", "list:64,1024,8192"]).done();
    let run = desk.run_file("x.run.json");
    assert!(matches!(run.cautions[..], [Caution::DuplexMismatch { .. }, ..]), "{:?}", run.cautions);
    // One frame each way passes; as soon as two follow each other, data and acknowledgements meet.
    assert!(time(&run, 1024) < 100e6, "{}", time(&run, 1024));
    assert!(time(&run, 8192) > 50e9, "{}", time(&run, 8192));
}

#[test]
fn datagrams_over_a_network_that_loses_end_in_one_clear_sentence() {
    let desk = Desk::new();
    let plan = format!(
        "{GIGABIT}phy = '100BASE-TX'\nduplex = 'full'\nrelay-duplex = 'half'\n[transport]\nkind = 'datagram'\n"
    );
    let said = measure(&desk, &plan, &["--pattern", "exchange", "--schedule", "list:64,100000"]);
    let complaint = said.complaint();
    assert!(complaint.contains("the modelled network lost a frame of it"), "{complaint}");
    assert!(complaint.contains("transport.kind = \"stream\""), "{complaint}");
    assert!(matches!(desk.run_file("x.run.json").state, State::Failed(_)));
}

#[test]
fn tcp_over_a_network_that_loses_everything_is_told_to_lose_less_and_not_to_send_again() {
    let desk = Desk::new();
    // The handshake and the first message pass, and nothing after them.
    let plan = format!("{GIGABIT}[tcp]\n[[impair]]\nloss = 1.0\nspare-below = '1000B'\n");
    let complaint = measure(&desk, &plan, &["--schedule", "list:64,100000"]).complaint();
    assert!(complaint.contains("every segment was lost each time that it was sent"), "{complaint}");
    assert!(complaint.contains("lose less") && !complaint.contains("transport.kind"), "{complaint}");
}

#[rstest]
#[case::processors(&["--pin", "0,1"], "its hosts have no addresses, interfaces, address families or processors")]
#[case::congestion(&["--congestion", "cubic"], "its hosts have no nodelay, congestion, dscp, busy-poll or io")]
#[case::host(&["--set", "measure.host=elsewhere"], "its hosts have no peer on another host")]
#[case::window(&["--rcvbuf", "100"], "transport.window is 100; it must be from 2920 B")]
#[case::half_duplex(&["--set", "phy=10G", "--set", "duplex=half"], "network.duplex is half; 10GBASE-R cannot")]
#[case::key(&["--set", "lenght-m=5"], "lenght-m")]
#[case::pause(&["--set", "duplex=half", "--set", "pause=symmetric"], "network.pause is symmetric; PAUSE is for full duplex")]
#[case::mtu(&["--set", "mtu=70000"], "network.mtu is 70000; it must be from 68 B")]
fn what_a_model_cannot_is_refused(#[case] options: &[&str], #[case] expected: &str) {
    let desk = Desk::new();
    let complaint = measure(&desk, GIGABIT, options).complaint();
    assert!(complaint.contains(expected), "{complaint}");
    assert!(!desk.path("x.run.json").exists(), "nothing was measured");
}

#[test]
fn a_model_and_a_host_are_not_measured_at_once() {
    let desk = Desk::new();
    let said = desk.linerate(&["measure", "somewhere", "--model", "gigabit"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("cannot be used with"), "{}", said.stderr);
}

#[test]
fn wireshark_reads_what_passed_during_a_curve() {
    if !has("tshark") {
        return;
    }
    let desk = Desk::new();
    measure(&desk, GIGABIT, &["--schedule", "list:1000,3000", "--trace", "x.pcapng"]).done();
    let fields = ["-r", "x.pcapng", "-Y", "frame.interface_id == 0", "-T", "fields", "-e", "tcp.len"];
    let lengths = desk.finish(desk.command("tshark", &fields)).done().stdout;
    // Both sizes there and back; and acknowledgements.
    let payload: u64 = lengths.lines().map(|line| line.parse::<u64>().expect(line)).sum();
    assert_eq!(payload, 2 * (1000 + 3000));
}

#[test]
fn runs_of_one_second_have_names_of_their_own() {
    let desk = Desk::new();
    for _ in 0..4 {
        desk.linerate(&["measure", "--model", "gigabit", "--schedule", "list:64", "--no-report", "--quiet"])
            .done();
    }
    let files = std::fs::read_dir(desk.folder()).expect("the folder is ours");
    let runs = files.filter(|file| file.as_ref().is_ok_and(|file| file.path().extension().is_some()));
    assert_eq!(runs.count(), 4);
}
