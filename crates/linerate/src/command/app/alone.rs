//! What a unit of an application's work costs on this host: it is run here, on one rank.

use std::ops::ControlFlow;

use linerate_apps::application::AppWatch;
use linerate_apps::catalogue::App;
use linerate_apps::work::Work;
use linerate_core::app::Cost;
use linerate_core::comm::alone::Alone;
use linerate_core::endpoint::run_ready;
use linerate_net::observe::HostClock;

use super::measured::failed;
use crate::command::conduct::Stopped;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

struct Waiting<'a> {
    line: &'a Line,
    interrupt: &'a Interrupt,
}

impl AppWatch for Waiting<'_> {
    fn progress(&mut self, done: u64, all: u64, merit: f64) -> ControlFlow<()> {
        self.line.work("what a unit of work costs here", (done, all), merit);
        if self.interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Measures it: the time that the application takes, over its units of work.
pub(super) fn cost(app: &App, clock: HostClock, line: &Line, interrupt: &Interrupt) -> Result<Cost, Stopped> {
    let help = "give --unit-cost, or change what is asked of the application";
    let trouble = |reason: String| failed(Trouble::new(format!("failed to {reason}"), help));
    let mut comm = Alone(|| clock.now());
    let mut work = Work::new(&mut comm, None);
    let mut watch = Waiting { line, interrupt };
    let ended =
        run_ready(app.run(&mut work, &mut watch, false)).map_err(|error| trouble(error.to_string()))?;
    if interrupt.asked() {
        return Err(Stopped::Interrupted);
    }
    let (took, units) = (ended.account.total_ps as f64, ended.account.units as f64);
    if units <= 0.0 || took <= 0.0 {
        return Err(trouble("measure what a unit of work costs here: it had no work to do".to_owned()));
    }
    Ok(Cost { unit_ps: took / units, measured: true })
}
