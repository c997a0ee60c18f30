//! The options of `linerate-mpi collectives` and `mesh`.

use linerate::{MeshQuestionArgs, Trouble, lay};
use linerate_core::comm::call::Call;
use linerate_core::plan::{Common, MeshPlan, Plan, Task};
use linerate_core::units::{Size, Span};

use super::Verb;

/// Which collectives, unless the user says otherwise.
const ALL: &str = "all";

/// Options of `collectives`.
#[derive(Debug, Default, clap::Args)]
pub struct CollectivesArgs {
    /// Which: all, a collective or one algorithm of it [default: all]
    ///
    /// Such as allreduce, or allreduce:ring. The library's is always beside them.
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    calls: Option<Vec<String>>,
    /// Sizes [default: 8,64,1KiB,8KiB,64KiB,1MiB]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    sizes: Option<Vec<Size>>,
    /// A tenth of the time of one collective at one size [default: 20ms]
    #[arg(long, value_name = "TIME")]
    visit: Option<Span>,
}

/// Options of `mesh`.
#[derive(Debug, Default, clap::Args)]
pub struct MeshArgs {
    #[command(flatten)]
    question: MeshQuestionArgs,
}

/// What `base` asks of a mesh.
fn mesh_of(base: Plan) -> (Common, MeshPlan) {
    let mesh = if let Task::Mesh(mesh) = base.task { mesh } else { MeshPlan::default() };
    (base.common, mesh)
}

impl Verb for CollectivesArgs {
    const TASK: &'static str = "mesh";

    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        let (common, mut mesh) = mesh_of(base);
        if self.calls.is_some() || mesh.collectives.is_empty() {
            let all = [ALL.to_owned()];
            let names = self.calls.as_deref().unwrap_or(&all);
            let calls: Result<Vec<Vec<Call>>, String> = names.iter().map(|text| Call::named(text)).collect();
            let help = "give one of these names, or all";
            mesh.collectives = calls
                .map_err(|error| Trouble::new(format!("failed to choose collectives: {error}"), help))?
                .concat();
        }
        lay(self.sizes.as_ref(), &mut mesh.collective_sizes);
        lay(self.visit.as_ref(), &mut mesh.visit);
        // No pairs, and nothing of them to measure again.
        let mesh = MeshPlan { schedules: Vec::new(), recheck: 0, repeat: 1, ..mesh };
        Ok(Plan { common, task: Task::Mesh(mesh) })
    }
}

impl Verb for MeshArgs {
    const TASK: &'static str = "mesh";

    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        let (mut common, mut mesh) = mesh_of(base);
        self.question.over(&mut common, &mut mesh);
        Ok(Plan { common, task: Task::Mesh(mesh) })
    }
}
