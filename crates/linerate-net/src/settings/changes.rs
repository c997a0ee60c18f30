//! Changes of settings that can be taken back.

use std::net::IpAddr;
use std::path::Path;

use super::guardian::Guarded;
use super::journal::{About, Entry, FORMAT, Journal, JournalError, Record, entries};
use super::origin::{Namespace, Process, boot_id};
use super::restore::{self, Outcome};
use super::{Change, Name, Setting, SettingError, Value, beside};

/// Changes of settings, with a journal on disk that is written before each change.
///
/// To drop it restores nothing, as little as to kill the process: [`Changes::restore`] does, or the
/// [guardian](super::guard), or [`restore_orphan`](super::restore_orphan).
#[must_use = "what is changed stays so until it is restored"]
#[derive(Debug)]
pub struct Changes {
    journal: Journal,
    about: About,
    /// What the journal says.
    records: Vec<Record>,
    guardian: Option<Guarded>,
    /// An address of this host that no change may take from it.
    kept: Option<IpAddr>,
}

/// What a change has taken with it.
struct Taken {
    records: Vec<Record>,
    /// Whether an address or a route is among it.
    address: bool,
}

/// What a change has taken of what was there `before` it, besides what is `owed` already. What was `changed` on purpose has
/// another value from now on, and by nobody else.
fn account(changed: &[Setting], before: Vec<(Setting, Value)>, mut owed: Vec<(Setting, Value)>) -> Taken {
    let any = !before.is_empty();
    let (mut records, mut address) = (Vec::new(), false);
    for (other, value) in before {
        let now = super::read(&other).unwrap_or_default();
        let Some(lost) = beside::lost(&other, &value, &now) else { continue };
        address |= other.name == Name::Network;
        if changed.contains(&other) {
            records.push(Record::Granted { setting: other, value: now });
        } else {
            beside::merge(&mut owed, &other, &lost);
        }
    }
    if any {
        records.push(Record::Beside { values: owed });
    }
    Taken { records, address }
}

/// Adds records to the journal, and to what is known of it.
fn append(
    journal: &Journal,
    known: &mut Vec<Record>,
    records: Vec<Record>,
    sync: bool,
) -> Result<(), JournalError> {
    journal.append(&records, sync)?;
    known.extend(records);
    Ok(())
}

/// Whether `address` is one of this network namespace. Where that is not known, it is.
fn is_own(address: IpAddr) -> bool {
    let ip = |entry: nix::ifaddrs::InterfaceAddress| {
        let address = entry.address?;
        let v4 = address.as_sockaddr_in().map(|it| IpAddr::V4(it.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|it| IpAddr::V6(it.ip())))
    };
    nix::ifaddrs::getifaddrs().map_or(true, |mut all| all.any(|entry| ip(entry) == Some(address)))
}

/// A setting that has another value than it was given here: somebody else has changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Which.
    pub setting: Setting,
    /// What it was given here.
    pub ours: Value,
    /// What it has, or why that cannot be read.
    pub theirs: Result<Value, String>,
}

impl Changes {
    /// Opens a journal in `folder`, of changes in the calling thread's network namespace, made for `what`.
    ///
    /// # Errors
    ///
    /// [`JournalError::File`] when it cannot be written.
    pub fn begin(folder: &Path, what: &str) -> Result<Self, JournalError> {
        let about = About {
            format: FORMAT,
            process: Process::own().map_err(JournalError::Origin)?,
            boot: boot_id().map_err(JournalError::Origin)?,
            namespace: Namespace::own().map_err(JournalError::Origin)?,
            what: what.to_owned(),
        };
        let journal = Journal::create(folder, &about)?;
        Ok(Self { journal, about, records: Vec::new(), guardian: None, kept: None })
    }

    /// Where the journal is.
    #[must_use]
    pub fn journal(&self) -> &Path {
        self.journal.path()
    }

    /// Lets `guardian` watch from now on: it is one of this journal, and the one before it, if any, has ended.
    pub fn guarded_by(&mut self, guardian: Guarded) {
        self.guardian = Some(guardian);
    }

    /// Refuses from now on, and undoes at once, what takes `address` from this host.
    pub fn keep(&mut self, address: IpAddr) {
        self.kept = Some(address.to_canonical());
    }

    /// Sets a setting, after its original value is in the journal and on disk, and reads it back.
    ///
    /// # Errors
    ///
    /// [`JournalError::Setting`] when it cannot be read or set; what is changed of it is put back with the rest.
    /// [`JournalError::Unguarded`], [`JournalError::Restored`] and [`JournalError::Elsewhere`]: nothing is changed.
    pub fn set(&mut self, setting: &Setting, value: &Value) -> Result<Change, JournalError> {
        if let Some(guardian) = &mut self.guardian {
            guardian.check(setting)?;
        }
        if !self.about.namespace.is_own() {
            return Err(JournalError::Elsewhere(setting.clone()));
        }
        let Some(_turn) = self.journal.turn()? else {
            return Err(JournalError::Restored(setting.clone()));
        };
        let before = super::read(setting)?;
        super::check(setting, &before, value)?;
        let changed: Vec<Setting> = self.originals().into_iter().map(|(changed, _)| changed).collect();
        let beside = beside::values(beside::of(setting, &changed), &changed, setting)?;
        let known = changed.contains(setting);
        let owed = self.owed();
        let mut at_risk = owed.clone();
        for (other, value) in beside.iter().filter(|(other, _)| !changed.contains(other)) {
            beside::merge(&mut at_risk, other, value);
        }
        let original = Record::Original { setting: setting.clone(), value: before.clone() };
        let set = Record::Set { setting: setting.clone(), value: value.clone() };
        let at_risk = (!beside.is_empty()).then_some(Record::Beside { values: at_risk });
        let original = (!known).then_some(original);
        append(
            &self.journal,
            &mut self.records,
            original.into_iter().chain(at_risk).chain([set]).collect(),
            !known,
        )?;
        let change = super::write_over(setting, before.clone(), value);
        // After an error too: a part may have been changed.
        let granted = change.as_ref().map(|change| change.granted.clone()).or_else(|_| super::read(setting));
        let granted = granted.map(|value| Record::Granted { setting: setting.clone(), value });
        let taken = account(&changed, beside, owed);
        append(&self.journal, &mut self.records, granted.into_iter().chain(taken.records).collect(), false)?;
        match self.kept.filter(|kept| taken.address && !is_own(*kept)) {
            Some(kept) => {
                super::put(setting, &before)?;
                for (other, value) in self.owed() {
                    super::put(&other, &value)?;
                }
                let why = format!("it would take {kept} from this host, over which the client came");
                Err(SettingError::ReadOnly { setting: setting.clone(), why }.into())
            }
            None => Ok(change?),
        }
    }

    /// What changes have taken with them so far.
    fn owed(&self) -> Vec<(Setting, Value)> {
        let owed = self.entries().into_iter().filter(|entry| entry.beside);
        owed.map(|entry| (entry.setting, entry.original)).collect()
    }

    /// Every setting that was changed here, or was about to be, with its value before, in the order of the first change.
    #[must_use]
    pub fn originals(&self) -> Vec<(Setting, Value)> {
        let changed = self.entries().into_iter().filter(|entry| !entry.beside);
        changed.map(|entry| (entry.setting, entry.original)).collect()
    }

    /// The settings that no longer have what they were last given here.
    pub fn check(&self) -> Vec<Foreign> {
        let foreign = |entry: Entry| {
            let ours = entry.granted?;
            let theirs = super::read(&entry.setting).map_err(|error| error.to_string());
            let same = theirs.as_ref().is_ok_and(|theirs| super::same(&entry.setting, theirs, &ours));
            (!same).then_some(Foreign { setting: entry.setting, ours, theirs })
        };
        self.entries().into_iter().filter_map(foreign).collect()
    }

    /// Puts every setting back to its original value, the last first. One that somebody else has changed since is left
    /// alone, unless `force`. One that fails does not keep the others. The journal is removed when all are back, else
    /// it is kept with those that are left.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the journal cannot be read or written.
    pub fn restore(self, force: bool) -> Result<Vec<Outcome>, JournalError> {
        // The guardian, if any, hears of it when `self` ends, and finds nothing left.
        restore::restore(&self.journal, force)
    }

    fn entries(&self) -> Vec<Entry> {
        entries(&self.records)
    }
}
