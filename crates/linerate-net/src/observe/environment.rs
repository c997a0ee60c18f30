//! One host, at the time of a run.

pub(super) mod processor;
mod sysctl;

use std::net::IpAddr;

use linerate_core::environment::{Environment, Fact};
use sha2::{Digest, Sha256};

use super::Unread;
use super::cpu::usable_cpus;
use super::interface::interface_of;
use super::memory::total_memory;
use super::proc_text::{read, read_value};

/// The environment of this host, with the interface that owns `local_address`, if one is named.
///
/// What cannot be read is an unknown fact and its reason. Everything of the network is that of the
/// calling thread's network namespace. It takes about a millisecond, so call it before a run and
/// not during one.
#[must_use]
pub fn environment(local_address: Option<IpAddr>) -> Environment {
    let system = rustix::system::uname();
    let cpus = usable_cpus();
    let first_cpu = cpus.as_ref().ok().and_then(|cpus| cpus.first()).copied().unwrap_or(0);
    let cpuinfo = read("/proc/cpuinfo");
    let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    Environment {
        linerate: env!("CARGO_PKG_VERSION").to_owned(),
        hostname: Fact::Known(text(system.nodename())),
        kernel: Fact::Known(format!("{} {}", text(system.sysname()), text(system.release()))),
        architecture: text(system.machine()),
        machine: Fact::from(machine()),
        boot_id: Fact::from(read_value("/proc/sys/kernel/random/boot_id")),
        network_namespace: Fact::from(network_namespace()),
        cpu_model: match &cpuinfo {
            Ok(cpuinfo) => Fact::from(processor::cpu_model(cpuinfo)),
            Err(why) => Fact::unknown(why.to_string()),
        },
        cpus: Fact::from(cpus),
        smt: Fact::from(processor::smt()),
        hypervisor: Fact::from(processor::hypervisor(cpuinfo.as_deref().unwrap_or_default())),
        governor: Fact::from(processor::governor(first_cpu)),
        clocksource: Fact::from(read_value(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        )),
        page_bytes: Fact::Known(rustix::param::page_size() as u64),
        memory_bytes: Fact::from(total_memory()),
        interface: match local_address {
            Some(address) => Fact::from(interface_of(address)),
            None => Fact::unknown("no local address was named"),
        },
        sysctls: sysctl::all(),
    }
}

/// The identity of this installation, made of the one that only this host should know.
///
/// machine-id(5) asks for a keyed hash instead of the identifier itself, so that what is written
/// into files tells nothing that other programs use.
fn machine() -> Result<String, Unread> {
    Ok(hashed(&read_value("/etc/machine-id")?))
}

fn hashed(machine_id: &str) -> String {
    let digest = Sha256::digest(format!("linerate {machine_id}"));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The identity of the calling thread's network namespace, such as `net:[4026531840]`.
fn network_namespace() -> Result<String, Unread> {
    let link = std::fs::read_link("/proc/thread-self/ns/net").map_err(Unread::file)?;
    Ok(link.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_says_what_every_linux_knows() {
        let host = environment(Some(IpAddr::from([127, 0, 0, 1])));
        assert!(host.kernel.known().is_some_and(|kernel| kernel.starts_with("Linux ")), "{host:#?}");
        assert!(host.cpus.known().is_some_and(|cpus| !cpus.is_empty()), "{host:#?}");
        assert!(host.memory_bytes.known().is_some_and(|bytes| *bytes > 0), "{host:#?}");
        assert!(host.interface.known().is_some_and(|interface| interface.loopback), "{host:#?}");
        assert!(host.network_namespace.known().is_some_and(|net| net.starts_with("net:[")), "{host:#?}");
        assert_eq!(host.same_host(&environment(None)), Some(true));
    }

    #[test]
    fn the_identity_of_the_machine_stays_on_the_host() {
        let secret = "0123456789abcdef0123456789abcdef";
        let public = hashed(secret);
        assert!(public.len() == 32 && public != secret && public == hashed(secret), "{public}");
        assert_ne!(public, hashed("0123456789abcdef0123456789abcdee"));
    }

    #[test]
    fn without_an_address_the_interface_says_why() {
        assert_eq!(environment(None).interface, Fact::unknown("no local address was named"));
    }
}
