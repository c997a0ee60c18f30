//! The window that an end offers of its receive buffer.

use super::scale_for;
use crate::tcp::{Charge, Raise, ScaleFrom, Unit, WindowRules};

/// The receive buffer and the window offered from it.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Offer {
    /// Unit: bytes.
    buffer: u64,
    /// The most that the buffer can grow to.
    ceiling: u64,
    charged: u64,
    /// The position before which the peer may send. It never moves back.
    edge: u64,
    /// The last window offered.
    told: u64,
    /// A segment with data carried it.
    carried: bool,
    /// The window scale of this end; 0 without window scaling.
    scale: u8,
    /// Payload of a full segment.
    mss: u64,
}

impl Offer {
    pub(in crate::tcp) const fn new(buffer: u64, mss: u32) -> Self {
        Self {
            buffer,
            ceiling: buffer,
            charged: 0,
            edge: 0,
            told: 0,
            carried: true,
            scale: 0,
            mss: mss as u64,
        }
    }

    /// The same, but the buffer begins with this much and may grow.
    pub(in crate::tcp) fn growing_from(self, buffer: u64) -> Self {
        Self { buffer: buffer.min(self.ceiling), ..self }
    }

    /// The buffer grows until it offers a window of `window` bytes, as far as it may.
    pub(in crate::tcp) fn grow(&mut self, rules: &WindowRules, window: u64) {
        let [part, of] = rules.share;
        let wanted = u128::from(window) * u128::from(of) / u128::from(part);
        let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
        self.buffer = self.buffer.max(wanted.min(self.ceiling));
    }

    pub(in crate::tcp) const fn buffer(&self) -> u64 {
        self.buffer
    }

    pub(in crate::tcp) const fn edge(&self) -> u64 {
        self.edge
    }

    /// The scale that its SYN tells.
    pub(in crate::tcp) fn wanted_scale(&self, rules: &WindowRules) -> u8 {
        scale_for(match rules.scale_from {
            ScaleFrom::Buffer => self.ceiling,
            ScaleFrom::Window => Self { buffer: self.ceiling, ..*self }.whole(rules, 0, u64::MAX),
        })
    }

    /// What the handshake agreed on.
    pub(in crate::tcp) fn agree(&mut self, scale: Option<u8>, mss: u32) {
        self.scale = scale.unwrap_or(0);
        self.mss = u64::from(mss);
    }

    /// A segment takes its place in the buffer.
    pub(in crate::tcp) fn charge(&mut self, bytes: u64) {
        self.charged += bytes;
    }

    /// It gives its place back.
    pub(in crate::tcp) fn release(&mut self, bytes: u64) {
        self.charged -= bytes;
    }

    /// What a segment is charged.
    pub(in crate::tcp) fn price(rules: &WindowRules, payload: u64, buffer: u32) -> u64 {
        match rules.charge {
            Charge::Buffer => u64::from(buffer),
            Charge::Payload => payload,
        }
    }

    /// Whether there is no room for a segment beyond a gap.
    pub(in crate::tcp) const fn is_full(&self) -> bool {
        self.charged >= self.buffer
    }

    /// The window of an empty buffer.
    pub(in crate::tcp) fn largest(&self, rules: &WindowRules) -> u64 {
        self.whole(rules, 0, self.largest_field())
    }

    const fn largest_field(&self) -> u64 {
        (u16::MAX as u64) << self.scale
    }

    /// The window by the rule, with `charged` bytes of the buffer taken.
    fn whole(&self, rules: &WindowRules, charged: u64, most: u64) -> u64 {
        let [part, of] = rules.share;
        let free = self.buffer.saturating_sub(charged);
        let window = (free.saturating_mul(part) / of).min(rules.most.bytes()).min(most);
        let unit = match rules.unit {
            Unit::Segments => self.mss,
            Unit::Kilobytes => 1024,
            Unit::Bytes => 1,
        };
        // RFC 9293, 3.8.6.2.2: less than a segment, or half the buffer, is no window.
        let least = self.mss.min(self.largest_share(rules) / 2);
        if window < least {
            0
        } else if window < unit {
            window
        } else {
            window - window % unit
        }
    }

    fn largest_share(&self, rules: &WindowRules) -> u64 {
        let [part, of] = rules.share;
        self.buffer.saturating_mul(part) / of
    }

    /// The window field of a SYN: never scaled.
    pub(in crate::tcp) fn tell_syn(&mut self, rules: &WindowRules, expected: u64) -> u16 {
        let window = self.whole(rules, self.charged, u64::from(u16::MAX)).min(rules.first.bytes());
        self.told = window;
        self.edge = self.edge.max(expected + window);
        u16::try_from(window).unwrap_or(u16::MAX)
    }

    /// The window field of a segment of `length` bytes of payload, whose sender expects position
    /// `expected` next.
    pub(in crate::tcp) fn tell(&mut self, rules: &WindowRules, expected: u64, length: u32) -> u16 {
        self.carried = length > 0;
        let window = self.possible(rules, expected);
        // Rounded up, so that the edge does not move back (RFC 7323, 2.4).
        let field = window.div_ceil(1 << self.scale).min(u64::from(u16::MAX));
        self.told = field << self.scale;
        self.edge = self.edge.max(expected + self.told);
        u16::try_from(field).unwrap_or(u16::MAX)
    }

    fn possible(&self, rules: &WindowRules, expected: u64) -> u64 {
        let remaining = self.edge.saturating_sub(expected);
        self.whole(rules, self.charged, self.largest_field()).max(remaining).min(self.largest_field())
    }

    /// Whether an acknowledgement now would offer more than the last one did.
    pub(in crate::tcp) fn can_grow(&self, rules: &WindowRules, expected: u64) -> bool {
        self.possible(rules, expected) > self.told
    }

    /// Whether reads have freed enough for a window update now.
    pub(in crate::tcp) fn is_worth_telling(&self, rules: &WindowRules, expected: u64) -> bool {
        let remaining = self.edge.saturating_sub(expected);
        let possible = self.possible(rules, expected);
        let gain = possible - remaining.min(possible);
        gain > 0
            && match rules.raise {
                Raise::DoubleTheCarried if self.carried => possible >= 2 * self.told,
                Raise::DoubleTheRemaining | Raise::DoubleTheCarried => possible >= 2 * remaining,
                Raise::TwoSegments => gain >= 2 * self.mss || 2 * gain >= self.buffer,
            }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::tcp::Rules;

    fn rules(name: &str) -> WindowRules {
        Rules::find(name).expect("it is shipped").window
    }

    #[rstest]
    #[case(65_535, [22, 9, 5, 3])]
    #[case(131_070, [45, 19, 10, 7])]
    fn whole_segments_of_half_the_buffer(#[case] buffer: u64, #[case] segments: [u64; 4]) {
        let rules = rules("linux-2.1.121");
        for (mtu, expected) in [1500, 3500, 6500, 9000].into_iter().zip(segments) {
            let offer = Offer::new(buffer, mtu - 52);
            assert_eq!(offer.largest(&rules), expected * u64::from(mtu - 52), "MTU {mtu}");
        }
    }

    #[test]
    fn whole_kilobytes_of_half_the_buffer() {
        let mut offer = Offer::new(65_535, 1460);
        let rules = rules("linux-2.0.35");
        assert_eq!(offer.largest(&rules), 31_744);
        offer.tell(&rules, 1, 0);
        offer.charge(10 * 1552);
        // (65535 - 15520) / 2 = 25007; all of it lies within what was told.
        assert_eq!(offer.tell(&rules, 1, 0), 31_744);
        assert_eq!(offer.tell(&rules, 1 + 10_000, 0), 24_576);
    }

    #[test]
    fn the_right_edge_does_not_move_back_rfc_9293_3_8_6() {
        let rules = rules("linux-2.1.121");
        let mut offer = Offer::new(65_535, 1448);
        assert_eq!(offer.tell(&rules, 1, 0), 31_856);
        offer.charge(60_000);
        assert_eq!(offer.tell(&rules, 1449, 0), 31_856 - 1448);
        assert_eq!(offer.edge(), 31_857);
        assert!(!offer.is_worth_telling(&rules, 1449));
        offer.release(60_000);
        assert!(!offer.is_worth_telling(&rules, 1449), "not twice what remains");
        assert!(offer.is_worth_telling(&rules, 1 + 11 * 1448), "twice what remains");
    }

    /// 2.0.35: what arrives does not count against an offer that data carried.
    #[test]
    fn after_a_bare_acknowledgement_the_old_kernel_raises_by_what_remains() {
        let rules = rules("linux-2.0.35");
        let mut offer = Offer::new(65_535, 1460);
        for (length, raises) in [(1460, false), (0, true)] {
            let expected = offer.edge() + 1;
            offer.tell(&rules, expected, length);
            assert_eq!(offer.is_worth_telling(&rules, expected + 20_000), raises, "{length} B carried it");
        }
    }

    #[test]
    fn a_scaled_window_is_told_in_units_of_its_scale_rounded_up() {
        let rules = rules("linux-modern");
        let mut offer = Offer::new(6_291_456, 1448);
        assert_eq!(offer.wanted_scale(&rules), 7);
        assert_eq!(offer.largest(&rules), 65_535);
        offer.agree(Some(7), 1448);
        assert_eq!(offer.largest(&rules), 3_145_728);
        assert_eq!(offer.tell(&rules, 1, 0), 24_576);
        offer.charge(6_000_000);
        assert_eq!(offer.tell(&rules, 1001, 0), 24_569);
        assert_eq!(offer.edge(), 1001 + (24_569 << 7));
    }
}
