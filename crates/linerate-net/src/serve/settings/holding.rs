//! One client's hold on the settings of this host.

use std::fmt;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::sync::MutexGuard;

use linerate_core::environment::Fact;
use linerate_core::units::Span;

use super::super::ServerState;
use super::super::allowed::{AllowedSetting, find};
use super::super::client::Client;
use super::super::session::Refusal;
use super::{SettingsOptions, after_change};
use crate::control::{LONGEST_NAME, LONGEST_VALUE, MOST_SETTINGS, Reply, SettingEnd, SettingReply, harmless};
use crate::settings::{self, Change, Changes, End, Guarded, HostLock, JournalError, Outcome, Setting, Value};

/// The longest journal of one connection, half of what is read of one. Unit: bytes.
const LONGEST_JOURNAL: u64 = 8 << 20;
/// The longest purpose of a client. Unit: characters.
const LONGEST_PURPOSE: usize = 200;
/// The most names that a client is told. With the longest of each they fit into a frame.
const MOST_NAMES: usize = 200;

/// The right of one client to change settings. When it is dropped, everything is put back first.
pub(super) struct Holding<'a> {
    client: Client<'a>,
    server: &'a ServerState,
    options: &'a SettingsOptions,
    peer: IpAddr,
    what: String,
    /// That of the connection, when it began: the client may change what tells.
    interface: Option<String>,
    /// From the first change on.
    changes: Option<Changes>,
    // In this order: the next client can have the lock as soon as this one's changes are back.
    _lock: HostLock,
    _turn: MutexGuard<'a, bool>,
}

impl<'a> Holding<'a> {
    /// Takes the lock of this host, and tells the client what it may do.
    pub(super) fn begin(client: Client<'a>, what: &str) -> Result<Self, Refusal> {
        let Client { server, peer, .. } = client;
        let told = |reason: &str| Refusal::Told(reason.to_owned());
        let options = server.settings.options.get().filter(|options| !options.allowed.is_empty());
        let options = options.ok_or_else(|| {
            told("the server's operator does not allow any settings; start it with --allow-settings")
        })?;
        if server.key.is_open() {
            return Err(told("a server without a key changes no settings; start it without --open"));
        }
        let what = format!("for {peer}: {}", short(&harmless(what)));
        let lock = HostLock::take(&options.folder, &what);
        let lock = lock.map_err(|error| Refusal::Told(format!("the server failed to {}", named(&error))))?;
        let turn = server.settings.lock();
        if *turn {
            return Err(told("the server is stopping"));
        }
        let interface = client.interface();
        let holding =
            Self { client, server, options, peer, what, interface, changes: None, _lock: lock, _turn: turn };
        holding.log(format_args!("may change settings"));
        holding.say(SettingReply::Held {
            interface: holding.interface.clone(),
            allowed: options.allowed.iter().take(MOST_NAMES).map(AllowedSetting::to_string).collect(),
            patience: Span::from_ns(
                u64::try_from(after_change(server).as_nanos()).unwrap_or(u64::MAX / 1000),
            ),
        })?;
        Ok(holding)
    }

    /// Answers what `name` has.
    pub(super) fn read(&self, name: &str) -> Result<(), Refusal> {
        self.answer(self.resolve(name).and_then(|setting| {
            let value = settings::read(&setting).map_err(failed)?;
            let len = value.as_str().len();
            if len > LONGEST_VALUE {
                return Err(failed(format_args!("send {setting}: its value has {len} B")));
            }
            Ok(SettingReply::Value { setting: setting.to_string(), value: value.as_str().to_owned() })
        }))
    }

    /// Sets `name` to `value` and answers what became of it.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let done = self.resolve(name).and_then(|setting| {
            let value = checked(&setting, value).map_err(failed)?;
            let change = self.change(&setting, &value).map_err(failed)?;
            let originals = self.changes.as_ref().map(Changes::originals).unwrap_or_default();
            let original = originals.into_iter().find(|(changed, _)| *changed == setting);
            let original = original.map_or(change.before, |(_, original)| original);
            Ok(SettingReply::Changed {
                setting: setting.to_string(),
                original: sent(&original),
                granted: sent(&change.granted),
            })
        });
        self.answer(done)
    }

    /// Answers which settings somebody else has changed.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        for foreign in self.changes.as_ref().map(Changes::check).unwrap_or_default() {
            self.say(SettingReply::Foreign {
                setting: foreign.setting.to_string(),
                ours: sent(&foreign.ours),
                theirs: Fact::from(foreign.theirs.map(|theirs| sent(&theirs))),
            })?;
        }
        self.say(SettingReply::Done)
    }

    /// Puts everything back and tells the client.
    pub(super) fn finish(mut self) -> Result<(), Refusal> {
        let outcomes =
            self.restore().map_err(|error| Refusal::Told(format!("the server failed to {error}")))?;
        for Outcome { setting, original, end } in outcomes {
            let (setting, original) = (setting.to_string(), sent(&original));
            self.say(SettingReply::Restored { setting, original, end: told(end) })?;
        }
        self.say(SettingReply::Done)
    }

    /// The setting that the client means, or why it may not use it.
    fn resolve(&self, name: &str) -> Result<Setting, SettingReply> {
        if name.len() > LONGEST_NAME {
            return Err(failed(format_args!("find a setting whose name has {} B", name.len())));
        }
        let asked: Setting = name.parse().map_err(failed)?;
        let found = find(&self.options.allowed, &asked, self.interface.as_deref());
        found.ok_or_else(|| {
            self.server.settings.log.warn(format_args!("{}: {asked} is not allowed", self.peer));
            SettingReply::NotAllowed(asked.to_string())
        })
    }

    fn change(&mut self, setting: &Setting, value: &Value) -> Result<Change, String> {
        self.check_room(setting)?;
        let change = match self.changes().and_then(|changes| changes.set(setting, value)) {
            // The guardian was killed: another one watches.
            Err(JournalError::Unguarded { .. }) => {
                self.guarded().and_then(|()| self.changes()?.set(setting, value))
            }
            other => other,
        };
        let change = change.map_err(|error| named(&error)).inspect_err(|error| {
            self.server.settings.log.warn(format_args!("{}: failed to {error}", self.peer));
        })?;
        let Change { before, granted, .. } = &change;
        self.log(format_args!("set {setting} to {value}; it was {before} and is {granted}"));
        Ok(change)
    }

    /// Refuses what would make the journal larger than one that is read.
    fn check_room(&self, setting: &Setting) -> Result<(), String> {
        let Some(changes) = &self.changes else { return Ok(()) };
        let originals = changes.originals();
        if originals.len() >= MOST_SETTINGS && !originals.iter().any(|(changed, _)| changed == setting) {
            return Err(format!("set {setting}: one connection changes {MOST_SETTINGS} settings at most"));
        }
        if fs::metadata(changes.journal()).is_ok_and(|journal| journal.len() > LONGEST_JOURNAL) {
            return Err(format!(
                "set {setting}: this connection has changed settings too often; open another"
            ));
        }
        Ok(())
    }

    /// The changes, with a guardian from the beginning, if there is to be one.
    fn changes(&mut self) -> Result<&mut Changes, JournalError> {
        if self.changes.is_none() {
            let mut changes = Changes::begin(&self.options.folder, &self.what)?;
            if let Ok([own, _]) = self.client.addresses() {
                changes.keep(own.ip());
            }
            self.changes = Some(changes);
            if let Err(error) = self.guarded() {
                // Nothing is in this journal yet. The next change begins another.
                self.restore().map_or_else(drop, drop);
                return Err(error);
            }
        }
        Ok(self.changes.as_mut().expect("they have begun"))
    }

    /// Lets a new guardian watch the changes, if there is to be one.
    fn guarded(&mut self) -> Result<(), JournalError> {
        if let (Some(changes), Some(program)) = (&mut self.changes, &self.options.guardian) {
            changes.guarded_by(Guarded::start(program.command(changes.journal()))?);
        }
        Ok(())
    }

    /// Puts everything back, and says so in the log.
    fn restore(&mut self) -> Result<Vec<Outcome>, String> {
        let Some(changes) = self.changes.take() else { return Ok(Vec::new()) };
        let journal = changes.journal().to_owned();
        let log = &self.server.settings.log;
        let outcomes = changes.restore(false).map_err(|error| {
            let error = named(&error);
            log.warn(format_args!(
                "{}: failed to {error}; run `linerate restore` when the server has ended",
                self.peer
            ));
            error
        })?;
        for Outcome { setting, original, end } in &outcomes {
            match end {
                End::Back | End::Unchanged => self.log(format_args!("{setting} is {original} again")),
                End::Void(why) => self.log(format_args!("{setting} is not put back: {why}")),
                End::Foreign { ours, theirs } => log.warn(format_args!(
                    "{}: {setting} is left alone: it was set to {ours}, and somebody else set it to {theirs}; before, it was {original} ({})",
                    self.peer,
                    journal.display()
                )),
                End::Failed(error) => log.warn(format_args!(
                    "{}: failed to {error}; before, it was {original} ({})",
                    self.peer,
                    journal.display()
                )),
            }
        }
        Ok(outcomes)
    }

    fn log(&self, what: fmt::Arguments<'_>) {
        self.server.settings.log.info(format_args!("{}: {what}", self.peer));
    }

    fn answer(&self, done: Result<SettingReply, SettingReply>) -> Result<(), Refusal> {
        self.say(done.unwrap_or_else(|refused| refused))
    }

    fn say(&self, reply: SettingReply) -> Result<(), Refusal> {
        self.client.say(&Reply::Setting(reply))
    }
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        // What went wrong is in the log.
        self.restore().map_or_else(drop, drop);
    }
}

/// The value that a client asks for, if it is short enough and a line of text.
fn checked(setting: &Setting, value: &str) -> Result<Value, String> {
    if value.len() > LONGEST_VALUE {
        return Err(format!("set {setting}: a value of {} B is too long", value.len()));
    }
    if value.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Err(format!("set {setting}: the value has control characters"));
    }
    Ok(Value::from(value))
}

/// A value as it is sent: not more of it than fits.
fn sent(value: &Value) -> String {
    let text = value.as_str();
    text[..text.floor_char_boundary(LONGEST_VALUE)].to_owned()
}

fn told(end: End) -> SettingEnd {
    match end {
        End::Back => SettingEnd::Back,
        End::Unchanged => SettingEnd::Unchanged,
        End::Foreign { ours, theirs } => SettingEnd::Foreign { ours: sent(&ours), theirs: sent(&theirs) },
        End::Void(why) => SettingEnd::Void(why.to_owned()),
        End::Failed(error) => SettingEnd::Failed(harmless(&error.to_string())),
    }
}

fn failed(what: impl fmt::Display) -> SettingReply {
    SettingReply::Failed(harmless(&what.to_string()))
}

/// The error, and what the operator can do about one that root does not have.
fn named(error: &JournalError) -> String {
    match error {
        JournalError::File { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            format!("{error}; to change settings, the server must run as root")
        }
        _ => error.to_string(),
    }
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST_PURPOSE).collect()
}
