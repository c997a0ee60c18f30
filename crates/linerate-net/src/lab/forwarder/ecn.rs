//! The ECN field of the IP packet in an Ethernet frame.
//!
//! Source: RFC 3168, section 5; RFC 791, section 3.1; RFC 8200, section 3.

use linerate_core::lab::emulator::EcnRule;

/// Where the IP header begins. Unit: bytes.
const IP: usize = 14;
const CE: u8 = 0b11;

/// Rewrites the field as `rule` says, with the check sum of an IPv4 header. A frame without IP stays as it is.
pub(super) fn apply(frame: &mut [u8], rule: EcnRule) {
    let Some((ethernet, packet)) = frame.split_at_mut_checked(IP) else { return };
    // IPv6's traffic class has its lower half at the top of the second byte.
    let (ipv4, shift) = match ethernet[IP - 2..] {
        [0x08, 0x00] => (true, 0),
        [0x86, 0xdd] => (false, 4),
        _ => return,
    };
    let Some(byte) = packet.get_mut(1) else { return };
    let now = *byte >> shift & CE;
    let then = match rule {
        EcnRule::Bleach => 0,
        EcnRule::Mark if now == 0 => 0,
        EcnRule::Mark => CE,
    };
    *byte = *byte & !(CE << shift) | then << shift;
    let header = 4 * usize::from(packet[0] & 0xf);
    if let Some(header) = packet.get_mut(..header).filter(|header| ipv4 && header.len() >= 20) {
        header[10..12].fill(0);
        let words = header.chunks_exact(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
        let sum: u32 = words.sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        let folded = (folded & 0xffff) + (folded >> 16);
        header[10] = !(folded >> 8) as u8;
        header[11] = !folded as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of a header whose check sum is known.
    const V4: [u8; 20] = [
        0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0,
        0xa8, 0x00, 0xc7,
    ];

    fn ruled(kind: [u8; 2], packet: &[u8], class: u8, rule: EcnRule) -> Vec<u8> {
        let mut frame = [&[0; 12][..], &kind, packet].concat();
        frame[15] = if kind == [0x08, 0x00] { class } else { class << 4 };
        apply(&mut frame, rule);
        frame.split_off(IP)
    }

    #[test]
    fn only_ect_is_marked_and_everything_is_bleached() {
        for (class, rule, then) in [
            (0b00, EcnRule::Mark, 0b00),
            (0b01, EcnRule::Mark, 0b11),
            (0b10, EcnRule::Mark, 0b11),
            (0b1010, EcnRule::Bleach, 0b1000),
            (0b11, EcnRule::Bleach, 0b00),
        ] {
            let v4 = ruled([0x08, 0x00], &V4, class, rule);
            assert_eq!(v4[1], then);
            assert_eq!(ruled([0x86, 0xdd], &[0x60; 40], class, rule)[1] >> 4, then);
        }
        let same = ruled([0x08, 0x00], &V4, 0, EcnRule::Bleach);
        assert_eq!(same, V4, "its check sum is right");
        assert_eq!(ruled([0x08, 0x06], &V4, 0, EcnRule::Mark)[10..12], V4[10..12], "no IP");
        (0..IP + 3).for_each(|length| apply(&mut vec![8; length], EcnRule::Mark));
    }
}
