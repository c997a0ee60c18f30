//! What a received packet costs: UDP datagrams over the loopback, whose receive path runs inside the call that sends.
//!
//! A processor's time for softirqs in `/proc/stat` is counted in ticks, which is too coarse. So the cost is between two
//! differences of calls that are timed one by one: a send that delivers, less one that the kernel keeps (`MSG_MORE`), and
//! less one to a multicast group that nobody joined, which is dropped at the IP input.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::host_limits::PacketCosts;
use linerate_core::stats::Estimate;
use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::net::SendFlags;
use socket2::SockRef;

use super::context::Context;
use super::estimate;
use crate::probe::Sampler;

/// Payload of a datagram: small, so that its copy does not count. Unit: bytes.
const PAYLOAD: usize = 64;
/// Sends of each kind in a sample.
const TURNS: u32 = 16;
/// A group of the range for use within an organisation, that no protocol uses. Source: RFC 2365, section 6.2.
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 195, 87, 241);
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
            PacketCosts {
                delivered_ns: unknown(),
                kept_ns: unknown(),
                stray_ns: unknown(),
                received_at_most_ns: unknown(),
                received_at_least_ns: unknown(),
            }
        }
    }
}

/// What each kind of send took, in one sample. Unit: nanoseconds.
#[derive(Clone, Copy)]
struct Sends {
    delivered: f64,
    kept: f64,
    /// If absent, the host has no way to send to the group.
    stray: Option<f64>,
}

fn costs(samples: &[Sends]) -> PacketCosts {
    let all = |of: fn(&Sends) -> f64| estimate(&samples.iter().map(of).collect::<Vec<_>>());
    let stray: Vec<Sends> = samples.iter().copied().filter(|sample| sample.stray.is_some()).collect();
    let strays = |of: fn(&Sends, f64) -> f64| match &stray[..] {
        [] => Fact::unknown("this host does not send to a multicast group over the loopback"),
        some => {
            let values: Vec<f64> =
                some.iter().filter_map(|sample| sample.stray.map(|stray| of(sample, stray))).collect();
            estimate(&values)
        }
    };
    PacketCosts {
        delivered_ns: all(|sample| sample.delivered),
        kept_ns: all(|sample| sample.kept),
        stray_ns: strays(|_, stray| stray),
        received_at_most_ns: all(|sample| sample.delivered - sample.kept),
        received_at_least_ns: strays(|sample, stray| sample.delivered - stray),
    }
}

/// The sockets: one that sends, one that receives, one that sends to nobody.
struct Sockets {
    sender: UdpSocket,
    receiver: UdpSocket,
    stray: Option<UdpSocket>,
}

impl Sockets {
    fn open() -> io::Result<Self> {
        let bound = || UdpSocket::bind((Ipv4Addr::LOCALHOST, 0));
        let (sender, receiver) = (bound()?, bound()?);
        sender.connect(receiver.local_addr()?)?;
        receiver.connect(sender.local_addr()?)?;
        receiver.set_read_timeout(Some(LOST))?;
        Ok(Self { sender, receiver, stray: stray().ok() })
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

/// A socket whose datagrams go over the loopback to a group that nobody has joined, and no farther.
fn stray() -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let options = SockRef::from(&socket);
    options.set_multicast_if_v4(&Ipv4Addr::LOCALHOST)?;
    // Or the kernel would hand a copy to the input besides.
    options.set_multicast_loop_v4(false)?;
    // With 0 it would not even reach the loopback's input.
    options.set_multicast_ttl_v4(1)?;
    socket.connect(SocketAddr::from((GROUP, 9)))?;
    Ok(socket)
}

fn send(socket: &UdpSocket, payload: &[u8], flags: SendFlags) -> io::Result<()> {
    rustix::net::send(socket, payload, flags | SendFlags::DONTWAIT)?;
    Ok(())
}

/// Samples of all kinds of send, in turns, so that they are of the same moment.
fn samples(sampler: &Sampler<'_>) -> io::Result<Vec<Sends>> {
    let mut sockets = Sockets::open()?;
    let (mut payload, too_long) = ([0_u8; PAYLOAD], vec![0; TOO_LONG]);
    if let Some(socket) = &sockets.stray
        && send(socket, &payload, SendFlags::empty()).is_err()
    {
        sockets.stray = None;
    }
    sampler.sample(|| {
        let mut sums = [0.0; 3];
        for _ in 0..TURNS {
            sums[0] += sockets.delivered(sampler, &mut payload)?;
            sums[1] += sockets.kept(sampler, &payload, &too_long)?;
            if let Some(socket) = &sockets.stray {
                sums[2] += sampler.nanoseconds(|| send(socket, &payload, SendFlags::empty()))?;
            }
        }
        let [delivered, kept, stray] = sums.map(|sum| sum / f64::from(TURNS));
        Ok(Sends { delivered, kept, stray: sockets.stray.is_some().then_some(stray) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::HostClock;

    #[test]
    fn bounds_are_differences_of_the_same_sample() {
        let sample = |delivered, kept, stray| Sends { delivered, kept, stray };
        let costs = costs(&[sample(2000.0, 500.0, Some(1200.0)), sample(9000.0, 1000.0, Some(2200.0))]);
        let median = |fact: &Fact<Estimate>| fact.known().map(|estimate| estimate.median);
        assert_eq!(median(&costs.received_at_most_ns), Some((1500.0 + 8000.0) / 2.0));
        assert_eq!(median(&costs.received_at_least_ns), Some((800.0 + 6800.0) / 2.0));
        let without = super::costs(&[sample(2000.0, 500.0, None)]);
        assert!(without.received_at_least_ns.known().is_none() && median(&without.kept_ns) == Some(500.0));
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
