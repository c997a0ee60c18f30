//! A time limit for what would otherwise never end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Does something at a time limit, unless it is dropped before.
#[derive(Debug)]
pub(crate) struct Watchdog {
    limit: Instant,
    barked: Arc<AtomicBool>,
    // Nothing is ever sent: dropping it is the message.
    _called_off: Sender<()>,
}

impl Watchdog {
    /// Calls `bark` after `span`, on a thread of its own.
    pub(crate) fn set(span: Duration, bark: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        // Read first, so that nothing is left of the time when it barks.
        let limit = Instant::now() + span;
        let (called_off, wait) = channel::<()>();
        let barked: Arc<AtomicBool> = Arc::default();
        let barks = Arc::clone(&barked);
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            if wait.recv_timeout(span) == Err(RecvTimeoutError::Timeout) {
                barks.store(true, Ordering::Release);
                bark();
            }
        })?;
        Ok(Self { limit, barked, _called_off: called_off })
    }

    /// Whether the time limit has passed.
    pub(crate) fn has_barked(&self) -> bool {
        self.barked.load(Ordering::Acquire)
    }

    /// The time until the limit.
    pub(crate) fn left(&self) -> Duration {
        self.limit.saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_barks_once_the_time_is_over_and_never_when_it_is_called_off() {
        let (sender, heard) = channel();
        let early = sender.clone();
        drop(
            Watchdog::set(Duration::from_secs(60), move || early.send("early").unwrap_or(()))
                .expect("a thread"),
        );
        let dog = Watchdog::set(Duration::from_millis(1), move || sender.send("late").unwrap_or(()))
            .expect("a thread");
        assert_eq!(heard.recv(), Ok("late"));
        assert!(dog.has_barked());
        assert_eq!(dog.left(), Duration::ZERO);
        assert!(heard.recv().is_err(), "the first one has gone without a word");
    }
}
