//! What a datagram channel does for a bulk flow at its receiving end.

use std::os::fd::AsFd as _;

use linerate_core::endpoint::LinkError;
use linerate_core::traffic::{Datagrams, EcnCounts};
use linerate_core::units::{Span, Time};
use rustix::io::Errno;

use super::bulk::refused;
use super::drops::Drops;
use super::header::{GONE, Header, Kind};
use super::watch::Watch;
use super::{DatagramChannel, LONGEST};
use crate::flow::Incoming;
use crate::sys::mmsg::{Batch, Received};
use crate::transport::account::Account;
use crate::wait::retry;

/// After the end was heard, datagrams that it overtook may come for this long after the last.
const SETTLE: Span = Span::from_ms(50);
/// The shortest room for a datagram. Unit: bytes.
const SLOT: usize = 2048;
/// Memory for the arrivals of one call. Unit: bytes.
const ROOM: usize = 4 << 20;
/// Room for arrivals of one call, where the kernel joins datagrams: each may be 64 KiB.
const JOINED: usize = 16;

/// A flow that is being received.
struct Flow {
    account: Account,
    drops: Drops,
    /// Datagrams that the peer says it sent, once it has.
    sent: Option<u64>,
    /// When a datagram of the flow came last.
    last: Time,
    /// What the last call brought that is new: datagrams, bytes.
    fresh: (usize, usize),
}

impl Flow {
    /// Datagrams that came or are known not to.
    const fn accounted(&self) -> u64 {
        self.account.received().saturating_add(self.drops.datagrams())
    }
}

impl DatagramChannel {
    pub(super) fn receive_flow(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        let gro = self.gro && self.carrier.has_segments();
        self.carrier.set_joined(&self.socket, gro).map_err(refused("have the kernel join datagrams"))?;
        self.be_patient(SETTLE).map_err(refused("set the receive timeout"))?;
        let mut flow = Flow {
            account: Account::default(),
            drops: Drops::start(self.drops_seen),
            sent: None,
            last: self.clock.now(),
            fresh: (0, 0),
        };
        let received = self.collect(&mut flow, into, gro);
        let errors = self.carrier.buffer_errors();
        let before = std::mem::replace(&mut self.buffer_errors, errors);
        let errors = errors.zip(before).map(|(after, before)| after.saturating_sub(before));
        self.drops_seen = flow.drops.seen();
        self.closing.theirs = flow.sent;
        let sent = flow.sent.filter(|sent| *sent != GONE);
        let ecn = self.ecn.map(|sent_as| EcnCounts::new(sent_as, flow.account.code_points()));
        let told = flow.account.finish(sent, flow.drops.datagrams());
        let datagrams = Datagrams { host_buffer_errors: errors, ecn, ..told };
        self.closing.settled = sent.map(|_| datagrams.received);
        into.datagrams = Some(datagrams);
        self.carrier.set_joined(&self.socket, false).map_err(refused("have the kernel leave datagrams"))?;
        self.be_patient(self.loss()).map_err(refused("set the receive timeout"))?;
        received?;
        self.say(Kind::EndHeard, self.closing.settled.unwrap_or(0));
        Ok(())
    }

    fn collect(&self, flow: &mut Flow, into: &mut Incoming<'_>, gro: bool) -> Result<(), LinkError> {
        let (slot, most) = if gro {
            (LONGEST, self.batch.min(JOINED))
        } else {
            let slot = into.buffer().len().clamp(SLOT, self.carrier.longest(usize::MAX));
            (slot, self.batch.min((ROOM / slot).max(1)))
        };
        let mut slots = vec![0; slot * most];
        let mut batch = Batch::new(most);
        let mut watch = Watch::new(flow.last);
        loop {
            match retry(|| batch.receive(self.socket.as_fd(), &mut slots, slot, watch.sleeps())) {
                Ok(count) => {
                    let now = self.clock.now();
                    watch.arrived(now);
                    flow.fresh = (0, 0);
                    for (index, room) in slots.chunks_exact(slot).take(count).enumerate() {
                        let arrival = batch.arrival(index);
                        if arrival.len == 0 && self.is_cut() {
                            return Err(LinkError::Reset);
                        }
                        self.note(flow, &arrival, room, now);
                        into.touch(&room[..arrival.len.min(slot)]);
                    }
                    let (datagrams, bytes) = flow.fresh;
                    if datagrams > 0 {
                        flow.last = now;
                        if into.received_elsewhere(datagrams, bytes) {
                            flow.account.end_warm_up(flow.drops.datagrams());
                        }
                        if flow.sent.is_none() {
                            continue;
                        }
                    }
                }
                Err(Errno::AGAIN) if !watch.sleeps() => {
                    watch.looked(self.clock.now());
                    continue;
                }
                Err(Errno::AGAIN) => {}
                // An answer that nobody heard: the peer's sends are what counts here.
                Err(Errno::CONNREFUSED) if !self.is_cut() => {}
                Err(errno) => return Err(self.failed("receive", errno)),
            }
            let silent = self.clock.now().since(flow.last);
            match flow.sent {
                Some(GONE) => return Err(LinkError::Closed),
                Some(sent) if flow.accounted() >= sent || silent >= SETTLE => return Ok(()),
                None if self.is_cut() => return Err(LinkError::Reset),
                None if silent >= self.patience => return Err(LinkError::Stalled(self.patience)),
                _ => {}
            }
        }
    }

    /// Notes one arrival: a datagram, or several that the kernel has joined.
    #[inline]
    fn note(&self, flow: &mut Flow, arrival: &Received, room: &[u8], now: Time) {
        let now_ns = now.as_ps() / 1000;
        let segment = arrival.segment.unwrap_or(arrival.len).max(1);
        if let Some(total) = arrival.drops {
            flow.drops.note(total);
        }
        if arrival.segment.is_some() {
            flow.drops.joined(arrival.len.div_ceil(segment) as u64);
        }
        let mut from = 0;
        while from < arrival.len {
            let len = segment.min(arrival.len - from);
            let datagram = room.get(from..).map_or(&[][..], |rest| &rest[..len.min(rest.len())]);
            from += len;
            let Some(header) = Header::decode(datagram, &self.cookie) else {
                flow.account.strange();
                continue;
            };
            match header.payload(datagram, len) {
                Some(payload) => {
                    if flow.account.arrived(header.number, Some(header.sent_ns), now_ns) {
                        flow.fresh = (flow.fresh.0 + 1, flow.fresh.1 + payload);
                        if let Some(class) = arrival.class {
                            flow.account.came_as(class);
                        }
                    }
                }
                None => match Header::open(datagram, &self.cookie).map(|header| header.kind) {
                    Some(Kind::End) => {
                        if flow.sent.is_none() {
                            (flow.sent, flow.last) = (Some(header.number), now);
                        }
                    }
                    Some(_) => {}
                    None => flow.account.strange(),
                },
            }
        }
        if arrival.len == 0 {
            flow.account.strange();
        }
    }
}
