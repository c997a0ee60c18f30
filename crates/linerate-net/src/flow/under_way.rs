//! The requests in flight.

use std::collections::VecDeque;

use linerate_core::traffic::Request;
use linerate_core::units::{Span, Time};

/// The requests that were sent and are not done with, by their numbers. One that was answered
/// before its elders keeps its place for as long as they do.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    requests: VecDeque<Place>,
    /// The number of the first.
    first: u64,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    request: Request,
    answered: bool,
}

impl UnderWay {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.requests.len()
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// The number that the next request gets.
    pub(super) fn next_number(&self) -> u64 {
        self.first + self.requests.len() as u64
    }

    #[inline]
    pub(super) fn push(&mut self, request: Request) {
        self.requests.push_back(Place { request, answered: false });
    }

    /// The oldest was answered. Without requests in flight, nothing happens.
    #[inline]
    pub(super) fn answer_first(&mut self) -> Option<Request> {
        let place = self.requests.pop_front()?;
        self.first += 1;
        Some(place.request)
    }

    /// The request with this number was answered, or `None` if it is not in flight, or was answered
    /// before.
    pub(super) fn answer(&mut self, number: u64) -> Option<Request> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let place = self.requests.get_mut(place).filter(|place| !place.answered)?;
        place.answered = true;
        Some(place.request)
    }

    /// Drops the oldest as long as they were answered, or began longer than `patience` before
    /// `now`; how many of the latter there were.
    pub(super) fn expire(&mut self, now: Time, patience: Span) -> u64 {
        let mut lost = 0;
        while let Some(place) = self.requests.front() {
            if !place.answered && now.since(place.request.departed) < patience {
                break;
            }
            lost += u64::from(!place.answered);
            self.answer_first();
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_ps(0) + Span::from_ms(ms)
    }

    fn three() -> UnderWay {
        let mut under_way = UnderWay::default();
        for ms in [0, 1, 2] {
            under_way.push(Request { due: at(ms), departed: at(ms), warm: false });
        }
        under_way
    }

    #[test]
    fn responses_out_of_order_find_their_requests_once() {
        let mut under_way = three();
        assert_eq!(under_way.answer(2).map(|request| request.due), Some(at(2)));
        assert_eq!(under_way.answer(2), None, "again");
        assert_eq!(under_way.answer(3), None, "never sent");
        assert_eq!(under_way.expire(at(2), Span::from_ms(10)), 0);
        assert_eq!(under_way.len(), 3, "its elders are waited for");
        assert!(under_way.answer(0).is_some() && under_way.answer(1).is_some());
        assert_eq!(under_way.expire(at(2), Span::from_ms(10)), 0);
        assert!(under_way.is_empty());
        assert_eq!(under_way.next_number(), 3);
    }

    #[test]
    fn what_is_given_up_is_lost_and_its_late_response_finds_nothing() {
        let mut under_way = three();
        assert!(under_way.answer(1).is_some());
        assert_eq!(under_way.expire(at(11), Span::from_ms(10)), 1);
        assert_eq!(under_way.len(), 1);
        assert_eq!(under_way.answer(0), None);
        assert!(under_way.answer(2).is_some());
    }
}
