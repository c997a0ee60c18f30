//! One run of a cell, as a process of its own: memory is laid out anew for every run, and one that fails ends no other.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use linerate_analysis::experiment::{Bench, Command as Program, Outcome, Slot};
use linerate_core::plan::{NO_REPORT, Plan};
use linerate_core::units::Span;
use linerate_sim::plan::ModelPlan;

use super::folder::{CONDITIONS, RUNS};
use super::prepared::{Prepared, Work, Written};
use crate::config::{NO_CONFIG, PROFILE};
use crate::signals::Interrupt;
use crate::store::Writer;
use crate::trouble::Trouble;

/// How long a run may take beyond the time that its task asks for.
const BEYOND: Duration = Duration::from_secs(600);
/// How long a run that is asked to end may take.
const TO_END: Duration = Duration::from_secs(20);
/// How an error of linerate begins.
const FAILED: &str = "failed to ";
/// Of what a program prints, this much is read. Unit: bytes.
const MOST_OUTPUT: u64 = 64 << 20;

/// What every run of an experiment has in common.
pub(super) struct Place<'a> {
    /// The folder.
    pub(super) folder: &'a Path,
    pub(super) files: &'a Writer,
    pub(super) bench: &'a Bench,
    pub(super) command: Option<&'a Program>,
    /// How long a run may take, if the plan says so.
    pub(super) limit: Option<Span>,
    /// Whether runs go into the history.
    pub(super) record: bool,
    /// The history that the user named.
    pub(super) history: Option<&'a OsString>,
    /// Where the plans of this process's runs lie, in the folder of their cell; empty if it is the only one.
    pub(super) part: String,
}

/// How a run ended.
pub(super) enum Ended {
    /// With this, after so many seconds.
    Outcome(Outcome, f64),
    /// The user ended it.
    Interrupted,
}

impl Place<'_> {
    /// Runs a cell. `labels` is what its run file is labelled with.
    ///
    /// # Errors
    ///
    /// Only what concerns every cell: files that cannot be written. A run that fails is an [`Outcome`].
    pub(super) fn run(
        &self,
        cell: &Prepared,
        slot: Slot,
        labels: &[(String, String)],
        interrupt: &Interrupt,
    ) -> Result<Ended, Trouble> {
        let stem = format!("{}-{}", cell.stem, slot_name(slot));
        let begin = |ending: &str| self.files.begin(&self.folder.join(RUNS).join(format!("{stem}.{ending}")));
        let (output, errors) = (begin("out")?, begin("err")?);
        let run = format!("{RUNS}/{stem}.run.json.zst");
        let mut command = match &cell.work {
            Work::Command(words) => program(words),
            Work::Task { plan, model, lab } => {
                let plan = self.own(plan, slot, labels, &run);
                self.task(cell, &plan, model.as_deref(), lab.as_ref(), slot)?
            }
        };
        let started = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(output.stdio()?)
            .stderr(errors.stdio()?)
            // Ctrl-C is for this process, which then ends the run.
            .process_group(0)
            .spawn();
        let ended = match child {
            Ok(mut child) => self.wait(&mut child, cell, interrupt),
            Err(error) => Waited::Failed(format!("start {}: {error}", command.get_program().display())),
        };
        let seconds = started.elapsed().as_secs_f64();
        let outcome = match ended {
            Waited::Interrupted => return Ok(Ended::Interrupted),
            Waited::Failed(reason) => Outcome::Failed(reason),
            Waited::Status(status) => self.outcome(status, cell, &stem, (output.path(), errors.path())),
        };
        let failed = matches!(outcome, Outcome::Failed(_));
        // What a program said is kept, whether it is its result or why there is none.
        if self.command.is_some() {
            self.files.finish(output)?;
        }
        if failed {
            self.files.finish(errors)?;
        }
        Ok(Ended::Outcome(outcome, seconds))
    }

    /// The plan of one repetition: another seed for each, and where its result goes.
    fn own(&self, plan: &Plan, slot: Slot, labels: &[(String, String)], run: &str) -> Plan {
        let mut plan = plan.clone();
        plan.common.seed = plan.common.seed.wrapping_add(nth(slot));
        plan.common.output.out = Some(self.folder.join(run).display().to_string());
        plan.common.output.report = Some(NO_REPORT.to_owned());
        plan.common.output.labels.extend(labels.iter().cloned());
        plan
    }

    fn task(
        &self,
        cell: &Prepared,
        plan: &Plan,
        model: Option<&(String, ModelPlan)>,
        lab: Option<&Written>,
        slot: Slot,
    ) -> Result<Command, Trouble> {
        let folder = self.folder.join(CONDITIONS).join(&cell.id).join(&self.part);
        fs::create_dir_all(&folder).map_err(|error| unwritten(&folder, &error))?;
        let written = |name: &str, text: &str| {
            let path = folder.join(format!("{name}.toml"));
            self.files.replace(&path, text).map(|()| path)
        };
        let program = std::env::current_exe().map_err(|error| {
            Trouble::new(format!("failed to find this program: {error}"), "start linerate by its path")
        })?;
        let mut command = Command::new(program);
        command.arg(plan.task.verb()).arg("--quiet").arg("--force");
        command.env(NO_CONFIG, "true").env_remove(PROFILE);
        command.arg("--plan").arg(written("plan", &plan.to_toml())?);
        if let Some((name, model)) = model {
            let model = ModelPlan { seed: model.seed.wrapping_add(nth(slot)), ..model.clone() };
            command.arg("--model").arg(written(name, &model.to_toml())?);
        }
        if let Some(lab) = lab {
            command.arg("--lab").arg(written(&lab.name, &lab.text)?);
            if let Some(on) = &self.bench.on {
                command.args(["--on", on]);
            }
        }
        if let Some(key) = &self.bench.key_file {
            command.args(["--key-file", key]);
        }
        if self.record {
            command.arg("--record");
        }
        if let Some(history) = self.history {
            command.arg("--history").arg(history);
        }
        Ok(command)
    }

    /// Waits for the end of a run; ends it when its time is over, or at the user's wish.
    fn wait(&self, child: &mut Child, cell: &Prepared, interrupt: &Interrupt) -> Waited {
        let limit =
            self.limit.map_or_else(|| cell.asked_time().map_or(Duration::ZERO, duration) + BEYOND, duration);
        let began = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Waited::Status(status),
                Ok(None) => {}
                Err(error) => return Waited::Failed(format!("wait for the run: {error}")),
            }
            if interrupt.asked() {
                end(child);
                return Waited::Interrupted;
            }
            if began.elapsed() > limit {
                end(child);
                return Waited::Failed(format!("end within {} s", limit.as_secs()));
            }
            std::thread::sleep(pause);
            // Short runs are not waited for longer than they take, and long ones not disturbed.
            pause = (pause * 2).min(Duration::from_millis(200));
        }
    }

    fn outcome(
        &self,
        status: ExitStatus,
        cell: &Prepared,
        stem: &str,
        (output, errors): (&Path, &Path),
    ) -> Outcome {
        // A finding (1) is a result too.
        let ran = match &cell.work {
            Work::Task { .. } => matches!(status.code(), Some(0 | 1)),
            Work::Command(_) => status.success(),
        };
        if !ran {
            return Outcome::Failed(reason(status, errors));
        }
        let Some(program) = self.command else { return Outcome::Run(format!("{RUNS}/{stem}.run.json.zst")) };
        let file = format!("{RUNS}/{stem}.out");
        // Some programs say their result on standard error.
        let said = text(output).and_then(|out| Ok(out + "\n" + &text(errors)?));
        match said.map(|said| program.read(said.trim_end())) {
            Ok(Ok(readings)) => Outcome::Readings { readings, file },
            Ok(Err(reason)) => Outcome::Failed(format!("{reason}; its output is in {file}")),
            Err(error) => Outcome::Failed(format!("read {file}: {error}")),
        }
    }
}

enum Waited {
    Status(ExitStatus),
    Failed(String),
    Interrupted,
}

fn program(words: &[String]) -> Command {
    let (first, rest) = words.split_first().expect("a plan's command has a word");
    let this = (first == "linerate").then(|| std::env::current_exe().ok()).flatten();
    let mut command = this.map_or_else(|| Command::new(first), Command::new);
    // Numbers and words as programs print them everywhere.
    command.args(rest).env("LC_ALL", "C");
    command
}

/// Which repetition, as part of a file's name.
fn slot_name(slot: Slot) -> String {
    let check = slot.check.map_or_else(String::new, |check| format!("-c{check}"));
    format!("{}{check}", slot.block)
}

/// A number of its own for every repetition.
fn nth(slot: Slot) -> u64 {
    u64::from(slot.block) + (u64::from(slot.check.unwrap_or(0)) << 32)
}

/// Asks the process to end; after a while it has to.
fn end(child: &mut Child) {
    let id = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap_or(());
    let began = Instant::now();
    while began.elapsed() < TO_END {
        if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // It has ended by itself, or cannot be helped.
    if child.kill().is_ok() {
        child.try_wait().unwrap_or(None);
    }
}

fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.as_ps() / 1_000)
}

/// What a run that failed said of it: the sentence of its error, or else its last line.
fn reason(status: ExitStatus, errors: &Path) -> String {
    let said = text(errors).unwrap_or_default();
    let mut lines = said.lines().skip_while(|line| !line.contains(FAILED));
    let Some(first) = lines.next() else {
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
        return last.map_or_else(|| format!("run to its end: {status}"), str::to_owned);
    };
    // A long sentence goes on behind bars.
    let rest = lines.map_while(|line| line.trim_start().strip_prefix('│')).map(str::trim);
    let first = first.split_once(FAILED).map_or(first, |(_, rest)| rest).trim();
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" ")
}

fn text(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn unwritten(path: &Path, error: &std::io::Error) -> Trouble {
    let help =
        "free space there, or choose another folder with --folder; the runs that are in the ledger are kept";
    Trouble::file("write", path, error, help)
}
