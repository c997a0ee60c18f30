//! Several programs with one history.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use linerate_store::{Access, Existing, Filter, Location, Recent, Recorded, Store};

use crate::support::{guard, id_of, on_both, record};

/// How many runs a writer records.
const RUNS: i64 = 200;

/// Where a writer writes, and the name of its runs.
const PLACE: &str = "LINERATE_TEST_HISTORY";
const NAME: &str = "LINERATE_TEST_WRITER";

/// What the processes of the tests below do: nothing by itself.
#[test]
fn a_writer_that_was_asked_writes() {
    let (Some(place), Ok(name)) = (std::env::var_os(PLACE), std::env::var(NAME)) else { return };
    let mut store = Store::open(Location::parse(&place), Access::Create).expect("it opens");
    for run in 0..RUNS {
        let recorded =
            store.record(&record(&format!("{name}{run}"), "b", run), Existing::Keep).expect("recorded");
        assert!(matches!(recorded, Recorded::Added { .. }), "{recorded:?}");
        println!("\nrecorded {name}{run}");
    }
}

/// Starts a writer of its own process.
fn writer(place: &Location, name: &str) -> Child {
    let place = match place {
        Location::File(path) => path.clone().into_os_string(),
        // Without a password, it is shown as it is.
        Location::Postgres(url) => url.masked().into(),
    };
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "processes::a_writer_that_was_asked_writes", "--nocapture", "--test-threads=1"]);
    command
        .env(PLACE, place)
        .env(NAME, name)
        .envs([guard::mark()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts")
}

#[test]
fn two_writers_at_once_lose_nothing() {
    on_both(|place| {
        // The first to come makes the tables.
        let writers = ["x", "y"].map(|name| writer(&place.location, name));
        for writer in writers {
            let said = writer.wait_with_output().expect("it ends");
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
        }
        let mut store = place.open();
        let runs = store.runs(&id_of("b"), &Filter::default()).expect("read");
        assert_eq!(runs.len() as i64, 2 * RUNS);
        assert!(runs.iter().all(|run| run.record.figures.len() == 3 && run.curve_bytes > 0));
        assert_eq!(store.paths(&Filter::default(), &Recent::default()).expect("read").len(), 1);
        assert_eq!(store.check().expect("checked"), [""; 0]);
    });
}

#[test]
fn a_writer_that_is_killed_leaves_whole_runs() {
    on_both(|place| {
        let mut writer = writer(&place.location, "x");
        let lines = BufReader::new(writer.stdout.take().expect("it is piped")).lines();
        let said =
            lines.map_while(Result::ok).filter_map(|line| Some(line.strip_prefix("recorded ")?.to_owned()));
        let recorded: Vec<_> = said.take(20).collect();
        writer.kill().expect("it runs");
        writer.wait().expect("it ends");
        let mut store = place.open();
        for id in &recorded {
            let run = store.run(id).expect("it said that it was recorded");
            assert_eq!(run.record.figures.len(), 3);
        }
        let runs = store.runs(&id_of("b"), &Filter::default()).expect("read");
        assert!(runs.len() >= recorded.len() && runs.iter().all(|run| run.curve_bytes > 0));
        assert!(runs.iter().all(|run| run.record.figures.len() == 3), "nothing is half recorded");
        assert_eq!(store.check().expect("checked"), [""; 0]);
        // What was left out is recorded later.
        let all: Vec<_> = (0..RUNS).map(|run| record(&format!("x{run}"), "b", run)).collect();
        store.record_all(&all, Existing::Keep).expect("recorded");
        assert_eq!(store.runs(&id_of("b"), &Filter::default()).expect("read").len() as i64, RUNS);
    });
}
