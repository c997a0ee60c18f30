//! Ctrl-C, and the other wishes that a run end.

use std::io;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use crate::trouble::Trouble;

/// What the language says when `thread::spawn` cannot start a thread, in each of its forms.
const NO_THREAD: &str = "failed to spawn thread";
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

/// Whether a thread that cannot start ends only what needed it.
static SERVES: AtomicBool = AtomicBool::new(false);

/// Lets a limit of the operating system end this process in a sentence and with exit code 2: no signal, no core, no panic.
/// A write beyond the limit of a file's size fails; memory that is lacking is named by the language, which then aborts.
pub(crate) fn survive_limits(refuse: fn(&Trouble) -> ExitCode) {
    // Where no handler can be set, the process ends there as any other does.
    drop(signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
    drop(signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, Arc::new(AtomicBool::new(true))));
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.payload_as_str().is_some_and(|text| text.contains(NO_THREAD)) {
            return usual(panic);
        }
        let help =
            "raise the limit of processes (`ulimit -u`) or of memory (`ulimit -v`), or ask for fewer flows";
        refuse(&Trouble::new("failed to start a thread: the system has no room for it", help));
        if !SERVES.load(Ordering::Relaxed) {
            std::process::exit(2);
        }
    }));
}

/// From now on a thread that cannot start ends one conversation, and not this process.
pub(crate) fn serve_on() {
    SERVES.store(true, Ordering::Relaxed);
}

/// Leaves Ctrl-C to the parent, which shares the terminal.
pub(crate) fn leave_to_parent() -> io::Result<()> {
    signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}
