//! Two hosts and a wire of known rate: network namespaces, a veth pair, and a token bucket.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use super::server::Server;
use super::{Desk, PROGRAM, has, is_root};

/// Largest IP packet of the wire. Unit: bytes.
pub(crate) const MTU: u64 = 1500;
/// An Ethernet header: what tbf counts of a frame besides the IP packet. Unit: bytes.
const HEADER: u64 = 14;
/// Preamble, header, check sequence and gap: what a wire counts. Unit: bytes. Source: IEEE 802.3,
/// clauses 3.1 and 4.4.2: 8 + 14 + 4 + 12.
const OVERHEAD: u64 = 38;
/// Deep enough for all that TCP keeps under way, so that nothing is lost.
const QUEUE: &str = "16mb";

/// The addresses of both hosts, which exist in the namespaces of the lab alone.
pub(crate) const HERE: &str = "10.77.0.1";
pub(crate) const THERE: &str = "10.77.0.2";

/// Two network namespaces joined by a wire; they are removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Lab {
    pub(crate) here: Namespace,
    pub(crate) there: Namespace,
}

/// The rate of a wire in both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Unit: Mb/s (10^6 bit/s) with preamble, check sequence and gap, as Ethernet counts.
    pub(crate) mbps: u64,
    /// What may pass at once after a pause, such as `16kb` (KiB).
    pub(crate) burst: &'static str,
}

impl Lab {
    /// Makes the lab, with a `limit` or as fast as the host is. None, with a word, where the
    /// tools or the rights are missing.
    pub(crate) fn new(limit: Option<Limit>) -> Option<Self> {
        static TURN: AtomicU32 = AtomicU32::new(0);
        if !(has("ip") && has("ethtool") && has("tc") && is_root()) {
            return None;
        }
        let name = format!("lr{}x{}", std::process::id(), TURN.fetch_add(1, Ordering::Relaxed));
        let lab =
            Self { here: Namespace::add(format!("{name}a")), there: Namespace::add(format!("{name}b")) };
        let (here, there) = (&lab.here.0, &lab.there.0);
        must("ip", &format!("link add {here} netns {here} type veth peer name {there} netns {there}"));
        for (end, address) in [(&lab.here, HERE), (&lab.there, THERE)] {
            end.configure(address, limit);
        }
        Some(lab)
    }

    /// A command to run on this host of the lab.
    pub(crate) fn here(&self, desk: &Desk, program: &str, arguments: &[&str]) -> Command {
        self.here.command(desk, program, arguments)
    }

    /// Starts a server without a key on the other host of the lab.
    pub(crate) fn serve(&self, desk: &Desk) -> Server {
        let listen = format!("{THERE}:5470");
        let mut server =
            Server::from(self.there.command(desk, PROGRAM, &["serve", "--open", "--listen", &listen]));
        server.address = THERE.to_owned();
        server
    }
}

/// A network namespace, and the end of the wire in it, by their one name.
#[derive(Debug)]
pub(crate) struct Namespace(pub(crate) String);

impl Namespace {
    fn add(name: String) -> Self {
        must("ip", &format!("netns add {name}"));
        Self(name)
    }

    /// TCP hands its queue several segments at once whatever ethtool says (GSO is always on since
    /// Linux 4.16), and tbf adds its `overhead` once to each such burst, but counts 14 bytes of
    /// header for each segment. So the rate is scaled to what tbf counts right: exact for full
    /// frames, and 1.6 % too fast with `overhead 24`, as was seen at 1000 Mbit/s.
    fn configure(&self, address: &str, limit: Option<Limit>) {
        let name = &self.0;
        must("ip", &format!("-n {name} address add {address}/24 dev {name}"));
        must("ip", &format!("-n {name} link set {name} mtu {MTU} up"));
        must("ip", &format!("netns exec {name} ethtool -K {name} tso off gso off gro off"));
        if let Some(Limit { mbps, burst }) = limit {
            let rate = mbps * 1_000_000 * (MTU + HEADER) / (MTU + OVERHEAD);
            let bucket = format!("tbf rate {rate}bit burst {burst} limit {QUEUE}");
            must("tc", &format!("-n {name} qdisc add dev {name} root {bucket}"));
        }
    }

    /// A command to run in here. `ip` becomes the program, so that signals reach it.
    fn command(&self, desk: &Desk, program: &str, arguments: &[&str]) -> Command {
        desk.command("ip", &[&["netns", "exec", &self.0, program], arguments].concat())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // The wire goes with either end. No panic here: the test may be panicking already.
        let removed = Command::new("ip").args(["netns", "delete", &self.0]).status();
        if !removed.is_ok_and(|status| status.success()) {
            eprintln!("the network namespace {} could not be removed", self.0);
        }
    }
}

/// Runs a program that must succeed; what it printed.
#[track_caller]
pub(crate) fn must(program: &str, arguments: &str) -> String {
    let output = Command::new(program).args(arguments.split(' ')).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
