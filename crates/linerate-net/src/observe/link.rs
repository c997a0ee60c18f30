//! Whether links are up.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use linerate_core::units::Span;

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::net::if_::InterfaceFlags;

use super::interface::ip_of;
use super::interface_name;

/// Watches the link that an address of this host is on.
#[derive(Clone, Debug, Default)]
pub struct LinkWatch {
    /// The interface. None if it is not known, and then the link is never down.
    interface: Option<String>,
}

/// A link that is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DownLink {
    /// The interface.
    pub interface: String,
    /// Whether it is switched on, and only has no carrier.
    pub switched_on: bool,
}

impl LinkWatch {
    /// The link of the interface that owns `address`.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self { interface: interface_name(address).ok() }
    }

    /// Whether it is down now: the interface is switched off, or has no carrier. Not if the interface has
    /// gone, or nothing can be read.
    ///
    /// `IFF_RUNNING` says the same up to a second later, so a link that has just come up would look down.
    /// Source: netdevice(7), `IFF_UP` and `IFF_LOWER_UP`.
    #[must_use]
    pub fn is_down(&self) -> bool {
        let Some(name) = &self.interface else { return false };
        let Ok(mut all) = getifaddrs() else { return false };
        all.find(|entry| entry.interface_name == *name).is_some_and(|entry| is_down(&entry))
    }
}

/// How often the link of a run is looked at: some 50 us of a processor each time.
const PERIOD: Duration = Duration::from_millis(100);

/// Adds up the time in which a link is down, on a thread of its own, until it is dropped.
#[derive(Debug)]
pub struct LinkDowns {
    down_ns: Arc<AtomicU64>,
    // Nothing is ever sent: dropping it is the message.
    _called_off: Option<Sender<()>>,
}

impl LinkDowns {
    /// Watches `link`, which has `address`. The loopback is never down.
    #[must_use]
    pub fn watch(link: LinkWatch, address: IpAddr) -> Self {
        let down_ns: Arc<AtomicU64> = Arc::default();
        let (called_off, wait) = channel::<()>();
        let sum = Arc::clone(&down_ns);
        let look = move || {
            let mut last = Instant::now();
            while wait.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let now = Instant::now();
                if link.is_down() {
                    let since = u64::try_from((now - last).as_nanos()).unwrap_or(u64::MAX);
                    sum.fetch_add(since, Ordering::Relaxed);
                }
                last = now;
            }
        };
        let watched = !address.is_loopback() && !address.is_unspecified();
        let thread = || std::thread::Builder::new().name("link".to_owned()).spawn(look);
        Self { down_ns, _called_off: (watched && thread().is_ok()).then_some(called_off) }
    }

    /// For how long it was down until now, as far as the looks tell.
    #[must_use]
    pub fn total(&self) -> Span {
        Span::from_ps(self.down_ns.load(Ordering::Relaxed).saturating_mul(1_000))
    }
}

/// The links of this host that are down though they have an address: of those whose network has `target`,
/// or of all if there are none of these.
#[must_use]
pub fn links_down(target: IpAddr) -> Vec<DownLink> {
    let Ok(all) = getifaddrs() else { return Vec::new() };
    let all: Vec<InterfaceAddress> = all.filter(|entry| ip_of(entry).is_some()).collect();
    let there = |entry: &&InterfaceAddress| {
        let mask = entry.netmask.as_ref().and_then(|mask| {
            let v4 = mask.as_sockaddr_in().map(|v4| IpAddr::from(v4.ip()));
            v4.or_else(|| mask.as_sockaddr_in6().map(|v6| IpAddr::from(v6.ip())))
        });
        ip_of(entry).zip(mask).is_some_and(|(own, mask)| same_network(own, target.to_canonical(), mask))
    };
    let mut on_path: Vec<&InterfaceAddress> = all.iter().filter(there).collect();
    if on_path.is_empty() {
        on_path = all.iter().collect();
    }
    let mut down: Vec<DownLink> = Vec::new();
    for entry in on_path.into_iter().filter(|entry| is_down(entry)) {
        let switched_on = entry.flags.contains(InterfaceFlags::IFF_UP);
        let link = DownLink { interface: entry.interface_name.clone(), switched_on };
        if !down.contains(&link) {
            down.push(link);
        }
    }
    down
}

#[cfg(on_linux)]
const CARRIER: InterfaceFlags = InterfaceFlags::IFF_LOWER_UP;
#[cfg(not(on_linux))]
const CARRIER: InterfaceFlags = InterfaceFlags::IFF_RUNNING;

fn is_down(entry: &InterfaceAddress) -> bool {
    !entry.flags.contains(InterfaceFlags::IFF_UP | CARRIER)
}

/// Whether both addresses are in one network of this `mask`.
fn same_network(one: IpAddr, other: IpAddr, mask: IpAddr) -> bool {
    match (one, other, mask) {
        (IpAddr::V4(one), IpAddr::V4(other), IpAddr::V4(mask)) => {
            one.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
        }
        (IpAddr::V6(one), IpAddr::V6(other), IpAddr::V6(mask)) => {
            one.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
        }
        _ => false,
    }
}

impl std::fmt::Display for DownLink {
    /// `wire has no carrier`.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{} {}",
            self.interface,
            if self.switched_on { "has no carrier" } else { "is switched off" }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn networks_are_told_apart_by_their_masks() {
        assert!(same_network(ip("10.0.0.1"), ip("10.0.0.200"), ip("255.255.255.0")));
        assert!(!same_network(ip("10.0.0.1"), ip("10.0.1.1"), ip("255.255.255.0")));
        assert!(same_network(ip("fd00::1"), ip("fd00::2"), ip("ffff:ffff:ffff:ffff::")));
        assert!(!same_network(ip("10.0.0.1"), ip("fd00::2"), ip("255.255.255.0")));
    }

    #[test]
    fn the_loopback_is_up_and_what_is_not_known_is_never_down() {
        assert!(!LinkWatch::of(ip("127.0.0.1")).is_down());
        assert!(!LinkWatch::default().is_down());
        assert!(!LinkWatch { interface: Some("no-such-nic".to_owned()) }.is_down());
        assert_eq!(links_down(ip("127.0.0.1")), []);
    }

    #[test]
    fn a_wire_is_down_as_long_as_one_of_its_ends_is_switched_off() {
        use crate::lab::{HERE, LabError, THERE, TwoHosts, switch};
        let lab = match TwoHosts::new(1500) {
            Ok(lab) => lab,
            Err(error @ LabError::Privilege) => {
                assert!(std::env::var("CI").as_deref() != Ok("true"), "failed to {error}");
                return eprintln!("skipped: failed to {error}");
            }
            Err(error) => panic!("failed to {error}"),
        };
        let here = || lab.here(|| LinkWatch::of(HERE.into()).is_down()).expect("entered");
        let there = || lab.there(|| LinkWatch::of(THERE.into()).is_down()).expect("entered");
        let switch = |on| lab.here(|| switch(on)).expect("entered").expect("set");
        assert_eq!(
            (here(), there()),
            (false, false),
            "it is up at once, whatever the kernel still says of it"
        );
        switch(false);
        assert_eq!((here(), there()), (true, true));
        let said = |down: Vec<DownLink>| down.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(lab.here(|| said(links_down(THERE.into()))).expect("entered"), ["wire is switched off"]);
        assert_eq!(lab.there(|| said(links_down(HERE.into()))).expect("entered"), ["wire has no carrier"]);
        switch(true);
        assert_eq!((here(), there()), (false, false));
    }
}
