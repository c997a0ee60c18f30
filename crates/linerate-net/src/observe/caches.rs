//! Sizes of the processor's caches.

use linerate_core::environment::Fact;

use super::Unread;
use super::proc_text::{number, read_value};

/// Where the kernel describes the caches of the first processor.
const FOLDER: &str = "/sys/devices/system/cpu/cpu0/cache";

/// Caches that hold data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// The second level. Unit: bytes.
    pub l2: u64,
    /// The last level, which may be the second. Unit: bytes.
    pub last: u64,
}

/// The caches of the first processor; those of an efficient core beside a fast one may differ.
///
/// Source: kernel documentation, ABI/testing/sysfs-devices-system-cpu.
#[must_use]
pub fn caches() -> Fact<Caches> {
    let described = (0..).map_while(|index| {
        let value = |name: &str| read_value(format!("{FOLDER}/index{index}/{name}"));
        Some([value("level").ok()?, value("type").ok()?, value("size").ok()?])
    });
    Fact::from(choose(described))
}

/// The second and the last level of those that hold data, from level, type and size of each.
fn choose(described: impl Iterator<Item = [String; 3]>) -> Result<Caches, Unread> {
    let mut sizes = Vec::new();
    for [level, kind, size] in described {
        if kind != "Instruction" {
            sizes.push((number(&level)?, bytes(&size)?));
        }
    }
    let l2 = sizes.iter().find(|(level, _)| *level == 2);
    let last = sizes.iter().max_by_key(|(level, _)| *level);
    match (l2, last) {
        (Some((_, l2)), Some((_, last))) => Ok(Caches { l2: *l2, last: *last }),
        _ => Err(Unread::NoSign("the kernel does not describe the caches")),
    }
}

/// Reads `2048K`.
fn bytes(size: &str) -> Result<u64, Unread> {
    let kib = number(size.strip_suffix('K').unwrap_or(size))?;
    kib.checked_mul(1_024).ok_or_else(|| Unread::Number(size.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(described: &[[&str; 3]]) -> Result<Caches, Unread> {
        choose(described.iter().map(|one| one.map(str::to_owned)))
    }

    #[test]
    fn instruction_caches_do_not_count() {
        let described = [
            ["1", "Data", "48K"],
            ["1", "Instruction", "64K"],
            ["2", "Unified", "2048K"],
            ["3", "Unified", "491520K"],
        ];
        let caches = chosen(&described).expect("four caches");
        assert_eq!(caches, Caches { l2: 2 << 20, last: 480 << 20 });
        let caches = chosen(&described[..3]).expect("three caches");
        assert_eq!(caches.last, caches.l2, "where there is no third level the second is the last");
    }

    #[test]
    fn what_the_kernel_does_not_say_is_no_cache() {
        for described in [&[][..], &[["1", "Data", "48K"]], &[["2", "Unified", "many"]]] {
            assert!(chosen(described).is_err(), "{described:?}");
        }
    }
}
