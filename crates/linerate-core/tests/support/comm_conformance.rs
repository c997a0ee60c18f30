//! What every carrier of ranks must do, real or modelled: one body for all.
//!
//! This file uses nothing but `linerate-core` and serde, so that other crates can include it by path.

use std::fmt::Debug;

use linerate_core::comm::algorithm::{Allgather, Allreduce, Alltoall, Broadcast, ReduceScatter};
use linerate_core::comm::collective::{
    SumOfDoubles, allgather, allreduce, alltoall, barrier, broadcast, gather, reduce_scatter, scatter,
};
use linerate_core::comm::counted::{Counted, Sent};
use linerate_core::comm::ideal::{self, Network};
use linerate_core::comm::{Comm, CommError};
use linerate_core::units::Span;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// More than the buffers of a path hold, both ends' together.
const LARGE: usize = 8 << 20;

/// A way to run one program on many ranks.
pub(crate) trait Ranks {
    /// What a rank holds.
    type Comm: Comm;

    /// Runs `program` on every one of `size` new ranks, and gives what each ended with, by rank. Where ranks are
    /// processes, it is told to the others as JSON.
    fn run<T: Send + Serialize + DeserializeOwned>(
        &self,
        size: usize,
        program: impl AsyncFn(Self::Comm) -> Result<T, CommError> + Sync,
    ) -> Vec<Result<T, CommError>>;
}

/// Everything that a carrier of ranks promises.
pub(crate) fn comm<R: Ranks>(ranks: &R) {
    every_rank_knows_its_place(ranks);
    messages_keep_their_order_and_their_ends(ranks);
    a_sender_may_change_what_it_sent(ranks);
    a_ring_of_large_messages_passes_at_once(ranks);
    buffers_that_are_handed_over_keep_their_lengths(ranks);
    one_rank_alone_needs_nobody(ranks);
    the_clock_never_steps_back_and_a_calculation_takes_its_time(ranks);
    a_message_of_another_length_is_refused(ranks);
    who_does_not_exist_is_refused(ranks);
    those_that_parted_meet_again(ranks);
    what_is_told_is_heard_in_its_order(ranks);
    every_collective_gives_what_it_gives_on_the_ideal_network(ranks);
}

/// Bytes that say whose they are and which message.
fn message(from: usize, number: usize, length: usize) -> Vec<u8> {
    let salt = (from as u64) << 32 | number as u64;
    let byte = |at: u64| (at.wrapping_add(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8;
    (0..length as u64).map(byte).collect()
}

fn all<T: Debug>(found: Vec<Result<T, CommError>>) -> Vec<T> {
    let found = found.into_iter().enumerate();
    found.map(|(rank, ended)| ended.unwrap_or_else(|error| panic!("rank {rank} failed to {error}"))).collect()
}

fn what_is_told_is_heard_in_its_order<R: Ranks>(ranks: &R) {
    const LENGTHS: [usize; 3] = [40, 0, 9_000];
    // A carrier may wait until what is told is heard, so the first speaks first.
    all(ranks.run(4, async |mut comm| {
        let first = comm.rank() == 0;
        let others = if first { 1..comm.size() } else { 0..1 };
        for speaks in [first, !first] {
            for peer in others.clone() {
                for (number, length) in LENGTHS.into_iter().enumerate() {
                    if speaks {
                        comm.tell(peer, &message(comm.rank(), number, length)).await?;
                        continue;
                    }
                    let mut told = vec![0; length];
                    comm.hear(peer, &mut told).await?;
                    assert!(told == message(peer, number, length), "message {number} of rank {peer}");
                }
            }
        }
        Ok(())
    }));
}

fn every_rank_knows_its_place<R: Ranks>(ranks: &R) {
    let places = all(ranks.run(5, async |comm| Ok((comm.rank(), comm.size()))));
    assert_eq!(places, [(0, 5), (1, 5), (2, 5), (3, 5), (4, 5)]);
}

fn messages_keep_their_order_and_their_ends<R: Ranks>(ranks: &R) {
    // Everybody sends these to everybody, and receives them from the last first.
    const LENGTHS: [usize; 6] = [1, 0, 1448, 0, 70_000, 3];
    let received = all(ranks.run(4, async |mut comm| {
        let (rank, size) = (comm.rank(), comm.size());
        for step in 1..size {
            let (to, from) = ((rank + step) % size, (rank + size - step) % size);
            for (number, length) in LENGTHS.into_iter().enumerate() {
                let mut into = vec![0; length];
                comm.sendrecv(to, &message(rank, number, length), from, &mut into).await?;
                assert!(into == message(from, number, length), "message {number} from {from} to {rank}");
            }
        }
        // Some ranks only send and the others only receive, two messages before the first is taken.
        if rank < 2 {
            for number in 0..2 {
                comm.send_to(rank + 2, &message(rank, number, 100 + number)).await?;
            }
            return Ok(0);
        }
        let mut received = 0;
        for number in 0..2 {
            let mut into = vec![0; 100 + number];
            comm.recv_from(rank - 2, &mut into).await?;
            assert_eq!(into, message(rank - 2, number, into.len()));
            received += into.len();
        }
        Ok(received)
    }));
    assert_eq!(received, [0, 0, 201, 201]);
}

fn a_sender_may_change_what_it_sent<R: Ranks>(ranks: &R) {
    let received = all(ranks.run(2, async |mut comm| {
        let mut data = vec![7; 100_000];
        if comm.rank() == 0 {
            comm.send_to(1, &data).await?;
            data.fill(9);
            comm.send_to(1, &data[..1]).await?;
        } else {
            comm.recv_from(0, &mut data).await?;
            let mut last = [0];
            comm.recv_from(0, &mut last).await?;
            assert_eq!(last, [9]);
        }
        Ok(data)
    }));
    assert!(received[1].iter().all(|byte| *byte == 7));
}

fn a_ring_of_large_messages_passes_at_once<R: Ranks>(ranks: &R) {
    all(ranks.run(3, async |mut comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut into = vec![0; LARGE];
        comm.sendrecv(to, &message(rank, 0, LARGE), from, &mut into).await?;
        assert!(into == message(from, 0, LARGE), "from {from} to {rank}");
        // And with one rank both ways.
        if rank < 2 {
            comm.sendrecv(1 - rank, &message(rank, 1, LARGE), 1 - rank, &mut into).await?;
            assert!(into == message(1 - rank, 1, LARGE), "from {} to {rank}", 1 - rank);
        }
        Ok(())
    }));
}

/// Three times round, messages of another length from every rank; counted as if they were lent.
fn buffers_that_are_handed_over_keep_their_lengths<R: Ranks>(ranks: &R) {
    const LENGTHS: [usize; 4] = [0, 70_000, 5, 1448];
    all(ranks.run(LENGTHS.len(), async |comm| {
        let mut comm = Counted::new(comm);
        let (rank, size) = (comm.rank(), comm.size());
        let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
        let (mut out, mut into) = (Vec::new(), vec![0; LENGTHS[from]]);
        for number in 0..3 {
            out.clear();
            out.extend(message(rank, number, LENGTHS[rank]));
            comm.sendrecv_owned(to, &mut out, from, &mut into).await?;
            assert!(into == message(from, number, LENGTHS[from]), "message {number} from {from} to {rank}");
            assert_eq!(out.len(), LENGTHS[rank]);
        }
        assert_eq!(comm.sent(), Sent { messages: 3, bytes: 3 * LENGTHS[rank] as u64 });
        Ok(())
    }));
}

fn one_rank_alone_needs_nobody<R: Ranks>(ranks: &R) {
    let alone = all(ranks.run(1, async |mut comm| {
        barrier(&mut comm).await?;
        let mut data = vec![3; 10];
        broadcast(&mut comm, Broadcast::Binomial, 0, &mut data).await?;
        allreduce(&mut comm, Allreduce::Ring, &mut data[..8], &SumOfDoubles).await?;
        Ok(data)
    }));
    assert_eq!(alone, [vec![3; 10]]);
}

fn the_clock_never_steps_back_and_a_calculation_takes_its_time<R: Ranks>(ranks: &R) {
    const CALCULATION: Span = Span::from_ms(2);
    all(ranks.run(2, async |mut comm| {
        let other = 1 - comm.rank();
        let mut last = comm.now();
        for _ in 0..20 {
            let before = comm.now();
            assert!(before >= last);
            comm.compute(CALCULATION).await;
            assert!(comm.now().since(before) >= CALCULATION, "it took {}", comm.now().since(before));
            comm.sendrecv(other, &[1], other, &mut [0]).await?;
            last = comm.now();
            assert!(last.since(before) >= CALCULATION);
        }
        Ok(())
    }));
}

fn a_message_of_another_length_is_refused<R: Ranks>(ranks: &R) {
    for (sent, asked) in [(10, 20), (20, 10), (0, 1), (1, 0)] {
        let ended = ranks.run(2, async |mut comm| {
            let mut data = vec![0; if comm.rank() == 0 { sent } else { asked }];
            if comm.rank() == 0 { comm.send_to(1, &data).await } else { comm.recv_from(0, &mut data).await }
        });
        let found = ended.into_iter().find_map(Result::err);
        assert!(
            matches!(found, Some(CommError::Length { peer: 0, asked: a, sent: s }) if (s, a) == (sent, asked)),
            "{sent} B sent and {asked} B asked: {found:?}"
        );
    }
}

fn who_does_not_exist_is_refused<R: Ranks>(ranks: &R) {
    let ended = ranks.run(2, async |mut comm| {
        let refused = [comm.send_to(2, &[1]).await, comm.recv_from(7, &mut [0]).await];
        let other = 1 - comm.rank();
        comm.sendrecv(other, &[1], other, &mut [0]).await?;
        Ok(refused.map(|refused| refused.map_err(|error| error.to_string())))
    });
    for refused in all(ended) {
        let [sent, received] = refused.map(|refused| refused.expect_err("there is no such rank"));
        assert_eq!(sent, "reach rank 2: there are 2 ranks, from 0");
        assert_eq!(received, "reach rank 7: there are 2 ranks, from 0");
    }
}

fn those_that_parted_meet_again<R: Ranks>(ranks: &R) {
    all(ranks.run(3, async |mut comm| {
        let (rank, size) = (comm.rank(), comm.size());
        for round in 0..4 {
            for step in 1..size {
                let (to, from) = ((rank + step) % size, (rank + size - step) % size);
                let mut into = vec![0; 5000];
                comm.sendrecv(to, &message(rank, round, 5000), from, &mut into).await?;
                assert!(into == message(from, round, 5000), "round {round} from {from} to {rank}");
            }
            for peer in (0..size).filter(|peer| *peer != rank) {
                comm.part(peer);
            }
        }
        Ok(())
    }));
}

/// What a rank has after every collective by every algorithm, and what it sent for them.
async fn collectives<C: Comm>(comm: C) -> Result<(Vec<Vec<u8>>, Sent), CommError> {
    const BLOCK: usize = 1000;
    let (rank, size) = (comm.rank(), comm.size());
    let mut comm = Counted::new(comm);
    let mut ended = Vec::new();
    barrier(&mut comm).await?;
    for algorithm in Broadcast::ALL {
        let mut data = message(rank, 0, BLOCK);
        broadcast(&mut comm, algorithm, 1, &mut data).await?;
        ended.push(data);
    }
    for algorithm in Allgather::ALL {
        if algorithm == Allgather::RecursiveDoubling && !size.is_power_of_two() {
            continue;
        }
        let mut data = vec![0; BLOCK * size];
        allgather(&mut comm, algorithm, &message(rank, 1, BLOCK), &mut data).await?;
        ended.push(data);
    }
    for algorithm in Alltoall::ALL {
        let mut data = vec![0; BLOCK * size];
        alltoall(&mut comm, algorithm, &message(rank, 2, BLOCK * size), &mut data).await?;
        ended.push(data);
    }
    let doubles: Vec<u8> = (0..BLOCK / 8).flat_map(|at| ((rank + at) as f64).to_le_bytes()).collect();
    for algorithm in Allreduce::ALL {
        let mut data = doubles.clone();
        allreduce(&mut comm, algorithm, &mut data, &SumOfDoubles).await?;
        ended.push(data);
    }
    for algorithm in ReduceScatter::ALL {
        if algorithm == ReduceScatter::RecursiveHalving && !size.is_power_of_two() {
            continue;
        }
        let mut data = doubles.clone();
        let part = reduce_scatter(&mut comm, algorithm, &mut data, &SumOfDoubles).await?;
        ended.push(data[part].to_vec());
    }
    let mut together = if rank == 2 { vec![0; BLOCK * size] } else { Vec::new() };
    gather(&mut comm, 2, &message(rank, 3, BLOCK), &mut together).await?;
    let mut part = vec![0; BLOCK];
    scatter(&mut comm, 2, &together, &mut part).await?;
    ended.extend([together, part]);
    Ok((ended, comm.sent()))
}

fn every_collective_gives_what_it_gives_on_the_ideal_network<R: Ranks>(ranks: &R) {
    const NETWORK: Network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };
    for size in [4, 5] {
        let here = all(ranks.run(size, async |comm| collectives(comm).await));
        let ideal = ideal::run(NETWORK, size, async |comm| collectives(comm).await).expect("nobody waits");
        for (rank, (here, ideal)) in here.iter().zip(&ideal).enumerate() {
            assert_eq!(here.1, ideal.1, "what rank {rank} of {size} sent");
            assert!(here.0 == ideal.0, "what rank {rank} of {size} has");
        }
    }
}
