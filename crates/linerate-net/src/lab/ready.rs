//! When IPv6 works on the links of this thread's network namespace: the kernel takes up to a second after they are on.

use std::io;
use std::net::Ipv6Addr;
use std::time::{Duration, Instant};

use linerate_core::lab::{Layout, Node, Port};

use super::LabError;
use super::namespace::Namespace;

/// How long that may take, and how often it is looked at.
const PATIENCE: Duration = Duration::from_secs(10);
const INTERVAL: Duration = Duration::from_millis(5);
/// An address that the kernel does not use yet.  Source: `linux/if_addr.h`, `IFA_F_TENTATIVE`.
const TENTATIVE: u32 = 0x40;

/// Waits until all nodes can be reached at their addresses, which takes a forwarder that runs.
pub(super) fn await_all(layout: &Layout, namespaces: &[Namespace]) -> Result<(), LabError> {
    layout.nodes.iter().zip(namespaces).try_for_each(|(node, namespace)| {
        let refused = LabError::refused(format!("{}: its addresses of IPv6", node.name));
        namespace.enter(|| wait(node))?.map_err(refused)
    })
}

/// Waits until a node can be reached at all of its addresses of IPv6: before, it does not hear who asks for them.
fn wait(node: &Node) -> io::Result<()> {
    let is_of_ipv6 = |port: &&Port| port.addresses.iter().any(|address| address.ip.is_ipv6());
    let ports: Vec<&Port> = node.ports.iter().filter(is_of_ipv6).collect();
    let began = Instant::now();
    while !ports.is_empty() {
        let text = std::fs::read_to_string("/proc/thread-self/net/if_inet6")?;
        if ports.iter().all(|port| is_ready(&text, port)) {
            break;
        }
        if began.elapsed() > PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the kernel does not begin to use it"));
        }
        std::thread::sleep(INTERVAL);
    }
    Ok(())
}

/// Whether the kernel has given the link an address of its own, which it does once it listens there, and uses ours.
fn is_ready(text: &str, port: &Port) -> bool {
    let known: Vec<(Ipv6Addr, u32)> = text.lines().filter_map(|line| address_at(line, &port.name)).collect();
    let uses = |ip| known.iter().any(|(own, flags)| *own == ip && flags & TENTATIVE == 0);
    known.iter().any(|(ip, _)| ip.is_unicast_link_local())
        && port.addresses.iter().all(|address| match address.ip {
            std::net::IpAddr::V6(ip) => uses(ip),
            std::net::IpAddr::V4(_) => true,
        })
}

/// The address of a line that is of this interface, and its flags: address, index, prefix, scope, flags and name.
fn address_at(line: &str, name: &str) -> Option<(Ipv6Addr, u32)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [address, _, _, _, flags, own] = words[..] else { return None };
    let bits = u128::from_str_radix(address, 16).ok()?;
    (own == name).then_some((Ipv6Addr::from_bits(bits), u32::from_str_radix(flags, 16).ok()?))
}
