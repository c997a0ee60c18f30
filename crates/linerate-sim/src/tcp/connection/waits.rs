//! What a sender waits for, as Linux counts it (`tcp_chrono_start`): the time in which something was unacknowledged or unsent,
//! and of that the time in which the peer's window, or the send buffer, held it back.

use linerate_core::units::{Span, Time};

use super::Connection;

/// For how long an end has waited for what.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// For what it waits now, and since when.
    now: Option<(Waiting, Time)>,
    times: [Span; 3],
}

/// What an end that has something to deliver waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    /// The network: acknowledgements, the congestion window, its own processor.
    Network,
    /// Room in the peer's window, which the congestion window would let it use.
    Window,
    /// The application, which waits for room in the send buffer: all that it wrote is sent, and the congestion window
    /// would let more go.
    Buffer,
}

impl Waits {
    fn turn(&mut self, to: Option<Waiting>, now: Time) {
        self.times = self.up_to(now);
        self.now = to.map(|waiting| (waiting, now));
    }

    fn up_to(&self, now: Time) -> [Span; 3] {
        let mut times = self.times;
        if let Some((waiting, since)) = self.now {
            times[waiting as usize] += now.since(since);
        }
        times
    }

    /// Busy altogether, held back by the window, and by the send buffer.
    pub(super) fn times(&self, now: Time) -> [Span; 3] {
        let [network, window, buffer] = self.up_to(now);
        [network + window + buffer, window, buffer]
    }
}

impl Connection {
    /// Something changed: from now on the end may wait for something else.
    pub(super) fn watch_waits(&mut self, now: Time) {
        let next = self.board.next();
        let unsent = self.writer.end.saturating_sub(next);
        let mss = u64::from(self.agreed.mss);
        let open = || self.congestion.window.admits(self.board.pipe(), mss);
        let waiting = if next == 0 || (unsent == 0 && self.board.outstanding() == 0 && !self.writer.asleep) {
            None
        } else if unsent > 0 && self.peer.usable(next) < unsent.min(mss) && open() {
            Some(Waiting::Window)
        } else if unsent == 0 && self.writer.asleep && open() {
            Some(Waiting::Buffer)
        } else {
            Some(Waiting::Network)
        };
        self.waits.turn(waiting, now);
    }
}
