//! Every collective by every algorithm on a switch, 2 to 16 ranks, against the closed forms of the literature.
//!
//! A message of one frame takes `alpha + n beta` on it to the picosecond, so the forms hold exactly as long as no message
//! is longer than a frame. Source of the forms: Thakur, Rabenseifner and Gropp 2005, sections 4 and 5.

use std::sync::atomic::AtomicBool;

use linerate_core::comm::algorithm::{Allgather, Allreduce, Alltoall, Broadcast, ReduceScatter};
use linerate_core::comm::call::{Call, CallData};
use linerate_core::comm::collective::{broadcast, gather, scatter};
use linerate_core::comm::{Comm as _, CommError};
use linerate_core::mesh::{self, Asked, CollectiveTimes, Mesh, MeshWatch, Rank, Step};
use linerate_core::plan::MeshPlan;
use linerate_core::units::{Size, Span, Time};
use linerate_sim::ranks::{ModelComm, ModelRanks};

use super::{OnModel, last, taken};

/// Blocks of one rank that make messages of up to 16 of them, which is the most: 1408 of 1452 B.
const BLOCKS: [usize; 2] = [8, 88];
const RANKS: std::ops::RangeInclusive<usize> = 2..=16;

/// As many stations, and acknowledgements that are rare.
fn switch(stations: usize) -> OnModel {
    OnModel::of(&format!(
        "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = {stations}\nqueue = '1MiB'\n\
         [transport]\nwindow = '1MiB'\nacknowledge-every = 500\n"
    ))
}

/// So many latencies, and so many bytes one after another.
fn closed(latencies: usize, bytes: usize) -> Span {
    let per_byte = taken(1) - taken(0);
    taken(0) * latencies as u64 + per_byte * bytes as u64
}

/// What a call takes on so many ranks, with blocks of `block` bytes and vectors of a block for each rank. If absent, there
/// is a form only for powers of two.
fn form(call: Call, ranks: usize, block: usize) -> Option<Span> {
    let (others, whole) = (ranks - 1, ranks * block);
    let steps = ranks.next_power_of_two().ilog2() as usize;
    let of_powers = |form: Span| ranks.is_power_of_two().then_some(form);
    match call {
        Call::Barrier => Some(closed(steps, 0)),
        Call::Broadcast(Broadcast::Binomial) => of_powers(closed(steps, steps * whole)),
        Call::Broadcast(Broadcast::ScatterAllgather) => of_powers(closed(steps + others, 2 * others * block)),
        Call::Allgather(Allgather::Ring) => Some(closed(others, others * block)),
        Call::Allgather(Allgather::RecursiveDoubling | Allgather::Bruck) => {
            of_powers(closed(steps, others * block))
        }
        Call::Allreduce(Allreduce::Ring) => Some(closed(2 * others, 2 * others * block)),
        Call::Allreduce(Allreduce::RecursiveDoubling) => of_powers(closed(steps, steps * whole)),
        Call::Allreduce(Allreduce::Rabenseifner) => of_powers(closed(2 * steps, 2 * others * block)),
        Call::Alltoall(Alltoall::Pairwise) => Some(closed(others, others * block)),
        Call::Alltoall(Alltoall::Bruck) => of_powers(closed(steps, steps * (ranks / 2) * block)),
        Call::ReduceScatter(ReduceScatter::Ring) => Some(closed(others, others * block)),
        Call::ReduceScatter(ReduceScatter::RecursiveHalving) => of_powers(closed(steps, others * block)),
    }
}

/// The size that a call of the plan has: of the whole vector, or of a block.
fn size_of(call: Call, ranks: usize, block: usize) -> usize {
    match call {
        Call::Barrier => 0,
        Call::Broadcast(_) | Call::Allreduce(_) | Call::ReduceScatter(_) => ranks * block,
        Call::Allgather(_) | Call::Alltoall(_) => block,
    }
}

#[test]
fn every_collective_by_every_algorithm_takes_its_closed_form() {
    let mut held = 0;
    for ranks in RANKS {
        let model = switch(ranks);
        for (call, block) in Call::ALL.into_iter().flat_map(|call| BLOCKS.map(|block| (call, block))) {
            let Some(expected) = form(call, ranks, block) else { continue };
            let bytes = size_of(call, ranks, block);
            let found = last(&model, async |comm| {
                let mut data = CallData::new(call, comm.rank(), ranks, bytes);
                data.reset();
                data.call(comm).await?;
                assert!(data.is_right(), "{call} of {bytes} B on {ranks}");
                Ok(())
            });
            assert_eq!(found, Time::from_ps(0) + expected, "{call} of {bytes} B on {ranks} ranks");
            held += 1;
        }
    }
    // Five have a form for each of the 15 numbers of ranks, and eight for the four powers of two; two blocks each.
    assert_eq!(held, 2 * (5 * 15 + 8 * 4));
}

/// A rank of the model sends to its next child before the one before it has its message, which the form ceil(log2 P)
/// (alpha + n beta) does not assume. On a power of two the longest path has first children only, and the form is exact.
/// Elsewhere it is an upper bound, and as many messages as the longest path has are a lower one.
#[test]
fn a_binomial_broadcast_takes_at_most_its_closed_form_on_any_number_of_ranks() {
    let others = RANKS.filter(|ranks| !ranks.is_power_of_two());
    for (ranks, bytes) in others.flat_map(|ranks| [8, 1408].map(|bytes| (ranks, bytes))) {
        let found = last(&switch(ranks), async |comm| {
            broadcast(comm, Broadcast::Binomial, 0, &mut vec![7; bytes]).await
        });
        let steps = ranks.next_power_of_two().ilog2() as usize;
        // A rank is as many messages from the root as its number has ones.
        let longest = (0..ranks).map(|rank| rank.count_ones() as usize).max().expect("there are ranks");
        let bounds = [longest, steps].map(|messages| Time::from_ps(0) + closed(messages, messages * bytes));
        assert!(
            bounds[0] <= found && found <= bounds[1],
            "{ranks} ranks, {bytes} B: {found:?} of {bounds:?}"
        );
    }
}

#[test]
fn trees_of_parts_take_their_closed_forms() {
    for (ranks, block) in [2, 4, 8, 16].into_iter().flat_map(|ranks| BLOCKS.map(|block| (ranks, block))) {
        let model = switch(ranks);
        let expected = Time::from_ps(0) + closed(ranks.ilog2() as usize, (ranks - 1) * block);
        let all = |rank| vec![7; if rank == 0 { ranks * block } else { 0 }];
        let scattered =
            last(&model, async |comm| scatter(comm, 0, &all(comm.rank()), &mut vec![0; block]).await);
        assert_eq!(scattered, expected, "scatter on {ranks}");
        let gathered =
            last(&model, async |comm| gather(comm, 0, &vec![7; block], &mut all(comm.rank())).await);
        assert_eq!(gathered, expected, "gather on {ranks}");
    }
}

/// Nobody watches.
struct Unwatched;

impl MeshWatch for Unwatched {
    fn step(&mut self, _: &Step) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }

    fn phase_done(&mut self, _: &Mesh) {}
}

/// The collectives of a mesh of a model, as `linerate mesh --schedules none --collectives all` measures them.
fn through_a_mesh(ranks: usize, block: usize) -> Vec<CollectiveTimes> {
    // Whole vectors and blocks are of different sizes: both are measured of each.
    let sizes = vec![Size(block as u64), Size((ranks * block) as u64)];
    let plan = MeshPlan {
        schedules: Vec::new(),
        collectives: Call::ALL.to_vec(),
        collective_sizes: sizes,
        visit: Span::from_us(20),
        ..MeshPlan::default()
    };
    let asked = Asked { plan: &plan, seed: 1, patience: Span::MAX, first: 0 };
    let program = async |mut comm: ModelComm| -> Result<_, CommError> {
        if comm.rank() > 0 {
            mesh::follow(&mut comm, asked).await?;
            return Ok(None);
        }
        let named = |rank| Rank { name: format!("s{rank}"), node: rank, ..Rank::default() };
        let named = (0..ranks as u32).map(named).collect();
        Ok(Some(mesh::conduct(&mut comm, asked, named, &mut Unwatched).await.0))
    };
    let model = ModelRanks::build(&switch(ranks).0).expect("it can be built");
    let (ended, _) = model.run(ranks, &AtomicBool::new(false), program);
    let mesh = ended.into_iter().next().expect("rank 0").expect("it ends").expect("it has the mesh");
    mesh.collectives
}

/// Through a mesh each call follows a barrier, which the ranks do not leave at the same instant: the last leaves at most
/// one barrier after the first, and its messages may each wait behind a message of the call, at most the whole vector. So
/// the slowest rank of a call takes its closed form, and at most that much more, for which it waits for the others; or, of
/// a broadcast, less, because the root need not wait for who comes later.
#[test]
fn a_mesh_measures_the_closed_forms_within_one_barrier() {
    let mut held = 0;
    for (ranks, block) in
        [2, 3, 4, 5, 8, 12, 16_usize].into_iter().flat_map(|ranks| BLOCKS.map(|one| (ranks, one)))
    {
        let steps = ranks.next_power_of_two().ilog2() as usize;
        let barrier = closed(steps, steps * ranks * block);
        for found in through_a_mesh(ranks, block) {
            let call = format!("{}:{}", found.collective, found.algorithm).parse().expect("a call");
            let Some(expected) = form(call, ranks, block) else { continue };
            if found.bytes != size_of(call, ranks, block) as u64 {
                continue;
            }
            let taken = found.slowest.mean;
            let rooted = found.collective == "broadcast";
            let least = if rooted { expected.saturating_sub(barrier) } else { expected };
            let bounds = least..=expected + barrier;
            assert!(bounds.contains(&taken), "{call} on {ranks}: {taken} where {bounds:?} is expected");
            held += 1;
        }
    }
    assert!(held > 100, "{held}");
}
