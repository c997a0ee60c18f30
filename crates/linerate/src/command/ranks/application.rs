//! Applications, as ranks run them.

use linerate_apps::application::AppError;
use linerate_apps::catalogue::App;
use linerate_apps::run;
use linerate_core::comm::CommError;
use linerate_core::endpoint::run_ready;
use linerate_core::plan::AppPlan;
use linerate_core::units::Span;
use linerate_net::ranks::{Application, RankError, TcpComm};

#[derive(Debug)]
struct Running(App);

impl Application for Running {
    fn memory(&self, ranks: usize) -> u64 {
        self.0.memory(ranks)
    }

    fn follow(&self, comm: &mut TcpComm, first: usize, patience: Span) -> Result<(), CommError> {
        run_ready(run::follow(comm, run::Asked { app: &self.0, cost: None, first, patience }))
    }
}

/// The application of a plan, if so many ranks can run it.
pub(in crate::command) fn application(
    plan: &AppPlan,
    ranks: usize,
) -> Result<Box<dyn Application>, RankError> {
    let refused = |error: AppError| RankError::App(error.to_string());
    let app = App::read(&plan.name, &plan.options).map_err(refused)?;
    for ranks in plan.cases(u32::try_from(ranks).unwrap_or(u32::MAX))? {
        app.check(ranks as usize).map_err(refused)?;
    }
    Ok(Box::new(Running(app)))
}
