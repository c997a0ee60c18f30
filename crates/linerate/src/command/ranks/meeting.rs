//! Where ranks find rank 0: an address, or a file that rank 0 writes.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use linerate_core::generator::GENERATOR;
use linerate_net::control::Key;
use linerate_net::observe::own_addresses;
use linerate_net::ranks::Meeting;
use serde::{Deserialize, Serialize};

use crate::store::Writer;
use crate::trouble::Trouble;

/// The longest file that is one. Unit: bytes.
const LONGEST: u64 = 1 << 16;

/// What such a file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    /// Which linerate wrote it.
    #[serde(default)]
    generator: String,
    /// What tells this mesh from one before it in the same place.
    job: String,
    /// Where rank 0 is: `HOST:PORT`.
    addresses: Vec<String>,
    /// The key, unless the user gave all ranks one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// A file with the place of rank 0, removed when this is dropped.
pub(super) struct Posted(PathBuf);

impl Drop for Posted {
    fn drop(&mut self) {
        // Somebody else may have removed it.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Listens for ranks: at `bind`, or at every address, with a free port unless one is given.
pub(super) fn listen(bind: Option<IpAddr>, port: u16) -> Result<TcpListener, Trouble> {
    let bound = match bind {
        Some(address) => TcpListener::bind((address, port)),
        // Of both families, where there are both.
        None => TcpListener::bind((Ipv6Addr::UNSPECIFIED, port))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))),
    };
    bound.map_err(|error| {
        Trouble::new(format!("failed to listen for ranks: {error}"), "give --bind an address of this host")
    })
}

/// Where others find `listener`: at the addresses of this host, the loopback last.
pub(super) fn addresses(listener: &TcpListener) -> Result<Vec<String>, Trouble> {
    let failed = |error: io::Error| {
        Trouble::new(
            format!("failed to find this host's addresses: {error}"),
            "give --bind an address of this host",
        )
    };
    let local = listener.local_addr().map_err(failed)?;
    if !local.ip().is_unspecified() {
        return Ok(vec![local.to_string()]);
    }
    let fits = |address: &SocketAddr| local.is_ipv6() || address.is_ipv4();
    let all = own_addresses().map_err(failed)?.into_iter().map(|mut address| {
        address.set_port(local.port());
        address
    });
    Ok(all.filter(fits).map(|address| address.to_string()).collect())
}

/// Writes where rank 0 is to `path`, for this user only.
pub(super) fn post(
    path: &Path,
    job: &str,
    addresses: &[String],
    (key, files): (Option<&Key>, &Writer),
) -> Result<Posted, Trouble> {
    let written = Written {
        generator: GENERATOR.to_owned(),
        job: job.to_owned(),
        addresses: addresses.to_vec(),
        key: key.map(ToString::to_string),
    };
    let text = serde_json::to_string(&written).expect("it is plain text");
    // It replaces what a rank 0 that was killed has left.
    files.replace_private(path, &text)?;
    Ok(Posted(path.to_owned()))
}

/// What rank 0 wrote to `path`, or why nothing is known yet; `key` is what the user gave.
pub(super) fn read(path: &Path, job: &str, key: Option<&Key>) -> Result<Meeting, String> {
    let file = std::fs::File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let written: Written = serde_json::from_reader(io::Read::take(file, LONGEST))
        .map_err(|error| format!("{} is no file of rank 0: {error}", path.display()))?;
    if written.job != job {
        return Err(format!("{} is of another job", path.display()));
    }
    let key = match (key, written.key) {
        (Some(key), _) => key.clone(),
        (None, Some(key)) => key.parse().map_err(|error| format!("{}: {error}", path.display()))?,
        (None, None) => {
            return Err("rank 0 was given a key and this rank was not: set LINERATE_KEY for all".to_owned());
        }
    };
    Ok(Meeting { addresses: written.addresses, key })
}
