//! A token bucket before a link of this thread's network namespace, as tc-tbf(8) makes it.

use std::io;

use linerate_core::lab::Bucket;
use linerate_core::units::{Rate, Size};
use netlink_packet_core::{DefaultNla, NLM_F_CREATE, NLM_F_REPLACE};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcOption};

use super::{Netlink, index};

/// Its attributes.  Source: `linux/pkt_sched.h`.
const TCA_TBF_PARMS: u16 = 1;
const TCA_TBF_RATE64: u16 = 4;
const TCA_TBF_BURST: u16 = 6;
/// Packets are counted with the Ethernet header that they have, and not in cells (`TC_LINKLAYER_ETHERNET`).
const ETHERNET: u8 = 1;

/// Puts a bucket before a link, or behind the queue `parent` of it, in place of what was there.
pub(crate) fn replace(name: &str, bucket: Bucket, parent: Option<TcHandle>) -> io::Result<()> {
    let Bucket { rate, burst, queue } = bucket;
    if rate.bits_per_second() < 8.0 {
        return Err(io::Error::other("it needs a rate of a byte a second"));
    }
    let mut message = TcMessage::with_index(i32::try_from(index(name)?).map_err(io::Error::other)?);
    message.header.parent = parent.unwrap_or(TcHandle::ROOT);
    let options = options(rate, small(burst)?, small(queue)?);
    message.attributes = vec![
        TcAttribute::Kind("tbf".to_owned()),
        TcAttribute::Options(options.into_iter().map(TcOption::Other).collect()),
    ];
    let message = RouteNetlinkMessage::NewQueueDiscipline(message);
    Netlink::open()?.change(message, NLM_F_CREATE | NLM_F_REPLACE)
}

/// Sizes are 32 bits there.
fn small(size: Size) -> io::Result<u32> {
    u32::try_from(size.bytes()).map_err(|_| io::Error::other(format!("{size} are too much")))
}

/// The bucket's attributes. A rate of 4 GB/s and above stands in a word of its own; the burst does too, in bytes,
/// where the structure has it as the time that it takes, in ticks.
fn options(rate: Rate, burst: u32, queue: u32) -> [DefaultNla; 3] {
    let bytes_per_second = (rate.bits_per_second() / 8.0).round() as u64;
    // struct tc_ratespec, twice: cell_log, linklayer, overhead, cell_align, mpu, rate. Then limit, buffer, mtu.
    let mut parameters = vec![0, ETHERNET, 0, 0, 0, 0, 0, 0];
    parameters.extend(u32::try_from(bytes_per_second).unwrap_or(u32::MAX).to_ne_bytes());
    parameters.extend([0; 12]);
    parameters.extend(queue.to_ne_bytes());
    parameters.extend([0; 8]);
    [
        DefaultNla::new(TCA_TBF_PARMS, parameters),
        DefaultNla::new(TCA_TBF_RATE64, bytes_per_second.to_ne_bytes().to_vec()),
        DefaultNla::new(TCA_TBF_BURST, burst.to_ne_bytes().to_vec()),
    ]
}
