//! The flows of all ranks, and what each rank has under way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::task::Poll;

use linerate_core::comm::{CommError, Waiting};
use linerate_core::units::{Span, Time};

use crate::end::broken;
use crate::machine::End;
use crate::model::Network;
use crate::stack::Side;
use crate::stations::Broken;
use crate::world::World;

use super::message::{Incoming, Outgoing, Part, Spare, Way};

/// All ranks of a model under way.
#[derive(Debug)]
pub(super) struct Desks {
    network: Network,
    /// The flows, by their ranks, the lower one first, which is their first side: the first of as many as a rank has
    /// links, one on each.
    flows: BTreeMap<(usize, usize), u32>,
    /// How many messages one rank has sent to another, and how many of them it has received.
    passed: BTreeMap<(usize, usize), [u64; 2]>,
    /// What one rank has told another, and that has not heard yet.
    told: BTreeMap<(usize, usize), VecDeque<Vec<u8>>>,
    /// The ranks at the sides of each flow, by its number.
    sides: Vec<[usize; 2]>,
    /// Flows whose handshake is under way.
    connecting: Vec<u32>,
    /// A flow of each rank to itself, on which nothing passes: the rank's alarm is at it.
    alarms: Vec<u32>,
    /// What each rank waits for; nothing of one that has ended.
    waits: Vec<Option<Waiting>>,
    /// Ranks that may go on.
    ready: BTreeSet<usize>,
    stirs: Vec<End>,
    spare: Spare,
}

impl Desks {
    pub(super) fn new(network: Network, size: usize) -> Self {
        let waits = (0..size).map(|rank| Some(Waiting { rank, sends_to: None, receives_from: None }));
        let mut desks = Self {
            network,
            flows: BTreeMap::new(),
            passed: BTreeMap::new(),
            told: BTreeMap::new(),
            sides: Vec::new(),
            connecting: Vec::new(),
            alarms: Vec::new(),
            waits: waits.collect(),
            ready: (0..size).collect(),
            stirs: Vec::new(),
            spare: Spare::new(),
        };
        for rank in 0..size {
            let flow = desks.network.alarm_of(rank);
            desks.alarms.push(flow);
            desks.note(flow, [rank; 2]);
        }
        desks
    }

    fn note(&mut self, flow: u32, ranks: [usize; 2]) {
        self.sides.resize(flow as usize + 1, ranks);
        self.sides[flow as usize] = ranks;
    }

    pub(super) fn now(&self) -> Time {
        self.network.world.kernel.now()
    }

    pub(super) fn into_world(self) -> World {
        self.network.world
    }

    /// Every rank that has not ended, and what it waits for.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        self.waits.iter().flatten().copied().collect()
    }

    /// Lets the model go on until a rank may: all that may, in order. Nothing if none ever will, or it is to stop.
    pub(super) fn go_on(&mut self, stop: impl Fn() -> bool, stuck: Span) -> Option<BTreeSet<usize>> {
        let begun = self.now();
        while self.ready.is_empty() {
            if stop() || self.now().since(begun) > stuck || !self.network.world.step() {
                return None;
            }
            self.network.world.stations.take_stirs(&mut self.stirs);
            let sides = &self.sides;
            self.ready.extend(self.stirs.drain(..).map(|end| sides[end.flow as usize][end.side as usize]));
            let (stations, ready) = (&self.network.world.stations, &mut self.ready);
            self.connecting.retain(|flow| {
                let settled = stations.is_settled(*flow);
                if settled {
                    ready.extend(sides[*flow as usize]);
                }
                !settled
            });
        }
        Some(std::mem::take(&mut self.ready))
    }

    /// A rank has ended: what it sent still arrives.
    pub(super) fn leave(&mut self, rank: usize) {
        self.waits[rank] = None;
        for ((low, high), first) in self.flows.iter().filter(|((low, high), _)| *low == rank || *high == rank)
        {
            let (side, other) = if *low == rank { (Side::First, *high) } else { (Side::Second, *low) };
            for flow in *first..first + self.network.links {
                self.network.world.stations.close(flow, side);
            }
            self.ready.insert(other);
        }
        // Who waits for what it tells hears that it has gone.
        let waits = |wait: &Waiting| (wait.receives_from == Some(rank)).then_some(wait.rank);
        self.ready.extend(self.waits.iter().flatten().filter_map(waits));
    }

    /// When the alarm of `rank` goes off.
    pub(super) fn alarm(&mut self, rank: usize, after: Span) -> Time {
        let World { kernel, stations, .. } = &mut self.network.world;
        let until = kernel.now() + after;
        stations.alarm(self.alarms[rank], Side::First, until, kernel);
        until
    }

    /// Moves what can be moved now of both messages of `rank`.
    pub(super) fn step(
        &mut self,
        rank: usize,
        out: &mut Option<Outgoing>,
        into: &mut Option<Incoming>,
    ) -> Poll<Result<(), CommError>> {
        let moved = self.send(rank, out).and_then(|sent| Ok([sent, self.receive(rank, into)?]));
        let done = match moved {
            Err(error) => Some(Err(error)),
            Ok([true, true]) => Some(Ok(())),
            Ok(_) => None,
        };
        let open = |done: bool, peer: Option<usize>| peer.filter(|_| !done);
        let (sent, received) = (done.is_some() || moved_all(out), done.is_some() || taken_all(into));
        self.waits[rank] = Some(Waiting {
            rank,
            sends_to: open(sent, out.as_ref().map(|out| out.to)),
            receives_from: open(received, into.as_ref().map(|into| into.from)),
        });
        done.map_or(Poll::Pending, Poll::Ready)
    }

    /// Tells another rank something beside the network.
    pub(super) fn tell(&mut self, rank: usize, to: usize, data: &[u8]) -> Result<(), CommError> {
        if self.waits[to].is_none() {
            return Err(lost(to, Broken::Closed));
        }
        self.told.entry((rank, to)).or_default().push_back(data.to_vec());
        self.ready.insert(to);
        Ok(())
    }

    /// What another rank told `rank`, once it has.
    pub(super) fn hear(&mut self, rank: usize, from: usize) -> Poll<Result<Vec<u8>, CommError>> {
        if let Some(told) = self.told.get_mut(&(from, rank)).and_then(VecDeque::pop_front) {
            return Poll::Ready(Ok(told));
        }
        if self.waits[from].is_none() {
            return Poll::Ready(Err(lost(from, Broken::Closed)));
        }
        self.waits[rank] = Some(Waiting { rank, sends_to: None, receives_from: Some(from) });
        Poll::Pending
    }

    /// The next message of `rank` to another.
    pub(super) fn outgoing(&mut self, rank: usize, to: usize, data: &[u8]) -> Outgoing {
        let nth = self.nth((rank, to), 0);
        Outgoing::new(to, data, nth, self.network.links, &mut self.spare)
    }

    /// The next message to `rank` from another, of this length.
    pub(super) fn incoming(&mut self, rank: usize, from: usize, length: usize) -> Incoming {
        let nth = self.nth((from, rank), 1);
        Incoming::new(from, length, nth, self.network.links, &mut self.spare)
    }

    /// The memory of parts that have passed.
    pub(super) fn give_back(&mut self, parts: Vec<Part>) {
        self.spare.extend(parts.into_iter().map(|part| part.bytes));
    }

    /// The number of the next message from one rank to another, for the sender (0) or the receiver (1). With one link all
    /// go the same way, and nobody counts.
    fn nth(&mut self, between: (usize, usize), of: usize) -> u64 {
        if self.network.links == 1 {
            return 0;
        }
        let nth = &mut self.passed.entry(between).or_default()[of];
        *nth += 1;
        *nth
    }

    /// Whether all of the message, if there is one, was sent.
    fn send(&mut self, rank: usize, out: &mut Option<Outgoing>) -> Result<bool, CommError> {
        let Some(out) = out else { return Ok(true) };
        if out.way.is_none() {
            out.way = self.way(rank, out.to)?;
        }
        let Some((first, side)) = out.way else { return Ok(false) };
        for part in &mut out.parts {
            while !part.is_done() {
                let World { kernel, stations, .. } = &mut self.network.world;
                match stations.write(first + part.link, side, &part.bytes[part.moved..], kernel) {
                    Ok(0) => break,
                    Ok(more) => part.moved += more,
                    Err(reason) => return Err(lost(out.to, reason)),
                }
                // What a rank sends next, to whomever, comes behind this.
                self.network.world.settle();
            }
        }
        Ok(out.is_done())
    }

    /// Whether all of the message, if there is one, was received.
    fn receive(&mut self, rank: usize, into: &mut Option<Incoming>) -> Result<bool, CommError> {
        let Some(into) = into else { return Ok(true) };
        if into.way.is_none() {
            into.way = self.way(rank, into.from)?;
        }
        let Some((first, side)) = into.way else { return Ok(false) };
        let World { kernel, stations, .. } = &mut self.network.world;
        let (from, length) = (into.from, into.length);
        for part in &mut into.parts {
            while !part.is_done() {
                match stations.read(first + part.link, side, &mut part.bytes[part.moved..], kernel) {
                    Ok(0) => break,
                    Ok(more) => part.moved += more,
                    Err(reason) => return Err(lost(from, reason)),
                }
                part.check(from, length)?;
            }
        }
        Ok(into.is_done())
    }

    /// The first flow between the two and the side of `rank`, once all of them are connected.
    fn way(&mut self, rank: usize, peer: usize) -> Result<Option<Way>, CommError> {
        let ranks = (rank.min(peer), rank.max(peer));
        let known = self.flows.get(&ranks).copied();
        if known.is_none() && self.waits[peer].is_none() {
            return Err(lost(peer, Broken::Closed));
        }
        let first = known.unwrap_or_else(|| self.join(ranks));
        let side = if rank == ranks.0 { Side::First } else { Side::Second };
        let settled = |flow| self.network.world.stations.is_settled(flow);
        Ok((first..first + self.network.links).all(settled).then_some((first, side)))
    }

    /// A flow on each link of the two; returns the first.
    fn join(&mut self, ranks: (usize, usize)) -> u32 {
        let joined: Vec<u32> =
            (0..self.network.links).map(|link| self.network.join(ranks.0, ranks.1, link)).collect();
        for flow in &joined {
            self.note(*flow, [ranks.0, ranks.1]);
            if !self.network.world.stations.is_settled(*flow) {
                self.connecting.push(*flow);
            }
        }
        self.flows.insert(ranks, joined[0]);
        joined[0]
    }
}

fn moved_all(out: &Option<Outgoing>) -> bool {
    out.as_ref().is_none_or(Outgoing::is_done)
}

fn taken_all(into: &Option<Incoming>) -> bool {
    into.as_ref().is_none_or(Incoming::is_done)
}

fn lost(peer: usize, reason: Broken) -> CommError {
    CommError::Lost { peer, reason: broken(reason).to_string() }
}
