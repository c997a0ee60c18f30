//! Ranks on modelled networks: what every carrier of ranks promises, and what a network where nothing contends takes.
//! About 2 s.

mod alike;
mod closed_forms;
mod shared_medium;

use std::sync::atomic::AtomicBool;

use linerate_core::comm::algorithm::{Allreduce, Alltoall, Broadcast};
use linerate_core::comm::collective::{SumOfDoubles, allreduce, alltoall, barrier, broadcast};
use linerate_core::comm::counted::Counted;
use linerate_core::comm::{Comm, CommError};
use linerate_core::units::{Rate, Span, Time};
use linerate_sim::plan::ModelPlan;
use linerate_sim::ranks::{HEADER_BYTES, ModelComm, ModelRanks};
use rstest::rstest;

use crate::support::comm_conformance::{self, Ranks};

/// The ranks of a plan.
struct OnModel(ModelPlan);

impl OnModel {
    fn of(plan: &str) -> Self {
        Self(ModelPlan::from_toml(plan).expect(plan))
    }

    fn ended<T>(
        &self,
        size: usize,
        program: impl AsyncFn(ModelComm) -> Result<T, CommError>,
    ) -> Vec<Result<T, CommError>> {
        let ranks = ModelRanks::build(&self.0).expect("the plan can be built");
        ranks.run(size, &AtomicBool::new(false), program).0
    }

    fn all<T>(&self, program: impl AsyncFn(ModelComm) -> Result<T, CommError>) -> Vec<T> {
        let ended = self.ended(usize::MAX, program).into_iter();
        ended.map(|ended| ended.unwrap_or_else(|error| panic!("failed to {error}"))).collect()
    }
}

impl Ranks for OnModel {
    type Comm = ModelComm;

    fn run<T: Send>(
        &self,
        size: usize,
        program: impl AsyncFn(ModelComm) -> Result<T, CommError> + Sync,
    ) -> Vec<Result<T, CommError>> {
        self.ended(size, program)
    }
}

#[rstest]
#[case::switch("[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 5\nqueue = '1MiB'")]
#[case::repeater(
    "[network]\nmedium = 'ethernet'\ntopology = 'distributor'\nstations = 5\npause = 'asymmetric'"
)]
#[case::tree("[network]\nmedium = 'ethernet'\ntopology = 'line'\nstations = 5\nrelays = 2\nqueue = '1MiB'")]
#[case::two_links(
    "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 5\nlinks = 2\nqueue = '1MiB'"
)]
#[case::three_links_with_hosts(
    "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 5\nlinks = 3\nphy = '100BASE-TX'\n[tcp]\npersonality = 'linux-modern'\n[host]\nprofile = 'modern'"
)]
#[case::hosts_with_tcp(
    "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 5\n[tcp]\npersonality = 'linux-modern'\n[host]\nprofile = 'modern'"
)]
#[case::atm("[network]\nmedium = 'atm'\nstations = 5")]
#[case::myrinet("[network]\nmedium = 'myrinet'\nstations = 5\nstations-per-switch = 3")]
fn ranks_on_every_network_keep_every_promise(#[case] plan: &str) {
    comm_conformance::comm(&OnModel::of(plan));
}

/// Eight stations on a switch, each with a cable of 100 m to it. Acknowledgements are rare, so that none is in the way
/// of a message.
const SWITCH: &str = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 8\nqueue = '1MiB'\n\
    [transport]\nwindow = '1MiB'\nacknowledge-every = 500\n";

/// When a message of `length` bytes in one frame is there, by IEEE 802.3: preamble, header and FCS around 40 B of IP and
/// TCP and the message's own 8 B, at 8 ns a byte, twice because the switch stores it, over two cables of 100 m at
/// 5.56 ns a metre.
fn taken(length: u64) -> Span {
    let bytes = 8 + (14 + 40 + HEADER_BYTES as u64 + length + 4).max(64);
    Span::from_ns(2 * 8 * bytes + 2 * 556)
}

/// When the last rank has ended `program`.
#[expect(clippy::needless_pass_by_value, reason = "a program is written where it is run")]
fn last(model: &OnModel, program: impl AsyncFn(&mut ModelComm) -> Result<(), CommError>) -> Time {
    let ended = model.all(async |mut comm| {
        program(&mut comm).await?;
        Ok(comm.now())
    });
    ended.into_iter().max().expect("there are ranks")
}

/// The closed forms of the literature, with what one message takes in the place of alpha + n beta: to the picosecond.
#[test]
fn where_nothing_contends_collectives_take_what_the_closed_forms_say() {
    let model = OnModel::of(SWITCH);
    for length in [8, 96, 1000, 1400] {
        let message = taken(length as u64);
        let at = |steps: u64, of: Span| Time::from_ps(0) + of * steps;
        let one = last(&model, async |comm| match comm.rank() {
            0 => comm.send_to(1, &vec![0; length]).await,
            1 => comm.recv_from(0, &mut vec![0; length]).await,
            _ => Ok(()),
        });
        assert_eq!(one, at(1, message), "a message of {length} B");
        let all =
            last(&model, async |comm| broadcast(comm, Broadcast::Binomial, 0, &mut vec![0; length]).await);
        assert_eq!(all, at(3, message), "log2 8 messages of {length} B");
        let ring = last(&model, async |comm| {
            allreduce(comm, Allreduce::Ring, &mut vec![0; length * 8], &SumOfDoubles).await
        });
        assert_eq!(ring, at(14, message), "2 (8 - 1) messages of {length} B");
        let doubled = last(&model, async |comm| {
            allreduce(comm, Allreduce::RecursiveDoubling, &mut vec![0; length], &SumOfDoubles).await
        });
        assert_eq!(doubled, at(3, message), "log2 8 messages of {length} B");
        let pairwise = last(&model, async |comm| {
            let (out, mut into) = (vec![0; length * 8], vec![0; length * 8]);
            alltoall(comm, Alltoall::Pairwise, &out, &mut into).await
        });
        assert_eq!(pairwise, at(7, message), "8 - 1 messages of {length} B");
    }
    assert_eq!(last(&model, async |comm| barrier(comm).await), Time::from_ps(0) + taken(0) * 3);
}

/// One line for all: a round of pairs takes as many times longer as there are pairs. Where each has its own, it does not.
#[rstest]
#[case::shared("distributor", 4.0)]
#[case::switched("switch", 1.0)]
fn pairs_share_what_is_shared(#[case] topology: &str, #[case] times: f64) {
    let plan = format!(
        "[network]\nmedium = 'ethernet'\ntopology = '{topology}'\nstations = 8\npause = 'asymmetric'"
    );
    let model = OnModel::of(&plan);
    let taken = |pairs: usize| {
        let ended = last(&model, async |comm| {
            let (rank, data) = (comm.rank(), vec![0; 1 << 20]);
            match rank {
                rank if rank >= pairs * 2 => Ok(()),
                rank if rank % 2 == 0 => comm.send_to(rank + 1, &data).await,
                rank => comm.recv_from(rank - 1, &mut data.clone()).await,
            }
        });
        ended.since(Time::from_ps(0)).as_seconds()
    };
    let ratio = taken(4) / taken(1);
    // Frames in the repeater's buffers when it begins and ends are not shared.
    assert!((ratio / times - 1.0).abs() < 0.02, "{ratio} where {times} is expected");
}

#[test]
fn the_same_program_sends_the_same_bytes_and_ends_at_the_same_time_again() {
    let plans = [SWITCH, "[network]\nmedium = 'ethernet'\ntopology = 'hub'\nstations = 4"];
    for plan in plans {
        let model = OnModel::of(plan);
        let once = || {
            model.all(async |comm| {
                let mut comm = Counted::new(comm);
                allreduce(&mut comm, Allreduce::Ring, &mut vec![1; 40_000], &SumOfDoubles).await?;
                Ok((comm.now(), comm.sent().messages, comm.sent().bytes))
            })
        };
        let ranks = once();
        assert_eq!(ranks, once());
        let size = ranks.len() as u64;
        assert!(ranks.iter().all(|(_, messages, _)| *messages == 2 * (size - 1)), "{ranks:?}");
        assert_eq!(ranks.iter().map(|(_, _, bytes)| bytes).sum::<u64>(), 2 * (size - 1) * 40_000);
    }
}

#[test]
fn ranks_that_wait_for_each_other_are_named() {
    let ended = OnModel::of(SWITCH).ended(3, async |mut comm| match comm.rank() {
        0 => comm.recv_from(1, &mut [0]).await,
        1 => comm.recv_from(0, &mut [0]).await,
        _ => Ok(()),
    });
    let said: Vec<String> = ended
        .into_iter()
        .map(|ended| ended.map_or_else(|error| error.to_string(), |()| String::new()))
        .collect();
    let waits = "go on: rank 0 waits to receive from 1; rank 1 waits to receive from 0";
    assert_eq!(said, [waits, waits, ""]);
}

#[test]
fn who_waits_for_a_rank_that_has_ended_is_told_and_the_others_go_on() {
    let ended = OnModel::of(SWITCH).ended(4, async |mut comm| match comm.rank() {
        0 => comm.recv_from(1, &mut [0]).await,
        1 => Ok(()),
        rank => {
            let other = 5 - rank;
            comm.sendrecv(other, &[1; 9000], other, &mut [0; 9000]).await
        }
    });
    let [zero, one, two, three] = <[_; 4]>::try_from(ended).expect("four");
    let error = zero.expect_err("nobody sends").to_string();
    assert_eq!(error, "reach rank 1: the peer closed the connection");
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
}

/// Over four links a message of four frames takes what one frame takes, and so do four short messages that follow each
/// other.
#[test]
fn the_links_of_a_station_carry_at_once() {
    let of = |links: u32| {
        let plan = SWITCH.replace("stations = 8", &format!("stations = 8\nlinks = {links}"));
        OnModel::of(&plan)
    };
    let passed = |links: u32, length: usize, messages: usize| {
        let ended = last(&of(links), async |comm| {
            for _ in 0..messages {
                match comm.rank() {
                    0 => comm.send_to(1, &vec![1; length]).await?,
                    1 => comm.recv_from(0, &mut vec![0; length]).await?,
                    _ => {}
                }
            }
            Ok(())
        });
        ended.since(Time::from_ps(0))
    };
    let rates = [1, 4].map(|links| ModelRanks::build(&of(links).0).expect("it can be built").link);
    assert_eq!(rates.map(Rate::bits_per_second), [1e9, 4e9]);
    assert_eq!(passed(4, 4 * 1400, 1), taken(1400));
    assert_eq!(passed(4, 1400, 4), taken(1400));
    assert_eq!(passed(2, 1400, 2), taken(1400));
    // The second frame of a link follows the first on both of its cables.
    let frame = Span::from_ns(8 * (8 + 14 + 40 + HEADER_BYTES as u64 + 1400 + 4 + 12));
    assert_eq!(passed(2, 1400, 4), taken(1400) + frame);
    // Over one link they are one stream, cut into full frames.
    assert!(passed(1, 1400, 4) > taken(1400) + frame * 2);
}

/// Links add up until the host is what is slow: its processor, and its bus, are one for all of them.
#[test]
fn several_links_carry_no_more_than_their_host() {
    let rate = |phy: &str, links: u32| {
        let plan = format!(
            "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 2\nphy = '{phy}'\nlinks = {links}\n\
             length-m = 10.0\n[tcp]\npersonality = 'linux-2.0.35'\n[host]\nprofile = 'pentium-ii-350'"
        );
        let ended = last(&OnModel::of(&plan), async |comm| {
            for _ in 0..4 {
                match comm.rank() {
                    0 => comm.send_to(1, &vec![1; 1 << 20]).await?,
                    _ => comm.recv_from(0, &mut vec![0; 1 << 20]).await?,
                }
            }
            Ok(())
        });
        4.0 * 8.0 * 1_048_576.0 / ended.since(Time::from_ps(0)).as_seconds() / 1e6
    };
    let [one, two, four] = [1, 2, 4].map(|links| rate("100BASE-TX", links));
    let gigabit = rate("1000BASE-T", 1);
    assert!((85.0..95.0).contains(&one) && two > 1.7 * one, "{one} and {two} Mb/s");
    assert!(four < 1.1 * gigabit && gigabit < 3.0 * one, "{four} and {gigabit} Mb/s");
}

#[test]
fn several_links_need_a_switch() {
    for (given, why) in [
        ("topology = 'hub'\nstations = 3\nlinks = 2", "choose topology = \"switch\""),
        ("topology = 'switch'\nstations = 3\nlinks = 0", "it must be from 1 to 16"),
        ("topology = 'switch'\nstations = 3\nlinks = 17", "it must be from 1 to 16"),
    ] {
        let plan = ModelPlan::from_toml(&format!("[network]\nmedium = 'ethernet'\n{given}")).expect(given);
        let refused = ModelRanks::build(&plan).expect_err(given).to_string();
        assert!(refused.contains("network.links") && refused.contains(why), "{refused}");
    }
}
