//! The history of runs: where it is kept, and what of a run it keeps.

pub(crate) mod pack;
mod record;
mod runs;

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::run::Run;
#[cfg(on_linux)]
use linerate_net::lab::Home;
use linerate_store::{Access, Existing, Location, Recorded, Store, StoreError};

use crate::store;
use crate::trouble::Trouble;

pub(crate) use record::record_of;
pub(crate) use runs::{named, spread};

/// The history that the user named.
static NAMED: OnceLock<OsString> = OnceLock::new();
/// Where this process was before it went into a laboratory, if it did.
#[cfg(on_linux)]
static HOME: OnceLock<Home> = OnceLock::new();
/// Whether the run of this process is recorded.
static RECORDED: AtomicBool = AtomicBool::new(false);

/// Lets this process use the history at `place`, and record its run there. One that it could never write is
/// refused before anything is measured.
pub(crate) fn choose(place: OsString) -> Result<(), Trouble> {
    Location::parse(&place).check_supported().map_err(|error| trouble(&error))?;
    // It is set once, by the command line.
    NAMED.set(place).unwrap_or(());
    record();
    Ok(())
}

/// The history that the user named on the command line, for processes that this one starts.
pub(crate) fn chosen() -> Option<&'static OsString> {
    NAMED.get()
}

/// Lets this process record its run.
pub(crate) fn record() {
    RECORDED.store(true, Ordering::Relaxed);
}

/// The history that the user named, or the user's own.
fn location() -> Result<Location, Trouble> {
    if let Some(named) = NAMED.get() {
        return Ok(Location::parse(named));
    }
    let variable = |name: &str| std::env::var_os(name);
    Location::of_user(variable("XDG_DATA_HOME").as_deref(), variable("HOME").as_deref()).ok_or_else(|| {
        Trouble::new(
            "failed to find the history: neither XDG_DATA_HOME nor HOME says where your data are",
            "name a history with --history",
        )
    })
}

/// Opens the history.
pub(crate) fn open(access: Access) -> Result<Store, Trouble> {
    Store::open(location()?, access).map_err(|error| trouble(&error))
}

/// Opens the history if there is one.
pub(crate) fn existing() -> Result<Option<Store>, Trouble> {
    match Store::open(location()?, Access::Existing) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(trouble(&error)),
    }
}

/// The error as a user sees it.
pub(crate) fn trouble(error: &StoreError) -> Trouble {
    Trouble::new(format!("failed to {error}"), error.advice())
}

#[cfg(on_linux)]
/// Tells where this process was before it went into a laboratory: a history on another host is reached from there.
pub(crate) fn from(home: Home) {
    HOME.set(home).unwrap_or(());
}

/// Records `run`, which lies in `file`, if this process is to.
pub(crate) fn keep(run: &Run, file: &Path) -> Result<(), Trouble> {
    if !RECORDED.load(Ordering::Relaxed) {
        return Ok(());
    }
    #[cfg(on_linux)]
    if let Some(home) = HOME.get() {
        return home.back(|| recorded(run, file))?;
    }
    recorded(run, file)
}

fn recorded(run: &Run, file: &Path) -> Result<(), Trouble> {
    let file = if store::is_stream(file) { Path::new("") } else { file };
    let recorded = open(Access::Create)?.record(&record_of(run, file)?, Existing::Keep);
    match recorded.map_err(|error| trouble(&error))? {
        Recorded::Refused(error) => Err(trouble(&error)),
        Recorded::Added { later_us: Some(_) } => Err(Trouble::new(
            "the history has a later run of this path: it is recorded, but a clock may have gone backwards",
            "check the date of this host",
        )),
        _ => Ok(()),
    }
}
