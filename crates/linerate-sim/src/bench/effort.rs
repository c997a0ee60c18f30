//! What both ends of a modelled flow spend on a trial, in the form in which hosts say it.

use linerate_core::kernel::{Effort, TcpEffort, TcpSample};
use linerate_core::trial::Half;
use linerate_core::units::{Span, Time};

use crate::stack::Side;
use crate::world::World;

/// Both ends before a trial: their time, and what TCP and their processors had done.
#[derive(Debug)]
pub(super) struct Before {
    began: Time,
    ends: [Option<(TcpSample, Span)>; 2],
}

impl Before {
    /// Looks at the ends of `flow`. Without TCP and machines there is nothing to see.
    pub(super) fn look(world: &World, flow: u32) -> Self {
        let ends = [Side::First, Side::Second].map(|side| seen(world, flow, side));
        Self { began: world.kernel.now(), ends }
    }

    /// Writes down what each end of `flow` did since, with the work in interrupts and in the protocol, which a
    /// model accounts for exactly.
    pub(super) fn account(&self, world: &World, flow: u32, halves: &mut [Half; 2]) {
        for ((half, before), side) in halves.iter_mut().zip(&self.ends).zip([Side::First, Side::Second]) {
            let Some(((tcp, worked), (now, working))) = before.as_ref().zip(seen(world, flow, side)) else {
                continue;
            };
            half.effort = Some(Effort {
                messages: half.tally.sent.saturating_add(half.tally.received),
                span: world.kernel.now().since(self.began),
                cpu: working.saturating_sub(*worked),
                waited: None,
                turns: None,
                tcp: Some(TcpEffort::between(tcp, &now)),
            });
        }
    }
}

/// What TCP says at one end, and for how long its host's processors have worked.
fn seen(world: &World, flow: u32, side: Side) -> Option<(TcpSample, Span)> {
    let worked = world.stations.machine_at(flow, side)?.worked(side);
    let connection = world.stations.connection(flow, side)?;
    Some((connection.sample(world.kernel.now()), worked))
}
