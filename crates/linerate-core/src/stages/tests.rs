//! Stages of messages whose true times are known.

use proptest::prelude::*;
use rstest::rstest;

use super::*;

/// A moment in 2025. Unit: nanoseconds since 1970.
const NOW: u64 = 1_760_000_000_000_000_000;

/// True spans of one round. Unit: nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Round {
    there: [u32; 4],
    thinking: u32,
    back: [u32; 4],
}

/// Both ends' marks of `rounds` one after the other; the peer's clock is `offset_ns` ahead.
fn marks(rounds: &[Round], offset_ns: i64) -> [Vec<Marks>; 2] {
    let mut now = NOW;
    let mut pass = |span: u32| {
        now += u64::from(span);
        now
    };
    let theirs = |at: u64| at.wrapping_add_signed(offset_ns);
    let both = rounds.iter().map(|round| {
        let sent = pass(0);
        let [queued, driven, arrived, taken] = round.there.map(&mut pass);
        let answered = pass(round.thinking);
        let [queued_there, driven_there, back, done] = round.back.map(&mut pass);
        let ours = Marks {
            sent,
            queued: Some(queued),
            driven: Some(driven),
            acked: Some(back),
            arrived: Some(back),
            taken: done,
        };
        let theirs = Marks {
            sent: theirs(answered),
            queued: Some(theirs(queued_there)),
            driven: Some(theirs(driven_there)),
            acked: None,
            arrived: Some(theirs(arrived)),
            taken: theirs(taken),
        };
        (ours, theirs)
    });
    let (ours, theirs): (Vec<_>, Vec<_>) = both.unzip();
    [ours, theirs]
}

fn stages(rounds: &[Round], offset_ns: i64, same_host: bool) -> Stages {
    let [ours, theirs] = marks(rounds, offset_ns);
    Stages::of(64, rounds.len() as u32, same_host, [&ours, &theirs])
}

const PLAIN: Round =
    Round { there: [1_000, 200, 5_000, 9_000], thinking: 700, back: [900, 100, 5_000, 8_000] };

#[test]
fn on_one_host_every_stage_is_exact() {
    let stages = stages(&[PLAIN; 8], 0, true);
    assert_eq!(stages.clocks, Clocks::One);
    let medians = stages.in_order().map(|(_, part)| part.time_ns.expect("messages").median);
    assert_eq!(medians, [1_000.0, 200.0, 5_000.0, 9_000.0]);
    assert_eq!(stages.whole.time_ns.and_then(|time| time.interval), Some([15_200.0, 15_200.0]));
    // Sent to the answer's arrival: all of the way there, and of the way back all but the last.
    assert_eq!(stages.acknowledged.each_ns, [15_200 + 700 + 900 + 100 + 5_000; 8]);
    assert_eq!(stages.messages(), 8);
}

#[rstest]
#[case(0)]
#[case(37_000_000_000)]
#[case(-86_400_000_000_000)]
fn a_path_as_long_back_as_there_gives_the_clocks_exactly(#[case] offset_ns: i64) {
    let slow = Round { there: [1_000, 200, 90_000, 9_000], ..PLAIN };
    let stages = stages(&[slow, PLAIN, slow], offset_ns, false);
    assert_eq!(stages.clocks, Clocks::Two { offset_ns, uncertainty_ns: 5_000 });
    assert_eq!(stages.to_peer.each_ns, [90_000, 5_000, 90_000]);
}

#[test]
fn a_message_without_all_its_stamps_is_left_out_and_counted() {
    let [mut ours, mut theirs] = marks(&[PLAIN; 4], 0);
    ours[0].driven = None;
    theirs[1].arrived = None;
    ours[2].acked = None;
    let stages = Stages::of(64, 4, true, [&ours, &theirs]);
    assert_eq!((stages.asked, stages.messages()), (4, 2));
    assert_eq!(stages.acknowledged.each_ns.len(), 1);
}

#[test]
fn without_stamps_nothing_is_said() {
    let bare = [Marks { sent: 5, taken: 9, ..Marks::default() }];
    let stages = Stages::of(64, 1, false, [&bare, &bare]);
    assert_eq!(stages.clocks, Clocks::Unknown);
    assert_eq!(stages.clocks.uncertainty_ns(), None);
    assert_eq!((stages.messages(), stages.whole.time_ns), (0, None));
}

#[test]
fn at_most_so_many_sizes_are_looked_at_with_both_ends() {
    let all: Vec<u64> = (1..=1_000).map(|nth| nth * 100).collect();
    let chosen = sizes(&all);
    assert_eq!(chosen.len(), MOST_SIZES);
    assert_eq!((chosen[0], chosen[23]), (100, 65_500));
    assert!(chosen.is_sorted_by(|a, b| a < b));
    assert_eq!(sizes(&[65_536, 1, 1, 65_537, 7]), [1, 7, 65_536]);
    assert!(sizes(&[]).is_empty() && sizes(&[1 << 20]).is_empty());
}

fn round() -> impl Strategy<Value = Round> {
    let spans = || prop::array::uniform4(0..1_000_000_u32);
    (spans(), 0..1_000_000_u32, spans()).prop_map(|(there, thinking, back)| Round { there, thinking, back })
}

proptest! {
    #[test]
    fn the_stages_of_one_way_add_up_to_the_whole_within_the_clocks_error(
        rounds in prop::collection::vec(round(), 1..20),
        offset_ns in -1_000_000_000_000_i64..1_000_000_000_000,
    ) {
        let stages = stages(&rounds, offset_ns, false);
        let Clocks::Two { offset_ns: estimated, uncertainty_ns } = stages.clocks else {
            panic!("every round has its stamps");
        };
        prop_assert!(estimated.abs_diff(offset_ns) <= uncertainty_ns);
        for (nth, round) in rounds.iter().enumerate() {
            let sum: i64 = stages.in_order().iter().map(|(_, part)| part.each_ns[nth]).sum();
            prop_assert_eq!(sum, stages.whole.each_ns[nth]);
            let truth: i64 = round.there.iter().copied().map(i64::from).sum();
            prop_assert!(sum.abs_diff(truth) <= uncertainty_ns, "{} of {}", sum, truth);
            // A stage that crosses the clocks is never negative beyond what is said beside it.
            prop_assert!(stages.to_peer.each_ns[nth] >= -i64::try_from(uncertainty_ns).expect("short"));
        }
    }

    #[test]
    fn a_peer_may_say_what_it_likes(
        ours in prop::collection::vec(any::<[u64; 6]>(), 0..5),
        theirs in prop::collection::vec(any::<[u64; 6]>(), 0..5),
        same_host: bool,
    ) {
        let marks = |all: &[[u64; 6]]| -> Vec<Marks> {
            let one = |[sent, queued, driven, acked, arrived, taken]: [u64; 6]| Marks {
                sent,
                queued: Some(queued),
                driven: Some(driven),
                acked: Some(acked),
                arrived: Some(arrived),
                taken,
            };
            all.iter().copied().map(one).collect()
        };
        let stages = Stages::of(1, 5, same_host, [&marks(&ours), &marks(&theirs)]);
        prop_assert_eq!(stages.messages(), ours.len().min(theirs.len()));
    }
}
