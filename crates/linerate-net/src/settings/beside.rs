//! What a change takes with it besides its own setting: addresses and routes that the kernel forgets, features that
//! depend on others, the MTU of interfaces on top, what a driver resets.
//!
//! It is read before each change and after it, and what differs is owed: the journal keeps it until it is put back.

use super::driver::Field;
use super::network::place;
use super::{Name, Setting, SettingError, Value, each, link, offload};

/// The settings that a change of `setting` may take with it, in the order in which they are put back; and those `changed`
/// before.
pub(super) fn of(setting: &Setting, changed: &[Setting]) -> Vec<Setting> {
    let (interface, names) = match (&setting.name, setting.interface.as_deref()) {
        (Name::Mtu | Name::Offload(_), Some(interface)) => (interface, Vec::new()),
        (Name::Driver(_), Some(interface)) => {
            let fields = Field::all().map(Name::Driver);
            (interface, fields.chain([Name::Qdisc, Name::Rps, Name::Xps, Name::IrqAffinity]).collect())
        }
        (Name::Sysctl(path), _) => {
            match path.strip_prefix("net/ipv6/conf/").and_then(|it| it.split_once('/')) {
                Some((interface, _)) => (interface, Vec::new()),
                None => return Vec::new(),
            }
        }
        _ => return Vec::new(),
    };
    let all =
        if interface == "all" { link::names() } else { link::with_uppers(interface) }.unwrap_or_default();
    let common = [Name::Mtu, Name::Offload(offload::ALL.to_owned()), Name::Ipv6, Name::Network];
    let mut found: Vec<(Name, &str)> = names.into_iter().map(|name| (name, interface)).collect();
    for name in common {
        found.extend(all.iter().map(|interface| (name.clone(), interface.as_str())));
    }
    found.sort_by_key(|(name, _)| rank(name));
    let found =
        found.into_iter().map(|(name, interface)| Setting { name, interface: Some(interface.to_owned()) });
    let mut found: Vec<Setting> = found.collect();
    found.extend(changed.iter().filter(|changed| !found.contains(changed)).cloned().collect::<Vec<_>>());
    found.retain(|other| other != setting);
    found
}

/// What these have now, as far as it can be read, without the parts that are among those `changed` on purpose.
///
/// Errors: there is more than could be put back.
pub(super) fn values(
    settings: Vec<Setting>,
    changed: &[Setting],
    next: &Setting,
) -> Result<Vec<(Setting, Value)>, SettingError> {
    let mut values = Vec::new();
    for setting in settings {
        let value = match super::read(&setting) {
            Ok(value) => value,
            Err(error @ SettingError::NotRestorable { .. }) if setting.name == Name::Network => {
                return Err(error);
            }
            Err(_) => continue,
        };
        // What was only requested has no such value as is about to be changed.
        let on_purpose = |(name, value): &(&str, &str)| {
            changed.iter().any(|changed| is_part(changed, &setting, name))
                || is_part(next, &setting, name) && *value != offload::REQUESTED
        };
        let kept = match has_parts(&setting) {
            true => each::list(each::parts(&value).filter(|part| !on_purpose(part))),
            false => value,
        };
        values.push((setting, kept));
    }
    Ok(values)
}

/// Whether `changed` has the part `name` of `whole`.
fn is_part(changed: &Setting, whole: &Setting, name: &str) -> bool {
    let interface = whole.interface.as_deref();
    match (&whole.name, &changed.name) {
        (Name::Offload(_), Name::Offload(chosen)) => {
            interface == changed.interface.as_deref() && offload::is_of(chosen, name)
        }
        (Name::Ipv6, Name::Sysctl(path)) => interface
            .zip(name.split_once('/'))
            .is_some_and(|(interface, (kind, name))| *path == format!("net/ipv6/{kind}/{interface}/{name}")),
        _ => false,
    }
}

/// Whether `now` has every part of `wanted`.
pub(super) fn has_all(setting: &Setting, now: &Value, wanted: &Value) -> bool {
    each::parts(wanted).all(|part| has(setting, now, part))
}

/// Of an address it counts that it is there: its lifetimes pass.
fn has(setting: &Setting, now: &Value, (name, value): (&str, &str)) -> bool {
    let there = each::part(now, name);
    there == Some(value) || setting.name == Name::Network && there.is_some()
}

/// What of `before` a setting has no longer.
pub(super) fn lost(setting: &Setting, before: &Value, after: &Value) -> Option<Value> {
    if !has_parts(setting) {
        return (!super::same(setting, after, before)).then(|| before.clone());
    }
    let lost = each::parts(before).filter(|part| !has(setting, after, *part));
    Some(each::list(lost)).filter(|lost| !lost.as_str().is_empty())
}

/// `owed` and what of `more` it does not have yet, in the form that it had first.
pub(super) fn merge(owed: &mut Vec<(Setting, Value)>, setting: &Setting, more: &Value) {
    match owed.iter_mut().find(|(other, _)| other == setting) {
        None => owed.push((setting.clone(), more.clone())),
        Some((_, first)) if has_parts(setting) => {
            let is_new = |name: &str| each::parts(first).all(|(known, _)| place(known) != place(name));
            let new = each::parts(more).filter(|(name, _)| is_new(name));
            *first = each::list(each::parts(first).chain(new));
        }
        Some(_) => {}
    }
    owed.sort_by_key(|(setting, _)| rank(&setting.name));
}

/// Whether its value is a list of parts, some of which may be lost.
pub(super) fn has_parts(setting: &Setting) -> bool {
    match &setting.name {
        Name::Network | Name::Ipv6 => true,
        Name::Offload(name) => name == offload::ALL,
        _ => false,
    }
}

/// Addresses come after what may take them, and routes after the parameters of IPv6.
fn rank(name: &Name) -> u8 {
    match name {
        Name::Network => 3,
        Name::Ipv6 => 2,
        Name::Mtu => 0,
        _ => 1,
    }
}
