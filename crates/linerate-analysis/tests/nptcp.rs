//! NetPIPE itself as the reference for its schedule: the sizes that the real `NPtcp` measures are
//! those of [`Schedule::Netpipe`], and the file that it writes is read.
//!
//! Needs Debian's `netpipe-tcp`. Without it the tests are skipped by name, except in CI.

use std::fs::File;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use linerate_analysis::netpipe_file;
use linerate_core::run::Source;
use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::units::Size;
use rstest::rstest;

use crate::support::guard;

const PROGRAM: &str = "NPtcp";
const PATIENCE: Duration = Duration::from_secs(60);
/// What `NPtcp` prints when nobody listens yet; 111 is Linux's ECONNREFUSED.
const REFUSED: &str = "Cannot Connect! errno=111";
/// What it prints when its port is taken; 98 is EADDRINUSE.
const TAKEN: &str = "bind on local address failed! errno=98";

#[rstest]
#[case::perturbed(&["-u", "8192"], bounds(None, 8192, None))]
#[case::plain(&["-u", "8192", "-p", "0"], bounds(None, 8192, Some(0)))]
#[case::wider(&["-u", "4096", "-p", "5"], bounds(None, 4096, Some(5)))]
#[case::from_64(&["-l", "64", "-u", "4096"], bounds(Some(64), 4096, None))]
#[case::from_100(&["-l", "100", "-u", "3000"], bounds(Some(100), 3000, None))]
// From 12 the step is twice the perturbation at first, so that sizes come twice.
#[case::from_12(&["-l", "12", "-u", "1000"], bounds(Some(12), 1000, None))]
fn nptcp_measures_the_sizes_of_our_netpipe_schedule(#[case] options: &[&str], #[case] bounds: Bounds) {
    let Some(text) = np_out(options) else { return };
    let measured: Vec<u64> = text.lines().map(first_column).collect();
    assert_eq!(measured, Schedule::Netpipe.sizes(bounds).expect("the bounds are in order"));

    let run = netpipe_file::read(&text).expect("a file that NetPIPE wrote").remove(0);
    assert_eq!(run.source, Source::Imported("NetPIPE 3.x".to_owned()));
    let read: Vec<u64> = run.series[0].points.iter().map(|point| point.size).collect();
    assert_eq!(read, measured);
}

fn bounds(from: Option<u64>, to: u64, perturb: Option<u64>) -> Bounds {
    Bounds { from: from.map(Size), to: Some(Size(to)), perturb: perturb.map(Size) }
}

fn first_column(line: &str) -> u64 {
    line.split_whitespace().next().and_then(|text| text.parse().ok()).expect(line)
}

/// The result file of one run of both ends over the loopback; none if there is no `NPtcp`.
fn np_out(options: &[&str]) -> Option<String> {
    let directory = Scratch::new();
    let deadline = Deadline::after(PATIENCE);
    loop {
        match np_out_at(unused_port(), options, &directory, &deadline) {
            Ok(text) => return text,
            Err(PortTaken) => deadline.check("a port that stays unused"),
        }
    }
}

/// A process that another test forks holds what was open here, until it is another program.
struct PortTaken;

/// The same at this port.
fn np_out_at(
    port: u16,
    options: &[&str],
    directory: &Scratch,
    deadline: &Deadline,
) -> Result<Option<String>, PortTaken> {
    let port = port.to_string();
    // Three repeats a trial: the sizes are wanted, not the times.
    let common = [&["-P", &port, "-n", "3"], options].concat();
    let Some(mut receiver) = Process::start(directory, "receiver.log", &common) else { return Ok(None) };
    let file = directory.path().join("ours.out");
    let towards = [&common[..], &["-h", "127.0.0.1", "-o", "ours.out"]].concat();
    // The receiver takes the first that connects, so only the transmitter itself may try.
    loop {
        let Some(mut transmitter) = Process::start(directory, "transmitter.log", &towards) else {
            return Ok(None);
        };
        let (status, said) = transmitter.finish(deadline);
        if status.success() {
            break;
        }
        if let Some(status) = receiver.ended() {
            let said = receiver.said();
            assert!(said.contains(TAKEN), "the receiver ended with {status}, and nobody came: {said}");
            return Err(PortTaken);
        }
        assert!(said.contains(REFUSED), "the transmitter ended with {status}: {said}");
        deadline.check("the receiver to listen");
    }
    let (status, said) = receiver.finish(deadline);
    assert!(status.success(), "the receiver ended with {status}: {said}");
    Ok(Some(std::fs::read_to_string(&file).expect("the transmitter wrote its file")))
}

/// A port that nobody listens on just now, below those that the kernel hands out by itself. Tests
/// that run at the same time have different process ids, or different turns in one process.
fn unused_port() -> u16 {
    static TURN: AtomicU32 = AtomicU32::new(0);
    loop {
        let turn = TURN.fetch_add(1, Ordering::Relaxed);
        let port = 10_000 + (std::process::id() % 1_000 * 20 + turn % 20) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A process that never outlives its owner.
struct Process {
    child: Child,
    /// Where all that it says goes.
    log: PathBuf,
}

impl Process {
    /// Starts `NPtcp`; none, with a word, if there is none.
    fn start(directory: &Scratch, log: &str, options: &[&str]) -> Option<Self> {
        let log = directory.path().join(log);
        let out = File::create(&log).expect("the directory is ours");
        let both = out.try_clone().expect("a second handle of one file");
        let mut command = Command::new(PROGRAM);
        command.args(options).current_dir(directory.path()).envs([guard::mark()]);
        command.stdin(Stdio::null()).stdout(out).stderr(both);
        match command.spawn() {
            Ok(child) => Some(Self { child, log }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let ci = std::env::var("CI").is_ok_and(|value| value == "true");
                assert!(!ci, "`{PROGRAM}` is missing: install the package netpipe-tcp");
                eprintln!("SKIPPED: `{PROGRAM}` is missing; the package netpipe-tcp has it");
                None
            }
            Err(error) => panic!("failed to start {PROGRAM}: {error}"),
        }
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("our own child")
    }

    /// Waits until it ends; says what it said.
    fn finish(&mut self, deadline: &Deadline) -> (ExitStatus, String) {
        loop {
            if let Some(status) = self.ended() {
                return (status, self.said());
            }
            deadline.check("NPtcp to end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// All that it has said.
    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).expect("its log is ours")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Either fails only if it has ended and was reaped, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How long a wait may last.
struct Deadline(Instant);

impl Deadline {
    #[expect(clippy::disallowed_methods, reason = "real processes take real time")]
    fn after(patience: Duration) -> Self {
        Self(Instant::now() + patience)
    }

    #[expect(clippy::disallowed_methods, reason = "real processes take real time")]
    fn check(&self, what: &str) {
        assert!(Instant::now() < self.0, "waited {PATIENCE:?} for {what}");
    }
}

/// A directory of this test's own, removed with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let process = std::process::id();
        let thread = std::thread::current().name().unwrap_or("main").replace("::", "-");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("nptcp-{process}-{thread}"));
        guard::remove_at_end(&path);
        std::fs::create_dir_all(&path).expect("cargo's directory for tests is ours to write");
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What remains lies in cargo's own directory and harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
