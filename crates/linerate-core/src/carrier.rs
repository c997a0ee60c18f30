//! Anywhere a load can be put: the seam of loads, as [`bench`](crate::bench) is that of trials.

use std::ops::ControlFlow;

use crate::kernel::TcpSample;
use crate::traffic::{Load, Transfer};
use crate::units::Span;

/// Anywhere a load can be put: hosts and the network between them, a model of both, or the server
/// of another tool.
pub trait Carrier {
    /// Why a load was not carried, or only in part.
    type Error;

    /// Puts `load` on the path and waits for its end. Meanwhile `watch` sees what passes and may
    /// end the load early; the account has what passed until then.
    ///
    /// A flow that fails is not an error: its account says so.
    fn carry(&mut self, load: &Load, watch: &mut dyn LoadWatch) -> CarriedLoad<Self::Error>;
}

/// What came of a load.
#[derive(Debug)]
pub struct CarriedLoad<E> {
    /// The accounts of both ends. If absent, the load never started.
    pub transfer: Option<Transfer>,
    /// Why accounts are missing, if some are.
    pub ended: Result<(), E>,
}

impl<E> CarriedLoad<E> {
    /// A load that never started, and why.
    #[must_use]
    pub const fn refused(error: E) -> Self {
        Self { transfer: None, ended: Err(error) }
    }
}

/// Who watches a load, and may end it.
pub trait LoadWatch {
    /// Receives what passed at the initiator in one interval of the bulk.
    fn interval(&mut self, look: &Look);

    /// Whether the load goes on. A real carrier asks at least every tenth of a second, a modelled
    /// one once an interval. After a break it goes on asking until the load has ended.
    fn go_on(&mut self) -> ControlFlow<()>;
}

/// What passed at the initiator in one interval of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The end of the interval, since the load began at this end.
    pub until: Span,
    /// The length of the interval.
    pub span: Span,
    /// Payload of each bulk flow that arrived in it, as far as this end knows: of what it sends over
    /// TCP what was acknowledged. In the order of the transfer's flows. Unit: bytes.
    pub bytes: Vec<u64>,
    /// What TCP says of each flow, where it carries the flow; only of the first flows.
    pub tcp: Vec<Option<TcpSample>>,
}
