//! Our own forwarder: what makes links late and lossy where the kernel has nothing for it.
//!
//! A link is two virtual wires then. Their middle ends are in a namespace of their own, where a thread takes every
//! frame from one, asks an [`Emulator`] when it leaves, and sends it to the other by packet sockets. The threads are in
//! a process of their own where there is a program for it, and in this one where there is none.

mod clock;
mod ecn;
mod end;
mod engine;
mod engines;
mod process;
mod underway;

use linerate_core::lab::emulator::Emulator;
use linerate_core::lab::{Direction, Forwarded, Layout, Mechanism};
use serde::{Deserialize, Serialize};

use super::namespace::Namespace;
use super::{LabError, link};
use engines::Engines;
use process::Process;

pub use process::{ForwarderProgram, forward, forward_kept};
pub(super) use process::{ask, start_kept};

/// Frames that are taken or sent at once.
const BATCH: usize = 64;

/// The links that a forwarder carries, whose middle ends are in its namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Job {
    seed: u32,
    links: Vec<JobLink>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JobLink {
    /// Its number in the layout.
    number: usize,
    /// Largest IP packet. Unit: bytes.
    mtu: u32,
    directions: [Direction; 2],
}

impl Job {
    /// The links of `layout` that the forwarder is to carry. None if there are none.
    pub(super) fn of(layout: &Layout, mechanisms: &[Mechanism]) -> Option<Self> {
        let numbers = (0..mechanisms.len()).filter(|link| mechanisms[*link] == Mechanism::Forwarder);
        let link = |number: usize| {
            let link = &layout.links[number];
            JobLink { number, mtu: link.mtu, directions: link.directions }
        };
        let links: Vec<JobLink> = numbers.map(link).collect();
        (!links.is_empty()).then_some(Self { seed: layout.seed, links })
    }
}

impl JobLink {
    /// What its direction from node `side` (0 or 1) does to frames.
    fn emulator(&self, seed: u32, side: usize) -> Emulator {
        // There are far fewer than 2^31 links.
        let number = u32::try_from(2 * self.number + side).unwrap_or(u32::MAX);
        Emulator::new(self.directions[side], seed, number)
    }
}

/// What became of the frames of a link, from its first node to its second and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinkFrames {
    /// Its number in the layout.
    pub(super) link: usize,
    pub(super) frames: [Forwarded; 2],
}

/// The forwarder of a laboratory. It ends with this value, and with this process.
#[derive(Debug)]
pub(super) enum Forwarder {
    /// In threads of this process.
    Threads {
        engines: Engines,
        /// Where the middle ends are.
        _middle: Namespace,
    },
    /// In a process of its own, which is in the namespace of the middle ends.
    Process(Process),
}

impl Forwarder {
    /// Begins to forward on the links of `job`, whose middle ends are in `middle`: in `program`, or in this process.
    pub(super) fn start(
        job: &Job,
        middle: Namespace,
        program: Option<&ForwarderProgram>,
    ) -> Result<Self, LabError> {
        match program {
            Some(program) => middle.enter(|| Process::start(program, job))?.map(Self::Process),
            None => {
                let engines = middle.enter(|| Engines::start(job))??;
                Ok(Self::Threads { engines, _middle: middle })
            }
        }
    }

    /// What became of the frames of every link that it carries. None once its process has ended.
    pub(super) fn frames(&self) -> Option<Vec<LinkFrames>> {
        match self {
            Self::Threads { engines, .. } => Some(engines.frames()),
            Self::Process(process) => process.frames(),
        }
    }
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
fn silence() -> std::io::Result<()> {
    match std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") {
        // A kernel without IPv6.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::lab::LabPlan;

    use super::*;

    #[test]
    fn a_job_has_the_links_of_the_forwarder_and_is_read_as_it_was_written() {
        let plan = "hosts = ['a', 'b']\nswitches = ['s']\nseed = 7\n\
                    link = [{ between = ['a', 's'] }, { between = ['s', 'b'], delay = '1.1ms', rate-mbps = 0.3, \
                    reverse = { loss = 0.1, loss-burst = 3.3, reorder = 0.7 } }]";
        let layout = Layout::of(&LabPlan::from_toml(plan).expect("a plan")).expect("it can be built");
        assert_eq!(Job::of(&layout, &[Mechanism::Wire, Mechanism::Kernel]), None);
        let job = Job::of(&layout, &[Mechanism::Wire, Mechanism::Forwarder]).expect("it carries one");
        assert_eq!((job.seed, job.links.len(), job.links[0].number), (7, 1, 1));
        let text = serde_json::to_string(&job).expect("it has a form");
        assert_eq!(serde_json::from_str::<Job>(&text).expect("it is read"), job);
    }
}
