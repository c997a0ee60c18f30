//! Settings are put back whatever is killed when: the process that changes them, its guardian, or both.
//!
//! Costs a few seconds: [`ROUNDS`] rounds of two or three processes, each of which is this program again.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use linerate_net::lab::{LabError, TwoHosts};
use linerate_net::settings::{self, Changes, Guarded, JournalError, Setting, Standing, Value, guard};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How many times something is killed.
const ROUNDS: u64 = 50;
/// The longest that the processes are let alone, from the first change on. Unit: microseconds.
const LONGEST_US: u64 = 40_000;
/// What a process started again by this program is to be, and where the journals are.
const PART: &str = "LINERATE_TEST_PART";
const PLACE: &str = "LINERATE_TEST_PLACE";
/// What it says to the test, or the guardian to its process: standard output belongs to the test's harness.
const SAID: &str = "/proc/self/fd/3";

/// What is changed, and between which values.
const CHANGED: [(&str, [&str; 3]); 5] = [
    ("mtu@wire", ["1400", "1300", "1500"]),
    ("txqueuelen@wire", ["7", "8", "9"]),
    ("qdisc@wire", ["pfifo limit 5", "tbf rate 100mbit burst 32kb limit 128kb", "noqueue"]),
    ("sysctl.net.ipv4.tcp_rmem", ["4096 20000 30000", "4096 30000 40000", "4096 40000 50000"]),
    ("offload.tso@wire", ["on", "off", "on"]),
];

/// This program again, as `part`. What it writes to the third descriptor is its standard output.
fn again(part: &str, place: &Path) -> Command {
    let mut command = Command::new("sh");
    let program = std::env::current_exe().expect("this program");
    command.args(["-c", "exec \"$@\" 3>&1 >&2", "sh"]).arg(program);
    command.args(["settings::a_part_of_another_test", "--exact", "--nocapture", "--quiet"]);
    command.env(PART, part).env(PLACE, place).envs([crate::support::guard::mark()]);
    command
}

/// What the processes of the other test do. Nothing when it runs by itself.
#[test]
fn a_part_of_another_test() {
    let Some(place) = std::env::var_os(PLACE).map(PathBuf::from) else { return };
    match std::env::var(PART).expect("which part").as_str() {
        "changes" => change_until_killed(&place),
        journal => watch(Path::new(journal)),
    }
}

fn watch(journal: &Path) {
    settings::stand_apart().expect("apart");
    let ready = File::create(SAID).expect("the process listens");
    // Its errors are not the test's: what counts is how the settings are after.
    if let Err(error) = guard(journal, std::io::stdin(), ready) {
        eprintln!("the guardian failed to {error}");
    }
}

/// Begins, changes, restores, and begins again. Says the number of each guardian, and `-` when one was killed.
fn change_until_killed(place: &Path) {
    let mut said = File::create(SAID).expect("the test listens");
    for round in 0.. {
        let mut changes = Changes::begin(place, "a test of killing").expect("a journal");
        guarded(&mut changes, &mut said);
        for step in 0..CHANGED.len() * 4 {
            let (name, values) = CHANGED[step % CHANGED.len()];
            let value = Value::from(values[(round + step / CHANGED.len()) % values.len()]);
            let setting: Setting = name.parse().expect(name);
            match changes.set(&setting, &value) {
                Err(JournalError::Unguarded { .. }) => {
                    writeln!(said, "-").expect("the test listens");
                    guarded(&mut changes, &mut said);
                }
                other => drop(other.expect("root may")),
            }
        }
        let outcomes = changes.restore(false).expect("restored");
        assert!(outcomes.iter().all(settings::Outcome::is_done), "{outcomes:?}");
    }
}

fn guarded(changes: &mut Changes, said: &mut File) {
    let journal = changes.journal().to_owned();
    let guardian = Guarded::start(again(journal.to_str().expect("text"), &journal)).expect("a guardian");
    writeln!(said, "{}", guardian.pid()).expect("the test listens");
    changes.guarded_by(guardian);
}

fn values() -> Vec<String> {
    let value = |name: &str| settings::read(&name.parse().expect(name)).expect(name).to_string();
    CHANGED.map(|(name, _)| value(name)).into()
}

/// The next number of a sequence that looks random (Steele and others, "Fast splittable pseudorandom number
/// generators", 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Waits until neither the process nor a guardian of it is left: they all hold its standard error.
fn wait_for_all(mut child: Child) -> String {
    let mut errors = String::new();
    let mut stream = child.stderr.take().expect("it is piped");
    stream.read_to_string(&mut errors).expect("readable");
    let status = child.wait().expect("it is ours");
    assert_eq!(status.signal(), Some(9), "it ended by itself: {errors}");
    errors
}

/// One round in the calling thread's namespace; whether both were killed, so that nobody was left to restore.
fn round(seed: u64, place: &Path) -> bool {
    let mut state = seed;
    let mut command = again("changes", place);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut next = || said.next().expect("it runs").expect("text");
    let guardian = next().parse().expect("a number");
    std::thread::sleep(Duration::from_micros(random(&mut state) % LONGEST_US));
    let strike = |pid: i32| kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap_or(());
    let own = i32::try_from(child.id()).expect("a process number");
    match seed % 3 {
        0 => strike(own),
        1 => {
            strike(guardian);
            strike(own);
        }
        _ => {
            // Its process hears of it and starts another, unless it had finished with this one.
            strike(guardian);
            next();
            std::thread::sleep(Duration::from_micros(random(&mut state) % LONGEST_US));
            strike(own);
        }
    }
    drop(said);
    let errors = wait_for_all(child);
    assert!(!errors.contains("failed to") && !errors.contains("panicked"), "seed {seed}: {errors}");
    let left = settings::journals(place).expect("readable");
    for found in &left {
        assert_eq!(found.standing, Standing::Orphaned, "seed {seed}: {found:?}");
        let outcomes = settings::restore_orphan(&found.path, false).expect("readable");
        assert!(outcomes.iter().all(settings::Outcome::is_done), "seed {seed}: {outcomes:?}");
    }
    !left.is_empty()
}

#[test]
fn whatever_is_killed_every_setting_is_as_before() {
    let lab = match TwoHosts::new(1500) {
        Ok(lab) => lab,
        Err(error @ LabError::Privilege) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "failed to {error}");
            eprintln!("skipped: failed to {error}");
            return;
        }
        Err(error) => panic!("failed to {error}"),
    };
    let place = std::env::temp_dir().join(format!("linerate-killed-{}", std::process::id()));
    crate::support::guard::remove_at_end(&place);
    let orphans = lab.here(|| {
        let before = values();
        let mut orphans = 0;
        for seed in 0..ROUNDS {
            orphans += u64::from(round(seed, &place));
            assert_eq!(values(), before, "seed {seed}");
            assert!(settings::journals(&place).expect("readable").is_empty(), "seed {seed}");
        }
        orphans
    });
    let orphans = orphans.expect("entered");
    fs::remove_dir_all(&place).expect("removed");
    eprintln!("{ROUNDS} rounds; {orphans} times the next process had to restore");
    assert!(orphans > 0, "some rounds kill both");
}
