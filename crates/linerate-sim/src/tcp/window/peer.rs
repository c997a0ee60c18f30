//! The window that the peer offers.

/// The peer's window. Source: RFC 9293, 3.8.6 and 3.10.7.4 (SND.WND, SND.WL1, SND.WL2).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct PeerWindow {
    /// The position before which it takes data.
    edge: u64,
    window: u64,
    /// The largest that it ever was.
    largest: u64,
    /// Sequence and acknowledgement of the segment that told it.
    told: [u64; 2],
}

impl PeerWindow {
    /// Takes up a segment's window; returns whether it changed. A segment older than the last
    /// update is ignored. No kernel shrinks its window, so if the order is unclear the larger
    /// window holds.
    pub(in crate::tcp) fn told(&mut self, sequence: u64, acknowledgement: u64, window: u64) -> bool {
        let [last_sequence, last_acknowledgement] = self.told;
        let older = acknowledgement < last_acknowledgement
            || acknowledgement == last_acknowledgement
                && (sequence < last_sequence || sequence == last_sequence && window < self.window);
        if older {
            return false;
        }
        let changed = self.window != window;
        self.told = [sequence, acknowledgement];
        self.window = window;
        self.largest = self.largest.max(window);
        self.edge = acknowledgement + window;
        changed
    }

    /// How large it was told to be.
    pub(in crate::tcp) const fn window(&self) -> u64 {
        self.window
    }

    /// How large it was at most.
    pub(in crate::tcp) const fn largest(&self) -> u64 {
        self.largest
    }

    /// How much may be sent from `position` on.
    pub(in crate::tcp) const fn usable(&self, position: u64) -> u64 {
        self.edge.saturating_sub(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_segment_does_not_change_it_rfc_9293_3_10_7_4() {
        let mut peer = PeerWindow::default();
        assert!(peer.told(10, 5, 100));
        assert!(!peer.told(9, 5, 1000));
        assert!(!peer.told(11, 4, 1000));
        assert!(!peer.told(10, 5, 50));
        assert_eq!((peer.window(), peer.usable(5)), (100, 100));
        assert!(peer.told(10, 6, 50));
        assert_eq!((peer.usable(6), peer.usable(60), peer.largest()), (50, 0, 100));
    }
}
