//! Settings of this host and of its interfaces, by name: read, set, and put back.
//!
//! ```no_run
//! use linerate_net::settings::{self, Changes, Setting, Value};
//!
//! let mtu: Setting = "mtu@eth0".parse()?;
//! println!("{}, it takes {:?}", settings::read(&mtu)?, settings::allowed(&mtu)?);
//! let mut changes = Changes::begin(settings::DEFAULT_FOLDER.as_ref(), "a test of frame sizes")?;
//! let change = changes.set(&mtu, &Value::from("9000"))?;
//! println!("asked for {}, granted {}", change.asked, change.granted);
//! changes.restore(false)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything is done in the calling thread's network namespace. [`write()`] changes a value and forgets the old one;
//! [`Changes`] keeps a journal on disk, from which the old values are put back, also after the process was killed.

mod allowed;
mod beside;
mod catalogue;
mod changes;
mod driver;
mod each;
mod error;
mod files;
mod guardian;
mod ipv6;
mod journal;
mod link;
mod lock;
mod name;
mod network;
mod offload;
mod origin;
mod qdisc;
mod restore;
mod sysctl;
mod value;

pub use allowed::Allowed;
pub use catalogue::{Kind, Scope, catalogue};
pub use changes::{Changes, Foreign};
pub use driver::Field;
pub use error::SettingError;
pub use guardian::{Guarded, guard, stand_apart};
pub use journal::{About, JournalError};
pub use lock::HostLock;
pub use name::{Name, NameError, Setting};
pub use restore::{End, Found, Outcome, Standing, discard, journals, restore_orphan};
pub use value::Value;

use error::Cause;
use files::Group;
use link::Property;

/// Where journals are unless the user says otherwise: a folder that outlives a crash of the host.
pub const DEFAULT_FOLDER: &str = "/var/lib/linerate/settings";

/// What was asked for, and what the host has since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The value before.
    pub before: Value,
    /// What was asked for.
    pub asked: Value,
    /// What is read back. It may differ: a driver rounds the size of a ring.
    pub granted: Value,
}

/// The interfaces of this network namespace that are switched on, without its loopback.
///
/// # Errors
///
/// When the kernel does not list them.
pub fn interfaces() -> std::io::Result<Vec<String>> {
    let mut names: Vec<String> = nix::ifaddrs::getifaddrs()?
        .filter(|entry| {
            let flags = entry.flags;
            flags.contains(nix::net::if_::InterfaceFlags::IFF_UP)
                && !flags.contains(nix::net::if_::InterfaceFlags::IFF_LOOPBACK)
        })
        .map(|entry| entry.interface_name)
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Reads a setting.
///
/// # Errors
///
/// [`SettingError`]; [`SettingError::NotRestorable`] for a value that could not be set again.
pub fn read(setting: &Setting) -> Result<Value, SettingError> {
    let interface = interface_of(setting)?;
    let value = match &setting.name {
        Name::Mtu => link::read(interface, Property::Mtu),
        Name::TxQueueLen => link::read(interface, Property::TxQueueLen),
        Name::Offload(feature) => offload::read(interface, feature),
        Name::Driver(field) => field.read(interface),
        Name::Qdisc => qdisc::read(interface),
        Name::CongestionControl => sysctl::read(sysctl::CONGESTION),
        Name::Sysctl(path) => sysctl::read(path),
        Name::Network => network::read(interface),
        Name::Ipv6 => ipv6::read(interface),
        Name::Rps | Name::Xps | Name::IrqAffinity | Name::Governor | Name::IdleLatency => {
            files::read(group_of(&setting.name), interface)
        }
    };
    value.map_err(SettingError::reading(setting))
}

/// What a setting takes; absent where nothing says so.
///
/// # Errors
///
/// [`SettingError::NoInterface`] and [`SettingError::NoDevice`].
pub fn allowed(setting: &Setting) -> Result<Option<Allowed>, SettingError> {
    let interface = interface_of(setting)?;
    Ok(match &setting.name {
        Name::Mtu => link::allowed(interface, Property::Mtu),
        Name::TxQueueLen => link::allowed(interface, Property::TxQueueLen),
        Name::Offload(feature) => offload::allowed(interface, feature),
        Name::Driver(field) => field.allowed(interface),
        Name::Qdisc => Some(qdisc::allowed()),
        Name::CongestionControl => sysctl::allowed(sysctl::CONGESTION),
        Name::Sysctl(path) => sysctl::allowed(path),
        Name::Network | Name::Ipv6 => Some(Allowed::Form("what a journal has of it")),
        Name::Rps | Name::Xps | Name::IrqAffinity | Name::Governor | Name::IdleLatency => {
            files::allowed(group_of(&setting.name))
        }
    })
}

/// Sets a setting and reads it back.
///
/// # Errors
///
/// [`SettingError`]; [`SettingError::Ignored`] when the kernel accepts a value and keeps the old one.
pub fn write(setting: &Setting, value: &Value) -> Result<Change, SettingError> {
    let before = read(setting)?;
    write_over(setting, before, value)
}

/// Sets a setting whose value is `before`, and reads it back.
fn write_over(setting: &Setting, before: Value, value: &Value) -> Result<Change, SettingError> {
    check(setting, &before, value)?;
    put(setting, value)?;
    let granted = read(setting)?;
    if is_ignored(setting, &before, value, &granted) {
        return Err(SettingError::Ignored { setting: setting.clone(), asked: value.clone(), granted });
    }
    Ok(Change { before, asked: value.clone(), granted })
}

/// Refuses a value that the setting does not take. What it has now it does take, whatever the kernel says.
fn check(setting: &Setting, before: &Value, value: &Value) -> Result<(), SettingError> {
    if same(setting, before, value) {
        return Ok(());
    }
    // A parted value, such as policy0=performance, is checked part by part by the kernel.
    let parted = setting.name == Name::Governor && value.as_str().contains('=');
    let objection = allowed(setting)?.filter(|_| !parted).and_then(|allowed| allowed.objection(value));
    objection.map_or(Ok(()), |reason| Err(SettingError::setting(setting, value)(Cause::Value(reason))))
}

/// Sets a setting, and does not look at what becomes of it.
fn put(setting: &Setting, value: &Value) -> Result<(), SettingError> {
    let interface = interface_of(setting)?;
    let done = match &setting.name {
        Name::Mtu => link::write(interface, Property::Mtu, value),
        Name::TxQueueLen => link::write(interface, Property::TxQueueLen, value),
        Name::Offload(feature) => offload::write(interface, feature, value),
        Name::Driver(field) => field.write(interface, value),
        Name::Qdisc => qdisc::write(interface, value),
        Name::CongestionControl => sysctl::write(sysctl::CONGESTION, value),
        Name::Sysctl(path) => sysctl::write(path, value),
        Name::Network => network::write(interface, value),
        Name::Ipv6 => ipv6::write(interface, value),
        Name::Rps | Name::Xps | Name::IrqAffinity | Name::Governor | Name::IdleLatency => {
            files::write(group_of(&setting.name), interface, value)
        }
    };
    done.map_err(SettingError::setting(setting, value))
}

/// Whether two values of a setting are the same to the kernel; of those with parts, whether `a` has all of `b`.
fn same(setting: &Setting, a: &Value, b: &Value) -> bool {
    let alike = match setting.name {
        Name::Qdisc => qdisc::same(a, b),
        Name::Rps | Name::Xps | Name::IrqAffinity => files::same_mask(a, b),
        _ => beside::has_parts(setting) && beside::has_all(setting, a, b),
    };
    a == b || alike
}

/// Whether the value stayed as it was although another was asked for, and not because it was rounded.
fn is_ignored(setting: &Setting, before: &Value, asked: &Value, granted: &Value) -> bool {
    let kept = same(setting, before, granted) && !same(setting, asked, granted);
    let rounded = match (&setting.name, asked.number(), granted.number()) {
        // Up, to the next size that the driver takes.
        (Name::Driver(field), Some(asked), Some(granted)) if field.is_rounded() => {
            (asked..asked.saturating_mul(2)).contains(&granted)
        }
        // Down, to the deepest state within what was asked for.
        (Name::IdleLatency, Some(asked), Some(granted)) => granted <= asked,
        // Of a value with parts some alone may have been asked for.
        (Name::Rps | Name::Xps | Name::IrqAffinity | Name::Offload(_), _, _) => asked.as_str().contains('='),
        _ => false,
    };
    kept && !rounded
}

/// The interface of a setting that needs one, which is there; empty for the others.
fn interface_of(setting: &Setting) -> Result<&str, SettingError> {
    if setting.name.scope() != Scope::Interface {
        return Ok("");
    }
    let interface = setting.interface.as_deref().ok_or_else(|| SettingError::NoInterface(setting.clone()))?;
    crate::netlink::index(interface).map_err(|_| SettingError::NoDevice(setting.clone()))?;
    Ok(interface)
}

/// Those settings that are in files.
fn group_of(name: &Name) -> Group {
    match name {
        Name::Rps => Group::Rps,
        Name::Xps => Group::Xps,
        Name::IrqAffinity => Group::Interrupts,
        Name::Governor => Group::Governor,
        _ => Group::Idle,
    }
}

#[cfg(test)]
mod tests;
