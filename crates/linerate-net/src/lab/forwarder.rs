//! Our own forwarder: what makes links late and lossy where the kernel has nothing for it.
//!
//! A link is two virtual wires then. Their middle ends are in a namespace of their own, where a thread takes every
//! frame from one, asks an [`Emulator`] when it leaves, and sends it to the other by packet sockets.

mod clock;
mod end;
mod engine;
mod underway;

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use linerate_core::lab::Layout;
use linerate_core::lab::emulator::{Counts, Emulator};
use linerate_core::units::Span;
use rustix::event::{EventfdFlags, eventfd};

use super::mechanism::Mechanism;
use super::namespace::Namespace;
use super::{LabError, link};
use clock::Clock;
use end::End;
use engine::{Engine, Forwarding};

/// Frames that are taken or sent at once.
const BATCH: usize = 64;
/// Memory of the rings of all links, and of each. Unit: bytes.
const ALL_RINGS: usize = 256 << 20;
const RING: std::ops::RangeInclusive<usize> = (128 << 10)..=(16 << 20);
/// A frame that leaves no later than this after its time is punctual.
const PUNCTUAL: Span = Span::from_us(50);

/// What became of the frames of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forwarded {
    /// What the rules say of those that came.
    pub counts: Counts,
    /// Frames that were sent on.
    pub sent: u64,
    /// Frames that the forwarder itself lost, because this host gave it too little time or memory.
    pub missed: u64,
    /// Of those that were sent, frames that left more than 50 us after their time.
    pub late: u64,
    /// How long after their time all of them left.
    pub lateness: Span,
    /// How long after its time the latest one left.
    pub latest: Span,
}

impl Forwarded {
    fn sent(&mut self, late: Span) {
        self.sent += 1;
        self.late += u64::from(late > PUNCTUAL);
        self.lateness += late;
        self.latest = self.latest.max(late);
    }
}

impl fmt::Display for Forwarded {
    /// `100 frames came, 95 were sent, 3 dropped by rule, 2 by the queue`, and what went wrong.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { arrived, dropped_by_rule, dropped_by_queue, .. } = self.counts;
        write!(
            out,
            "{arrived} frames came, {} were sent, {dropped_by_rule} dropped by rule, {dropped_by_queue} by the queue",
            self.sent
        )?;
        if self.missed > 0 {
            write!(out, "; {} were lost for want of time or memory", self.missed)?;
        }
        if self.late > 0 {
            write!(out, "; {} left more than {PUNCTUAL} late, {} at most", self.late, self.latest)?;
        }
        Ok(())
    }
}

/// What a thread of the forwarder writes and others read.
#[derive(Debug, Default)]
struct Record(Mutex<Forwarded>);

impl Record {
    fn change(&self, change: impl FnOnce(&mut Forwarded)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The forwarder of a laboratory. It ends with this value, and with its process.
#[derive(Debug)]
pub(super) struct Forwarder {
    /// Where the middle ends are.
    _middle: Namespace,
    /// Of each link that it carries, its number and what became of its frames.
    links: Vec<(usize, [Arc<Record>; 2])>,
    stop: Arc<OwnedFd>,
    threads: Vec<JoinHandle<()>>,
}

/// What the middle end next to node `side` (0 or 1) of a link is called.
pub(super) fn end_name(link: usize, side: usize) -> String {
    format!("link{link}-{side}")
}

/// The namespace of the middle ends, in which the kernel says nothing of its own.
pub(super) fn middle() -> Result<Namespace, LabError> {
    let middle = Namespace::new()?;
    middle.enter(silence)?.map_err(LabError::refused("the forwarder: its namespace"))?;
    Ok(middle)
}

/// Has this thread's namespace send no IPv6 of its own.  Source: kernel documentation, networking/ip-sysctl.
fn silence() -> io::Result<()> {
    match std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") {
        // A kernel without IPv6.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

impl Forwarder {
    /// Begins to forward on the links that need it, whose middle ends are there.
    pub(super) fn start(
        layout: &Layout,
        mechanisms: &[Mechanism],
        middle: Namespace,
    ) -> Result<Self, LabError> {
        let refused = || LabError::refused("the forwarder");
        let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(|errno| refused()(errno.into()))?;
        let mut forwarder =
            Self { _middle: middle, links: Vec::new(), stop: Arc::new(stop), threads: Vec::new() };
        let carried: Vec<usize> =
            (0..mechanisms.len()).filter(|link| mechanisms[*link] == Mechanism::Forwarder).collect();
        let ring_bytes = (ALL_RINGS / (2 * carried.len().max(1))).clamp(*RING.start(), *RING.end());
        for link in carried {
            let mtu = layout.links[link].mtu;
            let ends = forwarder._middle.enter(|| ends(link, mtu, ring_bytes))?;
            let ends = ends.map_err(LabError::refused(format!("the forwarder: link {link}")))?;
            forwarder.carry(layout, link, ends).map_err(refused())?;
        }
        Ok(forwarder)
    }

    /// Starts the thread of a link.
    fn carry(&mut self, layout: &Layout, link: usize, ends: [End; 2]) -> io::Result<()> {
        let records: [Arc<Record>; 2] = Default::default();
        let direction = |side: usize| {
            // There are far fewer than 2^31 links.
            let number = u32::try_from(2 * link + side).unwrap_or(u32::MAX);
            let rules = layout.links[link].directions[side];
            Forwarding::new(Emulator::new(rules, layout.seed, number), Arc::clone(&records[side]))
        };
        let directions = [direction(0), direction(1)];
        let engine = Engine { ends, directions, clock: Clock::start(), stop: Arc::clone(&self.stop) };
        let thread = std::thread::Builder::new().name(format!("link {link}"));
        self.threads.push(thread.spawn(move || engine.run())?);
        self.links.push((link, records));
        Ok(())
    }

    /// What became of the frames of a link, from its first node to its second and back. None if it does not carry it.
    pub(super) fn forwarded(&self, link: usize) -> Option<[Forwarded; 2]> {
        let (_, records) = self.links.iter().find(|(number, _)| *number == link)?;
        Some(records.each_ref().map(|record| *record.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        rustix::io::write(&*self.stop, &1_u64.to_ne_bytes()).map(drop).unwrap_or(());
        for thread in self.threads.drain(..) {
            thread.join().unwrap_or(());
        }
    }
}

/// In a thread of the middle: switches both ends of a link on, and opens them.
fn ends(link: usize, mtu: u32, ring_bytes: usize) -> io::Result<[End; 2]> {
    let open = |side| {
        let name = end_name(link, side);
        link::without_offloads(&name)?;
        link::mtu(&name, mtu)?;
        let end = End::open(&name, mtu, ring_bytes)?;
        link::switch(&name, true)?;
        // That it was off when the socket was opened.
        end.forget_error();
        Ok::<End, io::Error>(end)
    };
    Ok([open(0)?, open(1)?])
}
