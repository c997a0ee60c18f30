//! The peer that is started on this host when the user names no host, or in its laboratory.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read as _, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use linerate_core::plan::Family;
use linerate_net::control::Key;

use crate::agent::{Agent, Deployed};
use crate::trouble::Trouble;

/// A `linerate serve` on this host, which ends with this process.
#[derive(Debug)]
pub(crate) struct LoopbackPeer {
    process: Child,
    address: SocketAddr,
    key: Key,
}

impl LoopbackPeer {
    /// Starts the peer and waits until it listens.
    pub(crate) fn start(family: Option<Family>) -> Result<Self, Trouble> {
        Self::listening(if family == Some(Family::V6) { "[::1]:0" } else { "127.0.0.1:0" }, fresh_key()?)
    }

    /// Starts the peer on `listen`, in the network namespace of this thread, with this key, and waits until it
    /// listens.
    pub(crate) fn listening(listen: &str, key: Key) -> Result<Self, Trouble> {
        let program = std::env::current_exe().map_err(failed)?;
        let mut process = Command::new(program)
            .args(["serve", "--child", "--listen", listen])
            .env_remove("LINERATE_KEY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let address = introduce(&mut process, &key);
        match address {
            Ok(address) => Ok(Self { process, address, key }),
            Err(what) => {
                // It may have ended already; its own messages are on standard error.
                process.kill().unwrap_or(());
                process.wait().map_err(failed)?;
                Err(failed(what))
            }
        }
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) const fn key(&self) -> &Key {
        &self.key
    }
}

/// A `linerate serve` on another host, to which this program was copied for it.
#[derive(Debug)]
pub(crate) struct DeployedPeer {
    process: Child,
    target: String,
    /// Removed once the server has ended.
    _deployed: Deployed,
}

impl DeployedPeer {
    /// Copies this program to `host` (`[USER@]HOST`), starts it there and waits until it listens.
    pub(crate) fn start(agent: &Agent, host: &str, key: &Key) -> Result<Self, Trouble> {
        let deployed = agent.deploy(host)?;
        let script = format!(
            "l=0.0.0.0; [ -s /proc/net/if_inet6 ] && l='[::]'; exec {} serve --child --listen \"$l:0\"",
            deployed.program()
        );
        let mut process = agent.start(host, &script)?;
        let address = introduce(&mut process, key);
        // Whatever it has to say afterwards; it says little.
        let said = process.stderr.take();
        match address {
            Ok(address) => {
                if let Some(mut said) = said {
                    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
                }
                let name = host.rsplit_once('@').map_or(host, |(_, host)| host);
                let name = if name.contains(':') { format!("[{name}]") } else { name.to_owned() };
                Ok(Self { process, target: format!("{name}:{}", address.port()), _deployed: deployed })
            }
            Err(what) => {
                process.kill().unwrap_or(());
                let mut reason = String::new();
                let read = said.map(|mut said| said.read_to_string(&mut reason));
                process.wait().map_err(failed)?;
                let last = reason.trim().lines().last().filter(|_| matches!(read, Some(Ok(_))));
                Err(Trouble::new(
                    format!("failed to start linerate on {host}: {}", last.unwrap_or(&what)),
                    "it must run there: the same kind of machine, and libraries as new as here",
                ))
            }
        }
    }

    /// `HOST:PORT`.
    pub(crate) fn target(&self) -> &str {
        &self.target
    }
}

impl Drop for DeployedPeer {
    fn drop(&mut self) {
        // It stops at the end of its standard input, and is removed after that.
        drop(self.process.stdin.take());
        if let Err(error) = self.process.wait() {
            tracing::debug!("the server could not be waited for: {error}");
        }
    }
}

/// A key that nobody else has.
pub(crate) fn fresh_key() -> Result<Key, Trouble> {
    Key::fresh().map_err(failed)
}

fn failed(what: impl Display) -> Trouble {
    Trouble::new(
        format!("failed to start a peer on this host: {what}"),
        "run `linerate serve --listen 127.0.0.1:0` to see why, or name a host to measure",
    )
}

/// Sends the peer its key and reads its address.
fn introduce(process: &mut Child, key: &Key) -> Result<SocketAddr, String> {
    let (Some(stdin), Some(stdout)) = (process.stdin.as_mut(), process.stdout.take()) else {
        return Err("it has no standard streams".to_owned());
    };
    writeln!(stdin, "{key}").and_then(|()| stdin.flush()).map_err(|error| error.to_string())?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
    line.trim().parse().map_err(|_| format!("it said `{}` instead of its address", line.trim()))
}

impl Drop for LoopbackPeer {
    fn drop(&mut self) {
        // It stops at the end of its standard input.
        drop(self.process.stdin.take());
        if let Err(error) = self.process.wait() {
            tracing::debug!("the peer could not be waited for: {error}");
        }
    }
}
