//! What the tests make goes with their program: the promise of `support::guard`.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::guard;

/// The folder of the program that is killed.
const PLACE: &str = "TEST_GUARD_PLACE";
const PATIENCE: Duration = Duration::from_secs(30);

/// What the killed program does. Nothing when it runs by itself.
#[test]
fn a_part_of_another_test() {
    let Some(place) = std::env::var_os(PLACE).map(PathBuf::from) else { return };
    guard::remove_at_end(&place);
    std::fs::create_dir_all(place.join("within")).expect("made");
    let mut sleeper = Command::new("sleep").arg("300").envs([guard::mark()]).spawn().expect("it sleeps");
    println!("sleeps {}", sleeper.id());
    sleeper.wait().expect("it is ours");
}

#[test]
fn a_program_that_is_killed_leaves_neither_a_process_nor_a_folder() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("guard's-{}", std::process::id()));
    let mut program = Command::new(std::env::current_exe().expect("this program"));
    program.args(["guard::a_part_of_another_test", "--exact", "--nocapture"]).env(PLACE, &place);
    let mut program = program.envs([guard::mark()]).stdout(Stdio::piped()).spawn().expect("it starts");
    let said = BufReader::new(program.stdout.take().expect("it is piped")).lines();
    let mut said = said.map_while(Result::ok);
    // The harness writes the name of the test before it.
    let sleeper =
        said.find_map(|line| Some(line.split_once("sleeps ")?.1.to_owned())).expect("it started one");
    assert!(runs(&sleeper) && place.join("within").exists());
    program.kill().expect("it is ours");
    program.wait().expect("it is ours");
    let begun = Instant::now();
    while runs(&sleeper) || place.exists() {
        assert!(begun.elapsed() < PATIENCE, "left: {sleeper}, {}", place.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process has not ended; what nobody has waited for has.
fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, fields)| !fields.trim_start().starts_with(['Z', 'X']))
}
