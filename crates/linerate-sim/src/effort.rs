//! What both ends of a modelled flow spend on its messages, in the form in which hosts say it.

use linerate_core::kernel::{Effort, TcpEffort, TcpSample};
use linerate_core::units::{Span, Time};

use crate::stack::Side;
use crate::world::World;

/// Both ends before some messages: their time, and what TCP and their processors had done.
#[derive(Debug)]
pub(crate) struct Before {
    began: Time,
    ends: [Option<Seen>; 2],
}

/// What TCP says at one end; for how long its host's processors have worked in calls and in the kernel, and whether they can do
/// both at once.
type Seen = (TcpSample, [Span; 2], bool);

impl Before {
    /// Looks at the ends of `flow`. Without TCP and machines there is nothing to see.
    pub(crate) fn look(world: &World, flow: u32) -> Self {
        let ends = [Side::First, Side::Second].map(|side| seen(world, flow, side));
        Self { began: world.kernel.now(), ends }
    }

    /// What each end of `flow` did since for so many messages, with the work in interrupts and in the protocol, which a
    /// model accounts for exactly. Where messages `overlap`, several processors do that beside the calls, and the longer of
    /// the two is what counts. Absent of an end that cannot be seen.
    pub(crate) fn since(
        &self,
        world: &World,
        flow: u32,
        messages: [u64; 2],
        overlap: bool,
    ) -> [Option<Effort>; 2] {
        [(0, Side::First), (1, Side::Second)].map(|(end, side)| {
            let (tcp, worked, _) = self.ends[end].as_ref()?;
            let (now, working, at_once) = seen(world, flow, side)?;
            let [calls, kernel] = [0, 1].map(|part| working[part].saturating_sub(worked[part]));
            Some(Effort {
                messages: messages[end],
                span: world.kernel.now().since(self.began),
                cpu: if overlap && at_once { calls.max(kernel) } else { calls + kernel },
                waited: None,
                turns: None,
                tcp: Some(TcpEffort::between(tcp, &now)),
            })
        })
    }
}

fn seen(world: &World, flow: u32, side: Side) -> Option<Seen> {
    let machine = world.stations.machine_at(flow, side)?;
    let connection = world.stations.connection(flow, side)?;
    Some((connection.sample(world.kernel.now()), machine.worked(side), machine.processors() > 1))
}
