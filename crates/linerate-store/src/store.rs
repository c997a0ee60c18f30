//! The history, open.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::alias::{self, Alias};
use crate::database::{Database, Value};
use crate::error::StoreError;
use crate::filter::{Condition, Filter};
use crate::location::Location;
use crate::marks::{self, ChangeState};
use crate::notes::{self, Notes};
use crate::path;
use crate::paths::{self, PathSummary, Recent};
use crate::prune::{self, Pruned, Thinning};
use crate::record::{PathId, Record};
use crate::recording::{self, Existing, Recorded};
use crate::removal::{self, Removed};
use crate::runs::{self, StoredRun};
use crate::series::{self, PathSeries};
use crate::{check, curves, export};

/// How many records one transaction takes: a thousand of them are not written one by one, and others may
/// write in between.
const RECORDS_AT_ONCE: usize = 100;

/// Whether a history that is not there is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is.
    Create,
    /// It must be there.
    Existing,
}

/// A history, open. Several programs may have it open at once; one of them writes at a time.
///
/// Wherever a path is asked for, one that is merged into another means that one.
#[derive(Debug)]
pub struct Store {
    database: Database,
    location: Location,
}

impl Store {
    /// Opens the history at `location`.
    ///
    /// # Errors
    ///
    /// If it cannot be reached, or belongs to a later linerate or another program, or is damaged.
    pub fn open(location: Location, access: Access) -> Result<Self, StoreError> {
        let database = Database::open(&location, access == Access::Create)?;
        Ok(Self { database, location })
    }

    /// Where it is kept.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Records a run.
    ///
    /// # Errors
    ///
    /// If another run has its id, if it cannot be kept, or if the database cannot write. Then nothing of
    /// it is recorded.
    pub fn record(&mut self, record: &Record, existing: Existing) -> Result<Recorded, StoreError> {
        let recorded = self.record_all(std::slice::from_ref(record), existing)?;
        match recorded.into_iter().next() {
            Some(Recorded::Refused(error)) => Err(error),
            Some(recorded) => Ok(recorded),
            None => Ok(Recorded::AlreadyThere),
        }
    }

    /// Records many runs, a hundred in each transaction; what became of each. One that is refused does not
    /// hinder the others.
    ///
    /// # Errors
    ///
    /// If the database cannot write. Then earlier hundreds are recorded, and the rest is not.
    pub fn record_all(
        &mut self,
        records: &[Record],
        existing: Existing,
    ) -> Result<Vec<Recorded>, StoreError> {
        let mut done = Vec::with_capacity(records.len());
        for chunk in records.chunks(RECORDS_AT_ONCE) {
            // The transaction may be run again after its effect was in doubt: what is there by then may
            // have come from the first time.
            let mut first: Option<Vec<Recorded>> = None;
            done.extend(self.database.write(|session| {
                let mut recorded = recording::record_all(session, chunk, existing)?;
                for (now, before) in recorded.iter_mut().zip(first.iter().flatten()) {
                    if *now == Recorded::AlreadyThere {
                        now.clone_from(before);
                    }
                }
                first = Some(recorded.clone());
                Ok(recorded)
            })?);
        }
        Ok(done)
    }

    /// The paths with runs that meet `filter`, by name, with the last values of some figures.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn paths(&mut self, filter: &Filter, recent: &Recent) -> Result<Vec<PathSummary>, StoreError> {
        self.database.read(|session| paths::list(session, filter, recent))
    }

    /// The path that `text` means: its id, its name, or the first four or more digits of its hash.
    ///
    /// # Errors
    ///
    /// If it means none or several, or the database cannot read.
    pub fn find_path(&mut self, text: &str) -> Result<PathId, StoreError> {
        self.database.read(|session| path::find(session, text))
    }

    /// The run that `text` means: its id, or the first four or more characters of it.
    ///
    /// # Errors
    ///
    /// If it means none or several, or the database cannot read.
    pub fn find_run(&mut self, text: &str) -> Result<String, StoreError> {
        self.database.read(|session| runs::find(session, text))
    }

    /// The runs of a path that meet `filter`, in the order in which they began, without curves.
    ///
    /// # Errors
    ///
    /// If there is no such path, or the database cannot read.
    pub fn runs(&mut self, path: &PathId, filter: &Filter) -> Result<Vec<StoredRun>, StoreError> {
        self.database.read(|session| {
            let shown = alias::shown_number(session, path)?;
            runs::in_order(session, &filter.condition(Some(shown)))
        })
    }

    /// One run, without its curve.
    ///
    /// # Errors
    ///
    /// If there is no such run, or the database cannot read.
    pub fn run(&mut self, id: &str) -> Result<StoredRun, StoreError> {
        let condition = Condition::every().and("r.id = ?", [Value::Text(id)]);
        let run = self.database.read(|session| Ok(runs::in_order(session, &condition)?.pop()))?;
        run.ok_or_else(|| StoreError::NoRun(id.to_owned()))
    }

    /// The course of every figure of the runs that meet `filter`, of one path or of all.
    ///
    /// # Errors
    ///
    /// If there is no such path, or the database cannot read.
    pub fn series(&mut self, path: Option<&PathId>, filter: &Filter) -> Result<Vec<PathSeries>, StoreError> {
        self.database.read(|session| {
            let shown = path.map(|path| alias::shown_number(session, path)).transpose()?;
            series::load(session, &filter.condition(shown))
        })
    }

    /// The curves of the runs `ids`, by id, as they were recorded. Runs without one are left out.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn curves(&mut self, ids: &[&str]) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
        self.database.read(|session| curves::load(session, ids))
    }

    /// Hands over every record, with its curve and the tags of today, in the order in which they were
    /// recorded, until `each` breaks. Those that are recorded meanwhile may be among them.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn export(&mut self, each: &mut dyn FnMut(Record) -> ControlFlow<()>) -> Result<(), StoreError> {
        let mut after = i64::MIN;
        while let Some((last, records)) = self.database.read(|session| export::page(session, after))? {
            after = last;
            if records.into_iter().try_for_each(&mut *each).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Shows the runs of `from` under `into`: a host got a new name. Runs that were split off `into`
    /// return to it.
    ///
    /// # Errors
    ///
    /// If a path is unknown, if `into` is itself shown as part of `from`, or the database cannot write.
    pub fn merge(&mut self, from: &PathId, into: &PathId) -> Result<(), StoreError> {
        self.database.write(|session| alias::merge(session, from, into))
    }

    /// Shows the runs of `path` that have a fact (now and in future) under a path of their own, named
    /// `name`; gives that path.
    ///
    /// # Errors
    ///
    /// If the path is unknown, or the database cannot write.
    pub fn split(&mut self, path: &PathId, fact: (&str, &str), name: &str) -> Result<PathId, StoreError> {
        self.database.write(|session| alias::split(session, path, fact, name))
    }

    /// Undoes every merge and split of `path` itself: its runs are shown under it again.
    ///
    /// # Errors
    ///
    /// If the path is unknown, or the database cannot write.
    pub fn separate(&mut self, path: &PathId) -> Result<(), StoreError> {
        self.database.write(|session| alias::separate(session, path))
    }

    /// What [`Self::merge`] and [`Self::split`] were told.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn aliases(&mut self) -> Result<Vec<Alias>, StoreError> {
        self.database.read(|session| alias::list(session))
    }

    /// Gives a path another name.
    ///
    /// # Errors
    ///
    /// If the path is unknown, or the database cannot write.
    pub fn rename(&mut self, path: &PathId, name: &str) -> Result<(), StoreError> {
        self.database.write(|session| path::rename(session, path, name))
    }

    /// The runs of a path's baseline, in the order in which they began.
    ///
    /// # Errors
    ///
    /// If the path is unknown, or the database cannot read.
    pub fn baseline(&mut self, path: &PathId) -> Result<Vec<String>, StoreError> {
        self.database.read(|session| {
            let shown = alias::shown_number(session, path)?;
            marks::baseline(session, shown)
        })
    }

    /// Makes the runs `ids` the baseline of a path; none: it has no baseline.
    ///
    /// # Errors
    ///
    /// If the path or a run is unknown, if a run is of another path, or the database cannot write.
    pub fn set_baseline(&mut self, path: &PathId, ids: &[&str]) -> Result<(), StoreError> {
        self.database.write(|session| {
            let shown = alias::shown_number(session, path)?;
            marks::set_baseline(session, path, shown, ids)
        })
    }

    /// Gives a run a tag, in place of any with the same key.
    ///
    /// # Errors
    ///
    /// If the run is unknown, or the database cannot write.
    pub fn tag(&mut self, id: &str, key: &str, value: &str) -> Result<(), StoreError> {
        self.database.write(|session| marks::tag(session, id, key, value))
    }

    /// Takes a tag from a run; whether it had it.
    ///
    /// # Errors
    ///
    /// If the run is unknown, or the database cannot write.
    pub fn untag(&mut self, id: &str, key: &str) -> Result<bool, StoreError> {
        let mut had = false;
        self.database.write(|session| {
            had |= marks::untag(session, id, key)?;
            Ok(had)
        })
    }

    /// What is said of changes, by their identity.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn changes(&mut self) -> Result<BTreeMap<String, ChangeState>, StoreError> {
        self.database.read(|session| marks::changes(session))
    }

    /// Says something of a change; none: takes it back.
    ///
    /// # Errors
    ///
    /// If the database cannot write.
    pub fn set_change(&mut self, identity: &str, state: Option<ChangeState>) -> Result<(), StoreError> {
        self.database.write(|session| marks::set_change(session, identity, state))
    }

    /// What people said that no run file has.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn notes(&mut self) -> Result<Notes, StoreError> {
        self.database.read(|session| notes::load(session))
    }

    /// Says all of `notes` here too, in place of what is said here of the same; gives what could not be
    /// said here, such as of a run that is not known.
    ///
    /// # Errors
    ///
    /// If the database cannot write. Then nothing of it is said.
    pub fn apply(&mut self, notes: &Notes) -> Result<Vec<StoreError>, StoreError> {
        self.database.write(|session| notes::apply(session, notes))
    }

    /// Forgets a run. Its file stays.
    ///
    /// # Errors
    ///
    /// If the run is unknown, or the database cannot write.
    pub fn remove_run(&mut self, id: &str) -> Result<Removed, StoreError> {
        let mut first = None;
        let removed = self.database.write(|session| {
            first = removal::run(session, id)?.or(first.take());
            Ok(first.clone())
        })?;
        removed.ok_or_else(|| StoreError::NoRun(id.to_owned()))
    }

    /// Forgets every run that is shown under a path. Their files stay.
    ///
    /// # Errors
    ///
    /// If the path is unknown, or the database cannot write.
    pub fn remove_path(&mut self, path: &PathId) -> Result<Vec<Removed>, StoreError> {
        let mut first: Option<Vec<Removed>> = None;
        self.database.write(|session| {
            if let Some(first) = &first
                && path::known_number(session, path)?.is_none()
            {
                return Ok(first.clone());
            }
            let shown = alias::shown_number(session, path)?;
            let removed = removal::path(session, shown)?;
            first = Some(removed.clone());
            Ok(removed)
        })
    }

    /// Which runs [`Self::prune`] would take the curves of.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn prunable(&mut self, rule: &Thinning) -> Result<Vec<Pruned>, StoreError> {
        let chosen = self.database.read(|session| prune::plan(session, rule))?;
        Ok(chosen.into_iter().map(|(_, pruned)| pruned).collect())
    }

    /// Drops the curves of the runs that `rule` chooses, says which, and gives the space back.
    ///
    /// # Errors
    ///
    /// If the database cannot write.
    pub fn prune(&mut self, rule: &Thinning) -> Result<Vec<Pruned>, StoreError> {
        // Once more with what an earlier try took, should that have had its effect after all.
        let mut all = BTreeMap::new();
        self.database.write(|session| {
            let pruned = prune::prune(session, rule)?;
            all.extend(pruned.into_iter().map(|run| ((run.started_us, run.id.clone()), run)));
            Ok(())
        })?;
        self.database.reclaim()?;
        Ok(all.into_values().collect())
    }

    /// What is wrong with the history; nothing if it is sound.
    ///
    /// # Errors
    ///
    /// If the database cannot read.
    pub fn check(&mut self) -> Result<Vec<String>, StoreError> {
        let mut found = self.database.check()?;
        if found.is_empty() {
            found = self.database.read(|session| check::check(session))?;
        }
        Ok(found)
    }

    /// How much space the history takes. Unit: bytes.
    ///
    /// # Errors
    ///
    /// If that cannot be found out.
    pub fn size_bytes(&mut self) -> Result<u64, StoreError> {
        self.database.size_bytes()
    }
}
