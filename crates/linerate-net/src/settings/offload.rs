//! Features of an interface that take work off the processor, by their usual short names and by those of the kernel.
//!
//! Source: ethtool(8), `-K`; the short names are those of its `off_flag_def`.

use super::error::Cause;
use super::{Allowed, Value, each};
use crate::sys::ethtool::{Device, Feature};

/// Every feature that can be changed. Of these one may be [`REQUESTED`] too.
pub(super) const ALL: &str = "all";
/// Off, and on as soon as the features are that it depends on.
pub(super) const REQUESTED: &str = "requested";
/// The kernel's features behind a short name: those that begin and end so.
const SHORT: [(&str, &[(&str, &str)]); 8] = [
    (ALL, &[("", "")]),
    ("rx", &[("rx-checksum", "")]),
    ("tx", &[("tx-checksum-", "")]),
    ("sg", &[("tx-scatter-gather", "")]),
    ("tso", &[("tx-tcp", "segmentation")]),
    ("gso", &[("tx-generic-segmentation", "")]),
    ("gro", &[("rx-gro", "rx-gro")]),
    ("lro", &[("rx-lro", "")]),
];

/// Reads the offload of this name.
pub(super) fn read(interface: &str, name: &str) -> Result<Value, Cause> {
    let parts = members(interface, name)?;
    let state = |part: &Feature| match (part.on, part.requested) {
        (true, _) => "on",
        (false, true) if name == ALL => REQUESTED,
        (false, _) => "off",
    };
    let parts: Vec<_> = parts.iter().map(|part| (part.name.clone(), state(part).to_owned())).collect();
    if name == ALL {
        return Ok(each::list(parts.iter().map(|(name, state)| (name.as_str(), state.as_str()))));
    }
    Ok(each::join(&parts))
}

/// Switches the offload of this name.
pub(super) fn write(interface: &str, name: &str, value: &Value) -> Result<(), Cause> {
    let parts = members(interface, name)?;
    if !parts.iter().any(|part| part.changeable) {
        let state = if parts.iter().any(|part| part.on) { "on" } else { "off" };
        return Err(Cause::Lacking(format!("the driver of {interface} has it fixed to {state}")));
    }
    let names: Vec<String> = parts.into_iter().map(|part| part.name).collect();
    let wanted = each::split(value, &names)?;
    let states = ["on", "off", REQUESTED];
    let states = if name == ALL { &states[..] } else { &states[..2] };
    if let Some((_, odd)) = wanted.iter().find(|(_, state)| !states.contains(&state.as_str())) {
        return Err(Cause::Value(format!("it takes on or off, and not {odd}")));
    }
    let of = |feature: &str| wanted.iter().find(|(name, _)| name == feature).map(|(_, state)| state != "off");
    Ok(Device::open(interface)?.switch(of)?)
}

/// What it takes.
pub(super) fn allowed(interface: &str, name: &str) -> Option<Allowed> {
    let parts = members(interface, name).ok()?;
    // Where the parts differ, the value that is there now has a form of its own.
    let same = parts.iter().all(|part| part.on == parts[0].on);
    Some(if same && parts.len() == 1 {
        Allowed::switch()
    } else {
        Allowed::Form("on or off, or one for each feature")
    })
}

/// Whether the short or whole name `name` means the kernel's `feature`.
pub(super) fn is_of(name: &str, feature: &str) -> bool {
    match SHORT.iter().find(|(short, _)| *short == name) {
        Some((_, patterns)) => {
            patterns.iter().any(|(begin, end)| feature.starts_with(begin) && feature.ends_with(end))
        }
        None => feature == name,
    }
}

/// The features that this name means: those that can be changed, or all where none can.
fn members(interface: &str, name: &str) -> Result<Vec<Feature>, Cause> {
    let all = Device::open(interface)?.feature_list()?;
    let meant: Vec<Feature> = all.into_iter().filter(|feature| is_of(name, &feature.name)).collect();
    if meant.is_empty() {
        return Err(Cause::Lacking(format!("the kernel has no feature called {name}")));
    }
    if meant.iter().any(|feature| feature.changeable) {
        return Ok(meant.into_iter().filter(|feature| feature.changeable).collect());
    }
    Ok(meant)
}
