//! Where the token is, and what each station's rotation timer (TRT) shows.
//!
//! A TRT is kept as the instant at which it runs out for the first time after the last visit of
//! the token. An early token starts it anew; a late one finds it started anew when it ran out
//! (and the late count at one, which it clears), so the timer then runs out one TTRT later
//! than it did. Visits to stations that do not send are worked out only when the token is needed.

use linerate_core::units::{Span, Time};

use super::parameters::Parameters;

/// The token and the timers that its visits set.
#[derive(Debug)]
pub(super) struct Token {
    /// Target token rotation time. Unit: picoseconds.
    target: u64,
    /// Rotation time of an idle token: the ring latency. Unit: picoseconds.
    rotation: u64,
    /// From station 0 to each. Unit: picoseconds.
    places: Vec<u64>,
    /// When each TRT runs out. Unit: picoseconds.
    deadlines: Vec<u64>,
    /// The last station whose timer has been worked out, and when the token left it.
    from: usize,
    left: u64,
}

impl Token {
    /// Leaves station 0 at time zero after an idle rotation.
    pub(super) fn new(parameters: &Parameters) -> Self {
        let mut places = vec![0; parameters.stations.len()];
        for station in 1..places.len() {
            places[station] = places[station - 1] + parameters.hop(station - 1).as_ps();
        }
        let rotation = parameters.ring_latency().as_ps();
        let target = parameters.ttrt.as_ps();
        let deadlines =
            places.iter().map(|place| if *place == 0 { target } else { place + target - rotation }).collect();
        Self { target, rotation, places, deadlines, from: 0, left: 0 }
    }

    /// Where it is, or left last.
    pub(super) fn station(&self) -> usize {
        self.from
    }

    /// The time of a bit from one station to another downstream; once round to itself.
    pub(super) fn distance(&self, from: usize, to: usize) -> Span {
        let (from, to) = (self.places[from], self.places[to]);
        Span::from_ps(if to > from { to - from } else { self.rotation - (from - to) })
    }

    /// As [`Self::distance`], from the station that it left last.
    pub(super) fn distance_to(&self, to: usize) -> Span {
        self.distance(self.from, to)
    }

    /// When it first comes to `station`, not before `now`, if nobody takes it.
    pub(super) fn next_visit(&self, station: usize, now: Time) -> Time {
        let first = self.first_visit(station);
        let rotations = now.as_ps().saturating_sub(first).div_ceil(self.rotation);
        Time::from_ps(first + rotations * self.rotation)
    }

    /// Whether it will be early at `station` when it first comes there.
    pub(super) fn early_at(&self, station: usize) -> bool {
        self.first_visit(station) < self.deadlines[station]
    }

    fn first_visit(&self, station: usize) -> u64 {
        self.left + self.distance_to(station).as_ps()
    }

    /// It comes to `station` now, having been taken by nobody on the way: sets the timer and gives
    /// for how long asynchronous frames may begin (THT), zero if it is late.
    pub(super) fn visit(&mut self, station: usize, now: Time) -> Span {
        let now = now.as_ps();
        self.settle(now);
        let holding = self.deadlines[station].saturating_sub(now);
        self.pass(station, now, 1);
        (self.from, self.left) = (station, now);
        Span::from_ps(holding)
    }

    /// Its last bit leaves, at `when`, the station that it visits.
    pub(super) fn leave(&mut self, when: Time) {
        self.left = when.as_ps();
    }

    /// Works out the visits before `until` since it left a station.
    fn settle(&mut self, until: u64) {
        let rotations = (until - self.left).saturating_sub(1) / self.rotation;
        if rotations > 0 {
            for station in 0..self.places.len() {
                self.pass(station, self.first_visit(station), rotations);
            }
            self.left += rotations * self.rotation;
        }
        for step in 1..self.places.len() {
            let station = (self.from + step) % self.places.len();
            let visit = self.first_visit(station);
            if visit >= until {
                break;
            }
            self.pass(station, visit, 1);
        }
    }

    /// The effect on a timer of this many visits, the first at `first` and then one each idle
    /// rotation.
    fn pass(&mut self, station: usize, first: u64, visits: u64) {
        let deadline = &mut self.deadlines[station];
        // A late visit puts the timer off by a target, and the next visit comes a rotation later:
        // each of them makes up the difference, and once early it stays so.
        let late = match first.checked_sub(*deadline) {
            None => 0,
            Some(_) if visits == 1 => 1,
            Some(by) => by / (self.target - self.rotation) + 1,
        };
        debug_assert!(*deadline + self.target > first, "no rotation takes two targets (X3.139)");
        *deadline = if visits <= late {
            *deadline + visits * self.target
        } else {
            first + (visits - 1) * self.rotation + self.target
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fddi::parameters::StationParameters;

    fn ring(latencies_us: &[u64]) -> Token {
        let station = |us: &u64| StationParameters { latency: Span::from_us(*us), ..Default::default() };
        let stations = latencies_us.iter().map(station).collect();
        Token::new(&Parameters { ttrt: Span::from_ms(4), stations })
    }

    proptest! {
        /// Rotations that are skipped leave every timer as if each visit had been looked at.
        #[test]
        fn idle_rotations_in_one_step_are_as_one_by_one(
            latencies in prop::collection::vec(1..100_u64, 2..12), long in 1..2_700_u64,
            kept in 0..3_900_u64, until in 1..40_000_u64, choice in 0..12_usize
        ) {
            let mut latencies = latencies;
            latencies[0] += long;
            let mut token = ring(&latencies);
            let target = choice % latencies.len();
            // A station kept the token so long that it is late for some others.
            token.visit(1, token.next_visit(1, Time::ZERO));
            let left = Time::from_ps(token.left) + Span::from_us(kept);
            token.leave(left);
            let mut deadlines = token.deadlines.clone();
            let now = left + Span::from_us(until);
            let at = token.next_visit(target, now);

            let (mut station, mut time) = (1, left);
            let holding = loop {
                time = time + token.distance(station, (station + 1) % latencies.len());
                station = (station + 1) % latencies.len();
                let deadline = &mut deadlines[station];
                let early = deadline.saturating_sub(time.as_ps());
                *deadline = if early > 0 { time.as_ps() } else { *deadline } + token.target;
                if time == at {
                    break early;
                }
            };
            prop_assert_eq!(station, target);
            prop_assert_eq!(token.visit(target, at), Span::from_ps(holding));
            prop_assert_eq!(token.deadlines, deadlines);
        }
    }

    #[test]
    fn the_first_visit_is_not_before_now_and_may_be_now() {
        let token = ring(&[10, 20, 30]);
        // Each latency is on the way into its station; fibre adds 20 m of 5.085 ns each hop.
        let hop = |us, hops: u64| Time::ZERO + Span::from_us(us) + Span::from_ps(101_700 * hops);
        assert_eq!(token.next_visit(1, Time::ZERO), hop(20, 1));
        assert_eq!(token.next_visit(1, hop(20, 1)), hop(20, 1));
        assert_eq!(token.next_visit(1, hop(20, 1) + Span::from_ps(1)), hop(80, 4));
        assert_eq!(token.next_visit(0, Time::ZERO), hop(60, 3));
    }
}
