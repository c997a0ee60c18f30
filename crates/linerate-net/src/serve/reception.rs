//! Where the channels of one load arrive at the server.

use std::net::TcpStream;
use std::time::Duration;

use super::House;
use super::door::Expected;
use super::session::{Refusal, has_left};
use crate::channel::Line;
use crate::control::{Deadline, Pass};
use crate::transport::{self, Adopt, Host, Hosting, Meeting, Setup, TransportError};

/// How often somebody who waits for channels looks whether the client is still there.
const LOOK: Duration = Duration::from_millis(50);

/// Where the channels of one load arrive.
pub(super) enum Reception<'a> {
    /// Through the server's door.
    Door(Box<dyn Adopt>, Expected<'a>),
    /// At a place of the transport's own.
    Apart(Box<dyn Host>),
}

impl<'a> Reception<'a> {
    /// Prepares for `count` channels that have `pass`.
    pub(super) fn of(
        house: &'a House,
        setup: &Setup,
        pass: Pass,
        count: u32,
    ) -> Result<Self, TransportError> {
        Ok(match transport::host(setup, &pass)? {
            Hosting::AtTheDoor(adopt) => Self::Door(adopt, house.door.expect(pass, count)),
            Hosting::Apart(host) => Self::Apart(host),
        })
    }

    pub(super) fn meeting(&self) -> Meeting {
        match self {
            Self::Door(adopt, _) => adopt.meeting(),
            Self::Apart(host) => host.meeting(),
        }
    }

    /// Takes the channels, in the order of their flows' numbers, for as long as the client is there
    /// and none takes longer than `within`.
    pub(super) fn receive(
        &mut self,
        control: &TcpStream,
        count: u32,
        within: Duration,
    ) -> Result<Vec<Box<dyn Line>>, Refusal> {
        let mut lines: Vec<Option<Box<dyn Line>>> = (0..count).map(|_| None).collect();
        for _ in 0..count {
            let (flow, line) = self.next(control, Deadline::after(within))?;
            match lines.get_mut(flow as usize) {
                Some(place @ None) => *place = Some(line),
                _ => return Err(Refusal::Told(format!("there is no flow {flow} to come"))),
            }
        }
        Ok(lines.into_iter().flatten().collect())
    }

    fn next(&mut self, control: &TcpStream, deadline: Deadline) -> Result<(u32, Box<dyn Line>), Refusal> {
        let told = |error: TransportError| Refusal::Told(format!("the server failed to {error}"));
        while let Ok(left) = deadline.left() {
            let look = left.min(LOOK);
            match self {
                Self::Door(adopt, expected) => {
                    if let Some((flow, stream)) = expected.wait(look) {
                        return Ok((flow, adopt.adopt(stream).map_err(told)?));
                    }
                }
                Self::Apart(host) => match host.accept(Deadline::after(look)) {
                    Ok(arrived) => return Ok(arrived),
                    Err(TransportError::Late) => {}
                    Err(error) => return Err(told(error)),
                },
            }
            if has_left(control) {
                return Err(Refusal::left());
            }
        }
        Err(Refusal::Told("the data connection did not come in time".to_owned()))
    }
}
