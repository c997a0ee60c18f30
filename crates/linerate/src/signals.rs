//! Ctrl-C, and the other wishes that a run end.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use crate::trouble::Trouble;

/// Exit status of a process that a second Ctrl-C ended: 128 + SIGINT, as in shells.
const FORCED: i32 = 130;

/// Whether the user asked to end.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// The first Ctrl-C asks the run to end; the second ends the process at once.
    ///
    /// # Errors
    ///
    /// When the operating system does not let it listen.
    pub(crate) fn listen() -> Result<Self, Trouble> {
        Self::heeding(true)
    }

    /// Beside a launcher, which may pass on each Ctrl-C that the terminal has sent already: none ends the process.
    ///
    /// # Errors
    ///
    /// When the operating system does not let it listen.
    pub fn listen_beside_launcher() -> Result<Self, Trouble> {
        Self::heeding(false)
    }

    fn heeding(a_second: bool) -> Result<Self, Trouble> {
        let asked = Arc::new(AtomicBool::new(false));
        let listen = || {
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                if a_second {
                    // Registered first, so that it sees the flag from the previous signal.
                    signal_hook::flag::register_conditional_shutdown(signal, FORCED, Arc::clone(&asked))?;
                }
                signal_hook::flag::register(signal, Arc::clone(&asked))?;
            }
            Ok(())
        };
        listen().map_err(|error: io::Error| {
            Trouble::new(format!("failed to listen for Ctrl-C: {error}"), "look at `ulimit -n`")
        })?;
        Ok(Self(asked))
    }

    /// Whether the user asked to end.
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What is set when the user asks, for what cannot ask back.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// A descriptor that becomes readable at Ctrl-C or on termination.
pub(crate) fn stop_descriptor() -> io::Result<UnixStream> {
    let (stop, signalled) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::low_level::pipe::register(signal, signalled.try_clone()?)?;
    }
    Ok(stop)
}

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail, rather than end the process.
pub(crate) fn survive_file_limit() {
    // Where no handler can be set, the process ends there as any other does.
    drop(signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
}

/// Leaves Ctrl-C to the parent, which shares the terminal.
pub(crate) fn leave_to_parent() -> io::Result<()> {
    signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}
