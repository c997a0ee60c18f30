//! Collectives over ranks: what they carry, what they send, and what that takes where nothing contends. About 1 s.

use std::fmt::Debug;

use linerate_core::comm::algorithm::{Allgather, Allreduce, Alltoall, Broadcast, ReduceScatter};
use linerate_core::comm::collective::{
    SumOfDoubles, allgather, allreduce, alltoall, barrier, broadcast, gather, reduce, reduce_scatter, scatter,
};
use linerate_core::comm::counted::{Counted, Sent};
use linerate_core::comm::ideal::{self, IdealComm, Network};
use linerate_core::comm::{Comm, CommError};
use linerate_core::units::Span;

use crate::support::comm_conformance::{self, Ranks};

/// The example of the closed forms: 50 us, and 8 ns for a byte (1 Gb/s).
const NETWORK: Network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };
/// Up to the first number of ranks after a power of two that needs five steps.
const RANKS: std::ops::RangeInclusive<usize> = 1..=17;
/// Shorter than the ranks, longer, and not in equal parts.
const LENGTHS: [usize; 5] = [0, 1, 5, 17, 1000];

/// What every rank ends with, when it was done and what it sent.
struct Ended<T> {
    of: T,
    at: Span,
    sent: Sent,
}

fn on<T>(
    size: usize,
    program: impl AsyncFn(Counted<IdealComm>) -> Result<(T, Counted<IdealComm>), CommError>,
) -> Vec<Ended<T>> {
    let all = ideal::run(NETWORK, size, async |comm| {
        let (of, comm) = program(Counted::new(comm)).await?;
        Ok(Ended { of, at: Span::from_ps(comm.now().as_ps()), sent: comm.sent() })
    });
    all.expect("nobody waits for ever")
}

/// Bytes that say whose they are, and which: no two ranks, blocks or places have the same ones in a row.
fn bytes(rank: usize, block: usize, length: usize) -> Vec<u8> {
    (0..length).map(|at| ((rank * 131 + block * 31 + at * 7 + at / 36) % 251) as u8).collect()
}

fn doubles(rank: usize, count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| ((rank * count + at) as f64).to_le_bytes()).collect()
}

/// The sum over all ranks of [`doubles`], by the sum of 0 to P - 1: whole numbers, so exact in any order.
fn summed(size: usize, count: usize) -> Vec<u8> {
    let ranks = size * (size - 1) / 2;
    (0..count).flat_map(|at| ((ranks * count + at * size) as f64).to_le_bytes()).collect()
}

fn same<T: PartialEq + Debug>(found: &[Ended<T>], expected: impl Fn(usize) -> T, what: impl Debug) {
    for (rank, ended) in found.iter().enumerate() {
        assert_eq!(ended.of, expected(rank), "rank {rank} of {} after {what:?}", found.len());
    }
}

#[test]
fn a_broadcast_is_the_roots_message_everywhere() {
    for size in RANKS {
        for (root, length, algorithm) in cases(size, Broadcast::ALL) {
            let ended = on(size, async |mut comm| {
                let mut data = bytes(comm.rank(), 0, length);
                broadcast(&mut comm, algorithm, root, &mut data).await?;
                Ok((data, comm))
            });
            same(&ended, |_| bytes(root, 0, length), (algorithm, root, length));
        }
    }
}

/// Every root, some lengths, these algorithms.
fn cases<A: Copy, const N: usize>(size: usize, all: [A; N]) -> impl Iterator<Item = (usize, usize, A)> {
    let lengths = move |root| LENGTHS.into_iter().map(move |length| (root, length));
    (0..size).flat_map(lengths).flat_map(move |(root, length)| all.map(|algorithm| (root, length, algorithm)))
}

#[test]
fn what_is_scattered_is_gathered_again() {
    for size in RANKS {
        for (root, length, ()) in cases(size, [()]) {
            let all = |of: usize| (0..size).flat_map(|block| bytes(of, block, length)).collect::<Vec<u8>>();
            let ended = on(size, async |mut comm| {
                let mut block = vec![0; length];
                let given = if comm.rank() == root { all(root) } else { Vec::new() };
                scatter(&mut comm, root, &given, &mut block).await?;
                let mut back = vec![0; if comm.rank() == root { size * length } else { 0 }];
                gather(&mut comm, root, &block, &mut back).await?;
                Ok(((block, back), comm))
            });
            let expected = |rank| {
                let back = if rank == root { all(root) } else { Vec::new() };
                (bytes(root, rank, length), back)
            };
            same(&ended, expected, (root, length));
        }
    }
}

#[test]
fn an_allgather_is_every_ranks_block_everywhere() {
    for size in RANKS {
        for (algorithm, length) in
            Allgather::ALL.into_iter().flat_map(|one| LENGTHS.map(|length| (one, length)))
        {
            if algorithm == Allgather::RecursiveDoubling && !size.is_power_of_two() {
                continue;
            }
            let ended = on(size, async |mut comm| {
                let mut all = vec![0; size * length];
                let block = bytes(comm.rank(), 0, length);
                allgather(&mut comm, algorithm, &block, &mut all).await?;
                Ok((all, comm))
            });
            let expected: Vec<u8> = (0..size).flat_map(|rank| bytes(rank, 0, length)).collect();
            same(&ended, |_| expected.clone(), (algorithm, length));
        }
    }
}

#[test]
fn an_alltoall_is_every_ranks_block_for_each() {
    for size in RANKS {
        for (algorithm, length) in
            Alltoall::ALL.into_iter().flat_map(|one| LENGTHS.map(|length| (one, length)))
        {
            let ended = on(size, async |mut comm| {
                let out: Vec<u8> = (0..size).flat_map(|to| bytes(comm.rank(), to, length)).collect();
                let mut into = vec![0; out.len()];
                alltoall(&mut comm, algorithm, &out, &mut into).await?;
                Ok((into, comm))
            });
            let expected = |rank| (0..size).flat_map(|from| bytes(from, rank, length)).collect::<Vec<u8>>();
            same(&ended, expected, (algorithm, length));
        }
    }
}

#[test]
fn what_is_combined_is_the_sum() {
    for size in RANKS {
        for count in LENGTHS {
            let sum = summed(size, count);
            for algorithm in Allreduce::ALL {
                let ended = on(size, async |mut comm| {
                    let mut data = doubles(comm.rank(), count);
                    allreduce(&mut comm, algorithm, &mut data, &SumOfDoubles).await?;
                    Ok((data, comm))
                });
                same(&ended, |_| sum.clone(), (algorithm, count));
            }
            for root in 0..size {
                let ended = on(size, async |mut comm| {
                    let mut data = doubles(comm.rank(), count);
                    reduce(&mut comm, root, &mut data, &SumOfDoubles).await?;
                    Ok((data, comm))
                });
                assert_eq!(ended[root].of, sum, "root {root} of {size}, {count} numbers");
            }
            for algorithm in ReduceScatter::ALL {
                if algorithm == ReduceScatter::RecursiveHalving && !size.is_power_of_two() {
                    continue;
                }
                let ended = on(size, async |mut comm| {
                    let mut data = doubles(comm.rank(), count);
                    let own = reduce_scatter(&mut comm, algorithm, &mut data, &SumOfDoubles).await?;
                    Ok(((own.start, data[own].to_vec()), comm))
                });
                // The parts lie side by side and are the whole sum.
                let mut joined = Vec::new();
                for ended in &ended {
                    assert_eq!(ended.of.0, joined.len(), "{algorithm} on {size}");
                    joined.extend_from_slice(&ended.of.1);
                }
                assert_eq!(joined, sum, "{algorithm} on {size}, {count} numbers");
            }
        }
    }
}

/// Sums of numbers that are not exact differ with the order, but not from rank to rank.
#[test]
fn all_ranks_have_the_same_sum_to_the_last_bit() {
    for (size, algorithm) in RANKS.flat_map(|size| Allreduce::ALL.map(|algorithm| (size, algorithm))) {
        let ended = on(size, async |mut comm| {
            let number = |at: usize| 1.0 / ((comm.rank() + 1) as f64) + (at as f64).sqrt();
            let mut data: Vec<u8> = (0..37).flat_map(|at| number(at).to_le_bytes()).collect();
            allreduce(&mut comm, algorithm, &mut data, &SumOfDoubles).await?;
            Ok((data, comm))
        });
        let first = ended[0].of.clone();
        same(&ended, |_| first.clone(), algorithm);
    }
}

/// Nobody leaves a barrier before the last has come to it, whoever that is; and the last leaves after ceil(log2 P)
/// messages.
#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    let late = Span::from_ms(7);
    for (size, last) in RANKS.flat_map(|size| (0..size).map(move |last| (size, last))) {
        let ended = on(size, async |mut comm| {
            if comm.rank() == last {
                comm.compute(late).await;
            }
            barrier(&mut comm).await?;
            Ok(((), comm))
        });
        let steps = u64::from(size.next_power_of_two().ilog2());
        for ended in &ended {
            assert!(ended.at >= late || size == 1, "of {size}");
            assert_eq!(ended.sent, Sent { messages: steps, bytes: 0 });
        }
        assert_eq!(ended[last].at, Span::from_ps(late.as_ps() + steps * NETWORK.latency.as_ps()));
    }
}

/// One closed form: so many latencies, and so many bytes one after another.
fn closed(latencies: usize, bytes: usize) -> Span {
    let ps = latencies as u64 * NETWORK.latency.as_ps() + bytes as u64 * NETWORK.per_byte.as_ps();
    Span::from_ps(ps)
}

fn last<T>(ended: &[Ended<T>]) -> Span {
    ended.iter().map(|ended| ended.at).max().expect("there are ranks")
}

/// Source: Thakur, Rabenseifner and Gropp 2005, sections 4 and 5: time on P ranks, for powers of two.
#[test]
fn without_contention_it_takes_what_the_literature_says() {
    for size in [2, 4, 8, 16_usize] {
        let (log, n) = (size.ilog2() as usize, 1 << 12);
        let m = n / size;
        let others = size - 1;
        let broadcasts = [closed(log, log * n), closed(log + others, 2 * others * m)];
        for (algorithm, expected) in Broadcast::ALL.into_iter().zip(broadcasts) {
            let ended = on(size, async |mut comm| {
                let done = broadcast(&mut comm, algorithm, 0, &mut vec![1; n]).await;
                done.map(|()| ((), comm))
            });
            assert_eq!(last(&ended), expected, "broadcast {algorithm} on {size}");
        }
        let gathers = [closed(others, others * m), closed(log, others * m), closed(log, others * m)];
        for (algorithm, expected) in Allgather::ALL.into_iter().zip(gathers) {
            let ended = on(size, async |mut comm| {
                let done = allgather(&mut comm, algorithm, &vec![1; m], &mut vec![0; n]).await;
                done.map(|()| ((), comm))
            });
            assert_eq!(last(&ended), expected, "allgather {algorithm} on {size}");
            assert!(ended.iter().all(|ended| ended.sent.bytes == (others * m) as u64), "{algorithm}");
        }
        let reductions =
            [closed(2 * others, 2 * others * m), closed(log, log * n), closed(2 * log, 2 * others * m)];
        for (algorithm, expected) in Allreduce::ALL.into_iter().zip(reductions) {
            let ended = on(size, async |mut comm| {
                let done = allreduce(&mut comm, algorithm, &mut vec![0; n], &SumOfDoubles).await;
                done.map(|()| ((), comm))
            });
            assert_eq!(last(&ended), expected, "allreduce {algorithm} on {size}");
            let messages = [2 * others, log, 2 * log]
                [Allreduce::ALL.iter().position(|it| *it == algorithm).expect("one")];
            assert!(ended.iter().all(|ended| ended.sent.messages == messages as u64), "{algorithm}");
        }
        let exchanges = [closed(others, others * m), closed(log, log * size / 2 * m)];
        for (algorithm, expected) in Alltoall::ALL.into_iter().zip(exchanges) {
            let ended = on(size, async |mut comm| {
                let done = alltoall(&mut comm, algorithm, &vec![1; n], &mut vec![0; n]).await;
                done.map(|()| ((), comm))
            });
            assert_eq!(last(&ended), expected, "alltoall {algorithm} on {size}");
        }
        let tree = on(size, async |mut comm| {
            let given = vec![1; if comm.rank() == 0 { n } else { 0 }];
            let done = scatter(&mut comm, 0, &given, &mut vec![0; m]).await;
            done.map(|()| ((), comm))
        });
        assert_eq!(last(&tree), closed(log, others * m), "scatter on {size}");
    }
}

/// Figures worked out beforehand, by another program: 1 MiB on 8 ranks.
#[test]
fn a_mebibyte_on_eight_ranks() {
    let n = 1 << 20;
    let took = |algorithm| {
        let ended = on(8, async |mut comm| {
            let done = allreduce(&mut comm, algorithm, &mut vec![0; n], &SumOfDoubles).await;
            done.map(|()| ((), comm))
        });
        last(&ended)
    };
    let found = Allreduce::ALL.map(took);
    assert_eq!(found, [15_380_064, 25_315_824, 14_980_064].map(Span::from_ns));
    let took = |algorithm| {
        let ended = on(8, async |mut comm| {
            let done = alltoall(&mut comm, algorithm, &vec![0; n], &mut vec![0; n]).await;
            done.map(|()| ((), comm))
        });
        last(&ended)
    };
    assert_eq!(Alltoall::ALL.map(took), [7_690_032, 12_732_912].map(Span::from_ns));
}

fn refused(size: usize, program: impl AsyncFn(IdealComm) -> Result<(), CommError>) -> String {
    ideal::run(NETWORK, size, program).expect_err("it cannot be").to_string()
}

#[test]
fn what_cannot_be_is_said() {
    let said = refused(2, async |mut comm| {
        let other = 1 - comm.rank();
        comm.send_to(other, &[1]).await?;
        comm.recv_from(other, &mut [0]).await
    });
    assert_eq!(said, "go on: rank 0 waits to send to 1; rank 1 waits to send to 0");
    let said = refused(3, async |mut comm| {
        let rank = comm.rank();
        if rank == 2 { Ok(()) } else { comm.sendrecv(2, &[1], 1 - rank, &mut [0]).await }
    });
    assert_eq!(
        said,
        "go on: rank 0 waits to send to 2 and to receive from 1; rank 1 waits to send to 2 and to receive from 0"
    );
    let said = refused(2, async |mut comm| {
        if comm.rank() == 0 { comm.send_to(1, &[1, 2]).await } else { comm.recv_from(0, &mut [0]).await }
    });
    assert_eq!(said, "receive 1 B from rank 0: it sent a message of 2 B");
    assert_eq!(
        refused(2, async |mut comm| comm.send_to(2, &[]).await),
        "reach rank 2: there are 2 ranks, from 0"
    );
    let said = refused(3, async |mut comm| {
        allgather(&mut comm, Allgather::RecursiveDoubling, &[1], &mut [0; 3]).await
    });
    assert_eq!(said, "run allgather by recursive-doubling on 3 ranks: it takes a power of two");
    let said = refused(3, async |mut comm| alltoall(&mut comm, Alltoall::Bruck, &[1; 7], &mut [0; 7]).await);
    assert_eq!(said, "run alltoall on 3 ranks: a buffer of 7 B where 6 B are needed");
    assert_eq!(
        "rings".parse::<Allreduce>().expect_err("there is none"),
        "no allreduce is called \"rings\": ring, recursive-doubling, rabenseifner"
    );
}

/// The ideal network as a carrier like the others. What one rank ends with when another fails is that failure.
struct Ideal;

impl Ranks for Ideal {
    type Comm = IdealComm;

    fn run<T: Send>(
        &self,
        size: usize,
        program: impl AsyncFn(IdealComm) -> Result<T, CommError> + Sync,
    ) -> Vec<Result<T, CommError>> {
        match ideal::run(NETWORK, size, program) {
            Ok(ended) => ended.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }
    }
}

#[test]
fn the_ideal_network_does_what_every_carrier_does() {
    comm_conformance::comm(&Ideal);
}
