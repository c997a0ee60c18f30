//! Addresses and routes of an interface, in the kernel's own form: what some changes of its settings take with them.
//!
//! A value is a word for each, `address/BODY=LIFETIMES` or `route/BODY=forever`: the body of the kernel's message in
//! hexadecimal digits, without what the kernel counts there. What the kernel makes itself is left to it.
//!
//! Source: rtnetlink(7), `linux/if_addr.h`, `linux/rtnetlink.h`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use netlink_packet_core::{NLM_F_APPEND, NLM_F_CREATE};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::address::AddressMessage;
use netlink_packet_route::route::RouteMessage;

use super::error::Cause;
use super::value::LONGEST;
use super::{Value, each};
use crate::netlink::{Netlink, attributes, index};

/// Types of messages.  Source: `linux/rtnetlink.h`.
const RTM_NEWADDR: u16 = 20;
const RTM_NEWROUTE: u16 = 24;
const RTM_DELROUTE: u16 = 25;
/// Bytes of `struct ifaddrmsg` and of `struct rtmsg`, which stand before the attributes.
const ADDRESS_BYTES: usize = 8;
const ROUTE_BYTES: usize = 12;
/// Attributes of addresses.  Source: `linux/if_addr.h`.
const IFA_CACHEINFO: u16 = 6;
const IFA_FLAGS: u16 = 8;
/// Flags of an address that whoever adds it chooses: NODAD, HOMEADDRESS, MANAGETEMPADDR, NOPREFIXROUTE, MCAUTOJOIN.
const CHOSEN: u32 = 0x02 | 0x10 | 0x100 | 0x200 | 0x400;
const IFA_F_TEMPORARY: u32 = 0x01;
const IFA_F_TENTATIVE: u32 = 0x40;
/// Attributes of routes.  Source: `linux/rtnetlink.h`.
const RTA_OIF: u16 = 4;
const RTA_GATEWAY: u16 = 5;
const RTA_METRICS: u16 = 8;
const RTA_MULTIPATH: u16 = 9;
const RTA_CACHEINFO: u16 = 12;
const RTA_VIA: u16 = 18;
const RTA_NH_ID: u16 = 30;
/// Flags of a next hop that whoever adds it chooses: PERVASIVE and ONLINK.
const HOP_CHOSEN: u8 = 0x02 | 0x04;
const RTM_F_CLONED: u32 = 0x200;
/// Routes of redirects, of the kernel, and of router advertisements.
const OF_OTHERS: [u8; 3] = [1, 2, 9];
const FAMILIES: [u8; 2] = [libc::AF_INET as u8, libc::AF_INET6 as u8];
/// How long new IPv6 addresses are waited for: detection of duplicates takes 2 s at most by default (RFC 4862).
const DETECTION: Duration = Duration::from_secs(4);

/// Reads both.
pub(super) fn read(interface: &str) -> Result<Value, Cause> {
    let index = index(interface)?;
    let mut netlink = Netlink::open()?;
    let addresses = netlink.dump(RouteNetlinkMessage::GetAddress(AddressMessage::default()))?;
    let routes = netlink.dump(RouteNetlinkMessage::GetRoute(RouteMessage::default()))?;
    // The kernel lists the newest IPv6 address first, and the oldest IPv4 address.
    let (new_first, mut old_first): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|body| body.first() == Some(&FAMILIES[1]));
    old_first.extend(new_first.into_iter().rev());
    let mut words: Vec<String> = old_first.iter().filter_map(|body| address(body, index)).collect();
    words.extend(routes.iter().filter_map(|body| route(body, index)));
    let text = words.join(" ");
    if text.len() > LONGEST {
        let what = format!("{interface} has more addresses and routes than are put back");
        return Err(Cause::NotRestorable(what));
    }
    Ok(Value::from(text))
}

/// Adds those that are missing.
pub(super) fn write(interface: &str, value: &Value) -> Result<(), Cause> {
    let there = read(interface)?;
    let missing: Vec<(&str, &str)> =
        each::parts(value).filter(|(name, _)| each::part(&there, name).is_none()).collect();
    let body = |word: &str, kind: &str| word.strip_prefix(kind).and_then(bytes);
    let mut netlink = Netlink::open()?;
    for (name, lifetimes) in &missing {
        let Some(body) = body(name, "address/") else { continue };
        let added = netlink.replay(RTM_NEWADDR, &with_lifetimes(body, lifetimes), NLM_F_CREATE);
        added.or_else(|error| known(error, libc::EEXIST))?;
    }
    wait_for_detection(interface)?;
    for (name, _) in &missing {
        let Some(body) = body(name, "route/") else { continue };
        // The same route with other metrics is in the way.
        netlink.replay(RTM_DELROUTE, &body, 0).or_else(|error| known(error, libc::ESRCH))?;
        netlink.replay(RTM_NEWROUTE, &body, NLM_F_CREATE | NLM_F_APPEND)?;
    }
    Ok(())
}

/// What a word is about: a route without its metrics, of which the kernel lowers the MTU with that of the interface.
pub(super) fn place(word: &str) -> Cow<'_, str> {
    let Some(body) = word.strip_prefix("route/").and_then(bytes) else { return Cow::Borrowed(word) };
    let Some((head, rest)) = body.split_at_checked(ROUTE_BYTES) else { return Cow::Borrowed(word) };
    let mut kept = head.to_vec();
    for (kind, value) in attributes(rest).into_iter().filter(|(kind, _)| *kind != RTA_METRICS) {
        attribute(&mut kept, kind, value);
    }
    Cow::Owned(hexadecimal(&kept))
}

/// How many there are, for people.
pub(super) fn summary(value: &Value) -> Value {
    let of = |kind: &str| each::parts(value).filter(|(name, _)| name.starts_with(kind)).count();
    Value::from(format!("{} addresses and {} routes", of("address/"), of("route/")))
}

fn known(error: io::Error, errno: i32) -> io::Result<()> {
    if error.raw_os_error() == Some(errno) { Ok(()) } else { Err(error) }
}

/// Waits until the interface has no address that the kernel still tries: a route may be from one.
fn wait_for_detection(interface: &str) -> io::Result<()> {
    let (index, end) = (index(interface)?, Instant::now() + DETECTION);
    let is_tried = |body: &Vec<u8>| {
        word(body, 4) == Some(index) && address_flags(body).is_some_and(|flags| flags & IFA_F_TENTATIVE != 0)
    };
    while Instant::now() < end {
        let all = Netlink::open()?.dump(RouteNetlinkMessage::GetAddress(AddressMessage::default()))?;
        if !all.iter().any(is_tried) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// All flags of an address, of which its header has the first eight.
fn address_flags(body: &[u8]) -> Option<u32> {
    let said = attributes(body.get(ADDRESS_BYTES..)?);
    let whole = said.iter().find(|(kind, _)| *kind == IFA_FLAGS).and_then(|(_, value)| word(value, 0));
    whole.or_else(|| body.get(2).map(|flags| u32::from(*flags)))
}

/// The word of an address of the link `index`.
fn address(body: &[u8], index: u32) -> Option<String> {
    let flags = address_flags(body)?;
    let is_temporary = body[0] == FAMILIES[1] && flags & IFA_F_TEMPORARY != 0;
    if !FAMILIES.contains(&body[0]) || word(body, 4) != Some(index) || is_temporary {
        return None;
    }
    let mut kept = body[..ADDRESS_BYTES].to_vec();
    kept[2] = 0;
    let mut lifetimes = "forever".to_owned();
    for (kind, value) in attributes(&body[ADDRESS_BYTES..]) {
        match kind {
            IFA_CACHEINFO => {
                let (preferred, valid) = (word(value, 0)?, word(value, 4)?);
                if valid != u32::MAX {
                    lifetimes = format!("{preferred}/{valid}");
                }
            }
            IFA_FLAGS => {}
            _ => attribute(&mut kept, kind, value),
        }
    }
    attribute(&mut kept, IFA_FLAGS, &(flags & CHOSEN).to_ne_bytes());
    Some(format!("address/{}={lifetimes}", hexadecimal(&kept)))
}

/// The word of a route over the link `index`.
fn route(body: &[u8], index: u32) -> Option<String> {
    let said = attributes(body.get(ROUTE_BYTES..)?);
    let over = |(kind, value): &(u16, &[u8])| match *kind {
        RTA_OIF => word(value, 0) == Some(index),
        RTA_MULTIPATH => hops(value).iter().any(|at| word(value, at + 4) == Some(index)),
        _ => false,
    };
    let is_of_others = OF_OTHERS.contains(&body[5]) || word(body, 8)? & RTM_F_CLONED != 0;
    if !FAMILIES.contains(&body[0]) || is_of_others || !said.iter().any(over) {
        return None;
    }
    let mut kept = body[..ROUTE_BYTES].to_vec();
    kept[8..].copy_from_slice(&(word(body, 8)? & u32::from(HOP_CHOSEN)).to_ne_bytes());
    let is_by_number = said.iter().any(|(kind, _)| *kind == RTA_NH_ID);
    for (kind, value) in said {
        match kind {
            RTA_CACHEINFO => {}
            RTA_OIF | RTA_GATEWAY | RTA_MULTIPATH | RTA_VIA if is_by_number => {}
            RTA_MULTIPATH => {
                let mut all = value.to_vec();
                hops(value).into_iter().for_each(|at| all[at + 2] &= HOP_CHOSEN);
                attribute(&mut kept, kind, &all);
            }
            _ => attribute(&mut kept, kind, value),
        }
    }
    Some(format!("route/{}=forever", hexadecimal(&kept)))
}

/// Where each next hop of several begins.  Source: `struct rtnexthop`.
fn hops(all: &[u8]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(head) = all.get(at..at + 8) {
        let length = usize::from(u16::from_ne_bytes([head[0], head[1]]));
        if length < 8 {
            break;
        }
        found.push(at);
        at += length.next_multiple_of(4);
    }
    found
}

/// Adds an attribute to a message.
fn attribute(body: &mut Vec<u8>, kind: u16, value: &[u8]) {
    let length = u16::try_from(value.len() + 4).unwrap_or(u16::MAX);
    body.extend(length.to_ne_bytes());
    body.extend(kind.to_ne_bytes());
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

/// The body of an address that does not last for ever.
fn with_lifetimes(mut body: Vec<u8>, lifetimes: &str) -> Vec<u8> {
    let number = |text: &str| text.parse::<u32>().ok();
    if let Some((preferred, valid)) = lifetimes.split_once('/')
        && let (Some(preferred), Some(valid)) = (number(preferred), number(valid))
    {
        let all = [preferred, valid, 0, 0].map(u32::to_ne_bytes).concat();
        attribute(&mut body, IFA_CACHEINFO, &all);
    }
    body
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text takes it");
        text
    })
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
