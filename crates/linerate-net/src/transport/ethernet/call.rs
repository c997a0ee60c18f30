//! The initiator: proves to the responder that it is where it says.

use linerate_core::units::Span;
use rustix::io::Errno;

use super::channel::EthernetChannel;
use super::frame::{ETHERTYPE, Kind, Mac};
use super::link::{Cut, Flow, Heard, Link, fixed};
use super::plane::Plane;
use super::station::{Spelled, Station, check_options};
use crate::control::{ChannelAddress, Rendezvous, Side, random};
use crate::transport::{LineResult, Preface, Setup, TransportError};

/// How long the other station may take to answer. TCP has as much.
const ANSWER: Span = Span::from_ms(5_000);
/// How long a request waits for its answer before it is repeated: twice as long each time, up to
/// the second value.
const FIRST_PAUSE: Span = Span::from_ms(20);
const LAST_PAUSE: Span = Span::from_ms(320);

/// Opens the flow to the station that the peer named.
pub(super) fn join<P: Plane>(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    let peer = station_of(rendezvous).ok_or(TransportError::Address(setup.transport))?;
    check_options(setup)?;
    let station = Station::of(setup)?;
    let Preface { token, flow: number } = preface;
    let flow = Flow { token: fixed(&token), number, side: Side::Beginning, peer };
    let mut link = Link::<P>::open(setup, &station, flow)?;
    let mut call = Call { setup, link: &mut link, cut: Cut::new().map_err(refused)? };
    let nonce: [u8; 16] = random().map_err(refused)?;
    let hello = [token, nonce].concat();
    let echoed = call.ask(Kind::Hello, &hello, |heard| {
        let own = heard.kind == Kind::Echo && heard.payload.starts_with(&nonce);
        own.then(|| fixed::<16>(&heard.payload[16..]))
    })?;
    let Some(proof) = echoed else {
        let reason = format!(
            "the station {} did not answer through `{}` within {} s: raw Ethernet reaches only hosts of \
             the same segment, without a router between, and only where switches let EtherType \
             {ETHERTYPE:#06x} pass",
            Spelled(peer),
            station.name,
            ANSWER.as_seconds()
        );
        return Err(TransportError::lacking(setup.transport, reason));
    };
    // A message says as much: the peer sends none before it has accepted.
    let accepted = call.ask(Kind::Proof, &proof, |heard| {
        (heard.kind == Kind::Accept && heard.payload.starts_with(&proof)).then_some(())
    })?;
    if accepted.is_none() && link.data.peek().is_none() {
        return Err(TransportError::Late);
    }
    let channel = EthernetChannel::new(link, setup, None).map_err(refused)?;
    Ok(Box::new(setup.wire(channel)))
}

/// The station that a rendezvous names, if frames may go there: one host's address and our EtherType.
fn station_of(rendezvous: &Rendezvous) -> Option<Mac> {
    match rendezvous.address {
        ChannelAddress::Station { mac, ethertype: ETHERTYPE } if mac[0] & 1 == 0 => Some(mac),
        _ => None,
    }
}

fn refused(source: std::io::Error) -> TransportError {
    TransportError::system("prepare a flow of frames")(source)
}

/// The requester.
struct Call<'a, P> {
    setup: &'a Setup,
    link: &'a mut Link<P>,
    cut: Cut,
}

impl<P: Plane> Call<'_, P> {
    /// Asks until `answer` finds what it wants in what the peer says, or a message comes, or `None` if
    /// neither did in time.
    fn ask<T>(
        &mut self,
        kind: Kind,
        question: &[u8],
        answer: impl Fn(&Heard) -> Option<T>,
    ) -> Result<Option<T>, TransportError> {
        let failed = |errno: Errno| TransportError::system("meet the peer's station")(errno.into());
        let clock = self.setup.clock;
        let begun = clock.now();
        let mut pause = FIRST_PAUSE;
        while clock.now().since(begun) < ANSWER {
            self.link.say(kind, 0, question).map_err(failed)?;
            let asked = clock.now();
            loop {
                while let Some(heard) = self.link.hear().map_err(failed)? {
                    if let Some(found) = answer(&heard) {
                        return Ok(Some(found));
                    }
                }
                let left = pause.saturating_sub(clock.now().since(asked));
                if left == Span::ZERO {
                    break;
                }
                if self.link.data.peek().is_some() {
                    return Ok(None);
                }
                self.link.watch(&self.cut, false, left).map_err(failed)?;
            }
            pause = (pause * 2).min(LAST_PAUSE);
        }
        Ok(None)
    }
}
