//! The IPv6 parameters of an interface, which the kernel forgets when it takes IPv6 from it: below an MTU of 1280 bytes.
//!
//! Source: kernel documentation, networking/ip-sysctl; RFC 8200, section 5.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::Cause;
use super::{Value, each};

/// Where they are, a folder for each interface.
const FOLDERS: [&str; 2] = ["conf", "neigh"];
/// Switches IPv6 off.
const DISABLED: &str = "conf/disable_ipv6";
/// How the kernel chooses an address of the link.
const GENERATION: &str = "conf/addr_gen_mode";

fn folder(kind: &str, interface: &str) -> PathBuf {
    Path::new("/proc/sys/net/ipv6").join(kind).join(interface)
}

/// Reads them; empty for an interface without IPv6.
pub(super) fn read(interface: &str) -> Result<Value, Cause> {
    let mut words = Vec::new();
    for kind in FOLDERS {
        let Ok(files) = fs::read_dir(folder(kind, interface)) else { continue };
        for file in files.flatten() {
            // Some cannot be read, such as a secret that nobody has set.
            let Ok(text) = fs::read_to_string(file.path()) else { continue };
            words.push(format!("{kind}/{}={}", file.file_name().to_string_lossy(), text.trim()));
        }
    }
    words.sort_unstable();
    Ok(Value::from(words.join(" ")))
}

/// Sets those that are named.
pub(super) fn write(interface: &str, value: &Value) -> Result<(), Cause> {
    let there = read(interface)?;
    let set = |name: &str, text: &str| {
        let (kind, name) = name.split_once('/').unwrap_or_default();
        fs::write(folder(kind, interface).join(name), text)
    };
    let other: Vec<(&str, &str)> =
        each::parts(value).filter(|(name, text)| each::part(&there, name) != Some(text)).collect();
    // The kernel has chosen an address already, in another way than before.
    let anew = other.iter().any(|(name, _)| *name == GENERATION);
    if anew {
        set(DISABLED, "1")?;
    }
    for (name, text) in other.iter().filter(|(name, _)| *name != DISABLED) {
        set(name, text)?;
    }
    let disabled = each::part(value, DISABLED).or(each::part(&there, DISABLED).filter(|_| anew));
    Ok(disabled.map_or(Ok(()), |text| set(DISABLED, text))?)
}
