//! The loop that moves the frames of one link, both ways.

use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use linerate_core::lab::emulator::Emulator;
use linerate_core::units::{Span, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::BATCH;
use super::clock::Clock;
use super::end::End;
use super::engines::Record;
use super::underway::Underway;
use crate::sys::scheduling_class;

/// The longest sleep: counts are brought up to date then.
const LONGEST_SLEEP: Span = Span::from_ms(100);
/// What a thread that has more to do than time for sleeps now and then, so that others get some too.
const PAUSE: Span = Span::from_us(50);
/// The most that a thread is preferred.  Source: nice(2).
const NICE: i32 = -20;

/// A link: direction N comes in at end N and goes out at the other.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) ends: [End; 2],
    pub(super) directions: [Forwarding; 2],
    pub(super) clock: Clock,
    /// Readable when it is to end.
    pub(super) stop: Arc<OwnedFd>,
}

/// A direction under way.
#[derive(Debug)]
pub(super) struct Forwarding {
    emulator: Emulator,
    underway: Underway,
    record: Arc<Record>,
    /// When no frame had come last, and the time of the last one that came.
    empty_at: Time,
    came_at: Time,
}

impl Forwarding {
    pub(super) fn new(emulator: Emulator, record: Arc<Record>) -> Self {
        let underway = Underway::default();
        Self { emulator, underway, record, empty_at: Time::ZERO, came_at: Time::ZERO }
    }

    /// Takes in what has come, up to a batch. Whether something had.
    fn receive(&mut self, end: &mut End, clock: &Clock) -> bool {
        let now = clock.now();
        if end.peek().is_none() {
            self.empty_at = now;
            return false;
        }
        let wall_ns = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let mut missed = 0;
        for _ in 0..BATCH {
            let Some(frame) = end.peek() else { break };
            // The kernel's stamp is of a clock that may be set; the frame came after the ring was empty.
            let age = wall_ns.saturating_sub(u128::from(frame.arrived_ns));
            let age = Span::from_ns(u64::try_from(age).unwrap_or(u64::MAX));
            let came = Time::from_ps(now.as_ps().saturating_sub(age.as_ps()));
            self.came_at = came.max(self.empty_at).max(self.came_at);
            let bytes = u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
            for departure in self.emulator.arrive(self.came_at, bytes).into_iter().flatten() {
                missed += u64::from(!self.underway.push(departure, frame.bytes));
            }
            end.release();
        }
        self.record.change(|record| {
            record.counts = self.emulator.counts();
            record.missed += missed;
        });
        true
    }

    /// Sends what is due, up to a batch. Whether something was.
    fn send(&mut self, end: &mut End, clock: &Clock) -> bool {
        let before = clock.now();
        let due = self.underway.due(before, BATCH);
        if due.len() == 0 {
            return false;
        }
        let (gone, sent) = match end.send(due) {
            Ok(sent) => (sent, true),
            // The kernel has no room just now.
            Err(Errno::AGAIN | Errno::NOBUFS) => return false,
            Err(_) => (1, false),
        };
        // The kernel delivers each before it takes the next.
        let each = clock.now().since(before) / gone as u64;
        self.record.change(|record| {
            for nth in 0..gone as u64 {
                let Some(at) = self.underway.left() else { break };
                if sent { record.sent((before + each * nth).since(at)) } else { record.missed += 1 }
            }
        });
        true
    }
}

impl Engine {
    /// In a thread of the namespace of the ends: moves frames until it is to stop, or a wire has gone.
    pub(super) fn run(mut self) {
        be_punctual();
        let mut check_at = Time::ZERO;
        loop {
            let mut worked = false;
            for (number, direction) in self.directions.iter_mut().enumerate() {
                worked |= direction.receive(&mut self.ends[number], &self.clock);
                worked |= direction.send(&mut self.ends[1 - number], &self.clock);
            }
            let next = self.directions.iter().filter_map(|direction| direction.underway.next()).min();
            let sleep = if worked { Span::ZERO } else { self.clock.sleep(next).min(LONGEST_SLEEP) };
            let now = self.clock.now();
            if now >= check_at {
                check_at = now + LONGEST_SLEEP;
                self.count_drops();
                if self.ends.iter().any(End::has_gone) {
                    return;
                }
            }
            if worked && self.clock.is_overdue() {
                std::thread::sleep(PAUSE.to_duration());
                self.clock.slept(now, PAUSE, false);
            }
            if self.is_stopped(now, sleep) {
                return;
            }
        }
    }

    /// Notes the frames for which the rings had no room.
    fn count_drops(&self) {
        for (direction, end) in self.directions.iter().zip(&self.ends) {
            let missed = end.drops();
            direction.record.change(|record| record.missed += missed);
        }
    }

    /// Waits until a frame comes or the time is over. Whether it is to stop.
    fn is_stopped(&mut self, now: Time, patience: Span) -> bool {
        let [one, other] = &self.ends;
        let mut asked = [
            PollFd::new(&self.stop, PollFlags::IN),
            PollFd::new(one, PollFlags::IN),
            PollFd::new(other, PollFlags::IN),
        ];
        let duration = patience.to_duration();
        let timeout = Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        let came = poll(&mut asked, Some(&timeout));
        if patience > Span::ZERO {
            self.clock.slept(now, patience, came == Ok(0));
        }
        match came {
            Ok(0) | Err(_) => false,
            Ok(_) => {
                for (end, asked) in self.ends.iter().zip(&asked[1..]) {
                    if asked.revents().contains(PollFlags::ERR) {
                        end.forget_error();
                    }
                }
                asked[0].revents().contains(PollFlags::IN)
            }
        }
    }
}

/// Has this thread wake when it is to, on a busy host too. It works without, if less punctually. On a single processor
/// real time would leave nothing for what is measured.
fn be_punctual() {
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).unwrap_or(());
    let several = std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
    if !several || scheduling_class::enter_real_time().is_err() {
        rustix::process::nice(NICE).map(drop).unwrap_or(());
    }
}
