//! Features of an interface that take work off the processor, by their usual short names and by those of the kernel.
//!
//! Source: ethtool(8), `-K`; the short names are those of its `off_flag_def`.

use super::error::Cause;
use super::{Allowed, Value, each};
use crate::sys::ethtool::{Device, Feature};

/// The kernel's features behind a short name: those that begin and end so.
const SHORT: [(&str, &[(&str, &str)]); 7] = [
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
    let state = |on: bool| if on { "on" } else { "off" }.to_owned();
    Ok(each::join(&parts.into_iter().map(|part| (part.name, state(part.on))).collect::<Vec<_>>()))
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
    if let Some((_, odd)) = wanted.iter().find(|(_, state)| !["on", "off"].contains(&state.as_str())) {
        return Err(Cause::Value(format!("it takes on or off, and not {odd}")));
    }
    let of = |feature: &str| wanted.iter().find(|(name, _)| name == feature).map(|(_, state)| state == "on");
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

/// The features that this name means: those that can be changed, or all where none can.
fn members(interface: &str, name: &str) -> Result<Vec<Feature>, Cause> {
    let all = Device::open(interface)?.feature_list()?;
    let short = SHORT.iter().find(|(short, _)| *short == name).map(|(_, patterns)| *patterns);
    let is_meant = |feature: &Feature| match short {
        Some(patterns) => patterns.iter().any(|(begin, end)| {
            feature.name.starts_with(begin) && feature.name.ends_with(end) && feature.name.len() >= end.len()
        }),
        None => feature.name == name,
    };
    let meant: Vec<Feature> = all.into_iter().filter(is_meant).collect();
    if meant.is_empty() {
        return Err(Cause::Lacking(format!("the kernel has no feature called {name}")));
    }
    if meant.iter().any(|feature| feature.changeable) {
        return Ok(meant.into_iter().filter(|feature| feature.changeable).collect());
    }
    Ok(meant)
}
