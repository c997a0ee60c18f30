//! What a network driver reports about its device, through the `SIOCETHTOOL` ioctl.
//!
//! The ioctl and not netlink, because drivers of virtual machines often answer only the ioctl.
//! The socket is an ordinary `AF_INET` datagram socket, so that the answer is about the network
//! namespace of the thread that opened it.
//!
//! Source: `linux/ethtool.h` and `linux/sockios.h`, kernel user-space interface; netdevice(7).
#![expect(unsafe_code, reason = "ioctl takes a pointer whose type depends on the command")]

mod features;
mod settings;
mod stamps;
mod tables;

use std::ffi::c_void;
use std::io;
use std::os::fd::AsRawFd;

use socket2::{Domain, Socket, Type};

pub(crate) use features::Feature;
pub(crate) use settings::{Driver, Duplex, Link};
pub(crate) use tables::Table;

/// One network interface, as its driver shows it.
pub(crate) struct Device {
    socket: Socket,
    name: [libc::c_char; libc::IFNAMSIZ],
}

impl Device {
    /// The interface called `name` in the calling thread's network namespace.
    ///
    /// Errors: no socket, or a name that no interface can have. That the interface exists is not
    /// checked here.
    pub(crate) fn open(name: &str) -> io::Result<Self> {
        let bytes = name.as_bytes();
        if bytes.is_empty() || bytes.len() >= libc::IFNAMSIZ || bytes.contains(&0) {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let mut padded = [0; libc::IFNAMSIZ];
        for (to, from) in padded.iter_mut().zip(bytes) {
            *to = libc::c_char::from_ne_bytes([*from]);
        }
        Ok(Self { socket: Socket::new(Domain::IPV4, Type::DGRAM, None)?, name: padded })
    }

    /// Largest IP packet. Unit: bytes.  Source: netdevice(7), `SIOCGIFMTU`.
    pub(crate) fn mtu(&self) -> io::Result<u64> {
        let mut request =
            libc::ifreq { ifr_name: self.name, ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_mtu: 0 } };
        // SAFETY: SIOCGIFMTU reads and writes one `ifreq`, which is what it gets and which lives
        // until the call returns.
        let status = unsafe { libc::ioctl(self.socket.as_raw_fd(), libc::SIOCGIFMTU as _, &raw mut request) };
        if status < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: SIOCGIFMTU has filled this member of the union, and every bit pattern is an int.
        let mtu = unsafe { request.ifr_ifru.ifru_mtu };
        u64::try_from(mtu).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
    }

    /// Carries out the ethtool command in the first word of `data`; the answer replaces it.
    ///
    /// # Safety
    ///
    /// `data` must be valid for reads and writes of the whole structure that this command
    /// prescribes, including the variable part whose length it states.
    unsafe fn ask(&self, data: *mut c_void) -> io::Result<()> {
        let mut request = libc::ifreq {
            ifr_name: self.name,
            ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_data: data.cast() },
        };
        // SAFETY: `request` is an `ifreq` that outlives the call; the caller vouches for `data`.
        let status =
            unsafe { libc::ioctl(self.socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) };
        if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// The text up to the first NUL, trimmed.
fn text(padded: &[u8]) -> String {
    let end = padded.iter().position(|byte| *byte == 0).unwrap_or(padded.len());
    String::from_utf8_lossy(&padded[..end]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_no_interface_can_have_is_refused() {
        for name in ["", "sixteen-bytes-or-", "a\0b"] {
            let error = Device::open(name).err().expect(name);
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{name:?}");
        }
    }

    #[test]
    fn an_interface_that_is_not_there_is_an_error_everywhere() {
        let device = Device::open("no-such-nic").expect("a socket");
        for errno in [
            device.mtu().expect_err("mtu").raw_os_error(),
            device.driver().err().expect("driver").raw_os_error(),
            device.link().err().expect("link").raw_os_error(),
            device.coalescing().expect_err("coalescing").raw_os_error(),
            device.rings().expect_err("rings").raw_os_error(),
            device.features().expect_err("features").raw_os_error(),
            device.words(Table::Channels).expect_err("channels").raw_os_error(),
            device.set_words(Table::Pause, [0; tables::MOST_WORDS]).expect_err("pause").raw_os_error(),
        ] {
            assert_eq!(errno, Some(libc::ENODEV));
        }
    }

    #[test]
    fn the_loopback_lists_its_features() {
        let features = Device::open("lo").and_then(|lo| lo.features()).expect("lo has features");
        for feature in ["tx-tcp-segmentation", "rx-gro", "tx-scatter-gather"] {
            assert!(features.contains_key(feature), "{feature} of {features:?}");
        }
    }
}
