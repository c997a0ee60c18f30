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
const IFLA_MTU: u16 = 4;
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

/// The attributes of a link as (number, value).
fn attributes_of(interface: &str) -> io::Result<Vec<(u16, Vec<u8>)>> {
    let wanted = index(interface)?.to_ne_bytes();
    let links = Netlink::open()?.dump(RouteNetlinkMessage::GetLink(LinkMessage::default()))?;
    let ours = links.iter().find(|link| link.get(INDEX) == Some(&wanted)).ok_or(io::ErrorKind::NotFound)?;
    let ours = ours.get(HEADER_BYTES..).unwrap_or_default();
    Ok(attributes(ours).into_iter().map(|(kind, value)| (kind, value.to_vec())).collect())
}

fn number(attributes: &[(u16, Vec<u8>)], wanted: u16) -> Option<u64> {
    let (_, value) = attributes.iter().find(|(kind, _)| *kind == wanted)?;
    Some(u64::from(u32::from_ne_bytes(value.as_slice().try_into().ok()?)))
}
