//! A responder, as the client knows it.

use std::ops::ControlFlow;
use std::time::Duration;

use linerate_core::run::{Answering, EndState, Path};

use super::conversation::{Conversation, Offer, STEP};
use super::{PairError, Target};
use crate::control::{Key, QueuePlace, Reply};
use crate::transport::Setup;

/// The conversation with a responder, and what is known about it.
#[derive(Debug)]
pub(super) struct RemoteEnd {
    pub(super) target: Target,
    pub(super) conversation: Conversation,
    pub(super) end: EndState,
    path: Path,
}

impl RemoteEnd {
    /// Agrees with the server at `target` on what is offered to it.
    pub(super) fn begin(
        target: &Target,
        key: Option<&Key>,
        offer: Offer<'_>,
        queued: &mut impl FnMut(Option<QueuePlace>) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let conversation = Conversation::begin(target, key, offer, queued)?;
        let end = EndState { environment: conversation.environment.clone(), ..EndState::default() };
        let path = Path {
            transport: offer.plan.common.transport.name().to_owned(),
            from_address: conversation.local.ip().to_string(),
            to_address: conversation.peer.to_string(),
            ipv6: conversation.peer.is_ipv6(),
            ..Path::default()
        };
        Ok(Self { target: target.clone(), conversation, end, path })
    }

    /// `setup` with the addresses and the round trip of this conversation.
    pub(super) fn setup(&self, setup: &Setup) -> Setup {
        let (local, peer) = (self.conversation.local.ip(), self.conversation.peer);
        Setup { local, peer, round_trip: self.conversation.round_trip(), ..setup.clone() }
    }

    /// Receives that the load starts.
    pub(super) fn hear_go(&self) -> Result<(), PairError> {
        match self.conversation.hear(STEP)? {
            Reply::Go => Ok(()),
            other => Err(PairError::unexpected(other)),
        }
    }

    /// Receives this end's observations, which it sends within `patience` when the client has ended
    /// the conversation.
    pub(super) fn hear_observed(&mut self, patience: Duration) -> Result<(), PairError> {
        match self.conversation.hear(patience)? {
            Reply::Observed(observation, granted) => {
                self.end.observation = *observation;
                self.end.granted = *granted;
                Ok(())
            }
            other => Err(PairError::unexpected(other)),
        }
    }

    /// What is known about it.
    pub(super) fn answering(&self) -> Answering {
        let path = Path { mtu: self.conversation.mtu.clone(), ..self.path.clone() };
        Answering { end: self.end.clone(), path }
    }
}
