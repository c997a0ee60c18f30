//! Settings of this host, held for a while: a journal before every change, a guardian beside it, and all put back.

use std::path::PathBuf;
use std::process::Command;

use linerate_net::settings::{
    Change, Changes, DEFAULT_FOLDER, End, Foreign, Guarded, HostLock, JournalError, Outcome, Setting,
    SettingError, Value,
};

use crate::screen::note;
use crate::trouble::Trouble;

/// Where journals lie, instead of the default.
const FOLDER: &str = "LINERATE_SETTINGS";

/// The folder of the journals: that of the host for root, who alone can change most settings; else one of the user's.
pub(crate) fn folder() -> PathBuf {
    let named = |name: &str| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if let Some(folder) = named(FOLDER) {
        return folder;
    }
    if rustix::process::geteuid().is_root() {
        return DEFAULT_FOLDER.into();
    }
    let state = named("XDG_STATE_HOME").or_else(|| named("HOME").map(|home| home.join(".local/state")));
    state.map_or_else(|| DEFAULT_FOLDER.into(), |state| state.join("linerate/settings"))
}

/// The right to change settings here, while nobody else does.
pub(crate) fn lock(what: &str) -> Result<HostLock, Trouble> {
    HostLock::take(&folder(), what).map_err(Trouble::from)
}

/// Settings that are changed for a while.
#[derive(Debug)]
pub(crate) struct Held {
    changes: Changes,
    /// What is changed now, with what it was before the first change.
    in_force: Vec<(Setting, Value)>,
    /// Nobody else changes settings here meanwhile.
    _lock: HostLock,
}

impl Held {
    /// Begins, for `what`: with a journal, and a guardian that restores if this process is killed.
    pub(crate) fn begin(what: &str) -> Result<Self, Trouble> {
        Self::with(lock(what)?, what)
    }

    /// The same, where the right to do so is there already.
    pub(crate) fn with(lock: HostLock, what: &str) -> Result<Self, Trouble> {
        let changes = Changes::begin(&folder(), what).map_err(Trouble::from)?;
        let mut held = Self { changes, in_force: Vec::new(), _lock: lock };
        held.guard()?;
        Ok(held)
    }

    fn guard(&mut self) -> Result<(), Trouble> {
        let program = std::env::current_exe().map_err(|error| {
            Trouble::new(format!("failed to find this program: {error}"), "start linerate by its path")
        })?;
        let mut command = Command::new(program);
        command.arg("restore").arg("--guard").arg(self.changes.journal());
        self.changes.guarded_by(Guarded::start(command).map_err(Trouble::from)?);
        Ok(())
    }

    /// Sets a setting and reads it back.
    pub(crate) fn set(&mut self, setting: &Setting, value: &Value) -> Result<Change, Trouble> {
        match self.changes.set(setting, value) {
            // Somebody ended it: another one watches from here on.
            Err(JournalError::Unguarded { .. }) => {
                self.guard()?;
                self.changes.set(setting, value).map_err(Trouble::from)
            }
            other => other.map_err(Trouble::from),
        }
    }

    /// Sets these, and puts back what was set before and is not among them. What each was at first comes with it.
    pub(crate) fn apply(&mut self, wanted: &[(Setting, Value)]) -> Result<Vec<(Change, Value)>, Trouble> {
        let kept = |setting: &Setting| wanted.iter().any(|(other, _)| other == setting);
        // The last first: one may stand on another.
        let left: Vec<(Setting, Value)> =
            self.in_force.iter().rev().filter(|(setting, _)| !kept(setting)).cloned().collect();
        for (setting, original) in left {
            self.set(&setting, &original)?;
            self.in_force.retain(|(other, _)| *other != setting);
        }
        let mut changes = Vec::new();
        for (setting, value) in wanted {
            let change = self.set(setting, value)?;
            let known =
                self.in_force.iter().find(|(other, _)| other == setting).map(|(_, first)| first.clone());
            let original = known.unwrap_or_else(|| {
                self.in_force.push((setting.clone(), change.before.clone()));
                change.before.clone()
            });
            changes.push((change, original));
        }
        Ok(changes)
    }

    /// Settings that somebody else has changed since, each as a sentence.
    pub(crate) fn foreign(&self) -> Vec<String> {
        let sentence = |Foreign { setting, ours, theirs }: Foreign| match theirs {
            Ok(theirs) => format!("{setting} is {theirs}, and was set to {ours}: somebody else changed it"),
            Err(reason) => format!("{setting} cannot be read any more: {reason}"),
        };
        self.changes.check().into_iter().map(sentence).collect()
    }

    /// Puts everything back, and says what could not be. Whether all is as before.
    pub(crate) fn restore(self) -> Result<Vec<Outcome>, Trouble> {
        let path = self.changes.journal().display().to_string();
        let outcomes = self.changes.restore(false).map_err(Trouble::from)?;
        for outcome in outcomes.iter().filter(|outcome| !outcome.is_done()) {
            note(format_args!("! {}", sentence(outcome)));
        }
        if outcomes.iter().any(|outcome| !outcome.is_done()) {
            note(format_args!("  {path} keeps what they were; `linerate restore` tries again"));
        }
        Ok(outcomes)
    }
}

/// What became of a setting, as a sentence.
pub(crate) fn sentence(outcome: &Outcome) -> String {
    let Outcome { setting, original, end } = outcome;
    match end {
        End::Back => format!("{setting} is {original} again"),
        End::Unchanged => format!("{setting} is {original}, as before"),
        End::Foreign { ours, theirs } => format!(
            "{setting} is {theirs}: somebody else changed it from {ours}, so it was left alone (it was {original}; --force puts it back)"
        ),
        End::Void(why) => format!("{setting} was {original}; there is nothing to put back: {why}"),
        End::Failed(error) => format!("{setting} was {original} and could not be put back: {error}"),
    }
}

impl From<JournalError> for Trouble {
    fn from(error: JournalError) -> Self {
        let help = match &error {
            JournalError::Setting(error) => {
                return Self::new(format!("failed to {error}"), setting_help(error));
            }
            JournalError::File { .. } => {
                "run it as root, or name a folder that you may write in LINERATE_SETTINGS".to_owned()
            }
            JournalError::Damaged { .. } => {
                "read the file: each line is a setting; put them back by hand and remove it".to_owned()
            }
            JournalError::Later { .. } => "use the linerate that wrote it".to_owned(),
            JournalError::Origin(_) => "mount /proc".to_owned(),
            JournalError::Living { pid, .. } | JournalError::Locked { pid, .. } => {
                format!("wait until process {pid} has ended; it puts its settings back")
            }
            JournalError::Restored(_) => "begin again".to_owned(),
            JournalError::Elsewhere(_) => "report this, with the command".to_owned(),
            JournalError::Unguarded { .. } | JournalError::Guardian(_) => {
                "look at `ulimit -u` and at free memory; nothing was changed".to_owned()
            }
        };
        Self::new(format!("failed to {error}"), help)
    }
}

/// What to do about a setting that cannot be read or set.
fn setting_help(error: &SettingError) -> &'static str {
    match error {
        SettingError::Name(_) => "`linerate settings known` lists those that there are",
        SettingError::NoInterface(_) => "`ip link` lists the interfaces",
        SettingError::NoDevice(_) => "name an interface of this network namespace; `ip link` lists them",
        SettingError::Value { .. } => "choose another value",
        SettingError::Lacking { .. } => "leave it out, or measure on a host that has it",
        SettingError::Privilege { .. } => "run it as root",
        SettingError::ReadOnly { .. } => "set it outside of this namespace, or leave it out",
        SettingError::NotRestorable { .. } => "set it by hand, and leave it out here",
        SettingError::Ignored { .. } => "the driver or the kernel does not take it; leave it out",
        SettingError::System { .. } => "look at the kernel's log (`dmesg`)",
    }
}

impl From<SettingError> for Trouble {
    fn from(error: SettingError) -> Self {
        Self::new(format!("failed to {error}"), setting_help(&error))
    }
}
