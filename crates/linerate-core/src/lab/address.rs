//! Addresses of the ends of links, as written and as numbers.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LabPlanError, require};

/// The key of a plan that has them.
const KEY: &str = "link.address";

/// The addresses of one end: one of IPv4, one of IPv6, or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AddressTexts {
    /// Such as `10.0.0.1/24`.
    One(String),
    /// Such as `["10.0.0.1/24", "fd00::1/64"]`.
    Several(Vec<String>),
}

impl AddressTexts {
    /// Each of them.
    #[must_use]
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Several(texts) => texts,
        }
    }
}

/// An address in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The address.
    pub ip: IpAddr,
    /// So many of its first bits are the network's.
    pub prefix: u8,
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.ip, self.prefix)
    }
}

impl Address {
    /// Reads the address of a host.
    pub(super) fn read(text: &str) -> Result<Self, LabPlanError> {
        let form = "write an address with its prefix, such as 10.0.0.1/24 or fd00::1/64";
        let parts =
            text.split_once('/').and_then(|(ip, prefix)| Some((ip.parse().ok()?, prefix.parse().ok()?)));
        let (ip, prefix): (IpAddr, u8) = parts.ok_or_else(|| LabPlanError::value(KEY, text, form))?;
        let address = Self { ip, prefix };
        let longest = address.bits() - 1;
        let room = format!("the prefix is from 1 to {longest}, so that both ends have room in the network");
        require((1..=longest).contains(&prefix), KEY, text, room)?;
        let reserved = ip.is_unspecified()
            || ip.is_loopback()
            || ip.is_multicast()
            || matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local());
        require(!reserved, KEY, text, "it is reserved; take one that a host can have")?;
        let whole = address.host() == 0 || (address.ip.is_ipv4() && address.host() == address.last());
        let reason = "it stands for all of its network; take one between its first and its last";
        require(prefix == longest || !whole, KEY, text, reason)?;
        Ok(address)
    }

    /// How many bits an address of its family has.
    const fn bits(self) -> u8 {
        if self.ip.is_ipv4() { 32 } else { 128 }
    }

    fn number(self) -> u128 {
        match self.ip {
            IpAddr::V4(ip) => ip.to_bits().into(),
            IpAddr::V6(ip) => ip.to_bits(),
        }
    }

    /// The last number of a host in its network.
    const fn last(self) -> u128 {
        (1 << (self.bits() - self.prefix)) - 1
    }

    /// Its part that is not the network's.
    fn host(self) -> u128 {
        self.number() & self.last()
    }

    /// Its network: the address without the part of the host.
    #[must_use]
    pub fn network(self) -> Self {
        self.with(0)
    }

    /// The address of this number in its network.
    fn with(self, host: u128) -> Self {
        let number = self.number() & !self.last() | host;
        // An address of IPv4 has no more bits than it has.
        let ip = match u32::try_from(number) {
            Ok(bits) if self.ip.is_ipv4() => Ipv4Addr::from_bits(bits).into(),
            _ => Ipv6Addr::from_bits(number).into(),
        };
        Self { ip, ..self }
    }

    /// Whether two networks have an address in common.
    pub(super) fn overlaps(self, other: Self) -> bool {
        let prefix = self.prefix.min(other.prefix);
        let wider = |it: Self| Self { prefix, ..it }.network();
        self.ip.is_ipv4() == other.ip.is_ipv4() && wider(self) == wider(other)
    }

    /// The lowest address of its network that is not `taken`. Absent if the network is full.
    pub(super) fn lowest_free(self, taken: impl Fn(IpAddr) -> bool) -> Option<Self> {
        let ends = if self.prefix + 1 == self.bits() {
            0..=1
        } else {
            1..=self.last() - u128::from(self.ip.is_ipv4())
        };
        ends.map(|host| self.with(host)).find(|address| !taken(address.ip))
    }
}
