//! Ranks for a mesh or an application: started here, on other hosts, by srun or mpirun, or servers that were asked; and the
//! run that rank 0 conducts.

mod application;
mod launched;
mod meeting;
mod member;
mod on_hosts;
mod room;
mod started;
mod subject;

use linerate_analysis::report::Report;
use linerate_core::plan::Plan;
use linerate_core::units::Span;
use linerate_net::ranks::Attendance;

use super::conduct::{Stopped, Underway};
use crate::cli::{InLabArgs, KeyArgs, RanksArgs};
use crate::context::Context;
use crate::progress::Line;
use crate::trouble::Trouble;

pub(super) use application::application;
pub(super) use member::run as be_a_rank;
pub(super) use subject::{ACCOUNT, Ranks, numbered};

/// Where the ranks are, and what is expected of them.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) ranks: &'a RanksArgs,
    pub(super) key: &'a KeyArgs,
    pub(super) lab: &'a InLabArgs,
    /// Ranks on this host are threads of this process.
    pub(super) threads: bool,
    /// Default of `--patience`.
    pub(super) patience: Span,
    /// The fewest ranks that can do it.
    pub(super) fewest: usize,
    /// Whether it refuses to begin without all of them.
    pub(super) all: bool,
}

impl Place<'_> {
    fn patience(&self) -> Span {
        self.ranks.patience.unwrap_or(self.patience)
    }

    /// Who must come, of ranks of which the `first` is measured, and how long rank 0 waits for the others.
    fn attendance(&self, first: usize, names: Vec<String>) -> Attendance {
        if self.all {
            return Attendance::default();
        }
        let next_within = self.ranks.within.is_none().then(|| self.patience().to_duration());
        Attendance { fewest: Some(self.fewest + first), next_within, names }
    }
}

/// Meets the ranks and conducts a run of `plan` on them: `work` says what rank 0 does. No report where this process is
/// another rank, which follows.
pub(super) fn conducted(
    place: Place<'_>,
    plan: Plan,
    context: &Context,
    line: &Line,
    work: impl FnOnce(&mut Ranks, &mut Underway<'_>) -> Result<(), Stopped>,
) -> Result<Option<Report>, Trouble> {
    match launched::place(&place)? {
        Some(rank) => launched::measure(&place, plan, &rank, context, line, work),
        None => on_hosts::measure(&place, plan, context, line, work).map(Some),
    }
}
