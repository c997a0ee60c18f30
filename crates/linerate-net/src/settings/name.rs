//! Settings by name: `mtu@eth0`, `sysctl.net.ipv4.tcp_rmem`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::catalogue::{self, Scope};
use super::driver::Field;
use super::sysctl;

/// The most names that an error lists.
const NEAR: usize = 4;

/// What a setting is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// `mtu`.
    Mtu,
    /// `txqueuelen`.
    TxQueueLen,
    /// `offload.FEATURE`: a usual short name such as `tso`, or what the kernel calls it.
    Offload(String),
    /// What a driver is asked about rings, coalescing, channels and flow control.
    Driver(Field),
    /// `qdisc`: the one at the root.
    Qdisc,
    /// `rps`: which CPUs receive.
    Rps,
    /// `xps`: which CPUs send through each queue.
    Xps,
    /// `irq-affinity`.
    IrqAffinity,
    /// `governor`.
    Governor,
    /// `idle-latency`.
    IdleLatency,
    /// `congestion-control`.
    CongestionControl,
    /// `network`: addresses and routes. For journals: what a change takes with it.
    Network,
    /// `ipv6`: the parameters of IPv6. For journals too.
    Ipv6,
    /// `sysctl.NAME`: its path below `/proc/sys`, with `/` between its parts.
    Sysctl(String),
}

impl Name {
    /// What has it: an interface, a network namespace or the whole host.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match self {
            Self::Governor | Self::IdleLatency => Scope::Host,
            Self::Sysctl(path) if path.starts_with("vm/") => Scope::Host,
            Self::Sysctl(_) | Self::CongestionControl => Scope::Namespace,
            _ => Scope::Interface,
        }
    }
}

/// A name that is none. Displayed after "failed to ...".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("find a setting called {name}: {why}")]
pub struct NameError {
    /// The name.
    pub name: String,
    /// Such as "there is none; near it: mtu".
    pub why: String,
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let error = |why: String| NameError { name: linerate_core::foreign::plain(text), why };
        if let Some(path) = text.strip_prefix("sysctl.") {
            return sysctl::path(path).map(Self::Sysctl).map_err(error);
        }
        if let Some(feature) = text.strip_prefix("offload.") {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let good = !feature.is_empty() && feature.chars().all(plain);
            return good
                .then(|| Self::Offload(feature.to_owned()))
                .ok_or_else(|| error("a feature is a to z, 0 to 9 and -".to_owned()));
        }
        Ok(match text {
            "mtu" => Self::Mtu,
            "txqueuelen" => Self::TxQueueLen,
            "qdisc" => Self::Qdisc,
            "rps" => Self::Rps,
            "xps" => Self::Xps,
            "irq-affinity" => Self::IrqAffinity,
            "governor" => Self::Governor,
            "idle-latency" => Self::IdleLatency,
            "congestion-control" => Self::CongestionControl,
            "network" => Self::Network,
            "ipv6" => Self::Ipv6,
            _ => Self::Driver(Field::find(text).ok_or_else(|| error(near(text)))?),
        })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mtu => out.write_str("mtu"),
            Self::TxQueueLen => out.write_str("txqueuelen"),
            Self::Offload(feature) => write!(out, "offload.{feature}"),
            Self::Driver(field) => out.write_str(field.name()),
            Self::Qdisc => out.write_str("qdisc"),
            Self::Rps => out.write_str("rps"),
            Self::Xps => out.write_str("xps"),
            Self::IrqAffinity => out.write_str("irq-affinity"),
            Self::Governor => out.write_str("governor"),
            Self::IdleLatency => out.write_str("idle-latency"),
            Self::CongestionControl => out.write_str("congestion-control"),
            Self::Network => out.write_str("network"),
            Self::Ipv6 => out.write_str("ipv6"),
            Self::Sysctl(path) => write!(out, "sysctl.{}", sysctl::dotted(path)),
        }
    }
}

/// Those of the catalogue that `text` may have been meant to be.
fn near(text: &str) -> String {
    let names = catalogue::catalogue().iter().map(|kind| kind.name);
    let far = text.len() / 2;
    let mut near: Vec<_> = names
        .filter_map(|name| {
            let part = text.len() > 1 && (name.contains(text) || name.split('.').any(|part| part == text));
            let distance = if part { 1 } else { distance(text, name) };
            (distance <= far.clamp(1, 3)).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    let near: Vec<_> = near.into_iter().map(|(_, name)| name).take(NEAR).collect();
    if near.is_empty() {
        "there is none".to_owned()
    } else {
        format!("there is none; near it: {}", near.join(", "))
    }
}

/// How many letters must be put in, taken out or replaced to make `b` of `a` (Levenshtein's distance).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A setting of one interface or of this host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Setting {
    /// What it is called.
    pub name: Name,
    /// Of which interface, for a setting of interfaces. If absent, of the caller's default.
    pub interface: Option<String>,
}

impl Setting {
    /// This one, and of the interface `default` where it needs one and names none.
    #[must_use]
    pub fn or_of(mut self, default: Option<&str>) -> Self {
        if self.name.scope() == Scope::Interface && self.interface.is_none() {
            self.interface = default.map(str::to_owned);
        }
        self
    }
}

impl FromStr for Setting {
    type Err = NameError;

    /// `NAME` or `NAME@INTERFACE`.
    fn from_str(text: &str) -> Result<Self, NameError> {
        // Only after a sysctl may there be an @ that is part of the name.
        let (name, interface) = match text.split_once('@') {
            Some((name, interface)) if !text.starts_with("sysctl.") => (name, Some(interface.to_owned())),
            _ => (text, None),
        };
        let name: Name = name.parse()?;
        let error =
            |why: &str| Err(NameError { name: linerate_core::foreign::plain(text), why: why.to_owned() });
        if let Some(interface) = &interface {
            if name.scope() != Scope::Interface {
                return error("it is no setting of an interface");
            }
            let odd = |c: char| c == '/' || c.is_whitespace() || c.is_control();
            if interface.is_empty() || [".", ".."].contains(&interface.as_str()) || interface.contains(odd) {
                return error("no interface can be called that");
            }
        }
        Ok(Self { name, interface })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.interface {
            Some(interface) => write!(out, "{}@{interface}", self.name),
            None => self.name.fmt(out),
        }
    }
}

impl TryFrom<String> for Setting {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Setting> for String {
    fn from(setting: Setting) -> Self {
        setting.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_catalogue_is_read_and_shown_the_same() {
        for kind in catalogue::catalogue() {
            let text = kind.name.replace("FEATURE", "tso").replace("NAME", "net.ipv4.tcp_rmem");
            let name: Name = text.parse().expect("it is in the catalogue");
            assert_eq!(name.to_string(), text);
            assert_eq!(name.scope(), kind.scope, "{text}");
        }
    }

    #[test]
    fn an_unknown_name_lists_those_near_it() {
        let why = |text: &str| text.parse::<Setting>().expect_err(text).to_string();
        assert_eq!(why("mtux@eth0"), "find a setting called mtux: there is none; near it: mtu");
        assert!(why("governer").ends_with("near it: governor"), "{}", why("governer"));
        assert!(why("rx-usecs").ends_with("near it: coalesce.rx-usecs"), "{}", why("rx-usecs"));
        assert_eq!(why("what-ever-this-is"), "find a setting called what-ever-this-is: there is none");
    }

    #[test]
    fn an_interface_belongs_to_settings_of_interfaces_alone() {
        let setting: Setting = "ring.rx@eth0".parse().expect("good");
        assert_eq!(setting.interface.as_deref(), Some("eth0"));
        for text in ["governor@eth0", "mtu@", "mtu@../x", "mtu@..", "congestion-control@lo"] {
            text.parse::<Setting>().expect_err(text);
        }
        let default = |text: &str| text.parse::<Setting>().expect("good").or_of(Some("lo")).to_string();
        assert_eq!([default("mtu"), default("mtu@a"), default("governor")], ["mtu@lo", "mtu@a", "governor"]);
    }

    #[test]
    fn the_distance_counts_single_letters() {
        assert_eq!([distance("", "abc"), distance("kitten", "sitting"), distance("mtu", "mtu")], [3, 3, 0]);
    }
}
