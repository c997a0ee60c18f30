//! Log lines at a bounded rate, so that a scanner cannot fill a disk.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// This many lines are written in each period unless said otherwise; the rest are counted.
const LINES: u32 = 20;
const PERIOD: Duration = Duration::from_secs(10);

/// A log with a bounded rate.
#[derive(Debug)]
pub(super) struct Log {
    most: u32,
    period: Mutex<Option<Period>>,
}

#[derive(Debug)]
struct Period {
    began: Instant,
    lines: u32,
    suppressed: u32,
}

impl Default for Log {
    fn default() -> Self {
        Self::of(LINES)
    }
}

impl Log {
    /// One of so many lines in each period of 10 s.
    pub(super) fn of(most: u32) -> Self {
        Self { most, period: Mutex::default() }
    }

    /// Something a client did that the operator may want to know.
    pub(super) fn info(&self, line: fmt::Arguments<'_>) {
        if self.may_write(Instant::now()) {
            tracing::info!("{line}");
        }
    }

    /// Something that was refused.
    pub(super) fn warn(&self, line: fmt::Arguments<'_>) {
        if self.may_write(Instant::now()) {
            tracing::warn!("{line}");
        }
    }

    /// Whether one more line may be written; says how many were not in the period before.
    fn may_write(&self, now: Instant) -> bool {
        let mut period = self.period.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Period { began: now, lines: 0, suppressed: 0 };
        let current = period.get_or_insert(fresh);
        if now.duration_since(current.began) >= PERIOD {
            if current.suppressed > 0 {
                tracing::warn!("{} further lines were not written", current.suppressed);
            }
            *current = Period { began: now, lines: 0, suppressed: 0 };
        }
        let may = current.lines < self.most;
        if may {
            current.lines += 1;
        } else {
            current.suppressed += 1;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_and_the_next_period_begins_afresh() {
        let (log, start) = (Log::default(), Instant::now());
        let written = (0..1000).filter(|_| log.may_write(start)).count();
        assert_eq!(written, LINES as usize);
        assert!(log.may_write(start + PERIOD));
    }
}
