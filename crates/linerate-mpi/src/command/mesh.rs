//! Every pair, and collectives by name; then those of the library.

use std::ops::ControlFlow;

use linerate::{MeshWatcher, Stopped, Underway};
use linerate_core::endpoint::run_ready;
use linerate_core::mesh::{Asked, Mesh, conduct, follow};
use linerate_core::plan::Plan;

use super::subject::names;
use super::{AllRanks, PATIENCE, failed, failed_to};
use crate::comm::{Lengths, MpiComm};
use crate::library;
use crate::sys::{Group, MpiError};

impl AllRanks {
    pub(super) fn mesh(&self, plan: &Plan, mut underway: Option<&mut Underway<'_>>) -> Result<(), Stopped> {
        let stopped = |error: MpiError| failed(error.into());
        let Some(mesh) = plan.mesh() else { return Ok(()) };
        let mut comm = MpiComm::new(Group::of(self.group.communicator()), self.clock, Lengths::Trusted);
        let asked = Asked { plan: mesh, seed: plan.common.seed, patience: PATIENCE, first: 0 };
        let mut found = Mesh::default();
        let mut flow = ControlFlow::Continue(());
        if let Some(underway) = underway.as_deref_mut() {
            let names = names(&underway.run.nodes);
            let mut watcher = MeshWatcher::of(underway);
            (found, flow) = run_ready(conduct(&mut comm, asked, names, &mut watcher));
            underway.run.mesh = Some(found.clone());
        } else {
            run_ready(follow(&mut comm, asked))
                .map_err(|error| failed_to(error, "rank 0's own error stands above"))?;
        }
        for call in library::once_each(&mesh.calls(self.group.size())) {
            let own =
                underway.as_deref().map_or(flow, |run| if flow.is_break() { flow } else { run.go_on() });
            if library::all_go_on(&self.group, own).map_err(stopped)?.is_break() {
                return Err(Stopped::Interrupted);
            }
            let times = library::time(&self.group, self.clock, call, mesh.visit * 10).map_err(stopped)?;
            found.collectives.extend(times);
        }
        if let Some(underway) = underway {
            if flow.is_break() {
                return Err(Stopped::Interrupted);
            }
            found.collectives.sort_by_key(|one| (one.collective.clone(), one.bytes));
            underway.run.mesh = Some(found);
        }
        Ok(())
    }
}
