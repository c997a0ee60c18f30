//! The library's own collectives, timed as the ones by name are: after a barrier, with the result looked at.

use std::ops::ControlFlow;

use linerate_core::comm::call::{Call, CallData};
use linerate_core::mesh::{CollectiveTimes, LIBRARY, Tail};
use linerate_core::stats;
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use mpi::collective::SystemOperation;
use mpi::traits::{Communicator as _, CommunicatorCollectives as _, Root as _};

use crate::sys::{Group, MpiError};

/// Calls that make what the library needs, and from which it is learned how many fit the time.
const WARM_UP: usize = 3;
/// The fewest calls of a size, and the most: as of those by name.
const CALLS: [u64; 2] = [5, 200];

/// A collective of the library at one size. If absent, MPI does not define it there: sums are of whole elements of 8 B,
/// and a reduce-scatter gives every rank as many. `time` is what all calls may take. Every rank gets the times.
///
/// # Errors
///
/// When a result is wrong, or a rank is gone.
pub fn time(
    group: &Group,
    clock: HostClock,
    (call, bytes): (Call, u64),
    time: Span,
) -> Result<Option<CollectiveTimes>, MpiError> {
    let (size, length) = (group.size(), usize::try_from(bytes).unwrap_or(usize::MAX));
    let part = match call {
        Call::Allreduce(_) => 8,
        Call::ReduceScatter(_) => 8 * size,
        _ => 1,
    };
    if !length.is_multiple_of(part) {
        return Ok(None);
    }
    let mut one =
        One { group, clock, call, data: CallData::new(call, group.rank(), size, length), right: true };
    let warm_up = one_after_another(&mut one, WARM_UP);
    let first = one.slowest(&warm_up);
    let each = first.iter().copied().min().unwrap_or(1).max(1);
    let calls = (time.as_ps() / each).clamp(CALLS[0], CALLS[1]);
    let times = one_after_another(&mut one, usize::try_from(calls).unwrap_or(1));
    let slowest = one.slowest(&times);
    let mean = times.iter().sum::<u64>() / calls.max(1);
    let all: Vec<(u64, bool)> = group.collect((mean, one.right))?;
    let all = group.share(Some(all))?;
    if let Some(rank) = all.iter().position(|(_, right)| !right) {
        let reason = format!("rank {rank} has a wrong result of {bytes} B");
        return Err(MpiError { call: "use the library's collective", reason });
    }
    let means = all.iter().map(|(mean, _)| Some(Span::from_ps(*mean))).collect();
    let collective = call.parts().0.to_owned();
    Ok(Some(CollectiveTimes {
        collective,
        algorithm: LIBRARY.to_owned(),
        bytes,
        means,
        slowest: tail(slowest),
        sent: None,
    }))
}

/// The library's collective once for each that `calls` has by any algorithm, at every size of it.
#[must_use]
pub fn once_each(calls: &[(Call, u64)]) -> Vec<(Call, u64)> {
    let mut found: Vec<(Call, u64)> = Vec::new();
    for (call, bytes) in calls {
        let known = |(other, size): &(Call, u64)| other.parts().0 == call.parts().0 && size == bytes;
        if !found.iter().any(known) {
            found.push((*call, *bytes));
        }
    }
    found
}

/// Whether rank 0 wants to go on; all ranks hear the same.
///
/// # Errors
///
/// When rank 0 is gone.
pub fn all_go_on(group: &Group, own: ControlFlow<()>) -> Result<ControlFlow<()>, MpiError> {
    let on = group.share(Some(own.is_continue()))?;
    Ok(if on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
}

struct One<'a> {
    group: &'a Group,
    clock: HostClock,
    call: Call,
    data: CallData,
    right: bool,
}

/// What each of `calls` calls took here. Unit: picoseconds.
fn one_after_another(one: &mut One<'_>, calls: usize) -> Vec<u64> {
    (0..calls).map(|_| one.timed()).collect()
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<8>().0.iter().map(|element| f64::from_le_bytes(*element)).collect()
}

impl One<'_> {
    fn timed(&mut self) -> u64 {
        self.data.reset();
        let comm = self.group.communicator();
        let [own, received] = self.data.buffers();
        // The library sums numbers and not bytes; they are copied outside of what is timed.
        let numbers = if matches!(self.call, Call::Allreduce(_) | Call::ReduceScatter(_)) {
            doubles(own)
        } else {
            Vec::new()
        };
        let kept = if matches!(self.call, Call::ReduceScatter(_)) {
            numbers.len() / self.group.size()
        } else {
            numbers.len()
        };
        let mut summed = vec![1.0_f64; kept];
        comm.barrier();
        let start = self.clock.now();
        match self.call {
            Call::Barrier => comm.barrier(),
            Call::Broadcast(_) => comm.process_at_rank(0).broadcast_into(own),
            Call::Allgather(_) => comm.all_gather_into(own, received),
            Call::Alltoall(_) => comm.all_to_all_into(own, received),
            Call::Allreduce(_) => comm.all_reduce_into(&numbers[..], &mut summed[..], SystemOperation::sum()),
            Call::ReduceScatter(_) => {
                comm.reduce_scatter_block_into(&numbers[..], &mut summed[..], SystemOperation::sum());
            }
        }
        let taken = self.clock.now().since(start);
        if !numbers.is_empty() {
            let first = if kept == numbers.len() { 0 } else { self.group.rank() * kept * 8 };
            let part = first..first + kept * 8;
            for (out, sum) in own[part.clone()].as_chunks_mut::<8>().0.iter_mut().zip(&summed) {
                *out = sum.to_le_bytes();
            }
            self.data.keep(part);
        }
        self.right &= self.data.is_right();
        taken.as_ps()
    }

    /// The slowest rank of each call: the same at all ranks. Unit: picoseconds.
    fn slowest(&self, times: &[u64]) -> Vec<u64> {
        let mut slowest = vec![0_u64; times.len()];
        self.group.communicator().all_reduce_into(times, &mut slowest[..], SystemOperation::max());
        slowest
    }
}

fn tail(mut times: Vec<u64>) -> Tail {
    times.sort_unstable();
    let count = times.len() as u64;
    let median =
        stats::median(times.iter().map(|time| *time as f64)).map_or(Span::ZERO, Span::from_ps_rounded);
    // The smallest time that 99 of 100 do not exceed.
    let p99 = times.get((times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default();
    let mean = Span::from_ps(times.iter().sum::<u64>() / count.max(1));
    Tail { messages: count, mean, median, p99: Span::from_ps(p99) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_chooses_its_algorithm_so_each_size_is_called_once() {
        let calls: Vec<(Call, u64)> = Call::named("allreduce")
            .expect("a name")
            .into_iter()
            .flat_map(|call| [(call, 8), (call, 64)])
            .collect();
        let once = once_each(&calls);
        assert_eq!(once.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>(), [8, 64]);
    }
}
