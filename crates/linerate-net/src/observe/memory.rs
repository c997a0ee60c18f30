//! How much memory there is, and how much this process took.

use std::path::Path;

use linerate_core::environment::Fact;

use super::Unread;
use super::cgroup::Groups;
use super::proc_text::{bytes_field, number, read};

/// Memory that can be taken without swapping. Unit: bytes.
///
/// The lesser of `MemAvailable` and of what the process's control groups leave to it (version 2,
/// `memory.max` of each level less what is in use and could not be dropped).
///
/// Source: proc_meminfo(5); kernel documentation, admin-guide/cgroup-v2.
#[must_use]
pub fn available_memory() -> Fact<u64> {
    let of_host = read("/proc/meminfo").and_then(|text| bytes_field(&text, "MemAvailable"));
    Fact::from(of_host.map(|bytes| left_in_groups().map_or(bytes, |left| left.min(bytes))))
}

/// The most memory the process has had at any time (`VmHWM`). Unit: bytes.  Source: proc_pid_status(5).
#[must_use]
pub fn peak_memory() -> Fact<u64> {
    Fact::from(read("/proc/self/status").and_then(|text| bytes_field(&text, "VmHWM")))
}

/// Memory of the host. Unit: bytes.
pub(super) fn total_memory() -> Result<u64, Unread> {
    bytes_field(&read("/proc/meminfo")?, "MemTotal")
}

/// What the tightest control group of this process leaves, or `None` without a limit.
fn left_in_groups() -> Option<u64> {
    let groups = Groups::of("memory").ok().filter(|groups| groups.unified)?;
    groups.levels.iter().filter_map(|level| left_in(&groups.folder(level))).min()
}

/// What one group leaves, or `None` if it has no limit.
fn left_in(folder: &Path) -> Option<u64> {
    let file = |name: &str| read(folder.join(name));
    let most = number(&file("memory.max").ok()?).ok()?;
    let used = number(&file("memory.current").ok()?).ok()?;
    let stat = file("memory.stat").unwrap_or_default();
    Some(left(most, used, inactive_file(&stat)))
}

/// The kernel drops inactive page cache before it refuses memory.
fn left(most: u64, used: u64, inactive_file: u64) -> u64 {
    most.saturating_sub(used.saturating_sub(inactive_file))
}

/// `inactive_file` of a `memory.stat`, or 0. Unit: bytes.
pub(super) fn inactive_file(stat: &str) -> u64 {
    let line = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
    line.and_then(|value| number(value).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_cache_is_not_counted_as_used() {
        let stat = "anon 4096\nfile 9000\ninactive_file 6000\nactive_file 3000\n";
        assert_eq!(left(20_000, 14_000, inactive_file(stat)), 12_000);
        assert_eq!(left(20_000, 30_000, inactive_file("")), 0, "a group over its limit leaves nothing");
    }

    #[test]
    fn this_host_has_memory_and_this_process_takes_some() {
        let total = total_memory().expect("meminfo");
        let available = *available_memory().known().expect("meminfo");
        let peak = *peak_memory().known().expect("status");
        assert!(0 < available && available < total, "{available} of {total}");
        assert!(0 < peak && peak < total, "{peak} of {total}");
    }
}
