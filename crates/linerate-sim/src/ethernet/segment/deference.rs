//! When a station that has a frame may begin: the two-part gap.
//!
//! Source: IEEE 802.3, 4.2.3.2.1 and the process Deference of 4.2.8. A station senses carrier
//! strictly after it arrives: carrier that comes at the very instant at which a part of the gap
//! ends, or a frame is ready, comes too late to count.

use linerate_core::units::{Span, Time};

/// Carrier at a station: from one transmission, its own or another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carrier {
    pub(super) start: Time,
    pub(super) end: Time,
    /// Its transmission has not ended: `end` is not certain.
    pub(super) active: bool,
    /// It is from the station itself.
    pub(super) own: bool,
}

/// Lengths of the gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// In which carrier restarts it.
    pub(super) part_1: Span,
    /// Both parts.
    pub(super) whole: Span,
}

/// The earliest start, now or later, of a station that has a frame and did not begin before now.
/// Absent while that depends on a transmission in progress.
///
/// Every transmission lasts longer than the gap's second part, so the end of each period of carrier
/// begins a gap, and no period is missed. A station that sent within the period does not restart
/// the gap's first part.
pub(super) fn earliest_start(carriers: &mut [Carrier], now: Time, gap: Gap) -> Option<Time> {
    carriers.sort_unstable_by_key(|carrier| carrier.start);
    let mut rest = &*carriers;
    let (mut restarted, mut uncertain) = (false, false);
    while let Some((period, after)) = first_period(rest) {
        rest = after;
        uncertain |= period.active;
        if !period.active && period.end + gap.whole < now {
            restarted = false;
            continue;
        }
        if !restarted && period.start >= now {
            return Some(now);
        }
        restarted = !period.own && rest.first().is_some_and(|next| next.start < period.end + gap.part_1);
        if !restarted {
            return (!uncertain).then_some(period.end + gap.whole);
        }
    }
    Some(now)
}

/// The first period of unbroken carrier, and what comes after it.
fn first_period(carriers: &[Carrier]) -> Option<(Carrier, &[Carrier])> {
    let (first, mut rest) = carriers.split_first()?;
    let mut period = *first;
    while let Some((next, after)) = rest.split_first()
        && next.start <= period.end
    {
        period.end = period.end.max(next.end);
        period.active |= next.active;
        period.own |= next.own;
        rest = after;
    }
    Some((period, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The gap in bits, as if a bit took a picosecond.
    const GAP: Gap = Gap { part_1: Span::from_ps(64), whole: Span::from_ps(96) };

    fn foreign(start: u64, end: u64) -> Carrier {
        Carrier { start: Time::from_ps(start), end: Time::from_ps(end), active: false, own: false }
    }

    fn own(start: u64, end: u64) -> Carrier {
        Carrier { own: true, ..foreign(start, end) }
    }

    fn start(carriers: &[Carrier], now: u64) -> Option<u64> {
        earliest_start(&mut carriers.to_vec(), Time::from_ps(now), GAP).map(Time::as_ps)
    }

    #[test]
    fn an_idle_medium_is_taken_at_once() {
        assert_eq!(start(&[], 7), Some(7));
        assert_eq!(start(&[foreign(0, 1_000)], 1_097), Some(1_097));
    }

    #[test]
    fn carrier_that_arrives_as_the_frame_is_ready_does_not_defer_it() {
        assert_eq!(start(&[foreign(500, 1_000)], 500), Some(500));
        assert_eq!(start(&[foreign(500, 1_000)], 501), Some(1_096));
    }

    #[test]
    fn carrier_in_part_1_restarts_the_gap_and_in_part_2_does_not() {
        let after = |second| start(&[foreign(0, 1_000), foreign(second, second + 200)], 900);
        assert_eq!(after(1_063), Some(1_063 + 200 + 96));
        assert_eq!(after(1_064), Some(1_096), "at the end of part 1 it comes too late");
        assert_eq!(after(1_095), Some(1_096));
    }

    #[test]
    fn who_sent_last_does_not_restart_part_1() {
        assert_eq!(start(&[own(0, 1_000), foreign(1_001, 1_300)], 1_000), Some(1_096));
        let mixed = [own(0, 1_000), foreign(990, 1_010), foreign(1_020, 1_300)];
        assert_eq!(start(&mixed, 1_000), Some(1_106), "its collision's last carrier begins the gap");
        assert_eq!(start(&[own(0, 1_000), foreign(1_000, 1_300)], 1_000), Some(1_396), "no carrier-off yet");
    }

    #[test]
    fn a_frame_that_comes_in_part_2_goes_at_its_end_and_one_after_it_defers_to_carrier() {
        let carriers = [foreign(0, 1_000), foreign(1_070, 2_000)];
        assert_eq!(start(&carriers, 1_080), Some(1_096));
        assert_eq!(start(&carriers, 1_096), Some(1_096));
        assert_eq!(start(&carriers, 1_097), Some(2_096));
    }

    #[test]
    fn nothing_is_planned_on_a_transmission_that_has_not_ended() {
        let active = |start, end| Carrier { active: true, ..foreign(start, end) };
        assert_eq!(start(&[active(0, 1_000)], 900), None);
        assert_eq!(start(&[foreign(0, 1_000), active(1_010, 1_300)], 1_020), None);
        assert_eq!(start(&[foreign(0, 1_000), active(1_070, 1_300)], 1_075), Some(1_096));
        assert_eq!(start(&[active(0, 1_000), foreign(1_010, 1_300)], 900), None);
    }

    /// The process Deference of the standard, bit by bit: whether the station defers at each
    /// instant up to `until`.
    fn process(carriers: &[Carrier], until: u64) -> Vec<bool> {
        let (mut busy, mut gap, mut was_transmitting) = (false, None, false);
        let mut deferring = Vec::new();
        for bit in 0..until {
            deferring.push(busy || gap.is_some());
            let heard = |own: bool| {
                let mut heard = carriers.iter().filter(|one| one.own || !own);
                heard.any(|one| one.start.as_ps() <= bit && bit < one.end.as_ps())
            };
            let carrier = heard(false);
            match gap {
                None if !busy => (busy, was_transmitting) = (carrier, heard(true)),
                None if carrier => was_transmitting |= heard(true),
                None => (busy, gap) = (false, Some(1)),
                Some(passed) if passed < 64 && carrier && !was_transmitting => (busy, gap) = (true, None),
                Some(passed) => gap = (passed < 95).then_some(passed + 1),
            }
        }
        deferring
    }

    proptest! {
        #[test]
        fn a_frame_begins_when_the_process_of_the_standard_lets_it(
            own in prop::option::of(96_u64..400),
            others in prop::collection::vec((0_u64..1_500, 96_u64..300), 0..6),
            now in 0_u64..2_000,
        ) {
            let mut carriers: Vec<Carrier> =
                others.iter().map(|(start, length)| foreign(*start, start + length)).collect();
            carriers.extend(own.map(|length| Carrier { own: true, ..foreign(0, length) }));
            let deferring = process(&carriers, 4_000);
            let first = (now..4_000).find(|bit| !deferring[*bit as usize]);
            prop_assert_eq!(start(&carriers, now), first);
        }
    }
}
