//! When the requests of one flow begin.

use super::RrPlan;
use crate::units::{Span, Time};

/// How long after its end an open loop still sends requests that were due before. A sender that is
/// further behind does not catch up; it reports how many it has not sent.
const CATCH_UP: Span = Span::from_ms(1_000);

/// When the requests of one flow begin, which of them are warm-up, and when there are no more.
#[derive(Clone, Debug)]
pub struct Schedule {
    flow: u32,
    begin: Time,
    warm_up: Span,
    warm_until: Time,
    end: Option<Time>,
    count: Option<u64>,
    slots: Option<Slots>,
    begun: u64,
    counted: u64,
}

/// The moments of an open loop.
#[derive(Clone, Copy, Debug)]
struct Slots {
    first: Time,
    /// Not rounded, so that the rate stays right after many steps. Unit: picoseconds.
    step_ps: f64,
}

impl Schedule {
    /// The schedule of flow `flow` of `plan`, from `begin` on. It lasts `time` after the warm-up,
    /// or until the plan's count if there is no `time`, or whichever is first.
    ///
    /// The flows of an open loop take turns: each has the plan's rate over the number of flows, and
    /// begins one step of the whole rate after the one before.
    #[must_use]
    pub fn new(plan: &RrPlan, begin: Time, time: Option<Span>, flow: u32) -> Self {
        let warm_until = begin + plan.warm_up;
        let slots = plan.rate.map(|rate| {
            let whole_ps = 1e12 / rate;
            let phase = Span::from_ps((whole_ps * f64::from(flow)) as u64);
            Slots { first: begin + phase, step_ps: whole_ps * f64::from(plan.flows.max(1)) }
        });
        let end = time.map(|time| warm_until + time);
        Self {
            flow,
            begin,
            warm_up: plan.warm_up,
            warm_until,
            end,
            count: plan.count,
            slots,
            begun: 0,
            counted: 0,
        }
    }

    /// The number of its flow.
    #[must_use]
    pub const fn flow(&self) -> u32 {
        self.flow
    }

    /// How long requests are sent, warm-up included, if a time bounds them and no count.
    #[must_use]
    pub fn lasts(&self) -> Option<Span> {
        self.end.filter(|_| self.count.is_none()).map(|end| end.since(self.begin))
    }

    /// When the first request may begin.
    #[must_use]
    pub const fn begin(&self) -> Time {
        self.begin
    }

    /// Whether requests are sent whether or not the responses have come.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.slots.is_some()
    }

    /// When the next request is due, as seen at `now`, or `None` when there are no more.
    #[inline]
    #[must_use]
    pub fn due(&self, now: Time) -> Option<Time> {
        if self.count.is_some_and(|count| self.counted >= count) {
            return None;
        }
        let due = self.slots.map_or(now.max(self.begin), |slots| slots.at(self.begun));
        let over = match (self.end, self.slots) {
            (None, _) => false,
            (Some(end), None) => due >= end,
            (Some(end), Some(_)) => due >= end || now >= end + CATCH_UP,
        };
        (!over).then_some(due)
    }

    /// Notes that the request that was due at `due` begins; whether it is part of the warm-up.
    #[inline]
    pub fn begins(&mut self, due: Time) -> bool {
        if self.begun == 0 && self.slots.is_none() {
            // Whose thread came late still warms up.
            self.warm_until = due + self.warm_up;
        }
        self.begun += 1;
        let warm = due < self.warm_until;
        self.counted += u64::from(!warm);
        warm
    }

    /// How many requests of an open loop were due before its end and did not begin.
    #[must_use]
    pub fn unsent(&self) -> u64 {
        let (Some(end), Some(slots)) = (self.end, self.slots) else { return 0 };
        let left = end.since(slots.at(self.begun));
        let due = (left.as_ps() as f64 / slots.step_ps).ceil() as u64;
        self.count.map_or(due, |count| due.min(count.saturating_sub(self.counted)))
    }
}

impl Slots {
    #[inline]
    fn at(&self, place: u64) -> Time {
        self.first + Span::from_ps((self.step_ps * place as f64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: Time = Time::from_ps(0);

    fn at(ms: u64) -> Time {
        ZERO + Span::from_ms(ms)
    }

    /// When requests begin that are sent as soon as they are due.
    fn moments(mut schedule: Schedule) -> Vec<(Time, bool)> {
        let mut now = schedule.begin();
        let mut moments = Vec::new();
        while let Some(due) = schedule.due(now) {
            now = due;
            moments.push((due, schedule.begins(due)));
        }
        moments
    }

    #[test]
    fn the_flows_of_an_open_loop_take_turns_and_keep_the_rate_together() {
        let plan = RrPlan { rate: Some(1_000.0), flows: 2, warm_up: Span::from_ms(2), ..RrPlan::default() };
        let flows = [0, 1].map(|flow| moments(Schedule::new(&plan, at(10), Some(Span::from_ms(4)), flow)));
        assert_eq!(flows[0], [(at(10), true), (at(12), false), (at(14), false)]);
        assert_eq!(flows[1], [(at(11), true), (at(13), false), (at(15), false)]);
    }

    #[test]
    fn a_rate_that_is_no_whole_number_of_picoseconds_does_not_drift() {
        let plan = RrPlan { rate: Some(3.0), ..RrPlan::default() };
        let schedule = Schedule { begun: 3_000_000, ..Schedule::new(&plan, ZERO, None, 0) };
        assert_eq!(schedule.due(ZERO), Some(at(1_000_000_000)));
    }

    #[test]
    fn a_count_is_of_what_follows_the_warm_up() {
        let plan =
            RrPlan { rate: Some(1_000.0), count: Some(3), warm_up: Span::from_ms(2), ..RrPlan::default() };
        let moments = moments(Schedule::new(&plan, ZERO, None, 0));
        assert_eq!(
            moments.iter().map(|(_, warm)| *warm).collect::<Vec<_>>(),
            [true, true, false, false, false]
        );
    }

    #[test]
    fn a_closed_loop_that_begins_late_still_warms_up() {
        let plan = RrPlan { warm_up: Span::from_ms(5), ..RrPlan::default() };
        let mut schedule = Schedule::new(&plan, at(10), Some(Span::from_ms(100)), 0);
        assert!(schedule.begins(at(30)), "15 ms after the warm-up would have ended");
        assert!(schedule.begins(at(34)));
        assert!(!schedule.begins(at(35)));
        // The end stays where it was: other loads keep to it.
        assert!(schedule.due(at(114)).is_some());
        assert_eq!(schedule.due(at(115)), None);
    }

    #[test]
    fn who_cannot_keep_up_says_how_much_was_not_sent() {
        let plan = RrPlan { rate: Some(1_000.0), ..RrPlan::default() };
        let mut schedule = Schedule::new(&plan, ZERO, Some(Span::from_ms(100)), 0);
        let first = schedule.due(ZERO).expect("there is one");
        schedule.begins(first);
        assert_eq!(schedule.due(at(1_099)), Some(at(1)), "late, and not skipped");
        assert_eq!(schedule.due(at(1_100)), None, "too late");
        assert_eq!(schedule.unsent(), 99);
    }

    #[test]
    fn a_closed_loop_ends_with_its_time() {
        let schedule = Schedule::new(&RrPlan::default(), at(5), Some(Span::from_ms(10)), 0);
        assert_eq!(schedule.due(ZERO), Some(at(5)), "not before its begin");
        assert_eq!(schedule.due(at(14)), Some(at(14)));
        assert_eq!(schedule.due(at(15)), None);
        assert_eq!(schedule.unsent(), 0);
    }
}
