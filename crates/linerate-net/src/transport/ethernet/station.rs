//! The interface that raw Ethernet uses.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr};

use linerate_core::options::Io;
use nix::ifaddrs::getifaddrs;

use super::frame::Mac;
use crate::observe::interface_name;
use crate::sys::ethtool::Device;
use crate::transport::{OptionError, Setup, TransportError};

/// `ARPHRD_ETHER` and `ARPHRD_LOOPBACK` of linux/if_arp.h: the interfaces whose frames begin with
/// an Ethernet header.
const WITH_ETHERNET_HEADERS: [u16; 2] = [1, 772];

/// An interface with an Ethernet address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Station {
    pub(super) name: String,
    pub(super) index: u32,
    /// All zero on a loopback.
    pub(super) mac: Mac,
    /// What a frame carries after its Ethernet header. Unit: bytes.
    pub(super) mtu: usize,
}

/// A station's address as people write it.
pub(super) struct Spelled(pub(super) Mac);

impl Station {
    /// The interface that leads to the peer: the one with the conversation's address, or that the
    /// user named. To an address of this host itself the loopback leads.
    ///
    /// Errors: no such interface, or its frames are not Ethernet frames.
    pub(super) fn of(setup: &Setup) -> Result<Self, TransportError> {
        let lacking = |reason: String| TransportError::lacking(setup.transport, reason);
        let name = match &setup.own.bind_dev {
            Some(device) => device.clone(),
            None if interface_name(setup.peer.ip()).is_ok() => owner(setup, Ipv4Addr::LOCALHOST.into())?,
            None => owner(setup, setup.local)?,
        };
        let all =
            getifaddrs().map_err(|errno| TransportError::system("list the interfaces")(errno.into()))?;
        let link = all
            .filter(|entry| entry.interface_name == name)
            .find_map(|entry| entry.address?.as_link_addr().copied())
            .ok_or_else(|| lacking(format!("there is no interface `{name}`")))?;
        if !WITH_ETHERNET_HEADERS.contains(&link.hatype()) {
            return Err(lacking(format!("the frames of the interface `{name}` are not Ethernet's")));
        }
        let mtu = Device::open(&name).and_then(|device| device.mtu());
        let mtu = mtu.map_err(TransportError::system("read the interface's MTU"))?;
        Ok(Self {
            index: u32::try_from(link.ifindex()).unwrap_or(0),
            mac: link.addr().unwrap_or_default(),
            mtu: usize::try_from(mtu).unwrap_or(usize::MAX),
            name,
        })
    }
}

fn owner(setup: &Setup, address: IpAddr) -> Result<String, TransportError> {
    interface_name(address).map_err(|why| TransportError::lacking(setup.transport, why.to_string()))
}

/// Refuses what means nothing without IP and TCP, or what the ring makes pointless.
pub(super) fn check_options(setup: &Setup) -> Result<(), TransportError> {
    let asked = &setup.socket;
    let refused = |option, value: String, why: &str| {
        let source = io::Error::new(io::ErrorKind::Unsupported, why.to_owned());
        Err(OptionError { option, value, source }.into())
    };
    if let Some(congestion) = &asked.congestion {
        return refused("congestion", congestion.clone(), "raw Ethernet has no congestion control");
    }
    if let Some(mss) = asked.mss {
        return refused("mss", mss.to_string(), "raw Ethernet has no segments; a message is a frame");
    }
    if let Some(dscp) = asked.dscp {
        return refused("dscp", dscp.to_string(), "raw Ethernet has no IP header");
    }
    for (option, io) in [("io", asked.io), ("receive-io", asked.receives())] {
        if io != Io::SendRecv {
            return refused(
                option,
                io.to_string(),
                "raw Ethernet sends messages and receives from a mapped ring",
            );
        }
    }
    Ok(())
}

impl fmt::Display for Spelled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, f] = self.0;
        write!(out, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}")
    }
}
