//! Which settings of this host its operator lets clients set.

use std::fmt;
use std::str::FromStr;

use linerate_core::foreign::plain;

use crate::control::LONGEST_NAME;
use crate::settings::{Name, NameError, Scope, Setting};

/// Names that stand for all settings that begin so.
const GROUPS: [&str; 5] = ["offload", "ring", "coalesce", "channels", "pause"];

/// One setting, or one group of them, that clients may read and set: `mtu`, `coalesce`, `ring.rx@eth1`.
///
/// Without an interface, a setting of interfaces is that of the interface over which the client reaches the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedSetting {
    what: What,
    interface: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    One(Name),
    Group(&'static str),
}

impl What {
    fn has(&self, name: &Name) -> bool {
        match self {
            Self::One(one) => one == name,
            Self::Group(group) => name.to_string().split_once('.').is_some_and(|(first, _)| first == *group),
        }
    }
}

impl FromStr for AllowedSetting {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let refused = |why: &str| Err(NameError { name: plain(text), why: why.to_owned() });
        if text.len() > LONGEST_NAME {
            return refused("the name is too long");
        }
        match text {
            "all" => return refused("all of them cannot be allowed; name those that clients may set"),
            "sysctl" => return refused("name each sysctl, such as sysctl.net.ipv4.tcp_rmem"),
            _ => {}
        }
        let (first, interface) =
            text.split_once('@').map_or((text, None), |(first, rest)| (first, Some(rest)));
        let Some(group) = GROUPS.into_iter().find(|group| *group == first) else {
            let Setting { name, interface } = text.parse()?;
            return Ok(Self { what: What::One(name), interface });
        };
        // By the rules for interfaces of single settings.
        let interface = interface.map(|interface| format!("mtu@{interface}").parse::<Setting>());
        match interface.transpose() {
            Ok(setting) => {
                Ok(Self { what: What::Group(group), interface: setting.and_then(|it| it.interface) })
            }
            Err(_) => refused("no interface can be called that"),
        }
    }
}

impl fmt::Display for AllowedSetting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::One(name) => name.fmt(out)?,
            What::Group(group) => out.write_str(group)?,
        }
        self.interface.as_ref().map_or(Ok(()), |interface| write!(out, "@{interface}"))
    }
}

/// The setting that a client means by `asked`, if one of `allowed` is it. `own` is the interface of its connection.
///
/// A client that names an interface may use it only if the operator named it too, even if it is `own`.
pub(super) fn find(allowed: &[AllowedSetting], asked: &Setting, own: Option<&str>) -> Option<Setting> {
    let meant = asked.clone().or_of(own);
    let of_interface = asked.name.scope() == Scope::Interface;
    let is_it = |allowed: &&AllowedSetting| {
        let here = match &allowed.interface {
            Some(interface) => meant.interface.as_ref() == Some(interface),
            None => !of_interface || asked.interface.is_none(),
        };
        here && allowed.what.has(&asked.name)
    };
    allowed.iter().find(is_it).map(|_| meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str) -> Vec<AllowedSetting> {
        text.split(',').map(|one| one.parse().expect(one)).collect()
    }

    /// What a client means by `asked` over eth0.
    fn meant(list: &str, asked: &str) -> Option<String> {
        let asked = asked.parse().expect("a setting");
        find(&allowed(list), &asked, Some("eth0")).map(|setting| setting.to_string())
    }

    #[test]
    fn what_is_allowed_is_shown_as_it_was_written() {
        let text = "mtu,coalesce,ring@eth1,offload.tso@eth0,sysctl.net.ipv4.tcp_rmem,congestion-control";
        let shown: Vec<_> = allowed(text).iter().map(ToString::to_string).collect();
        assert_eq!(shown.join(","), text);
    }

    #[test]
    fn all_settings_and_all_sysctls_and_unknown_names_are_refused() {
        let why = |text: &str| text.parse::<AllowedSetting>().expect_err(text).to_string();
        assert!(why("all").contains("name those that clients may set"), "{}", why("all"));
        assert!(why("sysctl").contains("name each sysctl"), "{}", why("sysctl"));
        assert!(why("mtux").ends_with("there is none; near it: mtu"), "{}", why("mtux"));
        for text in ["", "ring@", "ring@../x", "ring@a b", "sysctl.kernel.panic", "governor@eth0", "*"] {
            why(text);
        }
        assert!(why(&format!("mtu@{}", "x".repeat(300))).contains("too long"));
    }

    #[test]
    fn an_interface_that_is_not_named_is_that_of_the_connection() {
        assert_eq!(meant("mtu", "mtu").as_deref(), Some("mtu@eth0"));
        assert_eq!(meant("mtu@eth0", "mtu").as_deref(), Some("mtu@eth0"));
        assert_eq!(meant("mtu@eth1", "mtu"), None);
        assert_eq!(meant("congestion-control", "congestion-control").as_deref(), Some("congestion-control"));
    }

    #[test]
    fn an_interface_that_a_client_names_must_be_allowed_by_name() {
        assert_eq!(meant("mtu@eth1", "mtu@eth1").as_deref(), Some("mtu@eth1"));
        for asked in ["mtu@eth0", "mtu@eth1"] {
            assert_eq!(meant("mtu,mtu@eth2", asked), None, "{asked}");
        }
    }

    #[test]
    fn a_group_has_its_own_fields_and_no_others() {
        for name in ["ring.rx", "ring.tx"] {
            assert_eq!(meant("ring", name), Some(format!("{name}@eth0")));
            assert_eq!(meant("ring@eth1", &format!("{name}@eth1")), Some(format!("{name}@eth1")));
        }
        assert_eq!(meant("offload", "offload.tso").as_deref(), Some("offload.tso@eth0"));
        assert_eq!(meant("offload.tso", "offload.gso"), None);
        for name in ["mtu", "coalesce.rx-usecs", "sysctl.net.ipv4.tcp_rmem", "governor"] {
            assert_eq!(meant("ring", name), None, "{name}");
        }
    }

    #[test]
    fn a_sysctl_has_one_name_however_it_is_written() {
        let rmem = "sysctl.net.ipv4.tcp_rmem";
        assert_eq!(meant(rmem, "sysctl.net/ipv4/tcp_rmem").as_deref(), Some(rmem));
        assert_eq!(meant(rmem, "sysctl.net.ipv4.tcp_wmem"), None);
    }
}
