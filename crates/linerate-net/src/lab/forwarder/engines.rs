//! The threads that forward, one for each link.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use linerate_core::lab::Forwarded;
use rustix::event::{EventfdFlags, eventfd};

use super::clock::Clock;
use super::end::End;
use super::engine::{Engine, Forwarding};
use super::{Job, JobLink, LinkFrames, end_name, link};
use crate::lab::LabError;

/// Memory of the rings of all links, and of each. Unit: bytes.
const ALL_RINGS: usize = 256 << 20;
const RING: std::ops::RangeInclusive<usize> = (128 << 10)..=(16 << 20);

/// What a thread writes and others read.
#[derive(Debug, Default)]
pub(super) struct Record(Mutex<Forwarded>);

impl Record {
    pub(super) fn change(&self, change: impl FnOnce(&mut Forwarded)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn now(&self) -> Forwarded {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads. They end with this value.
#[derive(Debug)]
pub(in crate::lab) struct Engines {
    /// Of each link, its number and what became of its frames.
    links: Vec<(usize, [Arc<Record>; 2])>,
    stop: Arc<OwnedFd>,
    threads: Vec<JoinHandle<()>>,
}

impl Engines {
    /// In a thread of the namespace of the middle ends: begins to forward between them.
    pub(super) fn start(job: &Job) -> Result<Self, LabError> {
        let stop = eventfd(0, EventfdFlags::CLOEXEC)
            .map_err(|errno| LabError::refused("the forwarder")(errno.into()))?;
        let mut engines = Self { links: Vec::new(), stop: Arc::new(stop), threads: Vec::new() };
        let ring_bytes = (ALL_RINGS / (2 * job.links.len().max(1))).clamp(*RING.start(), *RING.end());
        for link in &job.links {
            let carried = engines.carry(job.seed, link, ring_bytes);
            carried.map_err(LabError::refused(format!("the forwarder: link {}", link.number)))?;
        }
        Ok(engines)
    }

    /// Starts the thread of a link.
    fn carry(&mut self, seed: u32, link: &JobLink, ring_bytes: usize) -> io::Result<()> {
        let ends = [end(link, 0, ring_bytes)?, end(link, 1, ring_bytes)?];
        let records: [Arc<Record>; 2] = Default::default();
        let direction = |side| Forwarding::new(link.emulator(seed, side), Arc::clone(&records[side]));
        let directions = [direction(0), direction(1)];
        let engine = Engine { ends, directions, clock: Clock::start(), stop: Arc::clone(&self.stop) };
        let thread = std::thread::Builder::new().name(format!("link {}", link.number));
        self.threads.push(thread.spawn(move || engine.run())?);
        self.links.push((link.number, records));
        Ok(())
    }

    /// What became of the frames of every link.
    pub(super) fn frames(&self) -> Vec<LinkFrames> {
        let now = |(link, records): &(usize, [Arc<Record>; 2])| LinkFrames {
            link: *link,
            frames: records.each_ref().map(|record| record.now()),
        };
        self.links.iter().map(now).collect()
    }

    /// Whether no link is left: a thread ends when a wire of its link has gone.
    pub(super) fn are_over(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        rustix::io::write(&*self.stop, &1_u64.to_ne_bytes()).map(drop).unwrap_or(());
        for thread in self.threads.drain(..) {
            thread.join().unwrap_or(());
        }
    }
}

/// Opens a middle end of a link, and switches it on.
fn end(link: &JobLink, side: usize, ring_bytes: usize) -> io::Result<End> {
    let name = end_name(link.number, side);
    link::without_offloads(&name)?;
    link::mtu(&name, link.mtu)?;
    let end = End::open(&name, link.mtu, ring_bytes)?;
    link::switch(&name, true)?;
    // That it was off when the socket was opened.
    end.forget_error();
    Ok(end)
}
