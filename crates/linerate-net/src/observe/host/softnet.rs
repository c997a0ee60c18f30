//! What the receiving side of the network stack has counted on each processor.

use std::collections::BTreeMap;

/// The counters of every processor, by its number.
///
/// Unit: packets; squeezed is times. They are 32 bits wide and wrap.
#[derive(Debug, Default)]
pub(in super::super) struct Softnet(BTreeMap<u32, [u32; 3]>);

/// What all processors counted between two moments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Received {
    pub(super) packets: u64,
    pub(super) dropped: u64,
    pub(super) squeezed: u64,
}

impl Softnet {
    /// The text of `/proc/net/softnet_stat`: a line a processor, of hexadecimal columns: processed,
    /// dropped, squeezed, and in the thirteenth the processor's number; where an old kernel has no
    /// such column, lines are counted. A line that is not of this form is left out.
    ///
    /// Source: `softnet_seq_show` of net/core/net-procfs.c; the number since Linux 5.10.
    pub(in super::super) fn of(text: &str) -> Self {
        let lines = text.lines().enumerate();
        Self(lines.filter_map(|(line, text)| Some((number(line, text)?, counts(text)?))).collect())
    }

    /// From `before` to now. A processor that was not there before is left out.
    pub(super) fn since(&self, before: &Self) -> Received {
        let mut received = Received::default();
        for (processor, now) in &self.0 {
            let Some(then) = before.0.get(processor) else { continue };
            let grown = |column: usize| u64::from(now[column].wrapping_sub(then[column]));
            received.packets += grown(0);
            received.dropped += grown(1);
            received.squeezed += grown(2);
        }
        received
    }
}

fn number(line: usize, text: &str) -> Option<u32> {
    match text.split_ascii_whitespace().nth(12) {
        Some(word) => u32::from_str_radix(word, 16).ok(),
        None => u32::try_from(line).ok(),
    }
}

fn counts(text: &str) -> Option<[u32; 3]> {
    let mut words = text.split_ascii_whitespace();
    let mut next = || u32::from_str_radix(words.next()?, 16).ok();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEN: &str = "\
15bf050d 00000123 00000045 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
fffffff0 000000d7 0000003c 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000003 00000000 00000000
";

    #[test]
    fn columns_are_hexadecimal_and_processors_have_numbers() {
        let softnet = Softnet::of(THEN);
        assert_eq!(softnet.0.get(&0), Some(&[0x15bf_050d, 0x123, 0x45]));
        assert_eq!(softnet.0.get(&3), Some(&[0xffff_fff0, 0xd7, 0x3c]), "1 and 2 are offline");
    }

    #[test]
    fn what_all_counted_is_summed_across_a_wrap() {
        let now = THEN.replace("fffffff0", "00000010").replace("00000123", "00000125");
        let received = Softnet::of(&now).since(&Softnet::of(THEN));
        assert_eq!(received, Received { packets: 0x20, dropped: 2, squeezed: 0 });
        assert_eq!(Softnet::of(THEN).since(&Softnet::default()), Received::default());
    }

    #[test]
    fn what_is_no_line_is_left_out() {
        let softnet = Softnet::of("1 2\nzz 1 2\n\n7 8 9\n100000000 0 0\n");
        assert_eq!(softnet.0, BTreeMap::from([(3, [7, 8, 9])]), "old kernels: the fourth line");
    }
}
