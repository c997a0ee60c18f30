//! The forwarder in a process of its own, so that its time is not counted as that of the process that measures, and it
//! alone is in a raised scheduling class.
//!
//! The job comes as a line of JSON on standard input, and a line of JSON answers with what became of the frames, as it
//! does to every line after. The process ends at the end of its input, so it never outlives its parent. That of a
//! laboratory that is kept lives as long as the laboratory's wires instead, and tells its counts on a socket.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

use super::engines::Engines;
use super::{Job, LinkFrames};
use crate::lab::LabError;
use crate::lab::namespace::Namespace;

/// How often a forwarder that is kept looks whether its wires are still there.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
/// How long it may take to tell its counts.
const PATIENCE: Duration = Duration::from_secs(2);

/// A program that calls [`forward`] with its standard input and output, or [`forward_kept`] if there is one more
/// argument, the path of a socket.
#[derive(Clone, Debug)]
pub struct ForwarderProgram {
    /// Its file.
    pub program: PathBuf,
    /// Its arguments before the socket.
    pub arguments: Vec<OsString>,
}

impl ForwarderProgram {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reply {
    Frames(Vec<LinkFrames>),
    /// It cannot begin, and why.
    Failed(String),
}

/// A forwarder that is a child of this process.
#[derive(Debug)]
pub(in crate::lab) struct Process {
    child: Child,
    /// None once it is to end.
    streams: Option<Mutex<Streams>>,
}

#[derive(Debug)]
struct Streams {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Streams {
    /// Sends a line and reads the answer.
    fn ask(&mut self, line: &str) -> io::Result<Vec<LinkFrames>> {
        writeln!(self.input, "{line}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        read(&answer)
    }
}

/// Starts the program, which gets its job and has begun it then.
fn start(mut command: Command, job: &Job) -> io::Result<(Child, Streams)> {
    let job = serde_json::to_string(job)?;
    let mut child = command.spawn()?;
    let (input, output) = child.stdin.take().zip(child.stdout.take()).expect("both are pipes");
    let mut streams = Streams { input, output: BufReader::new(output) };
    match streams.ask(&job) {
        Ok(_) => Ok((child, streams)),
        Err(error) => {
            // It ends at the end of its input.
            drop(streams);
            child.wait()?;
            Err(error)
        }
    }
}

impl Process {
    /// In a thread of the namespace of the middle ends: begins to forward between them.
    pub(super) fn start(program: &ForwarderProgram, job: &Job) -> Result<Self, LabError> {
        let (child, streams) = start(program.command(), job).map_err(LabError::refused("the forwarder"))?;
        Ok(Self { child, streams: Some(Mutex::new(streams)) })
    }

    pub(super) fn frames(&self) -> Option<Vec<LinkFrames>> {
        let mut streams = self.streams.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        streams.ask("").ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends at the end of its input.
        drop(self.streams.take());
        self.child.wait().map(drop).unwrap_or(());
    }
}

/// Starts a forwarder that stays as long as its wires do, and tells its counts on a `socket`.
pub(in crate::lab) fn start_kept(
    program: &ForwarderProgram,
    job: &Job,
    middle: &Namespace,
    socket: &Path,
) -> Result<(), LabError> {
    let mut command = program.command();
    command.arg(socket).stderr(Stdio::null()).current_dir("/");
    // It stays when its streams and its number are dropped.
    middle.enter(|| start(command, job))?.map(drop).map_err(LabError::refused("the forwarder"))
}

/// What became of the frames of a laboratory that is kept, by the socket of its forwarder.
///
/// Errors: `ConnectionRefused` if the forwarder has ended.
pub(in crate::lab) fn ask(socket: &Path) -> io::Result<Vec<LinkFrames>> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    read(&answer)
}

fn read(answer: &str) -> io::Result<Vec<LinkFrames>> {
    match serde_json::from_str(answer).map_err(|_| io::Error::other("its process has ended"))? {
        Reply::Frames(frames) => Ok(frames),
        Reply::Failed(reason) => Err(io::Error::other(reason)),
    }
}

/// Forwards between the middle ends in this process's namespace, as the job on `input` says, until `input` ends.
///
/// # Errors
///
/// When the job cannot be read or begun, which the `output` says too.
pub fn forward(input: impl BufRead, output: impl Write) -> Result<(), LabError> {
    leave_terminal();
    begin(input, output).map(drop)
}

/// The same, and then as long as its wires are there. What became of the frames is told to whoever connects to
/// `socket`.
///
/// # Errors
///
/// Those of [`forward`], and when the socket cannot be made.
pub fn forward_kept(input: impl BufRead, output: impl Write, socket: &Path) -> Result<(), LabError> {
    leave_terminal();
    let refused = || LabError::refused("the forwarder: its socket");
    let listener = UnixListener::bind(socket).map_err(refused())?;
    listener.set_nonblocking(true).map_err(refused())?;
    let Some(engines) = begin(input, output)? else { return Ok(()) };
    while !engines.are_over() {
        let mut asked = [PollFd::new(&listener, PollFlags::IN)];
        poll(&mut asked, Some(&LOOK)).map(drop).unwrap_or(());
        if let Ok((mut stream, _)) = listener.accept() {
            // Who asks and does not read learns nothing.
            stream.set_write_timeout(Some(PATIENCE)).unwrap_or(());
            say(&mut stream, &Reply::Frames(engines.frames())).unwrap_or(());
        }
    }
    Ok(())
}

/// Leaves Ctrl-C of a terminal to the parent, and does not end with the terminal.
fn leave_terminal() {
    rustix::process::setsid().map(drop).unwrap_or(());
}

/// Begins the job on `input` and answers until `input` ends. None if there was no job.
fn begin(input: impl BufRead, mut output: impl Write) -> Result<Option<Engines>, LabError> {
    let mut lines = input.lines();
    let Some(Ok(job)) = lines.next() else { return Ok(None) };
    let job = serde_json::from_str(&job).map_err(io::Error::from);
    let begun = job.map_err(LabError::refused("the forwarder: its job"));
    let engines = begun.and_then(|job| Engines::start(&job)).inspect_err(|error| {
        say(&mut output, &Reply::Failed(reason(error))).unwrap_or(());
    })?;
    let mut told = say(&mut output, &Reply::Frames(engines.frames()));
    while told.is_ok() && lines.next().is_some_and(|line| line.is_ok()) {
        told = say(&mut output, &Reply::Frames(engines.frames()));
    }
    Ok(Some(engines))
}

/// An error of the forwarder, for a parent that says whose it is.
fn reason(error: &LabError) -> String {
    match error {
        LabError::Refused { what, source } => {
            format!("{}: {source}", what.strip_prefix("the forwarder: ").unwrap_or(what))
        }
        other => other.to_string(),
    }
}

fn say(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    let text = serde_json::to_string(reply)?;
    writeln!(output, "{text}")?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &str) -> (Result<bool, String>, String) {
        let mut output = Vec::new();
        let begun = begin(input.as_bytes(), &mut output);
        (
            begun.map(|engines| engines.is_some()).map_err(|error| error.to_string()),
            String::from_utf8(output).expect("it is JSON"),
        )
    }

    #[test]
    fn every_line_is_answered_until_the_input_ends() {
        assert_eq!(answers(""), (Ok(false), String::new()));
        let (begun, said) = answers("{\"seed\":1,\"links\":[]}\n\n");
        assert_eq!((begun, &*said), (Ok(true), "{\"frames\":[]}\n{\"frames\":[]}\n"));
    }

    #[test]
    fn what_is_no_job_and_what_cannot_begin_is_said_to_the_parent_too() {
        for (job, wanted) in [
            ("hello\n", "set up the forwarder: its job: expected value"),
            (
                "{\"seed\":1,\"links\":[{\"number\":77,\"mtu\":1500,\"directions\":[{\"bucket\":null,\"impairment\":IMP},{\"bucket\":null,\"impairment\":IMP}]}]}\n",
                "set up the forwarder: link 77: No such device",
            ),
        ] {
            let nothing =
                serde_json::to_string(&linerate_core::lab::Impairment::default()).expect("it has a form");
            let (begun, said) = answers(&job.replace("IMP", &nothing));
            assert!(begun.as_ref().is_err_and(|error| error.starts_with(wanted)), "{begun:?}");
            let wanted = wanted.trim_start_matches("set up the forwarder: ");
            assert!(said.starts_with(&format!("{{\"failed\":\"{wanted}")), "{said}");
        }
    }
}
