//! Waiting for a peer, which the user can end.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often to check whether the user wants to end.
const LOOK: Duration = Duration::from_millis(100);
/// After that, the work may go on for this many checks: a live peer has a second.
const PATIENT_LOOKS: u32 = 10;

/// Does `work` on a thread of its own and meanwhile asks `watch` whether it must end. If the work
/// goes on for another second, `cut` cancels what it waits for.
///
/// Returns the work's result and whether it was cancelled.
pub(super) fn unless_ended<T: Send>(
    watch: &mut impl FnMut() -> ControlFlow<()>,
    cut: impl Fn(),
    work: impl FnOnce() -> T + Send,
) -> (T, bool) {
    std::thread::scope(|scope| {
        // Nothing is ever sent: dropping the sender is the message.
        let (end, ended) = channel::<()>();
        let working = scope.spawn(move || {
            let _end = end;
            work()
        });
        let mut asked = 0;
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            asked += u32::from(watch().is_break());
            if asked > PATIENT_LOOKS {
                cut();
            }
        }
        let done = working.join().unwrap_or_else(|panic| resume_unwind(panic));
        (done, asked > PATIENT_LOOKS)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn work_that_waits_is_broken_off_after_some_looks_and_not_before() {
        let (sender, receiver) = channel();
        let mut looks = 0;
        let watch = &mut || {
            looks += 1;
            if looks > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let cut = || sender.send(7).unwrap_or(());
        assert_eq!(unless_ended(watch, cut, move || receiver.recv()), (Ok(7), true));
        assert!(looks > 2 + PATIENT_LOOKS, "{looks}");
    }

    #[test]
    fn work_that_ends_is_left_alone() {
        let cut = || panic!("nobody waits");
        assert_eq!(unless_ended(&mut || ControlFlow::Break(()), cut, || 7), (7, false));
    }
}
