//! Visits that are copied, because stations are alike, against the same visits gone through, on networks drawn at random.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use linerate_core::comm::{Comm, CommError};
use linerate_core::mesh::{self, Asked, Mesh, MeshWatch, Rank, Step};
use linerate_core::plan::{MeshPlan, MeshSchedule};
use linerate_core::units::{Size, Span, Time};
use linerate_sim::ranks::{ModelComm, ModelRanks};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::OnModel;

/// A rank that does not say whom it is like.
struct Unlike(ModelComm);

impl Comm for Unlike {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn now(&self) -> Time {
        self.0.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.0.send_to(to, data).await
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.0.recv_from(from, data).await
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.0.sendrecv(to, out, from, into).await
    }

    async fn compute(&mut self, span: Span) {
        self.0.compute(span).await;
    }

    async fn tell(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.0.tell(to, data).await
    }

    async fn hear(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.0.hear(from, data).await
    }
}

struct Unwatched;

impl MeshWatch for Unwatched {
    fn step(&mut self, _: &Step) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn phase_done(&mut self, _: &Mesh) {}
}

fn measured<C: Comm>(plan: &str, mesh: &MeshPlan, comm: impl Fn(ModelComm) -> C) -> Mesh {
    let asked = Asked { plan: mesh, seed: 1, patience: Span::MAX, first: 0 };
    let model = ModelRanks::build(&OnModel::of(plan).0).expect("it can be built");
    let size = model.size();
    let program = async |model: ModelComm| {
        let mut comm = comm(model);
        if comm.rank() > 0 {
            mesh::follow(&mut comm, asked).await?;
            return Ok(None);
        }
        let named = |rank| Rank { name: format!("s{rank}"), node: rank, ..Rank::default() };
        let named = (0..size as u32).map(named).collect();
        Ok(Some(mesh::conduct(&mut comm, asked, named, &mut Unwatched).await.0))
    };
    let (ended, _) = model.run(size, &AtomicBool::new(false), program);
    ended.into_iter().next().expect("rank 0").expect("it ends").expect("it has the mesh")
}

/// A switch with some odd cables and late hosts.
fn drawn(random: &mut Pcg64) -> String {
    let stations = random.random_range(4..=9);
    let queue = ["1MiB", "128KiB", "16KiB"][random.random_range(0..3)];
    let mut plan = format!("[network]\nmedium = 'ethernet'\nstations = {stations}\nqueue = '{queue}'\n");
    if random.random_bool(0.5) {
        plan += "topology = 'switch'\n";
    } else {
        plan += "topology = 'graph'\n[[network.relay]]\nname = 'w'\nkind = 'switch'\n";
        for station in 0..stations {
            let phy = ["1000BASE-T", "1000BASE-T", "100BASE-TX"][random.random_range(0..3)];
            let length = [10, 10, 100][random.random_range(0..3)];
            plan += &format!(
                "[[network.cable]]\nbetween = ['s{station}', 'w']\nphy = '{phy}'\nlength-m = {length}\n"
            );
        }
    }
    let window = ["8KiB", "64KiB", "256KiB"][random.random_range(0..3)];
    plan += &format!("[transport]\nwindow = '{window}'\n");
    if random.random_bool(0.5) {
        let late = random.random_range(0..stations);
        plan += &format!("[[impair]]\nstations = [{late}]\ndelay = '{}us'\n", random.random_range(1..200));
    }
    plan
}

#[test]
fn a_visit_that_is_copied_is_the_one_that_was_not_made() {
    let mut copied = 0;
    for seed in 0..12 {
        let mut random = Pcg64::seed_from_u64(seed);
        let plan = drawn(&mut random);
        let mesh = MeshPlan {
            schedules: vec![[MeshSchedule::Pairs, MeshSchedule::Serial][random.random_range(0..2)]],
            latency: vec![Size([1, 100, 2_000][random.random_range(0..3)])],
            throughput: vec![Size([1 << 10, 64 << 10][random.random_range(0..2)])],
            visit: Span::from_us([50, 500, 2_000][random.random_range(0..3)]),
            repeat: 1,
            recheck: 0,
            ..MeshPlan::default()
        };
        let [short, whole] = [measured(&plan, &mesh, |comm| comm), measured(&plan, &mesh, Unlike)];
        assert_eq!(whole.copied, 0);
        copied += short.copied;
        let passes = |mesh: &Mesh| {
            let rounds = mesh.phases.iter().flat_map(|phase| &phase.rounds);
            let mut all: Vec<_> = rounds
                .flat_map(|round| &round.passes)
                .map(|pass| (pass.from, pass.to, pass.times.clone(), pass.visits.clone()))
                .collect();
            all.sort_by_key(|(from, to, ..)| (*from, *to));
            all
        };
        assert_eq!(passes(&short), passes(&whole), "seed {seed}: {plan}");
    }
    assert!(copied > 100, "{copied} visits of 12 meshes");
}
