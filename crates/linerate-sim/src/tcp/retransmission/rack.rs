//! Losses by the time of sending: RACK, RFC 8985, section 6.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};

use super::Scoreboard;
use super::scoreboard::Delivered;

/// What was sent when, and what was sent last of what has arrived.
#[derive(Debug)]
pub(in crate::tcp) struct Rack {
    /// Every transmission that may be on its way, by its time; where its segment ends.
    sent: VecDeque<(Time, u64)>,
    /// The most recently sent of what was delivered: `RACK.xmit_ts` and `RACK.end_seq`.
    latest: (Time, u64),
    /// The round trip of that.
    rtt: Span,
    /// Segments were seen to overtake others.
    reordering: bool,
    /// When what was overtaken counts as lost.
    pub(in crate::tcp) deadline: Option<Time>,
}

/// What the reordering window depends on (RFC 8985, 6.2, step 4).
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Patience {
    /// Least and smoothed round trip.
    pub(in crate::tcp) least: Span,
    pub(in crate::tcp) smoothed: Span,
    /// A loss is being repaired, or as many segments were selected as duplicates mean a loss.
    pub(in crate::tcp) is_sure: bool,
}

impl Rack {
    pub(in crate::tcp) const fn new() -> Self {
        Self {
            sent: VecDeque::new(),
            latest: (Time::ZERO, 0),
            rtt: Span::ZERO,
            reordering: false,
            deadline: None,
        }
    }

    /// A segment that ends at `to` leaves, for the first time or again.
    pub(in crate::tcp) fn sent(&mut self, to: u64, now: Time) {
        self.sent.push_back((now, to));
    }

    /// Something was delivered (6.2, steps 1 to 3).
    pub(in crate::tcp) fn delivered(&mut self, delivered: &Delivered, now: Time) {
        self.reordering |= delivered.reordered;
        let Some(latest) = delivered.latest else { return };
        if (latest.at, latest.to) > self.latest {
            self.latest = (latest.at, latest.to);
            self.rtt = now.since(latest.at);
        }
    }

    /// How much later than the latest something may arrive that left before it (6.2, step 4).
    fn window(&self, patience: Patience) -> Span {
        if !self.reordering && patience.is_sure {
            return Span::ZERO;
        }
        (patience.least / 4).min(patience.smoothed)
    }

    /// Takes as lost what left so long before the latest that it would have arrived (6.2, step 5).
    pub(in crate::tcp) fn find_lost(&mut self, board: &mut Scoreboard, patience: Patience, now: Time) {
        self.deadline = None;
        let grace = self.rtt + self.window(patience);
        while let Some(&(at, to)) = self.sent.front() {
            if to > board.first() {
                if (at, to) >= self.latest {
                    break;
                }
                if at + grace > now && board.is_sent(to, at) {
                    self.deadline = Some(at + grace);
                    break;
                }
                board.lose_sent(to, at);
            }
            self.sent.pop_front();
        }
    }

    /// The timer of retransmission ran out: the first segment is lost, and what has had the time to
    /// arrive (6.3).
    pub(in crate::tcp) fn timed_out(&mut self, board: &mut Scoreboard, patience: Patience, now: Time) {
        self.deadline = None;
        let grace = self.rtt + self.window(patience);
        board.lose_older(Time::from_ps(now.as_ps().saturating_sub(grace.as_ps())));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sent;
    use super::*;
    use crate::tcp::SackBlocks;
    use crate::tcp::delivery::Before;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    const SURE: Patience = Patience { least: Span::from_ms(10), smoothed: Span::from_ms(10), is_sure: true };
    const UNSURE: Patience = Patience { is_sure: false, ..SURE };

    /// Ten segments of 100 B, a millisecond apart from 0.
    fn ten() -> (Scoreboard, Rack) {
        let (mut board, mut rack) = (Scoreboard::new(), Rack::new());
        board.push(Sent::new(0, 1, false, Time::ZERO));
        board.acknowledge(1);
        board.take_delivered();
        for number in 0..10 {
            board.push(Sent::new(1 + number * 100, 101 + number * 100, false, at(number)));
            rack.sent(101 + number * 100, at(number));
        }
        (board, rack)
    }

    fn select(board: &mut Scoreboard, rack: &mut Rack, range: [u64; 2], now: Time) {
        let mut blocks = SackBlocks::NONE;
        blocks.push(range);
        board.believe(Time::from_ps(now.as_ps().saturating_sub(Span::from_ms(10).as_ps())));
        board.select(&blocks);
        rack.delivered(&board.take_delivered(), now);
    }

    fn lost(board: &Scoreboard) -> Option<u64> {
        board.next_lost().map(|segment| segment.from)
    }

    #[test]
    fn what_left_before_what_has_arrived_is_lost_after_a_quarter_of_a_round_trip_6_2() {
        let (mut board, mut rack) = ten();
        select(&mut board, &mut rack, [101, 201], at(11));
        rack.find_lost(&mut board, UNSURE, at(11));
        assert_eq!((lost(&board), rack.deadline), (None, Some(at(10) + Span::from_us(2500))));
        rack.find_lost(&mut board, UNSURE, at(10) + Span::from_us(2500));
        assert_eq!((lost(&board), rack.deadline), (Some(1), None));
    }

    #[test]
    fn without_reordering_a_sure_loss_waits_for_nothing_6_2_step_4() {
        let (mut board, mut rack) = ten();
        select(&mut board, &mut rack, [201, 501], at(14));
        rack.find_lost(&mut board, SURE, at(14));
        assert_eq!(board.pipe(), 1000 - 300 - 200);
        assert_eq!(lost(&board), Some(1));
    }

    #[test]
    fn a_repeat_that_is_lost_is_found_by_what_left_after_it() {
        let (mut board, mut rack) = ten();
        select(&mut board, &mut rack, [101, 401], at(13));
        rack.find_lost(&mut board, SURE, at(13));
        board.sent_again(at(14), Before::default());
        rack.sent(101, at(14));
        board.push(Sent::new(1001, 1101, false, at(15)));
        rack.sent(1101, at(15));
        assert_eq!(lost(&board), None);
        // All that left before the repeat arrives: it may still come.
        select(&mut board, &mut rack, [101, 1001], at(19));
        rack.find_lost(&mut board, SURE, at(19));
        assert_eq!(lost(&board), None);
        // What left after it arrives: it was lost too.
        select(&mut board, &mut rack, [101, 1101], at(25));
        rack.find_lost(&mut board, SURE, at(25));
        assert_eq!((lost(&board), board.pipe()), (Some(1), 0));
    }

    #[test]
    fn an_acknowledgement_sooner_than_a_round_trip_is_of_the_original_6_2_step_2() {
        let (mut board, mut rack) = ten();
        select(&mut board, &mut rack, [101, 401], at(13));
        rack.find_lost(&mut board, SURE, at(13));
        board.sent_again(at(14), Before::default());
        rack.sent(101, at(14));
        board.believe(at(5));
        board.acknowledge(401);
        let delivered = board.take_delivered();
        assert_eq!((delivered.bytes, delivered.latest.map(|sent| sent.to)), (100, None));
    }

    #[test]
    fn a_timeout_takes_the_first_as_lost_and_what_is_old_enough_6_3() {
        let (mut board, mut rack) = ten();
        select(&mut board, &mut rack, [101, 201], at(11));
        // 10 ms of round trip: what left before 4 ms is lost.
        rack.timed_out(&mut board, SURE, at(14));
        assert_eq!(board.pipe(), 1000 - 100 - 100 - 300);
    }

    #[test]
    fn seen_reordering_keeps_the_window_6_2_step_4() {
        let (mut board, mut rack) = ten();
        select(&mut board, &mut rack, [201, 301], at(12));
        select(&mut board, &mut rack, [101, 301], at(13));
        assert!(rack.reordering);
        assert_eq!(rack.window(SURE), Span::from_us(2500));
    }
}
