//! The statistics of a network's queues and ports.

use linerate_core::units::Time;

use super::interface::{Interface, Line};
use super::nodes::Kind;
use super::{Network, QueueReport};
use crate::ethernet::pause::Gauge;
use crate::fabric::{Fabric as _, MacCounters};
use crate::frame::Port;

impl Network {
    /// Every queue and buffer, relays first, up to the instant `now`: `switch 0 port 3 out`,
    /// `distributor 0 port 1 in`, `station 2 receive`. Ports are counted from 0.
    #[must_use]
    pub fn queues(&self, now: Time) -> Vec<QueueReport> {
        let mut reports = Vec::new();
        for relay in &self.nodes.relays {
            match &relay.kind {
                Kind::Switch(switch) => switch.reports(&relay.name, now, &mut reports),
                Kind::Distributor(distributor) => distributor.reports(&relay.name, now, &mut reports),
                Kind::Hub => {}
            }
        }
        for station in &self.nodes.stations {
            if let Some(receiver) = &station.receiver {
                reports.push(receiver.input.report(format!("{} receive", station.name), now));
            }
        }
        reports
    }

    /// How many ports with a MAC `relay` has, by its number in the topology. A hub has no MAC.
    ///
    /// # Panics
    ///
    /// If there is no such relay.
    #[must_use]
    pub fn relay_ports(&self, relay: usize) -> usize {
        self.nodes.relays[relay].lines.len()
    }

    /// What the MAC at `port` of `relay` counted.
    ///
    /// # Panics
    ///
    /// If there is no such relay or port.
    #[must_use]
    pub fn relay_counters(&self, relay: usize, port: usize) -> MacCounters {
        self.line_counters(self.nodes.relays[relay].lines[port])
    }

    /// What the MAC of `station` counted; received is what its host took, not what passed by.
    pub(super) fn station_counters(&self, station: u32) -> MacCounters {
        let line = self.nodes.line(Interface::Station(station));
        let received = self.nodes.stations[station as usize].received;
        MacCounters { received, ..self.line_counters(line) }
    }

    fn line_counters(&self, line: Line) -> MacCounters {
        match line {
            Line::Link { link, side } => self.links[link].counters(Port(side)),
            Line::Segment { segment, seat } => self.segments[segment].counters(Port(seat)),
        }
    }
}

impl QueueReport {
    /// The statistics of `gauge` up to `now`.
    pub(super) fn of(gauge: &Gauge, name: String, now: Time) -> Self {
        Self {
            name,
            capacity: gauge.capacity(),
            peak: gauge.peak(),
            mean: gauge.mean_level(now),
            overflow: gauge.overflows(),
            marked: 0,
            early: 0,
        }
    }
}
