//! The queueing discipline at the root of an interface.
//!
//! One that the kernel gives an interface by itself has no handle. It comes back when the one that somebody set is
//! removed; so a kind that the interface would have by itself is set by removing the other, and no trace is left.
//!
//! Source: tc(8), tc-tbf(8), rtnetlink(7), `linux/pkt_sched.h`.

mod text;

use std::io;

use netlink_packet_core::{DefaultNla, NLM_F_CREATE, NLM_F_REPLACE};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};

use super::error::Cause;
use super::{Allowed, Value};
use crate::netlink::{Netlink, attributes, bucket, index};
use text::{Form, Queue};

/// Bytes of `struct tcmsg`, which stands before the attributes: family, index, handle, parent.
const HEADER_BYTES: usize = 20;
/// Attributes.  Source: `linux/rtnetlink.h`.
const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
/// Parents.  Source: `linux/pkt_sched.h`.
const TC_H_ROOT: u32 = 0xffff_ffff;
const TC_H_INGRESS: u32 = 0xffff_fff1;

/// One queue as the kernel lists it.
struct Listed {
    handle: u32,
    parent: u32,
    kind: String,
    options: Vec<u8>,
}

/// Reads it.
pub(super) fn read(interface: &str) -> Result<Value, Cause> {
    let listed = list(interface)?;
    let Some(root) = listed.iter().find(|queue| queue.parent == TC_H_ROOT) else {
        return Err(Cause::Lacking(
            "the interface has no queueing discipline while it is switched off".to_owned(),
        ));
    };
    let below = listed.iter().find(|queue| {
        ![TC_H_ROOT, TC_H_INGRESS].contains(&queue.parent) && queue.handle != 0 && queue.handle != root.handle
    });
    if let Some(below) = below {
        return Err(Cause::NotRestorable(format!("{} has {} below it", root.kind, below.kind)));
    }
    let form = if root.handle == 0 {
        Form::Own(root.kind.clone())
    } else {
        Form::read(&root.kind, &root.options).map_err(Cause::NotRestorable)?
    };
    Ok(Value::from(form.to_string()))
}

/// Sets it.
pub(super) fn write(interface: &str, value: &Value) -> Result<(), Cause> {
    let form: Form = value.as_str().parse().map_err(Cause::Value)?;
    match form {
        Form::Bucket(wanted) => {
            bucket::replace(interface, wanted, None).map_err(|error| unknown("tbf", error))
        }
        Form::Own(kind) => {
            remove(interface)?;
            let now = list(interface)?.into_iter().find(|queue| queue.parent == TC_H_ROOT);
            match now {
                Some(now) if now.handle == 0 && now.kind == kind => Ok(()),
                _ => replace(interface, &Queue { kind, options: None }),
            }
        }
        Form::Queue(queue) => replace(interface, &queue),
    }
}

/// Whether two values mean the same: a token bucket keeps its burst as a time, in ticks of 64 ns.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    let form = |value: &Value| value.as_str().parse::<Form>();
    match (form(a), form(b)) {
        (Ok(a), Ok(b)) => a.is_like(&b),
        _ => a == b,
    }
}

/// What it takes.
pub(super) const fn allowed() -> Allowed {
    Allowed::Form(text::FORMS)
}

/// Every queue of an interface.
fn list(interface: &str) -> io::Result<Vec<Listed>> {
    let wanted = index(interface)?;
    let question = RouteNetlinkMessage::GetQueueDiscipline(message(interface)?);
    let all = Netlink::open()?.dump(question)?;
    let word = |bytes: &[u8], at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let listed = |bytes: &Vec<u8>| {
        if word(bytes, 4)? != wanted {
            return None;
        }
        let said = attributes(bytes.get(HEADER_BYTES..)?);
        let of = |wanted| said.iter().find(|(kind, _)| *kind == wanted).map(|(_, value)| *value);
        let kind = of(TCA_KIND)?.split(|byte| *byte == 0).next()?;
        Some(Listed {
            handle: word(bytes, 8)?,
            parent: word(bytes, 12)?,
            kind: String::from_utf8_lossy(kind).into_owned(),
            options: of(TCA_OPTIONS).unwrap_or_default().to_vec(),
        })
    };
    Ok(all.iter().filter_map(listed).collect())
}

fn message(interface: &str) -> io::Result<TcMessage> {
    let mut message = TcMessage::with_index(i32::try_from(index(interface)?).map_err(io::Error::other)?);
    message.header.parent = TcHandle::ROOT;
    Ok(message)
}

fn replace(interface: &str, queue: &Queue) -> Result<(), Cause> {
    let mut message = message(interface)?;
    message.attributes = vec![TcAttribute::Kind(queue.kind.clone())];
    if let Some(options) = &queue.options {
        message.attributes.push(TcAttribute::Other(DefaultNla::new(TCA_OPTIONS, options.clone())));
    }
    let change = RouteNetlinkMessage::NewQueueDiscipline(message);
    Netlink::open()?.change(change, NLM_F_CREATE | NLM_F_REPLACE).map_err(|error| unknown(&queue.kind, error))
}

/// Removes the one that somebody set, if one is.
fn remove(interface: &str) -> Result<(), Cause> {
    let set = list(interface)?.into_iter().any(|queue| queue.parent == TC_H_ROOT && queue.handle != 0);
    if set {
        Netlink::open()?.change(RouteNetlinkMessage::DelQueueDiscipline(message(interface)?), 0)?;
    }
    Ok(())
}

/// The kernel says `ENOENT`, or something in words, for a kind that it does not have.
fn unknown(kind: &str, error: io::Error) -> Cause {
    match error.kind() {
        io::ErrorKind::NotFound => Cause::Lacking(format!("the kernel has no {kind}")),
        _ => Cause::System(error),
    }
}
