//! Threads that run the kernels together over their parts of the arrays.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::host_limits::{Kernel, StreamRates};
use linerate_core::units::{Span, Time};

use super::WrongResult;
use super::arrays::Arrays;
use super::kernels::{MOST_PASSES, Part, validate};
use crate::observe::{HostClock, pin_to};

/// Passes, at least: two after the first. The interval is over such measurements.
const FEWEST_PASSES: usize = 3;
/// Passes where these take too long already: one after the first.
const TWO: usize = 2;
/// How many times its time a team may take for these passes.
const PATIENCE: u64 = 2;

/// Who touches the memory first, and who runs the kernels then: a thread on each processor.
pub(super) struct Team<'a> {
    pub(super) touchers: &'a [u32],
    pub(super) runners: &'a [u32],
    /// Whether the user wants it to go on.
    pub(super) goes_on: &'a (dyn Fn() -> bool + Sync),
}

/// When a kernel began and ended on one thread.
type Times = [(Time, Time); 4];

impl Team<'_> {
    /// Runs passes over arrays of so many elements for about `time`. Absent if there is no memory for them.
    ///
    /// # Errors
    ///
    /// When an element is wrong at the end.
    pub(super) fn measure(
        &self,
        clock: &HostClock,
        elements: usize,
        time: Span,
    ) -> Result<Option<StreamRates>, WrongResult> {
        let Some(mut arrays) = Arrays::untouched(elements) else { return Ok(None) };
        self.touch(&mut arrays);
        let passes = self.passes(clock, &mut arrays, time);
        validate([&arrays.a, &arrays.b, &arrays.c], passes.len())?;
        Ok(StreamRates::of(elements as u64, &passes))
    }

    fn touch(&self, arrays: &mut Arrays) {
        std::thread::scope(|scope| {
            for (mut part, cpu) in parts(arrays, self.touchers.len()).zip(self.touchers) {
                scope.spawn(move || {
                    tie(*cpu);
                    part.touch();
                });
            }
        });
    }

    /// What each kernel took in each pass: from the first start on any thread to the last end.
    fn passes(&self, clock: &HostClock, arrays: &mut Arrays, time: Span) -> Vec<[Span; 4]> {
        let meeting = Meeting {
            barrier: Barrier::new(parts(arrays, self.runners.len()).count()),
            go_on: AtomicBool::new(true),
            clock,
            time,
            goes_on: self.goes_on,
        };
        let seen: Vec<Vec<Times>> = std::thread::scope(|scope| {
            let members: Vec<_> = parts(arrays, self.runners.len())
                .zip(self.runners)
                .enumerate()
                .map(|(nth, (part, cpu))| {
                    let meeting = &meeting;
                    scope.spawn(move || {
                        tie(*cpu);
                        meeting.run(part, nth == 0)
                    })
                })
                .collect();
            members.into_iter().filter_map(|member| member.join().ok()).collect()
        });
        let passes = seen.iter().map(Vec::len).min().unwrap_or(0);
        let of_pass = |pass: usize| seen.iter().map(|member| member[pass]).collect::<Vec<Times>>();
        (0..passes).map(|pass| of_all(&of_pass(pass))).collect()
    }
}

/// Parts of equal length for at most so many threads.
fn parts(arrays: &mut Arrays, threads: usize) -> impl Iterator<Item = Part<'_>> {
    let length = arrays.a.len().div_ceil(threads.max(1)).max(1);
    let Arrays { a, b, c } = arrays;
    let chunks = a.chunks_mut(length).zip(b.chunks_mut(length)).zip(c.chunks_mut(length));
    chunks.map(|((a, b), c)| Part { a, b, c })
}

/// Pins this thread. One that may not be pinned runs where the scheduler puts it; the measurement says so once.
fn tie(cpu: u32) {
    pin_to(cpu).unwrap_or(());
}

/// From the first start to the last end of each kernel.
fn of_all(members: &[Times]) -> [Span; 4] {
    [0, 1, 2, 3].map(|kernel: usize| {
        let start = members.iter().map(|times| times[kernel].0).min();
        let end = members.iter().map(|times| times[kernel].1).max();
        start.zip(end).map_or(Span::ZERO, |(start, end)| end.since(start))
    })
}

/// Where the threads meet before each kernel of each pass.
struct Meeting<'a> {
    barrier: Barrier,
    go_on: AtomicBool,
    clock: &'a HostClock,
    time: Span,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl Meeting<'_> {
    /// Runs passes until the first thread, which leads, has seen enough.
    fn run(&self, mut part: Part<'_>, leads: bool) -> Vec<Times> {
        let began = self.clock.now();
        let mut seen = Vec::with_capacity(MOST_PASSES);
        while self.go_on.load(Ordering::Relaxed) {
            seen.push(Kernel::ALL.map(|kernel| {
                self.barrier.wait();
                let start = self.clock.now();
                part.run(kernel);
                (start, self.clock.now())
            }));
            if leads {
                let spent = self.clock.now().since(began);
                let more = wants_more(seen.len(), spent, self.time) && (self.goes_on)();
                self.go_on.store(more, Ordering::Relaxed);
            }
            // What the leader said is known to all behind it.
            self.barrier.wait();
        }
        seen
    }
}

/// Whether there is another pass after so many, which took this long.
fn wants_more(passes: usize, spent: Span, time: Span) -> bool {
    match passes {
        few if few < TWO => true,
        many if many >= MOST_PASSES => false,
        few if few < FEWEST_PASSES => spent < time * PATIENCE,
        _ => spent < time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::usable_cpus;

    #[test]
    fn passes_end_with_the_time_but_not_before_there_are_enough() {
        let [short, long] = [Span::from_ms(1), Span::from_ms(9_000)];
        let time = Span::from_ms(100);
        assert!(wants_more(0, long, time) && wants_more(1, long, time), "two passes always");
        assert!(!wants_more(2, long, time), "they took too long already");
        assert!(wants_more(2, Span::from_ms(150), time), "one more is near");
        assert!(!wants_more(3, Span::from_ms(150), time) && wants_more(3, short, time));
        assert!(!wants_more(MOST_PASSES, short, time), "the values would leave the range of a double");
    }

    #[test]
    fn a_pass_is_from_the_first_start_to_the_last_end() {
        let at = |us: u64| Time::from_ps(us * 1_000_000);
        let one = [(at(10), at(20)), (at(30), at(40)), (at(50), at(60)), (at(70), at(80))];
        let other = [(at(11), at(25)), (at(29), at(39)), (at(50), at(60)), (at(69), at(81))];
        let spans = of_all(&[one, other]);
        assert_eq!(spans.map(Span::as_us), [15.0, 11.0, 10.0, 12.0]);
    }

    #[test]
    fn parts_cover_every_element_once() {
        for (elements, threads) in [(10, 3), (1, 4), (12, 4), (7, 1)] {
            let mut arrays = Arrays::untouched(elements).expect("it is little");
            let lengths: Vec<usize> = parts(&mut arrays, threads).map(|part| part.a.len()).collect();
            assert!(lengths.len() <= threads && lengths.iter().sum::<usize>() == elements, "{lengths:?}");
        }
    }

    /// Also with memory that others touched, as across nodes, and with more threads than processors.
    #[test]
    fn teams_of_any_size_give_right_results() {
        let cpus = usable_cpus().expect("this process runs somewhere");
        let [first, last] = [cpus[0], cpus[cpus.len() - 1]];
        for (touchers, runners) in
            [(vec![first], vec![first]), (vec![last], vec![first, last]), (vec![first, last], vec![first; 3])]
        {
            let team = Team { touchers: &touchers, runners: &runners, goes_on: &|| true };
            let rates = team.measure(&HostClock::start(), 4_099, Span::from_ms(1)).expect("they are right");
            let rates = rates.expect("it is little memory");
            assert!(rates.passes as usize >= TWO && rates.passes as usize <= MOST_PASSES, "{rates:?}");
        }
    }
}
