//! Which frames a socket is given: the kernel looks before it copies, so that the frames of
//! other conversations and of other flows cost nothing here and take no room in a ring.

use socket2::SockFilter;

use super::frame::{FLOW_AT, KIND_AT, Kind, Mac, SENDER_AT, SIDE_AT, TOKEN_AT};
use crate::control::Side;

/// Instructions of the classic packet filter.  Source: linux/bpf_common.h, linux/filter.h.
const LOAD_WORD: u16 = 0x20;
const LOAD_HALF: u16 = 0x28;
const LOAD_BYTE: u16 = 0x30;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
/// The type that the kernel gave the packet: `SKF_AD_OFF + SKF_AD_PKTTYPE`.
const PACKET_TYPE: u32 = (-0x1000_i32 + 4).cast_unsigned();
/// `PACKET_HOST`: to this host, and not a copy of what it sent.
const TO_THIS_HOST: u32 = 0;

/// The frames that a socket wants. Its address sees to the EtherType and the interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Of this load.
    pub(super) token: [u8; 8],
    /// Sent by this side.
    pub(super) side: Side,
    /// Messages, or everything else.
    pub(super) data: bool,
    /// Of this flow and from this station alone.
    pub(super) only: Option<(u32, Mac)>,
}

/// One comparison: an instruction that loads, where from, and the value.
type Test = (u16, u32, u32);

impl Wanted {
    /// The filter's program: all of a frame, or nothing.
    pub(super) fn program(&self) -> Vec<SockFilter> {
        let mut tests = vec![(LOAD_WORD, PACKET_TYPE, TO_THIS_HOST)];
        tests.extend(words(TOKEN_AT, self.token));
        tests.push((LOAD_BYTE, SIDE_AT as u32, self.side as u32));
        if let Some((flow, [a, b, c, d, e, f])) = self.only {
            tests.push((LOAD_WORD, FLOW_AT as u32, flow));
            tests.push((LOAD_WORD, SENDER_AT as u32, u32::from_be_bytes([a, b, c, d])));
            tests.push((LOAD_HALF, SENDER_AT as u32 + 4, u16::from_be_bytes([e, f]).into()));
        }
        // The last comparison is with the kind of data, and turned round for everything else. After
        // it stand "all of it" and "nothing".
        let mut program = Vec::with_capacity(2 * tests.len() + 4);
        let mut left = 2 * tests.len() as u8;
        for (load, at, value) in tests {
            program.push(SockFilter::new(load, 0, 0, at));
            // From the next instruction over the other tests, the kind's two and the acceptance.
            left -= 2;
            program.push(SockFilter::new(JUMP_IF_EQUAL, 0, left + 3, value));
        }
        let (if_data, if_not) = if self.data { (0, 1) } else { (1, 0) };
        program.push(SockFilter::new(LOAD_BYTE, 0, 0, KIND_AT as u32));
        program.push(SockFilter::new(JUMP_IF_EQUAL, if_data, if_not, Kind::Data as u32));
        program.push(SockFilter::new(RETURN, 0, 0, u32::MAX));
        program.push(SockFilter::new(RETURN, 0, 0, 0));
        program
    }
}

fn words(at: usize, token: [u8; 8]) -> [Test; 2] {
    let [a, b, c, d, e, f, g, h] = token;
    let word = |at: usize, bytes| (LOAD_WORD, at as u32, u32::from_be_bytes(bytes));
    [word(at, [a, b, c, d]), word(at + 4, [e, f, g, h])]
}
