//! Which processors, caches and memory nodes there are.

use std::collections::BTreeMap;
use std::path::Path;

use linerate_core::environment::Fact;
use linerate_core::host_limits::{Cache, MemoryNode};

use crate::observe::{Unread, bytes_field, number, read, read_value};

const CPUS: &str = "/sys/devices/system/cpu";
const NODES: &str = "/sys/devices/system/node";

/// The numbers of a list such as `0-3,8`. What is no number is left out.
///
/// Source: kernel documentation, admin-guide/cputopology.
pub(super) fn list(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<u32>().ok()?..=last.trim().parse::<u32>().ok()?.min(1 << 20))
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// Processors that share a core with `cpu`, and itself. Empty where the kernel does not say.
pub(super) fn siblings(cpu: u32) -> Vec<u32> {
    let text = read_value(format!("{CPUS}/cpu{cpu}/topology/thread_siblings_list"));
    text.map(|text| list(&text)).unwrap_or_default()
}

/// The levels of data caches of `cpus`.
///
/// Source: kernel documentation, ABI/testing/sysfs-devices-system-cpu.
pub(super) fn caches(cpus: &[u32]) -> Fact<Vec<Cache>> {
    let mut found: BTreeMap<(u32, u64), Vec<String>> = BTreeMap::new();
    for cpu in cpus {
        for index in 0..8 {
            let folder = format!("{CPUS}/cpu{cpu}/cache/index{index}");
            let Some((level, bytes, shared)) = cache(Path::new(&folder), *cpu) else { continue };
            let of_level = found.entry((level, bytes)).or_default();
            if !of_level.contains(&shared) {
                of_level.push(shared);
            }
        }
    }
    if found.is_empty() {
        return Fact::unknown("the kernel does not describe the caches");
    }
    let cache = |((level, bytes), shared): ((u32, u64), Vec<String>)| Cache {
        level,
        bytes,
        instances: u32::try_from(shared.len()).unwrap_or(u32::MAX),
    };
    Fact::Known(found.into_iter().map(cache).collect())
}

/// Level, size in bytes and sharing processors of a cache that holds data.
fn cache(folder: &Path, cpu: u32) -> Option<(u32, u64, String)> {
    let value = |name: &str| read_value(folder.join(name)).ok();
    if value("type")? == "Instruction" {
        return None;
    }
    let level = value("level")?.parse().ok()?;
    let shared = value("shared_cpu_list").unwrap_or_else(|| cpu.to_string());
    Some((level, cache_bytes(&value("size")?)?, shared))
}

/// `32768K`, `8M` or a number. Unit: bytes.
fn cache_bytes(text: &str) -> Option<u64> {
    let kib = text.strip_suffix('K').map(|number| (number, 1 << 10));
    let (number, unit) = kib.or_else(|| Some((text.strip_suffix('M')?, 1 << 20))).unwrap_or((text, 1));
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|bytes| *bytes > 0)
}

/// All caches of the last level together. Unit: bytes.
pub(super) fn last_caches_bytes(caches: &[Cache]) -> Option<u64> {
    let last = caches.iter().map(|cache| cache.level).max()?;
    let of_level = caches.iter().filter(|cache| cache.level == last);
    Some(
        of_level
            .map(|cache| cache.bytes.saturating_mul(u64::from(cache.instances)))
            .fold(0, u64::saturating_add),
    )
}

/// The memory nodes that have memory, with those of `usable` that are theirs.
pub(super) fn nodes(usable: &[u32]) -> Fact<Vec<MemoryNode>> {
    let numbers =
        match read_value(format!("{NODES}/has_memory")).or_else(|_| read_value(format!("{NODES}/online"))) {
            Ok(text) => list(&text),
            Err(why) => return Fact::unknown(why.to_string()),
        };
    let node = |node: u32| {
        let cpus = read_value(format!("{NODES}/node{node}/cpulist")).unwrap_or_default();
        MemoryNode {
            node,
            cpus: list(&cpus).into_iter().filter(|cpu| usable.contains(cpu)).collect(),
            memory_bytes: memory_bytes(node).into(),
        }
    };
    Fact::Known(numbers.into_iter().map(node).collect())
}

/// `MemTotal` of a node. Unit: bytes.
fn memory_bytes(node: u32) -> Result<u64, Unread> {
    bytes_field(&read(format!("{NODES}/node{node}/meminfo"))?, &format!("Node {node} MemTotal"))
}

/// A number of a file, as of an idle state.
pub(super) fn number_in(path: impl AsRef<Path>) -> Result<u64, Unread> {
    number(&read_value(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_processors_is_read_as_the_kernel_writes_it() {
        assert_eq!(list("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(list("0"), [0]);
        assert_eq!(list("0-1,64-65"), [0, 1, 64, 65]);
        assert_eq!(list(""), [0_u32; 0]);
        assert_eq!(list("many,2-"), [0_u32; 0]);
        assert_eq!(list("3-1"), [0_u32; 0], "nothing is from 3 to 1");
    }

    #[test]
    fn last_caches_are_added_up() {
        let cache = |level, bytes, instances| Cache { level, bytes, instances };
        let two_dies = [cache(1, 32 << 10, 16), cache(2, 1 << 20, 16), cache(3, 32 << 20, 2)];
        assert_eq!(last_caches_bytes(&two_dies), Some(64 << 20));
        // A part of big cores and one of small ones: both are the last level.
        assert_eq!(last_caches_bytes(&[cache(2, 1 << 20, 4), cache(2, 2 << 20, 1)]), Some(6 << 20));
        assert_eq!(last_caches_bytes(&[]), None);
    }

    #[test]
    fn a_cache_has_its_size_in_any_unit() {
        assert_eq!(cache_bytes("32768K"), Some(32 << 20));
        assert_eq!(cache_bytes("8M"), Some(8 << 20));
        assert_eq!(cache_bytes("512"), Some(512));
        for text in ["", "K", "many", "0K", "18446744073709551615K"] {
            assert_eq!(cache_bytes(text), None, "{text}");
        }
    }
}
