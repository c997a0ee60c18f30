//! A curve in the laboratory: `linerate measure` between its two ends.

use std::process::{Command, ExitCode};

use linerate_net::lab::TwoHosts;

use super::observe;
use crate::config::{NO_CONFIG, PROFILE};
use crate::peer::LoopbackPeer;
use crate::trouble::Trouble;

/// Runs `linerate measure` with these flags against the laboratory's peer, as a process of its own:
/// it knows how to measure, and this terminal is its terminal too.
pub(super) fn run(lab: &TwoHosts, peer: &LoopbackPeer, flags: &[String]) -> Result<ExitCode, Trouble> {
    let failed = |error: std::io::Error| {
        Trouble::new(format!("failed to start `linerate measure`: {error}"), "look at `ulimit -u`")
    };
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg("measure").arg(peer.address().to_string()).env("LINERATE_KEY", peer.key().to_string());
    command.env(NO_CONFIG, "true").env_remove(PROFILE);
    // As the calibration itself does, unless it is asked for otherwise.
    let given = |name: &str| flags.iter().any(|flag| flag.starts_with(name));
    if !given("--pin") && observe::processors() > 1 {
        command.args(["--pin", "0,1"]);
    }
    if !given("--congestion") && !given("--plan") {
        command.args(["--congestion", observe::congestion()]);
    }
    command.args(flags);
    let status = lab.here(|| command.status())?.map_err(failed)?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}
