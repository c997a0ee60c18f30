//! The smallest laboratory: two hosts and a wire.

use std::net::Ipv4Addr;

use linerate_core::lab::{Bucket, LabPlan, Layout, LinkPlan};
use linerate_core::units::{Rate, Size};

use super::{Lab, LabError, link};
use crate::netlink::bucket;

/// The addresses of both ends, which exist in the laboratory alone: those that every laboratory gives its first
/// network.
pub const HERE: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
/// See [`HERE`].
pub const THERE: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);
/// What the wire's ends are called in their namespaces.
pub const WIRE: &str = "wire";

/// Two hosts and a wire, all on this host.
#[derive(Debug)]
pub struct TwoHosts(Lab);

impl TwoHosts {
    /// Makes both hosts and a wire of this MTU (bytes) between them.
    ///
    /// # Errors
    ///
    /// [`LabError`]; nothing is left behind then.
    pub fn new(mtu: u32) -> Result<Self, LabError> {
        let [here, there] = ["here", "there"].map(str::to_owned);
        let plan = LabPlan {
            hosts: vec![here.clone(), there.clone()],
            mtu: Some(mtu),
            link: vec![LinkPlan { between: [here, there], ..LinkPlan::default() }],
            ..LabPlan::default()
        };
        let mut layout = Layout::of(&plan)?;
        for node in &mut layout.nodes {
            node.ports[0].name = WIRE.to_owned();
        }
        Lab::new(layout, None).map(Self)
    }

    /// Changes the MTU of both ends. Unit: bytes.
    ///
    /// # Errors
    ///
    /// [`LabError::Refused`] outside what a veth takes, 68 to 65535.
    pub fn set_mtu(&self, mtu: u32) -> Result<(), LabError> {
        let refused = || LabError::refused(format!("the wire: its MTU of {mtu} B"));
        (0..2).try_for_each(|end| self.0.on(end, || link::mtu(WIRE, mtu))?.map_err(refused()))
    }

    /// Does `work` on this end, in a thread of its own. Processes that it starts are there too.
    ///
    /// # Errors
    ///
    /// [`LabError::Namespace`] when the namespace cannot be entered.
    pub fn here<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        self.0.on(0, work)
    }

    /// Does `work` on the other end, in a thread of its own.
    ///
    /// # Errors
    ///
    /// [`LabError::Namespace`] when the namespace cannot be entered.
    pub fn there<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        self.0.on(1, work)
    }
}

/// Switches the end of the wire in this thread's namespace on or off.
///
/// # Errors
///
/// [`LabError::Refused`] where there is no wire.
pub fn switch(on: bool) -> Result<(), LabError> {
    link::switch(WIRE, on).map_err(LabError::refused("the wire: its switch"))
}

/// Limits what the end of the wire in this thread's namespace sends: to `rate`, after `burst` at once,
/// with room for `queue` that waits, by a token bucket (tc-tbf(8)).
///
/// # Errors
///
/// [`LabError::Refused`] for what a token bucket does not take, and where the kernel has none.
pub fn shape(rate: Rate, burst: Size, queue: Size) -> Result<(), LabError> {
    let bucket = Bucket { rate, burst, queue };
    bucket::replace(WIRE, bucket, None).map_err(LabError::refused("the wire: its token bucket"))
}

#[cfg(test)]
pub(super) mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::observe::interface_of;

    /// A lab, or `None` where it is not possible; in CI that is a failure.
    pub(crate) fn lab(mtu: u32) -> Option<TwoHosts> {
        match TwoHosts::new(mtu) {
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
