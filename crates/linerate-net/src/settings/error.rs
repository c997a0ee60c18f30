//! Why a setting cannot be read or set.

use std::io;

use super::{NameError, Setting, Value};

/// Why a setting cannot be read or set. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// There is no setting of that name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// It is one of an interface, and none is named.
    #[error("use {0}: it is a setting of an interface; write {0}@NAME")]
    NoInterface(Setting),
    /// There is no such interface in this network namespace.
    #[error("use {0}: there is no such interface in this network namespace")]
    NoDevice(Setting),
    /// It does not take this value.
    #[error("set {setting} to {value}: {reason}")]
    Value {
        /// Which.
        setting: Setting,
        /// What was asked for.
        value: Value,
        /// What it takes.
        reason: String,
    },
    /// The host, the kernel or the driver does not have it.
    #[error("use {setting}: {what}")]
    Lacking {
        /// Which.
        setting: Setting,
        /// What is lacking, such as "the driver of eth0 has no rings".
        what: String,
    },
    /// That needs root.
    #[error("{doing} {setting}: that needs root")]
    Privilege {
        /// "read" or "set".
        doing: &'static str,
        /// Which.
        setting: Setting,
    },
    /// It cannot be set here.
    #[error("set {setting}: {why}")]
    ReadOnly {
        /// Which.
        setting: Setting,
        /// Such as "it can only be read in this network namespace".
        why: String,
    },
    /// It has a value that could not be set again, so it must not be changed.
    #[error("read {setting} in a form that can be set again: {why}")]
    NotRestorable {
        /// Which.
        setting: Setting,
        /// What is in the way.
        why: String,
    },
    /// The kernel accepted a value and did not take it.
    #[error("set {setting} to {asked}: the kernel accepted it, but the value is {granted}")]
    Ignored {
        /// Which.
        setting: Setting,
        /// What was asked for.
        asked: Value,
        /// What it has.
        granted: Value,
    },
    /// The operating system refuses.
    #[error("{doing} {setting}: {source}")]
    System {
        /// "read" or "set".
        doing: &'static str,
        /// Which.
        setting: Setting,
        /// What it said.
        source: io::Error,
    },
}

/// What is in the way, before it is known of which setting.
#[derive(Debug)]
pub(super) enum Cause {
    /// See [`SettingError::Lacking`].
    Lacking(String),
    /// See [`SettingError::Value`].
    Value(String),
    /// See [`SettingError::ReadOnly`].
    ReadOnly(String),
    /// See [`SettingError::NotRestorable`].
    NotRestorable(String),
    /// What the operating system said.
    System(io::Error),
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl SettingError {
    /// That `setting` could not be read.
    pub(super) fn reading(setting: &Setting) -> impl FnOnce(Cause) -> Self {
        |cause| Self::of(setting, "read", Value::default(), cause)
    }

    /// That `setting` could not be set to `value`.
    pub(super) fn setting(setting: &Setting, value: &Value) -> impl FnOnce(Cause) -> Self {
        |cause| Self::of(setting, "set", value.clone(), cause)
    }

    fn of(setting: &Setting, doing: &'static str, value: Value, cause: Cause) -> Self {
        let setting = setting.clone();
        match cause {
            Cause::Lacking(what) => Self::Lacking { setting, what },
            Cause::Value(reason) => Self::Value { setting, value, reason },
            Cause::ReadOnly(why) => Self::ReadOnly { setting, why },
            Cause::NotRestorable(why) => Self::NotRestorable { setting, why },
            Cause::System(source) => match source.raw_os_error() {
                Some(libc::EPERM | libc::EACCES) => Self::Privilege { doing, setting },
                Some(libc::ENODEV | libc::ENXIO) => Self::NoDevice(setting),
                Some(libc::EROFS) => {
                    Self::ReadOnly { setting, why: "its file system can only be read".to_owned() }
                }
                Some(libc::EOPNOTSUPP) => {
                    Self::Lacking { setting, what: "the kernel or the driver does not have it".to_owned() }
                }
                _ => Self::System { doing, setting, source },
            },
        }
    }
}
