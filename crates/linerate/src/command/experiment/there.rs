//! The settings of the other host, over a connection to its server that holds them as long as it is there.

use std::path::PathBuf;

use linerate_analysis::experiment::{Bench, Granted};
use linerate_core::plan::LocalOptions;
use linerate_net::control::SettingEnd;
use linerate_net::pair::{RemoteSettings, RemoteSettingsError, Target};
use linerate_net::settings::Foreign;

use crate::cli::KeyArgs;
use crate::command::hosts::given_key;
use crate::screen::note;
use crate::trouble::Trouble;

/// The key of the server, for everything that this process and its runs ask.
const KEY: &str = "LINERATE_KEY";

/// The other host, as far as it is set.
pub(super) struct There {
    host: String,
    key: KeyArgs,
    /// What the changes are for, as the server's log says.
    what: String,
    /// Begun with the first change.
    connection: Option<RemoteSettings>,
    /// What is changed now, with what it was at first. By the name in the plan.
    in_force: Vec<(String, String)>,
}

impl There {
    /// The host of a bench, if it names one.
    pub(super) fn of(bench: &Bench, what: &str) -> Option<Self> {
        let host = bench.host.clone()?;
        let key_file = bench.key_file.as_ref().map(PathBuf::from);
        let key = if key_file.is_some() { None } else { std::env::var(KEY).ok() };
        let what = what.to_owned();
        let key = KeyArgs { key, key_file, ..KeyArgs::default() };
        Some(Self { host, key, what, connection: None, in_force: Vec::new() })
    }

    /// Sets these, and puts back what was set before and is not among them.
    pub(super) fn apply(&mut self, wanted: &[(String, String)]) -> Result<Vec<Granted>, Trouble> {
        let left: Vec<(String, String)> = self
            .in_force
            .iter()
            .rev()
            .filter(|(name, _)| !wanted.iter().any(|(other, _)| other == name))
            .cloned()
            .collect();
        for (name, original) in left {
            self.set(&name, &original)?;
            self.in_force.retain(|(other, _)| *other != name);
        }
        wanted.iter().map(|(name, value)| self.set(name, value)).collect()
    }

    fn set(&mut self, name: &str, value: &str) -> Result<Granted, Trouble> {
        let change = match self.connection()?.set(name, value) {
            Ok(change) => change,
            Err(error) => return Err(self.failed(error)),
        };
        if !self.in_force.iter().any(|(known, _)| known == name) {
            self.in_force.push((name.to_owned(), change.original.to_string()));
        }
        Ok(Granted {
            host: "there".to_owned(),
            setting: change.setting.to_string(),
            asked: change.asked.to_string(),
            granted: change.granted.to_string(),
            original: change.original.to_string(),
        })
    }

    fn connection(&mut self) -> Result<&mut RemoteSettings, Trouble> {
        if self.connection.is_none() {
            let target = Target::parse(&self.host)?;
            let key = given_key(&self.key)?;
            let begun = RemoteSettings::connect(&target, key.as_ref(), &LocalOptions::default(), &self.what)?;
            self.connection = Some(begun);
        }
        Ok(self.connection.as_mut().expect("it is made a line above"))
    }

    /// The trouble behind an error. Where the connection has ended, so have its changes, and the next cell begins again.
    fn failed(&mut self, error: RemoteSettingsError) -> Trouble {
        if matches!(error, RemoteSettingsError::Connection(_)) {
            self.connection = None;
            self.in_force.clear();
        }
        error.into()
    }

    /// What somebody else changed since, if anything; or that the connection ended, and with it the settings.
    pub(super) fn foreign(&mut self) -> Option<String> {
        if self.in_force.is_empty() {
            return None;
        }
        let found = self.connection.as_mut().map(RemoteSettings::foreign)?;
        match found {
            Ok(foreign) if foreign.is_empty() => None,
            Ok(foreign) => Some(foreign.iter().map(|one| self.sentence(one)).collect::<Vec<_>>().join("; ")),
            Err(error) => Some(self.failed(error).reason()),
        }
    }

    fn sentence(&self, Foreign { setting, ours, theirs }: &Foreign) -> String {
        match theirs {
            Ok(theirs) => {
                format!(
                    "{setting} of {} is {theirs}, and was set to {ours}: somebody else changed it",
                    self.host
                )
            }
            Err(reason) => format!("{setting} of {} cannot be read any more: {reason}", self.host),
        }
    }

    /// Has everything put back. The settings with whether they are as before.
    pub(super) fn restore(self) -> Result<Vec<(String, String, bool)>, Trouble> {
        let Some(connection) = self.connection else { return Ok(Vec::new()) };
        let mut shown = Vec::new();
        for outcome in connection.finish()? {
            let why = match &outcome.end {
                SettingEnd::Back | SettingEnd::Unchanged | SettingEnd::Void(_) => None,
                SettingEnd::Foreign { ours, theirs } => Some(format!(
                    "it is {theirs}: somebody else changed it from {ours}, so it was left alone"
                )),
                SettingEnd::Failed(why) => Some(why.clone()),
            };
            if let Some(why) = &why {
                note(format_args!("! {} of {} was {}: {why}", outcome.setting, self.host, outcome.original));
            }
            shown.push(("there".to_owned(), outcome.setting.to_string(), why.is_none()));
        }
        Ok(shown)
    }
}

impl From<RemoteSettingsError> for Trouble {
    fn from(error: RemoteSettingsError) -> Self {
        let help = match error {
            RemoteSettingsError::Connection(error) => return error.into(),
            RemoteSettingsError::TooOld { .. } => "install this version there, or leave the factor out",
            RemoteSettingsError::Refused { .. } => {
                "start the server there as root with --allow-settings and the names of the settings"
            }
            RemoteSettingsError::NotAllowed { .. } => {
                "ask the operator of that host, or leave the factor out"
            }
            RemoteSettingsError::Failed { .. } => "choose another value, or leave the factor out",
            RemoteSettingsError::Thread(_) => "look at `ulimit -u` and at free memory",
        };
        Self::new(format!("failed to {error}"), help)
    }
}
