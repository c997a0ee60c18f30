//! An application at an end of a modelled flow, as an [`Endpoint`].

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::Poll;

use linerate_core::endpoint::{Endpoint, LinkError, move_bytes};
use linerate_core::units::{Span, Time};

use crate::fabric::Loss;
use crate::stack::Side;
use crate::stations::Broken;
use crate::world::World;

/// What failed when a modelled network lost part of a flow, in [`LinkError::System`]. Its source is
/// of the kind [`io::ErrorKind::TimedOut`] where retransmission did not help.
pub const CARRY: &str = "carry the flow";

/// An end of a modelled flow. Its calls suspend until the executor (`bench`) has advanced the model
/// far enough.
#[derive(Debug)]
pub struct End {
    world: Rc<RefCell<World>>,
    flow: u32,
    side: Side,
}

impl End {
    /// An end of an existing flow between the world's stations.
    #[must_use]
    pub const fn new(world: Rc<RefCell<World>>, flow: u32, side: Side) -> Self {
        Self { world, flow, side }
    }

    /// Sends as much of `out` as there is room for, and reads what has arrived into `into`.
    fn step(&self, out: &[u8], into: &mut [u8]) -> Result<[usize; 2], LinkError> {
        let World { kernel, stations, .. } = &mut *self.world.borrow_mut();
        let mut moved = [0; 2];
        if !out.is_empty() {
            moved[0] = stations.write(self.flow, self.side, out, kernel).map_err(broken)?;
        }
        if !into.is_empty() {
            moved[1] = stations.read(self.flow, self.side, into, kernel).map_err(broken)?;
        }
        Ok(moved)
    }
}

/// Why no more bytes pass, in a sentence that names the loss.
pub(crate) fn broken(broken: Broken) -> LinkError {
    let lost = |loss: Loss| format!("the modelled network lost a frame of it ({})", loss.name());
    let (kind, reason) = match broken {
        Broken::Closed => return LinkError::Closed,
        Broken::Reset => return LinkError::Reset,
        Broken::TimedOut => {
            (io::ErrorKind::TimedOut, "every segment was lost each time that it was sent".to_owned())
        }
        Broken::GivenUp(loss) => {
            (io::ErrorKind::TimedOut, format!("{} each time that it was sent", lost(loss)))
        }
        Broken::Lost(loss) => {
            (io::ErrorKind::Other, format!("{}, and datagrams are not retransmitted", lost(loss)))
        }
    };
    LinkError::System { operation: CARRY, source: io::Error::new(kind, reason) }
}

impl Drop for End {
    fn drop(&mut self) {
        self.world.borrow_mut().stations.close(self.flow, self.side);
    }
}

impl Endpoint for End {
    fn now(&self) -> Time {
        self.world.borrow().kernel.now()
    }

    async fn send(&mut self, data: &[u8]) -> Result<(), LinkError> {
        move_bytes(data, &mut [], |out, into| self.step(out, into)).await
    }

    async fn recv(&mut self, data: &mut [u8]) -> Result<(), LinkError> {
        move_bytes(&[], data, |out, into| self.step(out, into)).await
    }

    async fn exchange(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        move_bytes(out, into, |out, into| self.step(out, into)).await
    }

    async fn wait(&mut self, span: Span) {
        let until = {
            let mut world = self.world.borrow_mut();
            let World { kernel, stations, .. } = &mut *world;
            let until = kernel.now() + span;
            stations.alarm(self.flow, self.side, until, kernel);
            until
        };
        poll_fn(|_| if self.now() >= until { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}
