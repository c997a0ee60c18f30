//! What happens to the window unless an algorithm says otherwise: RFC 3168, 5681, 6582, 6675, 8985
//! and 9937. An algorithm that overrides an event may call these for a part of it.

use super::proportion::Proportion;
use super::{Cause, CongestionControl, Flight, LARGEST, Marks, Phase, Progress, Window};
use crate::tcp::{Counting, Recovery, ReducedFrom, Reduction};

/// Slow start begins again after an idle period, if the rules say so (RFC 5681, 4.1).
pub fn idle<C: CongestionControl + ?Sized>(control: &mut C, window: &mut Window) {
    if window.rules.restarts_after_idle {
        window.bytes = window.bytes.min(window.rules.first_window(window.mss));
        control.restart_growth();
    }
}

/// New data was acknowledged: the window grows, or a recovery goes on or ends.
pub fn acknowledged<C: CongestionControl + ?Sized>(
    control: &mut C,
    window: &mut Window,
    progress: &Progress,
) {
    match window.phase {
        Phase::Recovery if progress.position >= window.recover || window.rules.recovery == Recovery::Reno => {
            window.phase = Phase::Open;
            window.proportion = None;
            // RFC 6582, 3.2, step 3, option 1; with SACK the window is the threshold already.
            let flight = progress.outstanding.max(window.mss) + window.mss;
            window.bytes = match window.rules.recovery {
                Recovery::NewReno => window.threshold.min(flight).max(window.mss),
                Recovery::Reno | Recovery::Sack => window.threshold,
            };
        }
        Phase::Recovery if window.rules.recovery == Recovery::NewReno => {
            window.bytes = window.bytes.saturating_sub(progress.bytes).max(window.mss);
            if progress.bytes >= window.mss {
                window.bytes += window.mss;
            }
        }
        Phase::Recovery | Phase::Reduced => {}
        Phase::Open | Phase::Loss => {
            grow(control, window, progress);
            window.end_phase(progress.position);
        }
    }
}

/// Slow start or congestion avoidance (RFC 5681, 3.1).
fn grow<C: CongestionControl + ?Sized>(control: &mut C, window: &mut Window, progress: &Progress) {
    let slow = window.bytes < window.threshold;
    // In slow start a window that is half used may grow, so that the window itself does not end
    // slow start.
    let reach = if slow { progress.pipe * 2 } else { progress.pipe + window.mss };
    if window.rules.grows_only_when_limiting && reach <= window.bytes {
        control.restart_growth();
        return;
    }
    let counted = match window.rules.counting {
        Counting::Acknowledgements => window.mss,
        Counting::Bytes | Counting::AllBytes => progress.bytes,
    };
    if slow {
        if control.ends_slow_start(window, progress) {
            window.threshold = window.bytes;
        }
        // RFC 3465, 2.2 and 2.3: two segments at most, and one after a timeout.
        let most = match (window.rules.counting, window.phase) {
            (Counting::AllBytes, _) => LARGEST,
            (_, Phase::Loss) => window.mss,
            _ => 2 * window.mss,
        };
        window.bytes += counted.min(most);
    } else {
        window.bytes += control.grow(window, counted, progress);
    }
    window.bytes = window.bytes.min(LARGEST);
}

/// Marks reduce the window, once for each window of data (RFC 3168, 6.1.2); returns whether these do.
pub fn marked<C: CongestionControl + ?Sized>(
    control: &mut C,
    window: &mut Window,
    progress: &Progress,
    Marks { marked, selected }: Marks,
) -> bool {
    // Past what was the next position to send: the peer has seen CWR.
    if window.phase == Phase::Reduced && progress.position > window.recover {
        window.phase = Phase::Open;
        window.proportion = None;
        window.bytes = window.threshold;
    }
    if !marked || window.phase != Phase::Open {
        return false;
    }
    window.phase = Phase::Reduced;
    window.recover = progress.next;
    reduce(control, window, progress.outstanding, Cause::Mark);
    if window.rules.reduction == Reduction::Proportional {
        let flight = (progress.outstanding + progress.bytes).saturating_sub(selected);
        window.proportion = Some(Proportion::without_loss(flight));
    } else {
        window.bytes = window.bytes.min(window.threshold);
    }
    true
}

/// A fast retransmit begins: RFC 5681, 3.2; RFC 6675, 5; RFC 9937.
pub fn lost<C: CongestionControl + ?Sized>(control: &mut C, window: &mut Window, flight: &Flight) {
    // One reduction a window, whatever shows the congestion (RFC 3168, 6.1.2).
    if !flight.is_reduced {
        reduce(control, window, flight.outstanding, Cause::Loss);
    }
    let proportional =
        window.rules.reduction == Reduction::Proportional && window.rules.recovery == Recovery::Sack;
    // RFC 9937, 6.1: with what this acknowledgement took off.
    let whole = flight.outstanding.saturating_sub(flight.selected);
    window.proportion = proportional.then(|| Proportion::new(whole));
    match window.rules.recovery {
        // The window of this acknowledgement follows from the proportion.
        Recovery::Sack if proportional => {}
        Recovery::Sack => window.bytes = window.threshold,
        // RFC 5681, 3.2, step 3: the duplicates say what has left the network.
        Recovery::Reno | Recovery::NewReno => {
            window.bytes = window.threshold + u64::from(window.rules.duplicates) * window.mss;
        }
    }
}

/// The window is reduced as by a recovery that is over (RFC 8985, 7.4.2).
pub fn lost_tail<C: CongestionControl + ?Sized>(control: &mut C, window: &mut Window, outstanding: u64) {
    if window.phase == Phase::Open {
        reduce(control, window, outstanding, Cause::Loss);
        window.bytes = window.bytes.min(window.threshold);
    }
}

/// The threshold falls at the first timeout of a segment (RFC 5681, 3.1).
pub fn timed_out<C: CongestionControl + ?Sized>(
    control: &mut C,
    window: &mut Window,
    outstanding: u64,
    again: bool,
) {
    // The losses of one flight reduce the window once.
    let was_reduced = window.rules.reduced_from == ReducedFrom::Window && window.phase != Phase::Open;
    if !again && !was_reduced {
        reduce(control, window, outstanding, Cause::Loss);
    }
}

/// Lowers the threshold after a loss or a mark. No more can be in flight than the window, and what was sent
/// for the duplicates that showed the loss (RFC 6675, 5); what is outstanding may be far more,
/// sent while the peer selected what came after a gap.
fn reduce<C: CongestionControl + ?Sized>(
    control: &mut C,
    window: &mut Window,
    outstanding: u64,
    cause: Cause,
) {
    let flight = match window.rules.reduced_from {
        ReducedFrom::Window => window.bytes,
        ReducedFrom::Flight if window.ignored => outstanding,
        ReducedFrom::Flight => {
            outstanding.min(window.bytes + u64::from(window.rules.duplicates) * window.mss)
        }
    };
    window.ignored = false;
    window.reduced = true;
    window.threshold = control.reduce(window, flight.min(LARGEST), cause).max(2 * window.mss);
}
