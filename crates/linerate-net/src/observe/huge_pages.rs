//! How much of a mapping is in huge pages.

use linerate_core::environment::Fact;

use super::Unread;
use super::proc_text::{bytes_field, read};

/// Memory in transparent huge pages of the mapping of this process that contains `address`. Unit:
/// bytes.  Source: proc_pid_smaps(5), `AnonHugePages`.
#[must_use]
pub fn huge_pages_at(address: usize) -> Fact<u64> {
    Fact::from(
        read("/proc/self/smaps").and_then(|text| bytes_field(mapping(&text, address)?, "AnonHugePages")),
    )
}

/// The text from the mapping that contains `address` on.
fn mapping(smaps: &str, address: usize) -> Result<&str, Unread> {
    let contains = |line: &str| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let bound = |text| usize::from_str_radix(text, 16).ok();
        Some((bound(start)?..bound(end)?).contains(&address))
    };
    let mut at = 0;
    for line in smaps.split_inclusive('\n') {
        if contains(line) == Some(true) {
            return Ok(&smaps[at..]);
        }
        at += line.len();
    }
    Err(Unread::NoSign("no mapping has the address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "55d0-55d8 r-xp 00000000 fe:00 1 /bin/x\nSize: 8 kB\nAnonHugePages:         0 kB\n\
                         7f00-7fff rw-p 00000000 00:00 0\nSize: 4096 kB\nAnonHugePages:      2048 kB\n";

    #[test]
    fn the_mapping_is_found_by_an_address_inside() {
        for (address, huge) in [(0x55d0, 0), (0x7f00, 2 << 20), (0x7ffe, 2 << 20)] {
            let text = mapping(SMAPS, address).expect("it is mapped");
            assert_eq!(bytes_field(text, "AnonHugePages").expect("a field"), huge, "{address:x}");
        }
        assert!(mapping(SMAPS, 0x7fff).is_err(), "the end is outside");
    }

    #[test]
    fn this_process_has_its_own_mappings() {
        let here = Box::new(1_u8);
        let huge = huge_pages_at((&raw const *here).addr());
        assert!(huge.known().is_some(), "{huge}");
    }
}
