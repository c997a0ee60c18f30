//! A rank that another linerate has started. What it is told is one line of JSON on standard input, so that the key
//! is in nobody's list of processes.

use std::io::{self, BufRead};
use std::process::ExitCode;

use linerate_net::control::RankOrder;
use linerate_net::observe::HostClock;
use linerate_net::ranks::{Meeting, Oversight, take_part};
use serde::{Deserialize, Serialize};

use super::application::application;
use crate::signals;
use crate::trouble::Trouble;

/// The longest line. Unit: bytes.
const LONGEST: u64 = 1 << 20;

/// What a rank is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Told {
    /// Where rank 0 is: `HOST:PORT`, tried in turn.
    pub(super) addresses: Vec<String>,
    /// The key of all ranks.
    pub(super) key: String,
    /// Which rank it is.
    pub(super) order: RankOrder,
}

pub(in crate::command) fn run(clock: HostClock) -> Result<ExitCode, Trouble> {
    let help = "`--as-rank` is for linerate itself";
    let failed = |error: &dyn std::fmt::Display| Trouble::new(format!("failed to be a rank: {error}"), help);
    signals::leave_to_parent().map_err(|error| failed(&error))?;
    let mut line = String::new();
    let read = io::Read::take(io::stdin().lock(), LONGEST);
    io::BufReader::new(read).read_line(&mut line).map_err(|error| failed(&error))?;
    let Told { addresses, key, order } = serde_json::from_str(&line).map_err(|error| failed(&error))?;
    let key = key.parse().map_err(|error| failed(&error))?;
    let meeting = Meeting { addresses, key };
    take_part(&order, application, || Ok(meeting.clone()), clock, Oversight::default())?;
    Ok(ExitCode::SUCCESS)
}
