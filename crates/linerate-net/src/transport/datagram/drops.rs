//! The drops that a socket reports.

/// What the socket dropped during a flow.
///
/// Joined datagrams (`UDP_GRO`) that are dropped together count as one. Their number is unknown,
/// and taken to be that of the largest group that arrived. That is right for a sender on this host
/// that uses `UDP_SEGMENT`, and otherwise counts some loss on the path as drops.
#[derive(Debug)]
pub(super) struct Drops {
    /// What the socket said last, for the next flow too.
    seen: u32,
    count: u64,
    bunch: u64,
}

impl Drops {
    /// Begins with what the socket had dropped before this flow.
    pub(super) const fn start(seen: u32) -> Self {
        Self { seen, count: 0, bunch: 1 }
    }

    /// Notes what the socket says it had dropped, `total` modulo 2^32.
    #[inline]
    pub(super) fn note(&mut self, total: u32) {
        self.count += u64::from(total.wrapping_sub(self.seen));
        self.seen = total;
    }

    /// Notes that the kernel gave `datagrams` as one, if it joins them.
    #[inline]
    pub(super) fn joined(&mut self, datagrams: u64) {
        self.bunch = self.bunch.max(datagrams);
    }

    /// What the socket's count was last.
    pub(super) const fn seen(&self) -> u32 {
        self.seen
    }

    pub(super) const fn datagrams(&self) -> u64 {
        self.count.saturating_mul(self.bunch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sockets_count_wraps_and_what_was_before_the_flow_is_none_of_it() {
        let mut drops = Drops::start(u32::MAX - 1);
        assert_eq!(drops.datagrams(), 0);
        drops.note(1);
        assert_eq!((drops.datagrams(), drops.seen()), (3, 1));
        drops.note(1);
        assert_eq!(drops.datagrams(), 3);
    }

    #[test]
    fn a_dropped_bunch_counts_as_many_as_the_largest_that_came() {
        let mut drops = Drops::start(0);
        drops.joined(40);
        drops.joined(5);
        drops.note(2);
        assert_eq!(drops.datagrams(), 80);
    }
}
