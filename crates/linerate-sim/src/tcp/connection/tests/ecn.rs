//! Explicit congestion notification, by the clauses of RFC 3168 and RFC 8257.

use super::super::pair::{Pair, settings};
use super::*;
use crate::ip::Codepoint;
use crate::tcp::{Detection, EcnUse, Flags, Reduction};

/// Reno with ECN, at once and by the window, so that what a mark leaves is known.
fn with(ecn: EcnUse, algorithm: Algorithm) -> Settings {
    let mut settings = settings("linux-modern", 1500);
    settings.rules.options.ecn = ecn;
    settings.rules.congestion.algorithm = algorithm;
    settings.rules.congestion.reduction = Reduction::AtOnce;
    settings.rules.congestion.initial_threshold = Some(Size(10 * 1448));
    settings.rules.acknowledgement.quick = 0;
    settings
}

/// Whether a window was halved that was `before` when a transfer began, and grew by two segments at most.
#[track_caller]
fn assert_halved(threshold: u64, before: u64) {
    assert!((before / 2..=before / 2 + 1448).contains(&threshold), "{threshold} of {before}");
}

/// RFC 3168, 6.1.1: a SYN asks with ECE and CWR, the answer agrees with ECE alone; ECN is used if both
/// did. No SYN is ECN-capable.
#[rstest]
fn both_ends_must_want_it_6_1_1(
    #[values(EcnUse::No, EcnUse::WhenAsked, EcnUse::Yes)] client: EcnUse,
    #[values(EcnUse::No, EcnUse::WhenAsked, EcnUse::Yes)] server: EcnUse,
) {
    let ends = [client, server].map(|ecn| with(ecn, Algorithm::RENO));
    let mut pair = Pair::new([&ends[0], &ends[1]], MS);
    pair.run(|pair| pair.ends.iter().all(|end| end.state() == State::Established));
    pair.transfer(100_000);
    let (asks, agrees) = (client == EcnUse::Yes, server != EcnUse::No);
    let syns: Vec<_> = pair.log.iter().filter(|(_, _, segment)| segment.flags.syn).collect();
    let flags = |number: usize| [syns[number].2.flags.ece, syns[number].2.flags.cwr];
    assert_eq!((flags(0), flags(1)), ([asks; 2], [asks && agrees, false]));
    for end in &pair.ends {
        assert_eq!(end.has_ecn(), asks && agrees);
    }
    let capable = pair.log.iter().filter(|(_, _, segment)| segment.ecn == Codepoint::Capable).count();
    assert_eq!(capable > 0, asks && agrees);
}

#[test]
fn dctcp_asks_for_it_by_itself_rfc_8257() {
    let pair = Pair::open(&with(EcnUse::No, Algorithm::DCTCP), MS);
    assert!(pair.ends[0].has_ecn() && pair.ends[1].has_ecn());
}

/// RFC 3168, 6.1.4 and 6.1.5, and 6.1.1: not on acknowledgements, not on what is sent again, not on SYNs.
#[test]
fn only_new_data_is_capable_6_1_5() {
    let mut pair = Pair::open(&with(EcnUse::Yes, Algorithm::RENO), MS);
    pair.drop = [20, 30].into();
    pair.transfer(200_000);
    let mut reached = 1;
    let mut again = 0;
    for (_, _, segment) in &pair.log {
        let is_new = segment.length > 0 && segment.sequence >= reached;
        again += u32::from(segment.length > 0 && !is_new);
        reached = reached.max(if segment.length > 0 { segment.end() } else { 1 });
        let expected = if is_new { Codepoint::Capable } else { Codepoint::NotCapable };
        assert_eq!(segment.ecn, expected, "{segment:?}");
    }
    assert_eq!(again, 2);
}

/// RFC 3168, 6.1.2 and 6.1.3: acknowledgements have ECE from the marked segment until CWR comes; the
/// window is halved once, and the next new segment says so.
#[test]
fn a_mark_is_told_until_the_window_was_halved_6_1_3() {
    let mut pair = Pair::open(&with(EcnUse::Yes, Algorithm::RENO), MS);
    pair.mark = [25].into();
    pair.transfer(25 * 1448);
    let before = pair.ends[0].congestion_window();
    pair.transfer(200 * 1448);
    let ends = &pair.ends;
    assert_eq!((ends[0].counters().marked_reductions, ends[1].counters().marked_segments), (1, 1));
    assert_eq!(ends[0].counters().retransmitted, 0);
    assert_halved(ends[0].slow_start_threshold(), before);
    let reduced: Vec<_> =
        pair.log.iter().filter(|(_, end, segment)| *end == 0 && segment.flags.cwr).collect();
    assert_eq!(reduced.len(), 2, "one SYN, one segment: {reduced:?}");
    let marked_at = 1 + 25 * 1448;
    let cwr_at = reduced[1].2.sequence;
    for (at, _, segment) in pair.log.iter().filter(|(_, end, segment)| *end == 1 && !segment.flags.syn) {
        let told = segment.acknowledgement > marked_at && segment.acknowledgement <= cwr_at;
        assert_eq!(segment.flags.ece, told, "{at:?} {segment:?}");
    }
}

/// RFC 3168, 6.1.2: no more than once a window of data, whatever was marked or lost of it.
#[rstest]
#[case::marks([25, 26, 27, 29], [])]
#[case::a_mark_and_a_loss([25], [27])]
fn one_window_is_reduced_once_6_1_2<const M: usize, const L: usize>(
    #[case] marks: [u64; M],
    #[case] losses: [u64; L],
) {
    let mut pair = Pair::open(&with(EcnUse::Yes, Algorithm::RENO), MS);
    (pair.mark, pair.drop) = (marks.into(), losses.into());
    pair.transfer(25 * 1448);
    let before = pair.ends[0].congestion_window();
    pair.transfer(60 * 1448);
    assert_halved(pair.ends[0].slow_start_threshold(), before);
    assert_eq!(pair.ends[0].counters().marked_reductions, 1);
    assert_eq!(pair.ends[0].counters().retransmitted, L as u64);
}

/// RFC 3168, 6.1.2: also after a fast retransmit the first new segment has CWR.
#[test]
fn a_loss_is_told_as_well_6_1_2() {
    let mut pair = Pair::open(&with(EcnUse::Yes, Algorithm::RENO), MS);
    pair.drop = [25].into();
    pair.transfer(200 * 1448);
    assert_eq!(pair.ends[0].counters().fast_retransmits, 1);
    let told = pair.log.iter().filter(|(_, _, segment)| segment.flags.cwr && segment.length > 0);
    let told: Vec<_> = told.map(|(_, _, segment)| segment.ecn).collect();
    assert_eq!(told, [Codepoint::Capable]);
}

/// The window falls over a round trip where the kernel reduces in proportion (RFC 9937), to the same.
#[test]
fn in_proportion_a_mark_ends_at_the_threshold() {
    let mut settings = with(EcnUse::Yes, Algorithm::RENO);
    settings.rules.congestion.reduction = Reduction::Proportional;
    let mut pair = Pair::open(&settings, MS);
    pair.mark = [60].into();
    pair.transfer(60 * 1448);
    let before = pair.ends[0].congestion_window();
    pair.to_write[0] = 1000 * 1448;
    pair.run(|pair| pair.ends[0].counters().marked_reductions == 1);
    let halved = pair.ends[0].slow_start_threshold();
    assert_halved(halved, before);
    assert!(pair.ends[0].congestion_window() > halved + 3 * 1448, "not at once");
    let since = pair.now;
    pair.run(|pair| pair.now.since(since) > MS * 5 / 2);
    let window = pair.ends[0].congestion_window();
    assert!((halved..=halved + 1448).contains(&window), "{window} and not {halved}");
}

/// What a receiver of DCTCP sends for segments of 1448 B that are marked or not: what each acknowledges,
/// in segments, and whether it has ECE.
fn acknowledgements(marks: &[bool]) -> Vec<(u64, bool)> {
    let mut pair = Pair::open(&with(EcnUse::Yes, Algorithm::DCTCP), MS);
    let now = pair.now;
    let end = &mut pair.ends[1];
    let mut sent = Vec::new();
    for (number, marked) in (0..).zip(marks) {
        let segment = Segment {
            sequence: 1 + number * 1448,
            length: 1448,
            flags: Flags { ack: true, ..Flags::default() },
            acknowledgement: 1,
            window: 1000,
            mss: None,
            window_scale: None,
            sack_permitted: false,
            timestamps: None,
            sack: crate::tcp::SackBlocks::NONE,
            ecn: if *marked { Codepoint::Experienced } else { Codepoint::Capable },
            parts: 1,
        };
        end.arrived(&segment, 2048, now);
        end.read(1448);
        while let Some(answer) = end.next_segment(now) {
            sent.push(((answer.acknowledgement - 1) / 1448, answer.flags.ece));
        }
    }
    sent
}

/// RFC 8257, 3.2: a change is acknowledged at once, and before it what came before as it came; else every
/// second segment is.
#[test]
fn a_receiver_of_dctcp_says_which_were_marked_3_2() {
    let sent = acknowledgements(&[false, true, true, true, false, false, false, true, false]);
    let expected = [(1, false), (2, true), (4, true), (5, false), (7, false), (8, true), (9, false)];
    assert_eq!(sent, expected);
}

proptest! {
    /// RFC 8257, 3.2: the sender can rebuild which segments were marked, but for those that wait.
    #[test]
    fn what_is_acknowledged_with_ece_is_what_was_marked_3_2(marks in proptest::collection::vec(any::<bool>(), 1..60)) {
        let mut told = Vec::new();
        for (position, marked) in acknowledgements(&marks) {
            prop_assert!(position as usize >= told.len());
            told.resize(position as usize, marked);
        }
        prop_assert!(marks.len() - told.len() <= 1, "no more than one waits");
        prop_assert_eq!(&told[..], &marks[..told.len()]);
    }
}

/// RFC 8257, 3.3: with nothing but marks alpha stays 1, and each window is halved; 3.5: a loss halves it
/// too, though few marks were seen.
#[test]
fn a_sender_of_dctcp_reduces_by_the_share_of_marks_3_3() {
    let mut settings = with(EcnUse::Yes, Algorithm::DCTCP);
    settings.rules.congestion.detection = Detection::Duplicates;
    let mut pair = Pair::open(&settings, MS);
    // Many windows without marks, until alpha is small.
    pair.transfer(8000 * 1448);
    assert_eq!(pair.ends[0].counters().marked_reductions, 0);
    let before = pair.ends[0].congestion_window();
    pair.mark = [8003].into();
    pair.transfer(300 * 1448);
    assert_eq!(pair.ends[0].counters().marked_reductions, 1);
    let after = pair.ends[0].slow_start_threshold();
    assert!(after < before + 2 * 1448 && after > before - before / 10, "{before} and then {after}");
    let before = pair.ends[0].congestion_window();
    pair.drop = [8350].into();
    pair.transfer(300 * 1448);
    let after = pair.ends[0].slow_start_threshold();
    let half = before / 2..before / 2 + 3 * 1448;
    assert!(half.contains(&after), "{before} and then {after}");
}
