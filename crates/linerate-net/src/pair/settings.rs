//! Settings of a server's host, as far as its operator allows.
//!
//! ```no_run
//! use linerate_core::plan::LocalOptions;
//! use linerate_net::pair::{RemoteSettings, Target};
//!
//! let target = Target::parse("node7")?;
//! let key = "fdpk-33wq-mtzx".parse()?;
//! let mut settings = RemoteSettings::connect(&target, Some(&key), &LocalOptions::default(), "frame sizes")?;
//! let change = settings.set("mtu", "9000")?;
//! println!("{} was {} and is {}", change.setting, change.original, change.granted);
//! for outcome in settings.finish()? {
//!     println!("{}: {:?}", outcome.setting, outcome.end);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The server puts everything back when the connection ends, however it ends.

mod error;
mod presence;

use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::foreign::plain;
use linerate_core::plan::LocalOptions;

use super::conversation::{STEP, hear, introduce, say};
use super::{PairError, Target};
use crate::control::{Ask, Key, MOST_SETTINGS, Reply, SETTINGS_SINCE, SettingAsk, SettingEnd, SettingReply};
use crate::settings::{Foreign, Setting, Value};
use crate::transport::CONNECT;
use presence::Presence;

pub use error::RemoteSettingsError;

/// How long a server may take to set a setting, or to put all of them back: a driver may stop and start its adaptor.
const WORK: Duration = Duration::from_secs(60);

/// The right to change settings of a server's host, as long as this is.
///
/// While nothing is asked, a thread tells the server from time to time that this client is there: a few dozen bytes, a
/// quarter of the server's `idle` limit apart. So cells may be measured meanwhile for as long as they take, and a client
/// that has crashed or is cut off is still noticed within that limit.
#[derive(Debug)]
pub struct RemoteSettings {
    target: Target,
    presence: Presence,
    interface: Option<String>,
    allowed: Vec<String>,
}

/// What was asked for on a server's host, and what it has since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteChange {
    /// Which, with its interface there.
    pub setting: Setting,
    /// The value before it was first set on this connection.
    pub original: Value,
    /// What was asked for.
    pub asked: Value,
    /// What is read back.
    pub granted: Value,
}

/// What became of a setting of a server's host at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteOutcome {
    /// Which, with its interface there.
    pub setting: Setting,
    /// The value before it was first set on this connection.
    pub original: Value,
    /// What became of it.
    pub end: SettingEnd,
}

impl RemoteSettings {
    /// Connects to the server at `target`, with the address and family that `local` says, and takes the right to change
    /// settings of its host. `what` it is for appears in the server's log, and in what others are told meanwhile.
    ///
    /// It needs no slot of the server, so measurements go on beside it.
    ///
    /// # Errors
    ///
    /// [`RemoteSettingsError`]: [`TooOld`](RemoteSettingsError::TooOld); and
    /// [`Refused`](RemoteSettingsError::Refused) if the operator allows nothing, or somebody else changes settings there,
    /// who is named.
    pub fn connect(
        target: &Target,
        key: Option<&Key>,
        local: &LocalOptions,
        what: &str,
    ) -> Result<Self, RemoteSettingsError> {
        let failed = |error| RemoteSettingsError::at(target, error);
        let control = introduce(target, key, local, CONNECT).map_err(failed)?;
        if control.version() < SETTINGS_SINCE {
            return Err(RemoteSettingsError::TooOld { host: target.to_string() });
        }
        say(&control, &Ask::Setting(SettingAsk::Hold(what.to_owned()))).map_err(failed)?;
        match hear(&control, STEP).map_err(failed)? {
            Reply::Setting(SettingReply::Held { interface, allowed, patience }) => Ok(Self {
                target: target.clone(),
                presence: Presence::of(control, patience).map_err(RemoteSettingsError::Thread)?,
                interface: interface.map(|interface| plain(&interface)),
                allowed: allowed.iter().map(|name| plain(name)).collect(),
            }),
            other => Err(failed(PairError::unexpected(other))),
        }
    }

    /// The server's interface that is meant where a setting names none: that of this connection. Absent if the server
    /// does not know it.
    #[must_use]
    pub fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }

    /// What the operator allows, as it was written: `mtu`, `coalesce`, `ring.rx@eth1`.
    #[must_use]
    pub fn allowed(&self) -> &[String] {
        &self.allowed
    }

    /// Reads a setting by its name, `mtu` or `mtu@eth1`. One that may not be set may not be read either: some are secret.
    ///
    /// # Errors
    ///
    /// [`RemoteSettingsError`]; after [`NotAllowed`](RemoteSettingsError::NotAllowed) and
    /// [`Failed`](RemoteSettingsError::Failed) the connection goes on.
    pub fn read(&mut self, setting: &str) -> Result<Value, RemoteSettingsError> {
        match self.ask(SettingAsk::Read(setting.to_owned()))? {
            SettingReply::Value { value, .. } => Ok(known(&value)),
            other => Err(self.unexpected(other)),
        }
    }

    /// Sets a setting by its name, and reads it back.
    ///
    /// # Errors
    ///
    /// As of [`RemoteSettings::read`].
    pub fn set(&mut self, setting: &str, value: &str) -> Result<RemoteChange, RemoteSettingsError> {
        let (name, asked) = (setting.to_owned(), value.to_owned());
        match self.ask(SettingAsk::Set { setting: name, value: asked })? {
            SettingReply::Changed { setting, original, granted } => Ok(RemoteChange {
                setting: self.setting(&setting)?,
                original: known(&original),
                asked: Value::from(value),
                granted: known(&granted),
            }),
            other => Err(self.unexpected(other)),
        }
    }

    /// The settings that no longer have what they were last given here: somebody else has changed them.
    ///
    /// # Errors
    ///
    /// When the connection has ended, and with it the changes.
    pub fn foreign(&mut self) -> Result<Vec<Foreign>, RemoteSettingsError> {
        let mut reply = self.ask(SettingAsk::Check)?;
        let mut all = Vec::new();
        loop {
            match reply {
                SettingReply::Done => return Ok(all),
                SettingReply::Foreign { setting, ours, theirs } if all.len() < MOST_SETTINGS => {
                    let theirs = match theirs {
                        Fact::Known(theirs) => Ok(known(&theirs)),
                        Fact::Unknown { unknown } => Err(plain(&unknown)),
                    };
                    all.push(Foreign { setting: self.setting(&setting)?, ours: known(&ours), theirs });
                }
                other => return Err(self.unexpected(other)),
            }
            reply = self.reply()?;
        }
    }

    /// Has everything put back, and ends the connection. To drop it does the same, and does not wait for the outcomes.
    ///
    /// # Errors
    ///
    /// When the connection ends before all outcomes are there; the server then puts everything back all the same.
    pub fn finish(self) -> Result<Vec<RemoteOutcome>, RemoteSettingsError> {
        self.presence.say(&Ask::Finish).map_err(|error| self.failed(error))?;
        let mut all = Vec::new();
        loop {
            match self.reply()? {
                SettingReply::Done => return Ok(all),
                SettingReply::Restored { setting, original, end } if all.len() < MOST_SETTINGS => {
                    let (setting, original) = (self.setting(&setting)?, known(&original));
                    all.push(RemoteOutcome { setting, original, end: harmless(end) });
                }
                other => return Err(self.unexpected(other)),
            }
        }
    }

    fn ask(&mut self, ask: SettingAsk) -> Result<SettingReply, RemoteSettingsError> {
        self.presence.say(&Ask::Setting(ask)).map_err(|error| self.failed(error))?;
        self.reply()
    }

    fn reply(&self) -> Result<SettingReply, RemoteSettingsError> {
        let host = || self.target.to_string();
        match hear(&self.presence.control, WORK).map_err(|error| self.failed(error))? {
            Reply::Setting(SettingReply::NotAllowed(setting)) => {
                Err(RemoteSettingsError::NotAllowed { host: host(), setting: plain(&setting) })
            }
            Reply::Setting(SettingReply::Failed(what)) => {
                Err(RemoteSettingsError::Failed { host: host(), what: plain(&what) })
            }
            Reply::Setting(reply) => Ok(reply),
            other => Err(self.failed(PairError::unexpected(other))),
        }
    }

    /// The setting that a server names.
    fn setting(&self, name: &str) -> Result<Setting, RemoteSettingsError> {
        let unknown = |_| self.failed(PairError::Unexpected { said: plain(name) });
        plain(name).parse().map_err(unknown)
    }

    fn unexpected(&self, reply: SettingReply) -> RemoteSettingsError {
        self.failed(PairError::unexpected(Reply::Setting(reply)))
    }

    fn failed(&self, error: PairError) -> RemoteSettingsError {
        RemoteSettingsError::at(&self.target, error)
    }
}

/// A server's text as a value.
fn known(text: &str) -> Value {
    Value::from(plain(text))
}

/// The same without what would command a terminal.
fn harmless(end: SettingEnd) -> SettingEnd {
    match end {
        SettingEnd::Foreign { ours, theirs } => {
            SettingEnd::Foreign { ours: plain(&ours), theirs: plain(&theirs) }
        }
        SettingEnd::Void(why) => SettingEnd::Void(plain(&why)),
        SettingEnd::Failed(why) => SettingEnd::Failed(plain(&why)),
        SettingEnd::Back | SettingEnd::Unchanged => end,
    }
}
