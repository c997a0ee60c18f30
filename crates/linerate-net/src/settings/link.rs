//! What the kernel itself keeps of an interface: its MTU and the length of its queue.
//!
//! Source: rtnetlink(7), `linux/if_link.h`.

use std::io;

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkAttribute, LinkMessage};

use super::error::Cause;
use super::{Allowed, Value};
use crate::netlink::{Netlink, attributes, index};

/// Bytes of `struct ifinfomsg`, which stands before the attributes, and where in it the index is.
const HEADER_BYTES: usize = 16;
const INDEX: std::ops::Range<usize> = 4..8;
/// Attributes.  Source: `linux/if_link.h`.
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
/// The link below, by its number, in the namespace that `IFLA_LINK_NETNSID` says if there is one.
const IFLA_LINK: u16 = 5;
/// The bond or bridge that has the link.
const IFLA_MASTER: u16 = 10;
const IFLA_LINK_NETNSID: u16 = 37;
const IFLA_TXQLEN: u16 = 13;
const IFLA_MIN_MTU: u16 = 50;
const IFLA_MAX_MTU: u16 = 51;
/// The largest MTU where the driver states none: the kernel keeps a signed number.
const LARGEST_MTU: u64 = i32::MAX as u64;

/// One of the two.
#[derive(Clone, Copy, Debug)]
pub(super) enum Property {
    /// Unit: bytes.
    Mtu,
    /// Unit: packets.
    TxQueueLen,
}

/// Reads it.
pub(super) fn read(interface: &str, property: Property) -> Result<Value, Cause> {
    let attribute = match property {
        Property::Mtu => IFLA_MTU,
        Property::TxQueueLen => IFLA_TXQLEN,
    };
    let number = number(&attributes_of(interface)?, attribute);
    let number = number.ok_or_else(|| Cause::Lacking("the kernel does not say it".to_owned()))?;
    Ok(Value::from(number.to_string()))
}

/// Sets it.
pub(super) fn write(interface: &str, property: Property, value: &Value) -> Result<(), Cause> {
    let number = value.number().and_then(|number| u32::try_from(number).ok());
    let number = number.ok_or_else(|| Cause::Value("it takes a number".to_owned()))?;
    let mut link = LinkMessage::default();
    link.header.index = index(interface)?;
    link.attributes = vec![match property {
        Property::Mtu => LinkAttribute::Mtu(number),
        Property::TxQueueLen => LinkAttribute::TxQueueLen(number),
    }];
    Ok(Netlink::open()?.change(RouteNetlinkMessage::SetLink(link), 0)?)
}

/// What it takes: for the MTU what the driver says.
pub(super) fn allowed(interface: &str, property: Property) -> Option<Allowed> {
    match property {
        Property::Mtu => {
            let said = attributes_of(interface).ok()?;
            let least = number(&said, IFLA_MIN_MTU).unwrap_or(0);
            let most = number(&said, IFLA_MAX_MTU).filter(|most| *most > 0).unwrap_or(LARGEST_MTU);
            Some(Allowed::Range { least, most })
        }
        // The kernel refuses more than a signed number holds.
        Property::TxQueueLen => Some(Allowed::Range { least: 0, most: i32::MAX as u64 }),
    }
}

/// The interface, and those on top of it: bonds, bridges, VLANs; the lower ones first.
pub(super) fn with_uppers(interface: &str) -> io::Result<Vec<String>> {
    let links = links()?;
    let attribute = |link: &Link, wanted| number(&link.attributes, wanted);
    let mut found = vec![u64::from(index(interface)?)];
    let mut next = 0;
    while let Some(lower) = found.get(next).copied() {
        next += 1;
        for link in &links {
            let is_upper =
                attribute(link, IFLA_LINK) == Some(lower) && attribute(link, IFLA_LINK_NETNSID).is_none();
            let master = attribute(link, IFLA_MASTER).filter(|_| link.index == lower);
            let new = is_upper.then_some(link.index).into_iter().chain(master);
            found.extend(new.filter(|upper| !found.contains(upper)).collect::<Vec<_>>());
        }
    }
    let name = |index: &u64| links.iter().find(|link| link.index == *index).and_then(Link::name);
    Ok(found.iter().filter_map(name).collect())
}

/// Every interface of this network namespace.
pub(super) fn names() -> io::Result<Vec<String>> {
    Ok(links()?.iter().filter_map(Link::name).collect())
}

/// A link as the kernel lists it, with its attributes as (number, value).
struct Link {
    index: u64,
    attributes: Vec<(u16, Vec<u8>)>,
}

impl Link {
    fn name(&self) -> Option<String> {
        let (_, name) = self.attributes.iter().find(|(kind, _)| *kind == IFLA_IFNAME)?;
        String::from_utf8(name.split(|byte| *byte == 0).next()?.to_vec()).ok()
    }
}

fn links() -> io::Result<Vec<Link>> {
    let links = Netlink::open()?.dump(RouteNetlinkMessage::GetLink(LinkMessage::default()))?;
    let link = |body: &Vec<u8>| {
        let index = u32::from_ne_bytes(body.get(INDEX)?.try_into().ok()?).into();
        let attributes = attributes(body.get(HEADER_BYTES..)?);
        Some(Link {
            index,
            attributes: attributes.into_iter().map(|(kind, value)| (kind, value.to_vec())).collect(),
        })
    };
    Ok(links.iter().filter_map(link).collect())
}

/// The attributes of a link as (number, value).
fn attributes_of(interface: &str) -> io::Result<Vec<(u16, Vec<u8>)>> {
    let wanted = u64::from(index(interface)?);
    let ours = links()?.into_iter().find(|link| link.index == wanted).ok_or(io::ErrorKind::NotFound)?;
    Ok(ours.attributes)
}

fn number(attributes: &[(u16, Vec<u8>)], wanted: u16) -> Option<u64> {
    let (_, value) = attributes.iter().find(|(kind, _)| *kind == wanted)?;
    Some(u64::from(u32::from_ne_bytes(value.as_slice().try_into().ok()?)))
}
