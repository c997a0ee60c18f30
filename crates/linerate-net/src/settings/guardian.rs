//! A process that puts settings back when the one that changed them has ended, however it ended.
//!
//! It reads from a pipe whose other end the changing process alone holds. When that process ends, by `SIGKILL` too, the
//! kernel closes the pipe, and the guardian restores what the journal still holds.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use nix::sys::signal::{SigSet, Signal};

use super::Setting;
use super::journal::{Journal, JournalError};
use super::restore::{self, Outcome};

/// What a guardian says once it watches.
const READY: &str = "ready";

/// Lets this process go on when its terminal closes or its user presses Ctrl-C: it gets a session of its own, and this
/// thread and those that it starts do not hear `SIGINT`, `SIGTERM`, `SIGHUP` and `SIGQUIT`. For a process with one
/// thread.
///
/// # Errors
///
/// When the signals cannot be blocked.
pub fn stand_apart() -> io::Result<()> {
    // A process that leads a group cannot have a new session; a group of its own is apart enough.
    rustix::process::setsid().map(drop).unwrap_or(());
    let signals = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
    Ok(signals.into_iter().collect::<SigSet>().thread_block()?)
}

/// Watches over the journal at `journal`: says so on `ready`, waits until `lifeline` ends, and restores what is left.
/// What somebody else has changed is left alone. Nothing is left, and the result is empty, if the process has restored
/// everything itself.
///
/// # Errors
///
/// [`JournalError`] when the journal cannot be opened, or restored at the end.
pub fn guard(
    journal: &Path,
    mut lifeline: impl Read,
    mut ready: impl Write,
) -> Result<Vec<Outcome>, JournalError> {
    // Open from now on, so that it is known when it has been removed.
    let journal = Journal::open(journal)?;
    // Nobody listens if the process has ended already, and then the lifeline ends too.
    writeln!(ready, "{READY}").and_then(|()| ready.flush()).unwrap_or(());
    // However it ends, the process is no longer there.
    io::copy(&mut lifeline, &mut io::sink()).unwrap_or(0);
    restore::restore(&journal, false)
}

/// The guardian of this process, as this process sees it.
#[derive(Debug)]
pub struct Guarded {
    child: Child,
    /// The lifeline, until it is let go.
    lifeline: Option<ChildStdin>,
}

impl Guarded {
    /// Starts `command`, which calls [`guard`] with its standard input and output, and waits until it watches. Its
    /// network namespace is that of the calling thread.
    ///
    /// # Errors
    ///
    /// [`JournalError::Guardian`] when it cannot be started, or ends at once.
    pub fn start(mut command: Command) -> Result<Self, JournalError> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(JournalError::Guardian)?;
        let lifeline = child.stdin.take();
        let output = child.stdout.take();
        let mut guarded = Self { child, lifeline };
        let mut said = String::new();
        if let Some(output) = output {
            let mut output = BufReader::new(output).take(READY.len() as u64 + 1);
            output.read_line(&mut said).map_err(JournalError::Guardian)?;
        }
        if said.trim_end() == READY {
            return Ok(guarded);
        }
        let how = guarded.end().map_err(JournalError::Guardian)?;
        Err(JournalError::Guardian(io::Error::other(format!("it did not begin to watch: {how}"))))
    }

    /// Its number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets go of it: it restores what the journal still holds, and ends.
    ///
    /// # Errors
    ///
    /// When its end cannot be waited for.
    pub fn finish(mut self) -> io::Result<ExitStatus> {
        self.end()
    }

    /// That it is there, before `setting` is set.
    pub(super) fn check(&mut self, setting: &Setting) -> Result<(), JournalError> {
        let how = match self.child.try_wait() {
            Ok(None) => return Ok(()),
            Ok(Some(how)) => how.to_string(),
            Err(error) => error.to_string(),
        };
        Err(JournalError::Unguarded { setting: setting.clone(), pid: self.child.id(), how })
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        self.lifeline = None;
        self.child.wait()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.end().map(drop).unwrap_or(());
    }
}
