//! Laboratories on this host: a network namespace for every host, switch and router, and virtual wires between
//! them, with the offloads off that would let packets larger than the MTU pass.
//!
//! The namespaces of a [`Lab`] have no name. The kernel removes them, and the wires with them, as soon as no thread is
//! in them and nobody holds them: when the lab is dropped, and also when the process is killed. Nothing can be left
//! behind. A lab that is to outlive its process is [`kept`].

mod build;
mod delay;
mod forwarder;
pub mod kept;
mod link;
mod mechanism;
mod namespace;
mod pair;
mod ready;

use std::io;

use linerate_core::lab::{LabPlanError, Layout, Link, Mechanism};
use linerate_core::run::LaboratoryLink;

use build::Site;
use forwarder::{Forwarder, Job, LinkFrames};
pub use forwarder::{ForwarderProgram, forward, forward_kept};
use namespace::Namespace;
#[cfg(test)]
pub(crate) use pair::tests::lab as of_a_test;
pub use pair::{HERE, THERE, TwoHosts, WIRE, shape, switch};

/// A laboratory that is there as long as this is.
#[derive(Debug)]
pub struct Lab {
    layout: Layout,
    /// One for every node, in their order.
    namespaces: Vec<Namespace>,
    /// That of each link.
    mechanisms: Vec<Mechanism>,
    /// What carries the links that the kernel cannot make, if there are some.
    forwarder: Option<Forwarder>,
}

/// Where a thread was before it went into a laboratory.
#[derive(Debug)]
pub struct Home(Namespace);

impl Home {
    /// Does `work` there, in a thread of its own.
    ///
    /// # Errors
    ///
    /// [`LabError::Namespace`] when the namespace cannot be entered.
    pub fn back<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        self.0.enter(work)
    }
}

/// Why a laboratory cannot be made or used. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The process may not make network namespaces.
    #[error("make a network namespace: that needs root")]
    Privilege,
    /// The operating system refuses one, or to enter it.
    #[error("make a network namespace: {0}")]
    Namespace(io::Error),
    /// What is asked for cannot be.
    #[error("plan the laboratory: {0}")]
    Plan(#[from] LabPlanError),
    /// The kernel refuses a part.
    #[error("set up {what}: {source}")]
    Refused {
        /// Which, such as "the wire: its MTU of 70000 B".
        what: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// There is one of that name.
    #[error("make the laboratory {0}: there is one of that name")]
    Exists(String),
    /// There is none of that name.
    #[error("find the laboratory {0}: there is none of that name")]
    Unknown(String),
    /// It has no node of that name.
    #[error("find {node} in the laboratory {lab}: it has {nodes}")]
    NoNode {
        /// The name.
        node: String,
        /// That of the laboratory.
        lab: String,
        /// Those that there are.
        nodes: String,
    },
    /// Processes are still in it.
    #[error("remove the laboratory {name}: processes are in it: {processes}")]
    Busy {
        /// Its name.
        name: String,
        /// Their numbers and commands.
        processes: String,
    },
    /// A file about it cannot be read or written.
    #[error("{what} {path}: {source}")]
    File {
        /// Such as "write".
        what: &'static str,
        /// Which.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl LabError {
    fn refused(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Refused { what: what.into(), source }
    }
}

/// The links of `layout` that are more than wires, with the frames of those that the forwarder tells of.
fn links(layout: &Layout, mechanisms: &[Mechanism], frames: &[LinkFrames]) -> Vec<LaboratoryLink> {
    let link = |(number, (link, mechanism)): (usize, (&Link, &Mechanism))| LaboratoryLink {
        between: link.nodes.map(|node| layout.nodes[node].name.clone()),
        mechanism: *mechanism,
        frames: frames.iter().find(|frames| frames.link == number).map(|frames| frames.frames),
    };
    let all = layout.links.iter().zip(mechanisms).enumerate();
    all.filter(|(_, (_, mechanism))| **mechanism != Mechanism::Wire).map(link).collect()
}

impl Lab {
    /// Makes what `layout` says. Its forwarder, if it needs one, is `program`; without one it is in threads of this
    /// process.
    ///
    /// # Errors
    ///
    /// [`LabError`]; nothing is left behind then.
    pub fn new(layout: Layout, program: Option<&ForwarderProgram>) -> Result<Self, LabError> {
        let namespaces = layout.nodes.iter().map(|_| Namespace::new()).collect::<Result<Vec<_>, _>>()?;
        let mechanisms = mechanism::choose(&layout)?;
        let job = Job::of(&layout, &mechanisms);
        let middle = job.is_some().then(forwarder::middle).transpose()?;
        let site = Site {
            layout: &layout,
            namespaces: &namespaces,
            mechanisms: &mechanisms,
            middle: middle.as_ref(),
        };
        site.build()?;
        let start = |(job, middle)| Forwarder::start(&job, middle, program);
        let forwarder = job.zip(middle).map(start).transpose()?;
        ready::await_all(&layout, &namespaces)?;
        Ok(Self { layout, namespaces, mechanisms, forwarder })
    }

    /// What it was made of.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its links that are more than wires, with what became of their frames until now.
    #[must_use]
    pub fn links(&self) -> Vec<LaboratoryLink> {
        let frames = self.forwarder.as_ref().and_then(Forwarder::frames).unwrap_or_default();
        links(&self.layout, &self.mechanisms, &frames)
    }

    /// Does `work` on a node, in a thread of its own. Processes that it starts are there too.
    ///
    /// # Errors
    ///
    /// [`LabError::Namespace`] when the namespace cannot be entered.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn on<T: Send>(&self, node: usize, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        self.namespaces[node].enter(work)
    }

    /// Puts this thread on a node, and every thread and process that it starts from now on. Returns where it was.
    ///
    /// # Errors
    ///
    /// [`LabError::Namespace`] when the namespace cannot be entered.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn stay(&self, node: usize) -> Result<Home, LabError> {
        let home = Namespace::of_this_thread()?;
        self.namespaces[node].stay()?;
        Ok(Home(home))
    }
}
