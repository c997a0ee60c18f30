//! What a received packet costs: UDP datagrams over the loopback, whose receive path runs inside the call that sends.
//!
//! A processor's time for softirqs in `/proc/stat` is counted in ticks, which is too coarse. So the cost is a difference of
//! calls that are timed one by one: a send that delivers, less one that the kernel keeps (`MSG_MORE`). That is an upper
//! bound: the IP output and the loopback's device are in it.

use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::host_limits::PacketCosts;
use linerate_core::stats::Estimate;
use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::context::Context;
use super::estimate;
use crate::probe::Sampler;

/// Payload of a datagram: small, so that its copy does not count. Unit: bytes.
const PAYLOAD: usize = 64;
/// Sends of each kind in a sample.
const TURNS: u32 = 16;
/// More than a datagram can have after the first bytes of it: the kernel refuses it, and forgets what it kept.
/// Source: udp(7); RFC 791, a packet has at most 65,535 bytes.
const TOO_LONG: usize = 65_507;
/// A datagram over the loopback that has not come for so long is lost.
const LOST: Duration = Duration::from_secs(1);

/// All costs, which takes about `time`.
pub(super) fn all(context: &Context<'_>, time: Span) -> PacketCosts {
    match samples(&context.sampler(time)) {
        Ok(samples) => costs(&samples),
        Err(error) => {
            let unknown = || Fact::<Estimate>::unknown(format!("UDP over the loopback: {error}"));
            PacketCosts { delivered_ns: unknown(), kept_ns: unknown(), received_at_most_ns: unknown() }
        }
    }
}

/// What each kind of send took, in one sample. Unit: nanoseconds.
#[derive(Clone, Copy)]
struct Sends {
    delivered: f64,
    kept: f64,
}

fn costs(samples: &[Sends]) -> PacketCosts {
    let all = |of: fn(&Sends) -> f64| estimate(&samples.iter().map(of).collect::<Vec<_>>());
    PacketCosts {
        delivered_ns: all(|sample| sample.delivered),
        kept_ns: all(|sample| sample.kept),
        received_at_most_ns: all(|sample| sample.delivered - sample.kept),
    }
}

/// A socket that sends, and one that receives.
struct Sockets {
    sender: UdpSocket,
    receiver: UdpSocket,
}

impl Sockets {
    fn open() -> io::Result<Self> {
        let bound = || UdpSocket::bind((Ipv4Addr::LOCALHOST, 0));
        let (sender, receiver) = (bound()?, bound()?);
        sender.connect(receiver.local_addr()?)?;
        receiver.connect(sender.local_addr()?)?;
        receiver.set_read_timeout(Some(LOST))?;
        Ok(Self { sender, receiver })
    }

    /// Sends a datagram and, outside the timed part, takes it.
    fn delivered(&self, sampler: &Sampler<'_>, payload: &mut [u8]) -> io::Result<f64> {
        let took = sampler.nanoseconds(|| send(&self.sender, payload, SendFlags::empty()))?;
        self.receiver.recv(payload)?;
        Ok(took)
    }

    /// Sends a datagram that the kernel keeps and, outside the timed part, makes the kernel forget it.
    fn kept(&self, sampler: &Sampler<'_>, payload: &[u8], too_long: &[u8]) -> io::Result<f64> {
        let took = sampler.nanoseconds(|| send(&self.sender, payload, SendFlags::MORE))?;
        match send(&self.sender, too_long, SendFlags::empty()) {
            Err(error) if error.raw_os_error() == Some(Errno::MSGSIZE.raw_os_error()) => Ok(took),
            Err(error) => Err(error),
            Ok(()) => Err(io::Error::other("the kernel sent a datagram that is longer than any")),
        }
    }
}

fn send(socket: &UdpSocket, payload: &[u8], flags: SendFlags) -> io::Result<()> {
    rustix::net::send(socket, payload, flags | SendFlags::DONTWAIT)?;
    Ok(())
}

/// Samples of both kinds of send, in turns, so that they are of the same moment.
fn samples(sampler: &Sampler<'_>) -> io::Result<Vec<Sends>> {
    let sockets = Sockets::open()?;
    let (mut payload, too_long) = ([0_u8; PAYLOAD], vec![0; TOO_LONG]);
    sampler.sample(|| {
        let mut sums = [0.0; 2];
        for _ in 0..TURNS {
            sums[0] += sockets.delivered(sampler, &mut payload)?;
            sums[1] += sockets.kept(sampler, &payload, &too_long)?;
        }
        let [delivered, kept] = sums.map(|sum| sum / f64::from(TURNS));
        Ok(Sends { delivered, kept })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::HostClock;

    #[test]
    fn the_bound_is_a_difference_within_each_sample() {
        let sample = |delivered, kept| Sends { delivered, kept };
        let costs = costs(&[sample(2000.0, 500.0), sample(9000.0, 1000.0), sample(3000.0, 2000.0)]);
        let median = |fact: &Fact<Estimate>| fact.known().map(|estimate| estimate.median);
        // Of 1500, 8000 and 1000; the medians of the sends are 2000 apart.
        assert_eq!(median(&costs.received_at_most_ns), Some(1500.0));
        assert_eq!((median(&costs.delivered_ns), median(&costs.kept_ns)), (Some(3000.0), Some(1000.0)));
    }

    /// What is kept is never sent: all that the receiver gets is what was delivered.
    #[test]
    fn a_kept_datagram_is_forgotten() {
        let clock = HostClock::start();
        let sampler = Sampler { clock: &clock, time: Span::from_ms(1) };
        let sockets = Sockets::open().expect("a loopback");
        let too_long = vec![0; TOO_LONG];
        sockets.kept(&sampler, &[1; PAYLOAD], &too_long).expect("the kernel keeps it");
        sockets.delivered(&sampler, &mut [2; PAYLOAD]).expect("it comes");
        send(&sockets.sender, &[3], SendFlags::empty()).expect("it is sent");
        let mut bytes = [0; 256];
        let got = sockets.receiver.recv(&mut bytes).expect("it comes");
        assert_eq!(&bytes[..got], [3], "nothing was before it");
        sockets.receiver.set_nonblocking(true).expect("a socket");
        assert!(sockets.receiver.recv(&mut bytes).is_err(), "nothing is behind it");
    }
}
