//! The interface that owns an address, and its settings.

use std::io;
use std::net::{IpAddr, SocketAddr};

use linerate_core::environment::{Fact, Interface};
use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::net::if_::InterfaceFlags;

use super::Unread;
use crate::sys::ethtool::{Device, Driver, Duplex, Link};

/// The name of the interface that owns `address` in the calling thread's network namespace.
///
/// An IPv4 address inside an IPv6 one (`::ffff:192.0.2.1`) is the IPv4 address. Any of 127/8 is the
/// loopback's, assigned or not. If several interfaces own the address, the first is taken.
/// The owner of a local address is not always what the bytes cross: those between two addresses
/// of one host cross the loopback.
///
/// Errors: no interface has it.  Source: getifaddrs(3); RFC 1122, 3.2.1.3 (g).
pub fn interface_name(address: IpAddr) -> Result<String, Unread> {
    owner(address).map(|owner| owner.interface_name)
}

/// The interface that owns `address`, as [`interface_name`] finds it, with its settings.
///
/// Errors: no interface has it. A setting that the driver does not tell is an unknown fact.
/// Source: netdevice(7), `linux/ethtool.h`.
pub fn interface_of(address: IpAddr) -> Result<Interface, Unread> {
    let owner = owner(address)?;
    let loopback = owner.flags.contains(InterfaceFlags::IFF_LOOPBACK);
    Ok(settings(owner.interface_name, loopback))
}

/// The addresses of this host by which others may reach it, those of one link only left out; the loopback's last. With
/// port 0.
///
/// Errors: getifaddrs(3).
pub fn own_addresses() -> io::Result<Vec<SocketAddr>> {
    let up = |entry: &InterfaceAddress| entry.flags.contains(InterfaceFlags::IFF_UP);
    let entries = getifaddrs()?.filter(up);
    let mut all: Vec<(bool, SocketAddr)> = entries
        .filter_map(|entry| {
            let ip = ip_of(&entry)?;
            let local = matches!(ip, IpAddr::V6(v6) if v6.is_unicast_link_local());
            let loopback = entry.flags.contains(InterfaceFlags::IFF_LOOPBACK);
            (!local).then_some((loopback, SocketAddr::new(ip, 0)))
        })
        .collect();
    // Stable: otherwise in the order of the interfaces.
    all.sort_by_key(|(loopback, _)| *loopback);
    Ok(all.into_iter().map(|(_, address)| address).collect())
}

/// Whether the adaptor that owns `address` stamps packets with a clock of its own.
///
/// Errors: no interface has it, or its driver does not say.  Source: `linux/ethtool.h`.
pub fn stamps_in_hardware(address: IpAddr) -> Result<bool, Unread> {
    let device = Device::open(&owner(address)?.interface_name).map_err(Unread::System)?;
    device.stamps_in_hardware().map_err(Unread::driver)
}

fn owner(address: IpAddr) -> Result<InterfaceAddress, Unread> {
    let wanted = address.to_canonical();
    let on_loopback = matches!(wanted, IpAddr::V4(v4) if v4.is_loopback());
    let mut all = getifaddrs().map_err(|errno| Unread::System(errno.into()))?;
    all.find(|entry| {
        (on_loopback && entry.flags.contains(InterfaceFlags::IFF_LOOPBACK)) || ip_of(entry) == Some(wanted)
    })
    .ok_or(Unread::Address(address))
}

pub(super) fn ip_of(entry: &InterfaceAddress) -> Option<IpAddr> {
    let address = entry.address.as_ref()?;
    let v4 = address.as_sockaddr_in().map(|v4| IpAddr::from(v4.ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::from(v6.ip())))
}

fn settings(name: String, loopback: bool) -> Interface {
    let device = Device::open(&name);
    let driver = ask(&device, Device::driver);
    let link = ask(&device, Device::link);
    Interface {
        loopback,
        driver: driver_text(&driver, |driver| &driver.name),
        driver_version: driver_text(&driver, |driver| &driver.version),
        firmware: driver_text(&driver, |driver| &driver.firmware),
        bus: driver_text(&driver, |driver| &driver.bus),
        speed_mbps: link_fact(&link, |link| link.speed_mbps),
        duplex: link_fact(&link, |link| link.duplex.map(duplex_name)),
        mtu: Fact::from(ask(&device, Device::mtu)),
        offloads: Fact::from(ask(&device, Device::features).map(|all| {
            let bearing = all.into_iter().filter(|(feature, _)| bears_on_performance(feature));
            bearing.collect()
        })),
        coalescing: Fact::from(ask(&device, Device::coalescing).map(by_name)),
        rings: Fact::from(ask(&device, Device::rings).map(by_name)),
        name,
    }
}

/// Puts one question to a device that may not be there.
fn ask<T>(device: &io::Result<Device>, question: impl Fn(&Device) -> io::Result<T>) -> Result<T, String> {
    match device {
        Ok(device) => question(device).map_err(|error| Unread::driver(error).to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn driver_text(driver: &Result<Driver, String>, text: impl Fn(&Driver) -> &String) -> Fact<String> {
    match driver.as_ref().map(text) {
        Ok(text) if text.is_empty() => Fact::unknown(Unread::Driver("").to_string()),
        Ok(text) => Fact::Known(text.clone()),
        Err(why) => Fact::unknown(why),
    }
}

fn link_fact<T>(link: &Result<Link, String>, fact: impl Fn(&Link) -> Option<T>) -> Fact<T> {
    match link.as_ref().map(fact) {
        Ok(Some(known)) => Fact::Known(known),
        Ok(None) => Fact::unknown(Unread::Driver("").to_string()),
        Err(why) => Fact::unknown(why),
    }
}

fn duplex_name(duplex: Duplex) -> String {
    match duplex {
        Duplex::Half => "half".to_owned(),
        Duplex::Full => "full".to_owned(),
    }
}

fn by_name<C: FromIterator<(String, u32)>>(settings: Vec<(&'static str, u32)>) -> C {
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Features that change the cost of a packet or how many there are, by their kernel names.
///
/// Source: `net/ethtool/common.c`, `netdev_features_strings`.
fn bears_on_performance(feature: &str) -> bool {
    const THESE: [&str; 17] = [
        "hw-tc-offload",
        "rx-checksum",
        "rx-gro",
        "rx-gro-hw",
        "rx-gro-list",
        "rx-hashing",
        "rx-lro",
        "rx-ntuple-filter",
        "rx-udp-gro-forwarding",
        "tx-generic-segmentation",
        "tx-gso-list",
        "tx-gso-partial",
        "tx-nocache-copy",
        "tx-scatter-gather",
        "tx-tcp-segmentation",
        "tx-tcp6-segmentation",
        "tx-udp-segmentation",
    ];
    feature.starts_with("tx-checksum") || THESE.contains(&feature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_loopback_is_found_with_its_mtu() {
        for address in ["127.0.0.1", "127.9.8.7", "::ffff:127.0.0.1"] {
            let address: IpAddr = address.parse().expect("an address");
            let interface = interface_of(address).expect("a loopback");
            assert!(interface.loopback, "{interface:?}");
            assert!(interface.mtu.known().is_some_and(|mtu| *mtu >= 1_280), "{interface:?}");
            assert_eq!(interface_name(address).expect("a loopback"), interface.name);
        }
    }

    #[test]
    fn an_address_of_nobody_is_an_error_that_names_it() {
        // Multicast and unspecified addresses cannot be assigned: RFC 1112, RFC 4291.
        for address in ["224.0.0.1", "ff02::1", "0.0.0.0", "::"] {
            let error = interface_name(address.parse().expect("an address")).expect_err(address);
            assert_eq!(error.to_string(), format!("no interface has {address}"));
        }
    }

    #[test]
    fn an_interface_that_went_away_has_only_unknown_facts() {
        let gone = settings("no-such-nic".to_owned(), false);
        assert!(gone.mtu.to_string().contains("No such device"), "{gone:?}");
        assert_eq!(gone.driver.known().or(gone.duplex.known()), None);
        assert!(gone.offloads.known().is_none() && gone.rings.known().is_none(), "{gone:?}");
    }

    #[test]
    fn what_changes_a_packets_cost_is_kept() {
        for kept in ["tx-checksum-ipv4", "tx-checksum-ip-generic", "rx-gro", "tx-udp-segmentation"] {
            assert!(bears_on_performance(kept), "{kept}");
        }
        for left_out in ["highdma", "rx-fcs", "loopback", "tx-fcoe-segmentation"] {
            assert!(!bears_on_performance(left_out), "{left_out}");
        }
    }
}
