//! Settings that are in several files at once, one for each queue, interrupt or CPU.

mod cpu;
mod interrupts;
mod queues;
mod sysfs;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::Cause;
use super::{Allowed, Value, each};

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// CPUs that process what a receive queue brings.
    Rps,
    /// CPUs that send through a transmit queue.
    Xps,
    /// CPUs that take an interrupt.
    Interrupts,
    /// Rules of CPU frequencies.
    Governor,
    /// Idle states.
    Idle,
}

/// The form of a CPU mask.
const MASK: Allowed =
    Allowed::Form("a CPU mask in hexadecimal digits, such as 3 for CPUs 0 and 1; or one for each part");

/// A file that holds a part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// Its name in the value, such as "rx-0".
    name: String,
    path: PathBuf,
}

/// Reads it. `interface` is empty for what is of the host.
pub(super) fn read(group: Group, interface: &str) -> Result<Value, Cause> {
    let root = root(group)?;
    let parts = parts(group, root.path(), interface)?;
    match group {
        Group::Idle => cpu::read_idle(&parts),
        _ => Ok(each::join(&contents(&parts, group)?)),
    }
}

/// Sets it.
pub(super) fn write(group: Group, interface: &str, value: &Value) -> Result<(), Cause> {
    let root = root(group)?;
    let parts = parts(group, root.path(), interface)?;
    let wanted = match group {
        Group::Idle => cpu::wanted(&parts, value)?,
        _ => each::split(value, &parts.iter().map(|part| part.name.clone()).collect::<Vec<_>>())?,
    };
    let masks = matches!(group, Group::Rps | Group::Xps | Group::Interrupts);
    if let Some((_, odd)) = wanted.iter().find(|(_, text)| masks && mask(text).is_none()) {
        return Err(Cause::Value(format!("it takes {MASK}, and not {odd}")));
    }
    for (name, text) in wanted {
        let Some(part) = parts.iter().find(|part| part.name == name) else { continue };
        put(part, &grouped(&text, masks))?;
    }
    Ok(())
}

/// What it takes.
pub(super) fn allowed(group: Group) -> Option<Allowed> {
    match group {
        Group::Rps | Group::Xps | Group::Interrupts => Some(MASK),
        Group::Governor => cpu::governors(Path::new(cpu::ROOT)),
        Group::Idle => {
            Some(Allowed::Form("a latency in microseconds; or 0 or 1 for each state, such as cpu0/state1=1"))
        }
    }
}

fn root(group: Group) -> Result<sysfs::View, Cause> {
    match group {
        Group::Governor | Group::Idle => Ok(sysfs::View::of_host()),
        _ => Ok(sysfs::View::of_this_namespace()?),
    }
}

fn parts(group: Group, sys: &Path, interface: &str) -> Result<Vec<Part>, Cause> {
    match group {
        Group::Rps => queues::parts(sys, interface, "rx-", "rps_cpus"),
        Group::Xps => queues::parts(sys, interface, "tx-", "xps_cpus"),
        Group::Interrupts => interrupts::parts(sys, interface),
        Group::Governor => cpu::policies(Path::new(cpu::ROOT)),
        Group::Idle => cpu::idle_states(Path::new(cpu::ROOT)),
    }
}

/// What the files hold; masks without leading zeros.
fn contents(parts: &[Part], group: Group) -> Result<Vec<(String, String)>, Cause> {
    let content = |part: &Part| {
        let text = fs::read_to_string(&part.path).map_err(|error| match error.raw_os_error() {
            // The kernel says so of transmit queues where there is but one.
            Some(libc::ENOENT) => {
                Cause::Lacking(format!("{} does not have it: the interface has one queue", part.name))
            }
            _ => Cause::System(error),
        })?;
        let text = text.trim();
        let text = if group == Group::Governor { Some(text.to_owned()) } else { mask(text) };
        Ok((part.name.clone(), text.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?))
    };
    parts.iter().map(content).collect()
}

fn put(part: &Part, text: &str) -> Result<(), Cause> {
    fs::write(&part.path, text).map_err(|error| match error.raw_os_error() {
        Some(libc::EINVAL | libc::EOVERFLOW) => {
            Cause::Value(format!("the kernel does not take {text} for {}", part.name))
        }
        Some(libc::EIO) => Cause::Lacking(format!("the kernel does not let {} be changed", part.name)),
        Some(libc::ENOENT) => Cause::Lacking(format!("{} does not have it", part.name)),
        _ => Cause::System(error),
    })
}

/// Whether two CPU masks are the same, however they are written.
pub(super) fn same_mask(a: &Value, b: &Value) -> bool {
    mask(a.as_str()).is_some_and(|a| Some(a) == mask(b.as_str()))
}

/// A mask without commas and leading zeros, if it is one.
fn mask(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    let good = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    let short = digits.trim_start_matches('0').to_ascii_lowercase();
    good.then(|| if short.is_empty() { "0".to_owned() } else { short })
}

/// A mask as the kernel takes it: a comma before every eight digits from the right.
fn grouped(text: &str, is_mask: bool) -> String {
    let Some(digits) = mask(text).filter(|_| is_mask) else { return text.to_owned() };
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(8) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The folders in `folder` whose names begin with `prefix` and go on with a number, in the order of these.
fn numbered(folder: &Path, prefix: &str) -> Vec<(u32, PathBuf)> {
    let number = |entry: fs::DirEntry| {
        let number = entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?;
        Some((number, entry.path()))
    };
    let mut found: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(number).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_one_form_and_the_kernels_commas() {
        for (text, plain) in
            [("3", "3"), ("00000000,00000003", "3"), ("0", "0"), ("1,00000000", "100000000"), ("AF", "af")]
        {
            assert_eq!(mask(text).as_deref(), Some(plain), "{text}");
        }
        assert_eq!([mask(""), mask("0x3"), mask(","), mask("-1")], [None, None, None, None]);
        assert_eq!(grouped("123456789abcdef01", true), "1,23456789,abcdef01");
        assert_eq!([grouped("12345678", true), grouped("performance", false)], ["12345678", "performance"]);
    }
}
