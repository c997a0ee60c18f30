//! Progress of an application, and its file after each case.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use linerate_apps::run::{Case, RunWatch};
use linerate_core::app::AppRun;

use crate::command::conduct::Underway;

/// Between two signs of progress.
const EVERY: Duration = Duration::from_millis(200);

/// Who watches an application for a run.
pub struct Watcher<'w, 'u> {
    underway: &'w mut Underway<'u>,
    /// What goes on, such as `md on 4 ranks`.
    what: String,
    next: Instant,
}

impl<'w, 'u> Watcher<'w, 'u> {
    /// For this run.
    pub fn of(underway: &'w mut Underway<'u>) -> Self {
        Self { underway, what: String::new(), next: Instant::now() }
    }
}

impl RunWatch for Watcher<'_, '_> {
    fn begins(&mut self, Case { ranks, .. }: Case, number: usize, all: usize) -> ControlFlow<()> {
        let name = self.underway.run.plan.app().map_or("", |app| &app.name);
        self.what = format!("{name} on {ranks} {}", if ranks == 1 { "rank" } else { "ranks" });
        self.underway.line.part(&self.what, number, all);
        self.underway.go_on()
    }

    fn progress(&mut self, done: u64, all: u64, merit: f64) -> ControlFlow<()> {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + EVERY;
            self.underway.line.work(&self.what, (done, all), merit);
        }
        self.underway.go_on()
    }

    fn case_done(&mut self, run: &AppRun) {
        self.underway.run.app = Some(run.clone());
        self.underway.line.round_done();
        self.underway.save();
    }
}
