//! linerate as a user runs it: the binary in a folder of its own, in the foreground or in the
//! background, and what it said.

#[path = "../../linerate-core/tests/support/guard.rs"]
pub(crate) mod guard;
pub(crate) mod lab;
pub(crate) mod process;
pub(crate) mod server;

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use linerate_core::run::Run;
use tempfile::TempDir;

use process::Process;

/// How long anything may take before a test gives up. The longest, every claim of the models, takes 70 s of processor
/// time in a development build, and other tests run beside it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(900);

/// What was printed, without when.
pub(crate) fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("Recorded by ")).map(|line| format!("{line}\n")).collect()
}

/// A folder that a test works in, so that the names of its files are short and its own.
#[derive(Debug)]
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        let folder =
            tempfile::Builder::new().prefix("linerate-test-").tempdir().expect("a folder for the test");
        guard::remove_at_end(folder.path());
        Self(folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("the folder is ours");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Starts a load that would last, presses Ctrl-C when it is under way, and reads what it kept.
    pub(crate) fn interrupted(&self, verb: &str) -> Run {
        let mut running = self.start(&[verb, "--time", "80s", "--out", "x.run.json", "--report", "x.html"]);
        self.under_way(&running);
        running.press_ctrl_c();
        running.wait(PATIENCE);
        self.run_file("x.run.json")
    }

    /// Waits until a load that was asked to write `x.run.json` moves bytes: the file is there just
    /// before it begins, and nothing else takes this much processor time.
    pub(crate) fn under_way(&self, load: &Process) {
        process::wait_for("the run file", || self.path("x.run.json").exists().then_some(()));
        load.works_for(10);
    }

    /// The run file `name`.
    pub(crate) fn run_file(&self, name: &str) -> Run {
        Run::from_json(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A program to run here, with nothing of the tester's environment that linerate heeds.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder());
        for name in [
            "LINERATE_KEY",
            "LINERATE_LOG",
            "LINERATE_HISTORY",
            "LINERATE_PROFILE",
            "CI",
            "COLUMNS",
            "TERM",
            "FORCE_COLOR",
            "CLICOLOR_FORCE",
        ] {
            command.env_remove(name);
        }
        command.env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
        let (name, value) = guard::mark();
        command.env(name, value);
        // Nor the tester's or this host's configuration.
        command.env("LINERATE_NO_CONFIG", "1");
        // Not where this host notes what is to be put back.
        command.env("LINERATE_SETTINGS", self.path("settings"));
        command
    }

    /// Runs linerate to its end.
    pub(crate) fn linerate(&self, arguments: &[&str]) -> Said {
        self.finish(self.command(PROGRAM, arguments))
    }

    /// Starts linerate and leaves it running.
    pub(crate) fn start(&self, arguments: &[&str]) -> Process {
        Process::start(self.command(PROGRAM, arguments))
    }

    /// Runs `command` to its end.
    pub(crate) fn finish(&self, command: Command) -> Said {
        let output = assert_cmd::Command::from_std(command).timeout(PATIENCE).output();
        let output = output.expect("the program runs");
        // It kills what is late, and gives what that had said.
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.signal().is_none(), "{}, after at most {PATIENCE:?}: {said}", output.status);
        Said::of(output)
    }

    /// Starts a measurement and waits until it has saved its first rounds in `x.run.json`.
    pub(crate) fn start_and_measure(&self, arguments: &[&str]) -> Process {
        let process = self.start(&[&["measure", "--out", "x.run.json"], arguments].concat());
        process::wait_for("a round in the run file", || {
            let text = fs::read_to_string(self.path("x.run.json")).ok()?;
            // It is replaced in one step, so it is whole whenever it is there.
            let run = Run::from_json(&text).expect("a run that goes on is readable");
            run.series.iter().any(|series| series.timed().next().is_some()).then_some(())
        });
        process
    }
}

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_linerate");

/// What a program said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("linerate speaks UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Asserts that all went well.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// That it ended with this code, with its messages unwrapped.
    #[track_caller]
    pub(crate) fn fails(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        Self { stderr: unfolded(&self.stderr), ..self }
    }

    /// The one message of a command that could not: the trouble, and what to do, a line each.
    #[track_caller]
    pub(crate) fn complaint(&self) -> String {
        assert_eq!(self.code, Some(2), "{}\n{}", self.stdout, self.stderr);
        complaint(&self.stderr)
    }
}

/// The one message in `stderr`, unwrapped: the trouble, and what to do, a line each.
#[track_caller]
pub(crate) fn complaint(stderr: &str) -> String {
    let parts: Vec<&str> = stderr.split('×').collect();
    let [before, message] = parts[..] else { panic!("not one message but:\n{stderr}") };
    assert!(before.lines().all(|line| line.starts_with("waiting")
        || line.starts_with("one round of all sizes")
        || line.trim().is_empty()
        || is_path(line)));
    let (trouble, help) = message.split_once("help:").unwrap_or_else(|| panic!("no help in:\n{stderr}"));
    assert!(!help.contains("help:") && !stderr.contains("panicked"), "{stderr}");
    format!("{}\nhelp: {}", unfolded(trouble), unfolded(help))
}

/// The words of `text`, as if no line of it had been folded: where a line folds depends on the
/// numbers before it.
pub(crate) fn unfolded(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<&str>>().join(" ")
}

/// Whether a line on standard error says where a file is.
fn is_path(line: &str) -> bool {
    line.starts_with("run file: ") || line.starts_with("report: ")
}

/// Says that a test needs `component` and does nothing without it; in CI that is a failure.
pub(crate) fn missing(component: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{component} is missing");
    eprintln!("skipped: {component} is missing");
}

/// Runs a program in this thread's network namespace; what it printed.
pub(crate) fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("failed to run {program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Whether `program` can be run; a test that needs it ends without.
pub(crate) fn has(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
    if !found {
        missing(program);
    }
    found
}

/// Whether this process may do as it likes with the host; a test that needs it ends without.
pub(crate) fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        missing("the right to mount and to make network namespaces (root)");
    }
    root
}
