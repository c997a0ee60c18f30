//! What both ends of a modelled flow spend on its messages, in the form in which hosts say it.

use linerate_core::kernel::{Effort, TcpEffort, TcpSample};
use linerate_core::units::{Span, Time};

use crate::stack::Side;
use crate::world::World;

/// Both ends before some messages: their time, and what TCP and their processors had done.
#[derive(Debug)]
pub(crate) struct Before {
    began: Time,
    ends: [Option<(TcpSample, Span)>; 2],
}

impl Before {
    /// Looks at the ends of `flow`. Without TCP and machines there is nothing to see.
    pub(crate) fn look(world: &World, flow: u32) -> Self {
        let ends = [Side::First, Side::Second].map(|side| seen(world, flow, side));
        Self { began: world.kernel.now(), ends }
    }

    /// What each end of `flow` did since for so many messages, with the work in interrupts and in the protocol, which a
    /// model accounts for exactly. Absent of an end that cannot be seen.
    pub(crate) fn since(&self, world: &World, flow: u32, messages: [u64; 2]) -> [Option<Effort>; 2] {
        [(0, Side::First), (1, Side::Second)].map(|(end, side)| {
            let (tcp, worked) = self.ends[end].as_ref()?;
            let (now, working) = seen(world, flow, side)?;
            Some(Effort {
                messages: messages[end],
                span: world.kernel.now().since(self.began),
                cpu: working.saturating_sub(*worked),
                waited: None,
                turns: None,
                tcp: Some(TcpEffort::between(tcp, &now)),
            })
        })
    }
}

/// What TCP says at one end, and for how long its host's processors have worked.
fn seen(world: &World, flow: u32, side: Side) -> Option<(TcpSample, Span)> {
    let worked = world.stations.machine_at(flow, side)?.worked(side);
    let connection = world.stations.connection(flow, side)?;
    Some((connection.sample(world.kernel.now()), worked))
}
