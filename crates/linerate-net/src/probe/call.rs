//! What a call costs that moves nothing.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use super::{Probe, ProbeError, Sampler, failed};

/// Pairs of calls in a sample: enough that reading the clock does not count.
const BATCH: u32 = 100;

/// A receive from a TCP socket that has nothing and a send of no bytes, in turns: the mean of both.
/// The way into the kernel, the socket's lock and the way back; no packet.
pub(crate) fn system_call(sampler: &Sampler<'_>) -> Result<Probe, ProbeError> {
    let what = failed("a system call");
    let (one, _other) = connection().map_err(&what)?;
    let mut byte = [0_u8; 1];
    let mut pair = || -> io::Result<()> {
        match rustix::net::recv(&one, &mut byte[..], RecvFlags::DONTWAIT) {
            Err(Errno::AGAIN) => {}
            Err(errno) => return Err(errno.into()),
            Ok(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        rustix::net::send(&one, &[], SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?;
        Ok(())
    };
    let mut sample = || {
        let batch = sampler.nanoseconds(|| (0..BATCH).try_for_each(|_| pair()))?;
        Ok(batch / f64::from(2 * BATCH))
    };
    let samples = sampler.sample(&mut sample).map_err(&what)?;
    Ok(Probe { name: "a call on a TCP socket that moves nothing", unit: "ns", samples })
}

/// Both ends of a connection over the loopback.
fn connection() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, address) = listener.accept()?;
    if address == near.local_addr()? { Ok((near, far)) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
}
