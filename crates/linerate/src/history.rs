//! The history of runs: where it is kept, and what of a run it keeps.

pub(crate) mod pack;
mod record;
mod runs;

use std::ffi::OsString;
use std::path::Path;
#[cfg(on_linux)]
use std::sync::OnceLock;

use linerate_core::run::Run;
#[cfg(on_linux)]
use linerate_net::lab::Home;
use linerate_store::{Access, Existing, Location, Recorded, Store, StoreError};

use crate::store;
use crate::trouble::Trouble;

pub(crate) use record::record_of;

/// The history that this process uses, and whether its run is recorded there.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// What the user named on the command line.
    named: Option<OsString>,
    records: bool,
    /// Where this process was before it went into a laboratory, if it did.
    #[cfg(on_linux)]
    home: OnceLock<Home>,
}

impl History {
    /// The history that the user `named`, where the run of this process is recorded, or else the user's own. One that it
    /// could never write is refused before anything is measured.
    pub(crate) fn of(named: Option<OsString>) -> Result<Self, Trouble> {
        let place = named.as_ref().filter(|named| !store::is_off(named));
        if let Some(place) = place {
            Location::parse(place).check_supported().map_err(|error| trouble(&error))?;
        }
        Ok(Self { records: place.is_some(), named, ..Self::default() })
    }

    /// The same, where the run is recorded also if the user `wants` it in so many words.
    pub(crate) fn recording(self, wants: bool) -> Self {
        Self { records: self.records || wants, ..self }
    }

    /// What the user named on the command line, for processes that this one starts.
    pub(crate) const fn named(&self) -> Option<&OsString> {
        self.named.as_ref()
    }

    /// The history that the user named, or the user's own.
    fn location(&self) -> Result<Location, Trouble> {
        if let Some(named) = self.named.as_ref().filter(|named| !store::is_off(named)) {
            return Ok(Location::parse(named));
        }
        let variable = |name: &str| std::env::var_os(name);
        Location::of_user(variable("XDG_DATA_HOME").as_deref(), variable("HOME").as_deref()).ok_or_else(
            || {
                Trouble::new(
                    "failed to find the history: neither XDG_DATA_HOME nor HOME says where your data are",
                    "name a history with --history",
                )
            },
        )
    }

    /// Opens it.
    pub(crate) fn open(&self, access: Access) -> Result<Store, Trouble> {
        Store::open(self.location()?, access).map_err(|error| trouble(&error))
    }

    /// Opens it if it is there.
    pub(crate) fn existing(&self) -> Result<Option<Store>, Trouble> {
        match Store::open(self.location()?, Access::Existing) {
            Ok(store) => Ok(Some(store)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(trouble(&error)),
        }
    }

    /// Tells where this process was before it went into a laboratory: a history on another host is reached from there.
    #[cfg(on_linux)]
    pub(crate) fn reach_from(&self, home: Home) {
        // A process goes into one laboratory.
        self.home.set(home).unwrap_or(());
    }

    /// Records `run`, which lies in `file`, if this process is to.
    pub(crate) fn keep(&self, run: &Run, file: &Path) -> Result<(), Trouble> {
        if !self.records {
            return Ok(());
        }
        #[cfg(on_linux)]
        if let Some(home) = self.home.get() {
            return home.back(|| self.record(run, file))?;
        }
        self.record(run, file)
    }

    fn record(&self, run: &Run, file: &Path) -> Result<(), Trouble> {
        let file = if store::is_stream(file) { Path::new("") } else { file };
        let recorded = self.open(Access::Create)?.record(&record_of(run, file)?, Existing::Keep);
        match recorded.map_err(|error| trouble(&error))? {
            Recorded::Refused(error) => Err(trouble(&error)),
            Recorded::Added { later_us: Some(_) } => Err(Trouble::new(
                "the history has a later run of this path: it is recorded, but a clock may have gone backwards",
                "check the date of this host",
            )),
            _ => Ok(()),
        }
    }
}

/// The error as a user sees it.
pub(crate) fn trouble(error: &StoreError) -> Trouble {
    Trouble::new(format!("failed to {error}"), error.advice())
}
