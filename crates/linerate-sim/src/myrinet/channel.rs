//! One direction of a link, and who gets it.

use std::collections::VecDeque;

use super::parameters::Arbitration;

/// One direction of a link.
#[derive(Debug)]
pub(super) struct Channel {
    /// Of a byte in the cable. Unit: picoseconds.
    pub(super) cable: u64,
    /// The same and the latency of the switch at its end, if there is one. Unit: picoseconds.
    pub(super) delay: u64,
    /// The buffer whose first packet has it.
    pub(super) owner: Option<u32>,
    /// Whether that packet has begun.
    pub(super) begun: bool,
    /// Whether the other end has sent STOP and not yet GO.
    pub(super) stopped: bool,
    /// Buffers whose first packet waits for it, the oldest first.
    waiting: VecDeque<u32>,
    /// The buffer that had it last.
    last: u32,
}

impl Channel {
    pub(super) fn new(cable: u64, latency: u64) -> Self {
        Self {
            cable,
            delay: cable + latency,
            owner: None,
            begun: false,
            stopped: false,
            waiting: VecDeque::new(),
            last: 0,
        }
    }

    /// The first packet of `buffer` waits for it.
    pub(super) fn ask(&mut self, buffer: u32) {
        self.waiting.push_back(buffer);
    }

    /// The packet of `buffer` gets it without contention.
    pub(super) fn take(&mut self, buffer: u32) {
        (self.owner, self.begun, self.last) = (Some(buffer), false, buffer);
    }

    /// Grants it, if it is free, to a buffer that waits.
    pub(super) fn grant(&mut self, arbitration: Arbitration) -> Option<u32> {
        if self.owner.is_some() {
            return None;
        }
        let chosen = match arbitration {
            Arbitration::FirstCome => 0,
            // The first after the last, and if there is none the first of all.
            Arbitration::RoundRobin => {
                let last = self.last;
                let places = 0..self.waiting.len();
                places.min_by_key(|place| (self.waiting[*place] <= last, self.waiting[*place]))?
            }
        };
        let buffer = self.waiting.remove(chosen)?;
        self.take(buffer);
        Some(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(arbitration: Arbitration) -> Vec<u32> {
        let mut channel = Channel::new(0, 0);
        channel.take(5);
        [7, 2, 9, 5].into_iter().for_each(|buffer| channel.ask(buffer));
        assert_eq!(channel.grant(arbitration), None, "it is not free");
        std::iter::from_fn(|| {
            channel.owner = None;
            channel.grant(arbitration)
        })
        .collect()
    }

    #[test]
    fn an_output_goes_round_its_inputs_or_to_who_came_first() {
        assert_eq!(order(Arbitration::RoundRobin), [7, 9, 2, 5]);
        assert_eq!(order(Arbitration::FirstCome), [7, 2, 9, 5]);
    }
}
