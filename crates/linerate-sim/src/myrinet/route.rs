//! Which channels there are, and which one a packet takes next.
//!
//! A channel is one direction of a link. A packet goes up until it is at a switch that has its
//! destination below it, and then down: no packet that goes down waits for one that goes up, so
//! none can wait for itself (up*/down* routing on a tree).

use super::parameters::{Parameters, Topology};

/// The numbers of the channels: from each station up, to each station down, from each lower switch
/// up to the one that connects them, and down to each lower switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routes {
    stations: u32,
    /// Stations of a lower switch; all of them if there is one switch only.
    below: u32,
    /// Lower switches with a link to another. `None` if there is only one switch.
    switches: u32,
}

impl Routes {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let stations = parameters.stations;
        let below = match parameters.topology {
            Topology::Crossbar => stations,
            Topology::Tree { stations_per_switch } => stations_per_switch.min(stations),
        };
        let switches = stations.div_ceil(below);
        Self { stations, below, switches: if switches > 1 { switches } else { 0 } }
    }

    pub(super) fn channels(&self) -> u32 {
        2 * self.stations + 2 * self.switches
    }

    /// The channel from `station` to its switch.
    pub(super) fn up(&self, station: u32) -> u32 {
        station
    }

    /// The channel to `station` from its switch.
    pub(super) fn down(&self, station: u32) -> u32 {
        self.stations + station
    }

    /// The station that the channel ends at, if it is one.
    pub(super) fn station_at_end(&self, channel: u32) -> Option<u32> {
        channel.checked_sub(self.stations).filter(|station| *station < self.stations)
    }

    /// Whether the channel connects two switches.
    pub(super) fn is_trunk(&self, channel: u32) -> bool {
        channel >= 2 * self.stations
    }

    /// How many switches there are between two stations.
    pub(super) fn hops(&self, from: u32, to: u32) -> u32 {
        if from / self.below == to / self.below { 1 } else { 3 }
    }

    /// Where a packet for `to` goes on when it has come to the switch at the end of `channel`.
    pub(super) fn next(&self, channel: u32, to: u32) -> u32 {
        let trunks = 2 * self.stations;
        let below = to / self.below;
        let at = match channel {
            up if up < self.stations => up / self.below,
            up if up < trunks + self.switches => return trunks + self.switches + below,
            down => down - trunks - self.switches,
        };
        if at == below { self.down(to) } else { trunks + at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_stations_is_connected_by_as_many_switches_as_its_route_says() {
        for topology in [1, 2, 3, 7, 9]
            .map(|stations_per_switch| Topology::Tree { stations_per_switch })
            .into_iter()
            .chain([Topology::Crossbar])
        {
            let routes = Routes::new(&Parameters { topology, ..Parameters::lan(7) });
            for (from, to) in (0..49).map(|pair| (pair / 7, pair % 7)) {
                let (mut channel, mut hops) = (routes.up(from), 0);
                while routes.station_at_end(channel).is_none() {
                    assert!(channel < routes.channels());
                    channel = routes.next(channel, to);
                    hops += 1;
                }
                assert_eq!(
                    (channel, hops),
                    (routes.down(to), routes.hops(from, to)),
                    "{topology:?} {from} {to}"
                );
            }
        }
    }
}
