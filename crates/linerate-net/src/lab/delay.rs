//! A delay before a link of this thread's network namespace, as tc-netem(8) makes it.

use std::io;

use linerate_core::units::Span;
use netlink_packet_core::{DefaultNla, NLM_F_CREATE, NLM_F_REPLACE};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};

use crate::netlink::{Netlink, index};

/// The attribute of a queue that has its options.  Source: `linux/rtnetlink.h`.
const TCA_OPTIONS: u16 = 2;
/// Its attribute of the delay in nanoseconds, a signed 64-bit number.  Source: `linux/pkt_sched.h`.
const TCA_NETEM_LATENCY64: u16 = 10;
/// Packets that may be on their way at once: more than any window has.
const PACKETS: u32 = 1_000_000;
/// The handle of the delay.
const HANDLE: TcHandle = TcHandle { major: 1, minor: 0 };
/// Where a bucket behind it hangs: the packets that have waited go through it.
pub(super) const INSIDE: TcHandle = TcHandle { major: 1, minor: 1 };

/// Lets every packet wait for `delay`, in place of what the link had.
pub(super) fn replace(name: &str, delay: Span) -> io::Result<()> {
    let mut message = TcMessage::with_index(i32::try_from(index(name)?).map_err(io::Error::other)?);
    message.header.parent = TcHandle::ROOT;
    message.header.handle = HANDLE;
    message.attributes = vec![
        TcAttribute::Kind("netem".to_owned()),
        TcAttribute::Other(DefaultNla::new(TCA_OPTIONS, options(delay))),
    ];
    let message = RouteNetlinkMessage::NewQueueDiscipline(message);
    Netlink::open()?.change(message, NLM_F_CREATE | NLM_F_REPLACE)
}

/// A structure of six words (`struct tc_netem_qopt`: delay in ticks of 64 ns, limit in packets, loss, gap, duplicates,
/// jitter), and after it the delay in nanoseconds as an attribute, which counts.
fn options(delay: Span) -> Vec<u8> {
    let ns = delay.as_ps() / 1_000;
    let ticks = u32::try_from(ns >> 6).unwrap_or(u32::MAX);
    let mut bytes: Vec<u8> = [ticks, PACKETS, 0, 0, 0, 0].into_iter().flat_map(u32::to_ne_bytes).collect();
    bytes.extend(12_u16.to_ne_bytes());
    bytes.extend(TCA_NETEM_LATENCY64.to_ne_bytes());
    bytes.extend(ns.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: `linux/pkt_sched.h`; 2 ms are 31,250 ticks of 64 ns.
    #[test]
    fn the_options_are_a_structure_and_an_attribute() {
        let bytes = options(Span::from_ms(2));
        let words: Vec<u32> =
            bytes[..24].chunks(4).map(|word| u32::from_ne_bytes(word.try_into().expect("four"))).collect();
        assert_eq!(words, [31_250, 1_000_000, 0, 0, 0, 0]);
        assert_eq!(bytes[24..28], [12_u16.to_ne_bytes(), 10_u16.to_ne_bytes()].concat());
        assert_eq!(bytes[28..], 2_000_000_u64.to_ne_bytes());
    }
}
