//! A laboratory on this host: two network namespaces and a virtual wire between them, with the
//! offloads off that would let packets larger than the MTU pass.
//!
//! The namespaces have no name. The kernel removes them, and the wire with them, as soon as no
//! thread is in them and nobody holds them: when the [`Lab`] is dropped, and also when the process
//! is killed. Nothing can be left behind.

mod bucket;
mod link;
mod namespace;
mod netlink;

use std::io;
use std::net::Ipv4Addr;

use linerate_core::units::{Rate, Size};
use namespace::Namespace;

/// The addresses of both ends, which exist in the laboratory alone.  Source of the range: RFC 2544
/// and RFC 6890, 198.18.0.0/15, for measurements between two networks.
pub const HERE: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
/// See [`HERE`].
pub const THERE: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);
/// What the wire's ends are called in their namespaces.
pub const WIRE: &str = "wire";

/// Two hosts and a wire, all on this host.
#[derive(Debug)]
pub struct Lab {
    here: Namespace,
    there: Namespace,
}

/// Why a laboratory cannot be made. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The process may not make network namespaces.
    #[error("make a network namespace: that needs root")]
    Privilege,
    /// The operating system refuses one, or to enter it.
    #[error("make a network namespace: {0}")]
    Namespace(io::Error),
    /// The kernel refuses a part of the wire.
    #[error("set up the wire: {what}: {source}")]
    Refused {
        /// Which, such as "its MTU of 70000 B".
        what: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl LabError {
    fn refused(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Refused { what: what.into(), source }
    }
}

impl Lab {
    /// Makes both namespaces and a wire of this MTU (bytes) between them.
    ///
    /// # Errors
    ///
    /// [`LabError`]; nothing is left behind then.
    pub fn new(mtu: u32) -> Result<Self, LabError> {
        let lab = Self { here: Namespace::new()?, there: Namespace::new()? };
        lab.here(|| link::veth(WIRE, lab.there.file()))?.map_err(LabError::refused("a veth"))?;
        for (end, address) in [(&lab.here, HERE), (&lab.there, THERE)] {
            end.enter(|| prepare(address, mtu))??;
        }
        Ok(lab)
    }

    /// Changes the MTU of both ends. Unit: bytes.
    ///
    /// # Errors
    ///
    /// [`LabError::Refused`] outside what a veth takes, 68 to 65535.
    pub fn set_mtu(&self, mtu: u32) -> Result<(), LabError> {
        for end in [&self.here, &self.there] {
            end.enter(|| resize(mtu))??;
        }
        Ok(())
    }

    /// Does `work` on this end, in a thread of its own. Processes that it starts are there too.
    ///
    /// # Errors
    ///
    /// [`LabError::Namespace`] when the namespace cannot be entered.
    pub fn here<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        self.here.enter(work)
    }

    /// Does `work` on the other end, in a thread of its own.
    ///
    /// # Errors
    ///
    /// [`LabError::Namespace`] when the namespace cannot be entered.
    pub fn there<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        self.there.enter(work)
    }
}

fn resize(mtu: u32) -> Result<(), LabError> {
    link::mtu(WIRE, mtu).map_err(LabError::refused(format!("its MTU of {mtu} B")))
}

/// Gives the end of the wire in this thread's namespace its address and its MTU, takes its offloads away, and
/// switches it on.
///
/// TCP hands its device several segments at once whatever ethtool says (since Linux 4.16); they are
/// cut before the driver.
fn prepare(address: Ipv4Addr, mtu: u32) -> Result<(), LabError> {
    link::switch("lo", true).map_err(LabError::refused("the loopback"))?;
    link::address(WIRE, address, 24).map_err(LabError::refused(format!("its address {address}")))?;
    link::without_offloads(WIRE).map_err(LabError::refused("its offloads"))?;
    resize(mtu)?;
    switch(true)
}

/// Switches the end of the wire in this thread's namespace on or off.
///
/// # Errors
///
/// [`LabError::Refused`] where there is no wire.
pub fn switch(on: bool) -> Result<(), LabError> {
    link::switch(WIRE, on).map_err(LabError::refused("its switch"))
}

/// Limits what the end of the wire in this thread's namespace sends: to `rate`, after `burst` at once,
/// with room for `queue` that waits, by a token bucket (tc-tbf(8)).
///
/// # Errors
///
/// [`LabError::Refused`] for what a token bucket does not take, and where the kernel has none.
pub fn shape(rate: Rate, burst: Size, queue: Size) -> Result<(), LabError> {
    bucket::replace(WIRE, rate, burst, queue).map_err(LabError::refused("its token bucket"))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::observe::interface_of;

    /// A lab, or `None` where it is not possible; in CI that is a failure.
    fn lab(mtu: u32) -> Option<Lab> {
        match Lab::new(mtu) {
            Ok(lab) => Some(lab),
            Err(error @ LabError::Privilege) => {
                assert!(std::env::var("CI").as_deref() != Ok("true"), "failed to {error}");
                eprintln!("skipped: failed to {error}");
                None
            }
            Err(error) => panic!("failed to {error}"),
        }
    }

    #[test]
    fn the_two_ends_reach_each_other_and_nobody_else() {
        let Some(lab) = lab(1500) else { return };
        let listener = lab.there(|| TcpListener::bind((THERE, 0))).expect("entered").expect("it listens");
        let address = listener.local_addr().expect("an address");
        lab.here(|| TcpStream::connect(address).map(drop)).expect("entered").expect("there is a wire");
        let outside = TcpStream::connect_timeout(&address, std::time::Duration::from_millis(200));
        assert!(outside.is_err(), "from outside there is no way in");
        assert!(interface_of(HERE.into()).is_err(), "this thread is where it was");
    }

    #[test]
    fn the_wire_is_a_veth_of_the_mtu_without_offloads() {
        let Some(lab) = lab(3000) else { return };
        let look = || lab.here(|| interface_of(HERE.into())).expect("entered").expect("it is there");
        let interface = look();
        assert_eq!(interface.driver.known().map(String::as_str), Some("veth"));
        assert_eq!(interface.mtu.known(), Some(&3000));
        let offloads = interface.offloads.known().expect("ethtool tells").clone();
        for name in ["tx-tcp-segmentation", "tx-generic-segmentation", "rx-gro"] {
            assert_eq!(offloads.get(name), Some(&false), "{name} of {offloads:?}");
        }
        lab.set_mtu(9000).expect("a veth takes it");
        assert_eq!(look().mtu.known(), Some(&9000));
        let error = lab.set_mtu(70_000).expect_err("a veth does not").to_string();
        assert_eq!(error, "set up the wire: its MTU of 70000 B: mtu greater than device maximum");
    }
}
