//! The whole measurement on this host, with the least time.

use super::*;

/// Ends the measurement before part `last`.
struct Until {
    last: usize,
    begun: Vec<usize>,
}

impl LimitsWatch for Until {
    fn part(&mut self, _what: &str, number: usize, all: usize) {
        assert_eq!(all, PASSES * NOISE + 1);
        self.begun.push(number);
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.begun.last().is_some_and(|number| *number >= self.last) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn measured_until(last: usize) -> (HostLimits, Vec<usize>) {
    let mut watch = Until { last, begun: Vec::new() };
    let asked = Asked { time: Span::from_ms(1), quick: true };
    let limits = measure(&HostClock::start(), asked, &mut watch).expect("memory is right");
    (limits, watch.begun)
}

#[test]
fn everything_is_measured_or_says_why_not() {
    let (limits, begun) = measured_until(usize::MAX);
    assert!(begun.iter().copied().eq(0..=PASSES * NOISE), "every part once, in order: {begun:?}");
    assert!(limits.quick && !limits.interrupted && limits.took > Span::ZERO);
    let memory = limits.memory.known().expect("there is memory for small arrays");
    assert!(memory.threads.first().is_some_and(|it| it.threads == 1), "{memory:?}");
    assert!(!memory.working_sets.is_empty(), "{memory:?}");
    let small = |caution: &LimitCaution| matches!(caution, LimitCaution::SmallArrays { .. });
    assert!(limits.cautions.iter().any(small), "a millisecond is no time for large arrays");
    assert!(limits.copy_time(1_000) > Some(Span::ZERO) && limits.system_call() > Some(Span::ZERO));
    let calls = limits.calls.known().expect("it was reached");
    assert_eq!(calls.wake_ups.len(), 3);
    let unknown = calls.wake_ups.iter().filter_map(|it| match &it.time_ns {
        Fact::Unknown { unknown } => Some(unknown),
        Fact::Known(_) => None,
    });
    assert!(unknown.into_iter().all(|why| !why.is_empty()));
}

#[test]
fn what_was_measured_when_the_user_ends_it_is_kept() {
    let (limits, begun) = measured_until(2);
    assert_eq!(begun, [0, 1, 2]);
    assert!(limits.interrupted && limits.memory.known().is_some());
    assert!(limits.copies.known().is_some_and(|copies| copies.len() == 1), "the size that was begun");
    assert_eq!(limits.calls, Fact::unknown(NOT_REACHED));
    assert_eq!(limits.packets, Fact::unknown(NOT_REACHED));
    assert_eq!(limits.state.noise, Fact::unknown(NOT_REACHED));
}
