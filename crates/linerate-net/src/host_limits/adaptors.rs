//! Network adaptors that are PCI devices, from sysfs.
//!
//! Source: kernel documentation, ABI/testing/sysfs-class-net and sysfs-bus-pci.

use std::path::{Path, PathBuf};

use linerate_core::environment::Fact;
use linerate_core::host_limits::{Adaptor, PciLink};

use crate::observe::{Unread, read_value};

const NET: &str = "/sys/class/net";

/// All adaptors of this host, by name; unknown where there is none, with the reason.
pub(super) fn all() -> Fact<Vec<Adaptor>> {
    below(Path::new(NET))
}

fn below(net: &Path) -> Fact<Vec<Adaptor>> {
    let entries = match std::fs::read_dir(net) {
        Ok(entries) => entries,
        Err(error) => return Fact::unknown(format!("{}: {error}", net.display())),
    };
    let mut interfaces: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    interfaces.sort();
    let found: Vec<Adaptor> = interfaces.iter().filter_map(|interface| adaptor(interface)).collect();
    if found.is_empty() { Fact::unknown("no network adaptor is on PCI") } else { Fact::Known(found) }
}

/// The adaptor of an interface. Absent if it is none, as the loopback, or not on PCI.
fn adaptor(interface: &Path) -> Option<Adaptor> {
    let device = std::fs::canonicalize(interface.join("device")).ok()?;
    // A virtio device is below the PCI device that carries it.
    let pci = device.ancestors().find(|folder| address(folder).is_some())?;
    let link = |which: &str| -> Result<PciLink, String> {
        let value = |what: &str| read_value(pci.join(format!("{which}_link_{what}")));
        let [speed, width] = [value("speed").map_err(without_link)?, value("width").map_err(without_link)?];
        PciLink::parse(&speed, &width).map_err(|error| error.to_string())
    };
    Some(Adaptor {
        interface: interface.file_name()?.to_string_lossy().into_owned(),
        address: address(pci)?,
        link: link("current").into(),
        best_link: link("max").into(),
        port_mbps: port_mbps(interface).into(),
    })
}

/// Why a device says nothing of its link.
fn without_link(why: Unread) -> String {
    match why {
        Unread::NoFile => "the device has no PCI Express link, as virtual ones".to_owned(),
        other => other.to_string(),
    }
}

/// The address that the folder of a PCI device is named by, such as `0000:03:00.0`.
fn address(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_str()?;
    let (domain, rest) = name.split_once(':')?;
    let (bus, rest) = rest.split_once(':')?;
    let (device, function) = rest.split_once('.')?;
    let is_hex = |text: &str, digits: usize| text.len() >= digits && u32::from_str_radix(text, 16).is_ok();
    (is_hex(domain, 4) && is_hex(bus, 2) && is_hex(device, 2) && is_hex(function, 1)).then(|| name.to_owned())
}

/// The speed of the port, which is -1 while the link is down.
fn port_mbps(interface: &Path) -> Result<u64, String> {
    match read_value(interface.join("speed")) {
        Ok(text) => text.parse::<u64>().map_err(|_| format!("the driver says {text}")),
        // The kernel refuses to answer while the interface is down.
        Err(Unread::System(error)) if error.raw_os_error() == Some(libc::EINVAL) => {
            Err("the interface is down, or its driver does not say".to_owned())
        }
        Err(why) => Err(why.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_address_has_four_parts_in_hexadecimal() {
        let of = |name: &str| address(Path::new("/sys/devices").join(name).as_path());
        assert_eq!(of("0000:03:00.0").as_deref(), Some("0000:03:00.0"));
        assert_eq!(of("10000:e1:00.1").as_deref(), Some("10000:e1:00.1"));
        for name in ["virtio2", "pci0000:00", "eth0", "0000:03:00", "zzzz:03:00.0"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    /// A folder like sysfs: a ConnectX on 3.0 x8, a virtio device, and the loopback.
    #[test]
    fn adaptors_are_found_with_what_their_files_say() {
        let root = std::env::temp_dir().join(format!("linerate-adaptors-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
            fs::write(path, text).expect("it is written");
        };
        for (name, text) in [
            ("current_link_speed", "8.0 GT/s PCIe\n"),
            ("current_link_width", "8\n"),
            ("max_link_speed", "16.0 GT/s PCIe\n"),
            ("max_link_width", "16\n"),
        ] {
            write(&format!("devices/pci0000:00/0000:00:01.0/0000:03:00.0/{name}"), text);
        }
        write("devices/pci0000:00/0000:00:03.0/virtio2/vendor", "0x1af4\n");
        write("net/enp3s0/speed", "100000\n");
        write("net/eth0/speed", "-1\n");
        write("net/lo/mtu", "65536\n");
        for (interface, device) in
            [("enp3s0", "pci0000:00/0000:00:01.0/0000:03:00.0"), ("eth0", "pci0000:00/0000:00:03.0/virtio2")]
        {
            symlink(root.join("devices").join(device), root.join("net").join(interface).join("device"))
                .expect("it is made");
        }
        let found = below(&root.join("net"));
        fs::remove_dir_all(&root).expect("it is removed");
        let Fact::Known(found) = found else { panic!("{found:?}") };
        let link = |speed_gt_per_second, lanes| Fact::Known(PciLink { speed_gt_per_second, lanes });
        let [real, virtual_one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((real.interface.as_str(), real.address.as_str()), ("enp3s0", "0000:03:00.0"));
        assert_eq!((&real.link, &real.best_link), (&link(8.0, 8), &link(16.0, 16)));
        assert_eq!(real.port_mbps, Fact::Known(100_000));
        assert_eq!((virtual_one.interface.as_str(), virtual_one.address.as_str()), ("eth0", "0000:00:03.0"));
        assert!(virtual_one.link.known().is_none() && virtual_one.best_link.known().is_none());
        assert_eq!(virtual_one.port_mbps, Fact::unknown("the driver says -1"));
    }

    #[test]
    fn without_sysfs_the_reason_is_said() {
        let Fact::Unknown { unknown } = below(Path::new("/nowhere/class/net")) else {
            panic!("it is nowhere")
        };
        assert!(unknown.contains("No such file"), "{unknown}");
    }
}
