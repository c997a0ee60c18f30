//! Whether this machine has room for the ranks that are to be started on it.

use linerate_core::mesh::MOST_RANKS;
use linerate_net::observe::available_memory;
use rustix::process::{Resource, getrlimit};

use crate::trouble::Trouble;

/// What a rank takes beside its messages: its program and its connections. Unit: bytes.
const OF_A_RANK: u64 = 8 << 20;
/// Threads of a rank while ranks meet: it, those that take connections, those that watch.
const THREADS: u64 = 4;
/// Files of this process for each rank: the connection, what ends it, and the two pipes of a process.
const FILES: u64 = 4;
/// Files of this process besides.
const OTHER_FILES: u64 = 256;

/// Refuses more ranks than there can be; `here` says that they run on this machine, each with so much memory.
pub(super) fn check(ranks: usize, here: Option<u64>) -> Result<(), Trouble> {
    let limits = std::iter::once(("a mesh has", Some(MOST_RANKS as u64 - 1)))
        .chain([("the open files of this process suffice for", files())])
        .chain(here.into_iter().flat_map(|memory| {
            [
                ("the memory of this machine suffices for", available(memory)),
                ("the processes that this machine allows suffice for", processes()),
            ]
        }));
    let least = limits.filter_map(|(what, most)| Some((most?, what))).min();
    match least {
        Some((most, what)) if most < ranks as u64 => Err(Trouble::new(
            format!("failed to start {ranks} ranks: {what} {most} at most"),
            "ask for fewer --ranks, or spread them over machines with --hosts",
        )),
        _ => Ok(()),
    }
}

fn available(memory: u64) -> Option<u64> {
    Some(available_memory().known()? / memory.saturating_add(OF_A_RANK))
}

fn files() -> Option<u64> {
    Some(getrlimit(Resource::Nofile).maximum?.saturating_sub(OTHER_FILES) / FILES)
}

/// The least of what the kernel and the user's limit allow, less what runs already as far as that is known.
fn processes() -> Option<u64> {
    let number = |path| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let kernel = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"].into_iter().filter_map(number);
    let all = kernel.chain(getrlimit(Resource::Nproc).current).min()?;
    Some(all.saturating_sub(u64::from(rustix::system::sysinfo().procs)) / THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_ranks_fit_and_more_than_anything_holds_do_not() {
        assert!(check(2, Some(1 << 20)).is_ok());
        for here in [None, Some(1 << 20), Some(1 << 50)] {
            let refused = check(1_000_000, here).expect_err("there is no room").reason();
            assert!(
                refused.starts_with("start 1000000 ranks: ") && refused.ends_with(" at most"),
                "{refused}"
            );
        }
        assert!(check(2, Some(1 << 60)).is_err(), "nobody has so much memory");
    }
}
