//! Two hosts and a wire of known rate: the laboratory of the product, and a token bucket.

use std::net::Ipv4Addr;

use linerate_core::units::{Rate, Size};
use linerate_net::lab::{self, LabError, THERE, shape};

use super::server::Server;
use super::{Desk, PROGRAM, Said, missing};

/// Largest IP packet of the wire. Unit: bytes.
pub(crate) const MTU: u64 = 1500;
/// An Ethernet header: what tbf counts of a frame besides the IP packet. Unit: bytes.
const HEADER: u64 = 14;
/// Preamble, header, check sequence and gap: what a wire counts. Unit: bytes. Source: IEEE 802.3,
/// clauses 3.1 and 4.4.2: 8 + 14 + 4 + 12.
const OVERHEAD: u64 = 38;
/// Deep enough for all that TCP keeps under way, so that nothing is lost.
const QUEUE: Size = Size(16 << 20);
/// An address on the wire that neither host has.
pub(crate) const NOBODY: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 9);

/// Two hosts joined by a wire; they are gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Lab(pub(crate) lab::TwoHosts);

/// The rate of a wire in both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Unit: Mb/s (10^6 bit/s) with preamble, check sequence and gap, as Ethernet counts.
    pub(crate) mbps: u64,
    /// What may pass at once after a pause, such as `16KiB`.
    pub(crate) burst: &'static str,
}

impl Lab {
    /// Makes the lab, with a `limit` or as fast as the host is. None, with a word, where the
    /// rights are missing.
    pub(crate) fn new(limit: Option<Limit>) -> Option<Self> {
        match Self::make(limit) {
            Ok(lab) => Some(lab),
            Err(error @ LabError::Privilege) => {
                missing(&format!("a laboratory (failed to {error})"));
                None
            }
            Err(error) => panic!("failed to {error}"),
        }
    }

    /// TCP hands its queue several segments at once whatever ethtool says (GSO is always on since
    /// Linux 4.16), and tbf adds its `overhead` once to each such burst, but counts 14 bytes of
    /// header for each segment. So the rate is scaled to what tbf counts right: exact for full
    /// frames, and 1.6 % too fast with `overhead 24`, as was seen at 1000 Mbit/s.
    fn make(limit: Option<Limit>) -> Result<Self, LabError> {
        let lab = lab::TwoHosts::new(u32::try_from(MTU).expect("it is small"))?;
        if let Some(Limit { mbps, burst }) = limit {
            let (rate, burst) = (rate(mbps), size(burst));
            lab.here(|| shape(rate, burst, QUEUE))??;
            lab.there(|| shape(rate, burst, QUEUE))??;
        }
        Ok(Self(lab))
    }

    /// Runs linerate to its end on this host of the lab.
    pub(crate) fn linerate(&self, desk: &Desk, arguments: &[&str]) -> Said {
        self.0.here(|| desk.linerate(arguments)).expect("entered")
    }

    /// Starts a server without a key on the other host of the lab.
    pub(crate) fn serve(&self, desk: &Desk) -> Server {
        let listen = format!("{THERE}:5470");
        let command = desk.command(PROGRAM, &["serve", "--open", "--listen", &listen]);
        let mut server = self.0.there(|| Server::from(command)).expect("entered");
        server.address = THERE.to_string();
        server
    }
}

/// The rate that makes tbf let `mbps` of Ethernet through, if it counts as it does.
pub(crate) fn rate(mbps: u64) -> Rate {
    Rate::from_mbps((mbps * (MTU + HEADER)) as f64 / (MTU + OVERHEAD) as f64)
}

/// A size in words.
pub(crate) fn size(text: &str) -> Size {
    text.parse().expect("a size")
}
