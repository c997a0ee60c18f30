//! The stations of a modelled network as ranks: the subject of a mesh or an application.

use linerate_core::comm::CommError;
use linerate_core::mesh::{Rank, RankAccount};
use linerate_core::plan::Plan;
use linerate_core::run::{EndState, Model, Run, Source};
use linerate_sim::ranks::{ModelComm, ModelRanks};

use super::conduct::Subject;
use super::modelled::Chosen;
use super::ranks::numbered;
use crate::context::Context;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// A modelled network, ready for its ranks.
pub(super) struct Stations {
    chosen: Chosen,
    /// Until they run.
    ranks: Option<ModelRanks>,
    /// How many of them are ranks.
    pub(super) size: usize,
    model: Model,
    ends: Vec<EndState>,
    pub(super) interrupt: Interrupt,
}

impl Stations {
    /// All stations of the chosen model, or the first `ranks`, of which there must be `fewest`.
    pub(super) fn of(
        chosen: Chosen,
        plan: &Plan,
        ranks: Option<u32>,
        fewest: usize,
        interrupt: &Interrupt,
    ) -> Result<Self, Trouble> {
        Chosen::refuse(plan)?;
        let built = ModelRanks::build(&chosen.plan).map_err(|error| Trouble::model(&error, ""))?;
        let stations = built.size();
        let size = ranks.map_or(stations, |ranks| ranks as usize);
        if size < fewest || size > stations {
            return Err(Trouble::new(
                format!("failed to have {size} ranks: the model has {stations} stations"),
                "ask for other --ranks, or change the model with --set stations=N",
            ));
        }
        Ok(Self {
            model: chosen.model(built.link, built.payload, &built.cautions),
            ends: built.ends.iter().take(size).cloned().collect(),
            ranks: Some(built),
            size,
            chosen,
            interrupt: interrupt.clone(),
        })
    }

    /// Their names.
    pub(super) fn named(&self) -> Vec<Rank> {
        let stations: Vec<String> = (0..self.size).map(|station| format!("s{station}")).collect();
        numbered(&stations)
    }

    /// Runs `program` on each. Gives what rank 0 came to, the only one that comes to something, and the first error.
    pub(super) fn run<T>(
        &mut self,
        program: impl AsyncFn(ModelComm) -> Result<Option<T>, CommError>,
    ) -> (Option<T>, Option<CommError>) {
        let Some(ranks) = self.ranks.take() else { unreachable!("it is conducted once") };
        let (ended, _) = ranks.run(self.size, &self.interrupt.flag(), program);
        let (mut result, mut failed) = (None, None);
        for rank in ended {
            match rank {
                Ok(found) => result = result.or(found),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        (result, failed)
    }
}

impl Subject for Stations {
    fn source(&self) -> Source {
        self.chosen.source()
    }

    fn set_hosts(&self, run: &mut Run) {
        let account = |end: &EndState| {
            let (environment, observation) = (end.environment.clone(), end.observation.clone());
            Some(RankAccount { environment, observation, ..RankAccount::default() })
        };
        run.set_stations(self.ends.iter().map(account).collect());
    }

    fn model(&self) -> Option<Model> {
        Some(self.model.clone())
    }

    fn finish(&mut self, _: &Context) -> Result<(), Trouble> {
        Ok(())
    }
}
