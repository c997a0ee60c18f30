//! Progress of a mesh, and its file after each part.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use linerate_core::mesh::{Mesh, MeshWatch, Stage, Step};
use linerate_core::units::Size;

use crate::command::conduct::Underway;

/// Saving takes at most one part of this many of the time: the file of a large mesh is large.
const SHARE: u32 = 20;

/// Who watches a mesh for a run.
pub struct Watcher<'w, 'u> {
    underway: &'w mut Underway<'u>,
    /// When it may be saved again.
    next: Instant,
}

impl<'w, 'u> Watcher<'w, 'u> {
    /// For this run.
    pub fn of(underway: &'w mut Underway<'u>) -> Self {
        Self { underway, next: Instant::now() }
    }
}

impl MeshWatch for Watcher<'_, '_> {
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        let what = match step.stage {
            Stage::Schedule(schedule) => format!("{schedule}, repetition {}", step.repetition + 1),
            Stage::Collective(call, 0) => call.to_string(),
            Stage::Collective(call, bytes) => format!("{call} of {}", Size(bytes)),
        };
        self.underway.line.part(&what, step.round, step.rounds);
        self.underway.go_on()
    }

    fn phase_done(&mut self, mesh: &Mesh) {
        self.underway.run.mesh = Some(mesh.clone());
        self.underway.line.round_done();
        let begun = Instant::now();
        if begun >= self.next {
            self.underway.save();
            self.next = begun + begun.elapsed().max(Duration::from_millis(1)) * SHARE;
        }
    }
}
