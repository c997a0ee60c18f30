//! Where the channels of one load arrive at the server.

use std::sync::Arc;
use std::time::Duration;

use super::ServerState;
use super::admission::Expected;
use super::client::Client;
use super::session::Refusal;
use crate::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous};
use crate::line::Line;
use crate::transport::{self, Arrived, Listen, Listener, Setup, TransportError, Upgrade, over_udp};

/// How often a wait for channels checks whether the client is still there.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Where the channels of one load arrive.
pub(super) enum ChannelListener<'a> {
    /// Through the server's own port.
    ServerPort(Arc<dyn Upgrade>, Expected<'a>),
    /// At a place of the transport's own, over such a protocol.
    Separate(Box<dyn Listen>, &'static str),
}

impl<'a> ChannelListener<'a> {
    /// Prepares for `count` channels that have `token`.
    pub(super) fn of(
        server: &'a ServerState,
        setup: &Setup,
        token: ChannelToken,
        count: u32,
    ) -> Result<Self, TransportError> {
        Ok(match transport::listen(setup, &token)? {
            Listener::ServerPort(upgrade) => {
                let expected = server.admission.expect(token, setup.peer.ip(), count, Arc::clone(&upgrade));
                Self::ServerPort(upgrade, expected)
            }
            Listener::Separate(host) => {
                Self::Separate(host, if over_udp(setup.transport) { "UDP" } else { "TCP" })
            }
        })
    }

    /// Where a channel is to arrive, for who keeps a firewall.
    fn place(&self) -> String {
        match (self, self.rendezvous().address) {
            (Self::ServerPort(..), _) => "to the server's own TCP port".to_owned(),
            (Self::Separate(_, protocol), ChannelAddress::Port(port)) => {
                format!("to {protocol} port {port} of the server, which `serve --data-ports A-B` chooses")
            }
            (Self::Separate(..), _) => "to the server's host".to_owned(),
        }
    }

    pub(super) fn rendezvous(&self) -> Rendezvous {
        match self {
            Self::ServerPort(upgrade, _) => upgrade.rendezvous(),
            Self::Separate(host, _) => host.rendezvous(),
        }
    }

    /// Takes the channels, in the order of their flows' numbers, as long as the client is there and
    /// each arrives within `within`.
    pub(super) fn receive(
        &mut self,
        client: Client<'_>,
        count: u32,
        within: Duration,
    ) -> Result<Vec<Box<dyn Line>>, Refusal> {
        let mut lines: Vec<Option<Box<dyn Line>>> = (0..count).map(|_| None).collect();
        for _ in 0..count {
            let (flow, line) = self.next(client, Deadline::after(within))?;
            match lines.get_mut(flow as usize) {
                Some(place @ None) => *place = Some(line),
                _ => return Err(Refusal::Told(format!("there is no flow {flow}"))),
            }
        }
        Ok(lines.into_iter().flatten().collect())
    }

    fn next(&mut self, client: Client<'_>, deadline: Deadline) -> Result<Arrived, Refusal> {
        while let Ok(left) = deadline.left() {
            if let Some(arrived) = self.look(left.min(LOOK))? {
                return Ok(arrived);
            }
            if client.has_left() {
                return Err(Refusal::left());
            }
        }
        Err(Refusal::Told(format!(
            "the data connection did not come in time {}; let it pass the firewall between",
            self.place()
        )))
    }

    /// The next channel, if one comes within a short time.
    pub(super) fn look(&mut self, within: Duration) -> Result<Option<Arrived>, Refusal> {
        let told = |error: TransportError| Refusal::Told(format!("the server failed to {error}"));
        match self {
            Self::ServerPort(_, expected) => {
                let arrived = expected.wait(within);
                arrived.map(|(flow, line)| Ok((flow, line.map_err(told)?))).transpose()
            }
            Self::Separate(host, _) => match host.accept(Deadline::after(within)) {
                Ok(arrived) => Ok(Some(arrived)),
                Err(TransportError::Late) => Ok(None),
                Err(error) => Err(told(error)),
            },
        }
    }
}
