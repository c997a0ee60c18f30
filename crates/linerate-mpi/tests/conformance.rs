//! What every carrier of ranks promises, on ranks of an MPI: one run of five for the whole body. About 10 s.

use std::sync::atomic::{AtomicUsize, Ordering};

use linerate_core::comm::{Comm as _, CommError};
use linerate_core::endpoint::run_ready;
use linerate_mpi::comm::{Lengths, MpiComm};
use linerate_mpi::sys::Group;
use linerate_net::observe::HostClock;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::Communicator as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::comm_conformance::{self, Ranks};
use crate::support::on_ranks;

/// The most that the body asks for at once.
const MOST: usize = 5;

/// The first ranks of the world, as many as are asked for. The others wait, and all hear what each ended with.
struct World {
    world: SimpleCommunicator,
    runs: AtomicUsize,
}

/// What a rank ended with, as it is told to the others.
#[derive(Serialize, Deserialize)]
enum Ended<T> {
    With(T),
    Length { peer: usize, asked: usize, sent: usize },
    Failed(String),
}

impl<T> From<Result<T, CommError>> for Ended<T> {
    fn from(ended: Result<T, CommError>) -> Self {
        match ended {
            Ok(of) => Self::With(of),
            Err(CommError::Length { peer, asked, sent }) => Self::Length { peer, asked, sent },
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

impl<T> Ended<T> {
    fn found(self, rank: usize) -> Result<T, CommError> {
        match self {
            Self::With(of) => Ok(of),
            Self::Length { peer, asked, sent } => Err(CommError::Length { peer, asked, sent }),
            Self::Failed(reason) => Err(CommError::Lost { peer: rank, reason }),
        }
    }
}

impl World {
    /// What every rank of the world says, by rank.
    fn told(&self, text: &str) -> Vec<String> {
        let group = Group::of(&self.world);
        let text: std::rc::Rc<[u8]> = text.as_bytes().into();
        // None waits for its receiver, or all would wait for ever.
        let start = |to| group.start_send(to, 0, &text, text.len()).expect("it is there");
        let sent: Vec<_> = (0..group.size()).map(start).collect();
        let heard = |from: usize| {
            let mut said = vec![0; group.probe(from, 0).expect("it says something")];
            group.recv(from, 0, &mut said).expect("it arrived");
            String::from_utf8(said).expect("text")
        };
        let heard = (0..group.size()).map(heard).collect();
        sent.into_iter().for_each(|sent| sent.wait().expect("it was received"));
        heard
    }
}

impl Ranks for World {
    type Comm = MpiComm;

    fn run<T: Send + Serialize + DeserializeOwned>(
        &self,
        size: usize,
        program: impl AsyncFn(MpiComm) -> Result<T, CommError> + Sync,
    ) -> Vec<Result<T, CommError>> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let rank = usize::try_from(self.world.rank()).expect("from 0");
        let color = if rank < size { Color::with_value(1) } else { Color::undefined() };
        let ended = self.world.split_by_color(color).map(|some| {
            let comm = MpiComm::new(Group::of(&some), HostClock::start(), Lengths::Probed);
            assert_eq!((comm.rank(), comm.size()), (rank, size));
            Ended::from(run_ready(program(comm)))
        });
        let told = self.told(&serde_json::to_string(&ended).expect("it has a form"));
        let ended = |(rank, said): (usize, String)| {
            let ended: Option<Ended<T>> = serde_json::from_str(&said).expect("what was written");
            ended.map(|ended| ended.found(rank))
        };
        told.into_iter().enumerate().filter_map(ended).collect()
    }
}

/// Every rank runs this, and looks at what all of them found.
#[test]
#[ignore = "it is what the ranks of the test below run"]
fn a_rank() {
    let universe = mpi::initialize().expect("nothing else began it");
    let world = World { world: universe.world(), runs: AtomicUsize::new(0) };
    assert_eq!(usize::try_from(world.world.size()), Ok(MOST), "mpirun -n {MOST}");
    comm_conformance::comm(&world);
    println!("rank {} of {MOST} went through {:?} programs", world.world.rank(), world.runs);
}

#[test]
fn ranks_of_an_mpi_keep_every_promise() {
    let this = std::env::current_exe().expect("it runs");
    let arguments = ["conformance::a_rank", "--exact", "--ignored", "--nocapture", "--test-threads=1"];
    let output = on_ranks(MOST, this, &arguments);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for rank in 0..MOST {
        assert!(said.contains(&format!("rank {rank} of {MOST} went through")), "{said}");
    }
}
