//! Which of a frame's copies count.
//!
//! Relays also copy frames to where no addressee is. In a tree there is one path to each station,
//! so of all copies of a frame only those on the path to an addressee count: the frame is delivered
//! when the addressee has it, and lost when the copy on that path is lost. A frame for everyone is
//! owed to every station but its source, and is held until each of them got it or lost it.

use std::collections::VecDeque;

use super::interface::{Interface, Whereabouts};
use crate::frame::{Destination, Frame, Station};

/// Frames taken from stations and neither delivered nor lost.
#[derive(Debug)]
pub(super) struct Accounts {
    stations: u32,
    /// For each relay: by which of its ports each station is reached.
    routes: Vec<Vec<Option<u32>>>,
    /// For each relay: how many stations are reached by each of its ports.
    behind: Vec<Vec<u32>>,
    held: u64,
    /// Frames for everyone, oldest first, and to how many each is still owed.
    broadcasts: VecDeque<(Frame, u32)>,
}

impl Accounts {
    /// Nothing taken yet. `routes` says for each relay by which port each station is reached.
    pub(super) fn new(stations: usize, routes: Vec<Vec<Option<u32>>>, ports: &[usize]) -> Self {
        let count = |(routes, ports): (&Vec<Option<u32>>, &usize)| {
            let mut behind = vec![0; *ports];
            for port in routes.iter().flatten() {
                behind[*port as usize] += 1;
            }
            behind
        };
        let behind = routes.iter().zip(ports).map(count).collect();
        Self { stations: stations as u32, routes, behind, held: 0, broadcasts: VecDeque::new() }
    }

    /// Frames taken and neither delivered nor lost.
    pub(super) const fn held(&self) -> u64 {
        self.held
    }

    /// A frame was taken from its source.
    pub(super) fn take(&mut self, frame: Frame) {
        let owed = self.owed(&frame, Whereabouts::Leaving(Interface::Station(frame.source.0)));
        if owed == 0 {
            return;
        }
        self.held += 1;
        if frame.destination == Destination::Everyone {
            self.broadcasts.push_back((frame, owed));
        }
    }

    /// Whether `station` is an addressee of the frame.
    pub(super) fn is_for(frame: &Frame, station: u32) -> bool {
        match frame.destination {
            Destination::Station(destination) => destination.0 == station,
            Destination::Everyone => frame.source.0 != station,
            Destination::Link => true,
        }
    }

    /// To how many addressees a copy is on the way.
    pub(super) fn owed(&self, frame: &Frame, whereabouts: Whereabouts) -> u32 {
        match frame.destination {
            Destination::Link => 0,
            Destination::Everyone => self.audience(whereabouts),
            Destination::Station(station) => u32::from(self.leads_to(station, frame, whereabouts)),
        }
    }

    /// This many addressees got it, or will not get it.
    pub(super) fn settle(&mut self, frame: &Frame, count: u32) {
        if count == 0 || frame.destination == Destination::Link {
            return;
        }
        if frame.destination != Destination::Everyone {
            self.held -= 1;
            return;
        }
        // Equal frames of one source cannot be told apart, and need not be.
        let found = self.broadcasts.iter().position(|(held, _)| held == frame);
        let place = found.expect("a frame that is still owed was taken");
        let owed = &mut self.broadcasts[place].1;
        *owed -= count;
        if *owed == 0 {
            self.broadcasts.remove(place);
            self.held -= 1;
        }
    }

    fn audience(&self, whereabouts: Whereabouts) -> u32 {
        match whereabouts {
            Whereabouts::Leaving(Interface::Station(_)) => self.stations - 1,
            Whereabouts::Entered(Interface::Station(_)) => 1,
            Whereabouts::Leaving(Interface::Relay { relay, port }) => {
                self.behind[relay as usize][port as usize]
            }
            Whereabouts::Entered(Interface::Relay { relay, port }) => {
                self.stations - self.behind[relay as usize][port as usize]
            }
        }
    }

    fn leads_to(&self, station: Station, frame: &Frame, whereabouts: Whereabouts) -> bool {
        // A frame to its own source or to nobody has no addressee to wait for.
        if station.0 >= self.stations || station == frame.source {
            return false;
        }
        let route = |relay: u32| self.routes[relay as usize][station.index()];
        match whereabouts {
            Whereabouts::Leaving(Interface::Station(_)) => true,
            Whereabouts::Entered(Interface::Station(here)) => here == station.0,
            Whereabouts::Leaving(Interface::Relay { relay, port }) => route(relay) == Some(port),
            Whereabouts::Entered(Interface::Relay { relay, port }) => route(relay) != Some(port),
        }
    }
}
