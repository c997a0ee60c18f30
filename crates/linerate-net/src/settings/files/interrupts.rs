//! The interrupts of an interface.
//!
//! A PCI device lists its message-signalled interrupts; those of a virtio device are listed by the PCI device that it
//! is on. One without such a list is found by the names in `/proc/interrupts`.
//!
//! Source: kernel documentation, core-api/irq/irq-affinity and ABI/testing/sysfs-bus-pci (`msi_irqs`); proc_interrupts(5).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::super::error::Cause;
use super::{Part, numbered};

/// The affinity file of every interrupt.
pub(super) fn parts(sys: &Path, interface: &str) -> Result<Vec<Part>, Cause> {
    let folder = sys.join("class/net").join(interface);
    if !folder.exists() {
        return Err(std::io::Error::from_raw_os_error(libc::ENODEV).into());
    }
    let lists = ["device/msi_irqs", "device/../msi_irqs"].map(|list| numbered(&folder.join(list), ""));
    let mut numbers: BTreeSet<u32> = lists.into_iter().flatten().map(|(number, _)| number).collect();
    if numbers.is_empty() {
        let device = fs::read_link(folder.join("device")).ok();
        let device = device.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
        let names: Vec<&str> = std::iter::once(interface).chain(device).collect();
        numbers = named(&fs::read_to_string("/proc/interrupts")?, &names);
    }
    let part = |number: u32| Part {
        name: number.to_string(),
        path: Path::new("/proc/irq").join(number.to_string()).join("smp_affinity"),
    };
    let parts: Vec<Part> = numbers.into_iter().map(part).filter(|part| part.path.exists()).collect();
    if parts.is_empty() {
        return Err(Cause::Lacking(format!("{interface} has no interrupts of its own")));
    }
    Ok(parts)
}

/// The numbers of the lines of `/proc/interrupts` that end in one of `names`, alone or followed by `-` and more.
fn named(text: &str, names: &[&str]) -> BTreeSet<u32> {
    let is_of = |word: &str| {
        names
            .iter()
            .any(|name| word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
    };
    let number = |line: &str| {
        let (number, rest) = line.split_once(':')?;
        rest.split(|c: char| c.is_whitespace() || c == ',').any(is_of).then(|| number.trim().parse().ok())?
    };
    text.lines().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_are_found_by_the_names_of_their_devices() {
        let text = "           CPU0       CPU1\n  5:          0          0   IO-APIC   5-edge      virtio1\n \
                    24:          9          0   PCI-MSI 1-edge      eth0-rx-0\n \
                    25:          9          0   PCI-MSI 2-edge      eth01\nNMI:   0   0   Non-maskable interrupts\n";
        assert_eq!(named(text, &["eth0", "virtio1"]), [5, 24].into());
        assert_eq!(named(text, &["virtio"]), BTreeSet::new());
    }
}
