//! What the host has: clock, cache, memory, processors.

use linerate_core::environment::Fact;

use crate::observe::{environment, usable_cpus};

/// What a profile needs of a host besides costs.
#[derive(Clone, Debug)]
pub struct Place {
    /// Clock of the first processor. Unit: MHz.
    pub clock_mhz: Fact<f64>,
    /// The last cache. Unit: bytes.
    pub cache_bytes: Fact<u64>,
    /// Memory of the host. Unit: bytes.
    pub memory_bytes: Fact<u64>,
    /// Processors that this process may use.
    pub processors: u32,
    /// Its name.
    pub hostname: Fact<String>,
    /// Operating system and release.
    pub kernel: Fact<String>,
    /// Processor model.
    pub processor: Fact<String>,
}

/// Looks at this host. What cannot be read says why.
#[must_use]
pub fn place() -> Place {
    let host = environment(None);
    let processors = usable_cpus().map_or(1, |cpus| cpus.len());
    Place {
        clock_mhz: clock_mhz().map_or_else(|| Fact::unknown("the kernel does not say"), Fact::Known),
        cache_bytes: last_cache().map_or_else(|| Fact::unknown("the kernel does not say"), Fact::Known),
        memory_bytes: host.memory_bytes,
        processors: u32::try_from(processors).unwrap_or(u32::MAX).max(1),
        hostname: host.hostname,
        kernel: host.kernel,
        processor: host.cpu_model,
    }
}

/// The first processor's clock: what `/proc/cpuinfo` says now, else the highest that its driver
/// allows (unit there: kHz).  Source: kernel documentation, admin-guide/pm/cpufreq.
fn clock_mhz() -> Option<f64> {
    let now = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpuinfo_mhz(&text));
    now.or_else(|| {
        let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok()?;
        text.trim().parse::<f64>().ok().map(|khz| khz / 1e3)
    })
    .filter(|mhz| mhz.is_finite() && *mhz > 0.0)
}

fn cpuinfo_mhz(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("cpu MHz"))?;
    line.split_once(':')?.1.trim().parse().ok()
}

/// The largest cache of the highest level of the first processor. Unit: bytes.
///
/// Source: kernel documentation, ABI/testing/sysfs-devices-system-cpu.
pub(super) fn last_cache() -> Option<u64> {
    let caches = (0..8).filter_map(|index| {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let value = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).ok();
        Some((value("level")?.trim().parse::<u32>().ok()?, cache_size(&value("size")?)?))
    });
    caches.max().map(|(_, bytes)| bytes)
}

/// `32768K` and the like. Unit: bytes.
fn cache_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, factor) = match text.char_indices().last()? {
        (at, 'K') => (&text[..at], 1 << 10),
        (at, 'M') => (&text[..at], 1 << 20),
        _ => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_gives_its_number() {
        assert_eq!(cache_size("32768K\n"), Some(32 << 20));
        assert_eq!(cache_size("8M"), Some(8 << 20));
        assert_eq!(cache_size(""), None);
        assert_eq!(cache_size("many"), None);
        assert_eq!(cache_size("18446744073709551615K"), None);
        assert_eq!(cpuinfo_mhz("processor\t: 0\ncpu MHz\t\t: 2445.424\n"), Some(2445.424));
        assert_eq!(cpuinfo_mhz("processor\t: 0\n"), None);
    }

    #[test]
    fn this_host_has_processors_and_memory() {
        let place = place();
        assert!(place.processors >= 1 && place.memory_bytes.known().is_some(), "{place:?}");
    }
}
