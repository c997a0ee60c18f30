use std::collections::BTreeSet;

use super::*;

fn unordered((one, other): Pair) -> Pair {
    (one.min(other), one.max(other))
}

/// The example of the literature, by hand.
#[test]
fn six_ranks_meet_in_five_rounds() {
    let rounds: [[Pair; 3]; 5] = [
        [(5, 0), (1, 4), (2, 3)],
        [(5, 1), (2, 0), (3, 4)],
        [(5, 2), (3, 1), (4, 0)],
        [(5, 3), (4, 2), (0, 1)],
        [(5, 4), (0, 3), (1, 2)],
    ];
    assert_eq!(every_pair(6), rounds.map(Vec::from));
}

#[test]
fn every_pair_meets_once_and_nobody_is_twice_in_a_round() {
    for size in 0..=40 {
        for rounds in [every_pair(size), every_pair_shuffled(size, 7, 2)] {
            let expected = if size < 2 { 0 } else { size - 1 + size % 2 };
            assert_eq!(rounds.len(), expected, "{size} ranks");
            let mut met = BTreeSet::new();
            for round in &rounds {
                let ranks: BTreeSet<usize> = round.iter().flat_map(|(one, other)| [*one, *other]).collect();
                assert_eq!(ranks.len(), round.len() * 2, "{size} ranks: {round:?}");
                assert_eq!(round.len(), size / 2, "{size} ranks: {round:?}");
                assert!(round.iter().all(|pair| met.insert(unordered(*pair))), "{size} ranks: {round:?}");
            }
            assert_eq!(met.len(), size * size.saturating_sub(1) / 2);
        }
    }
}

#[test]
fn each_repetition_has_another_order_and_the_same_seed_the_same() {
    assert_ne!(every_pair_shuffled(12, 1, 0), every_pair_shuffled(12, 1, 1));
    assert_ne!(every_pair_shuffled(12, 1, 0), every_pair_shuffled(12, 2, 0));
    assert_eq!(every_pair_shuffled(12, 1, 5), every_pair_shuffled(12, 1, 5));
    assert_ne!(random_ring(12, 1, 0), random_ring(12, 1, 1));
    assert_ne!(matching(12, 1, 0), matching(12, 1, 1));
    assert_ne!(shuffled(12, 1, 0), shuffled(12, 1, 1));
}

#[test]
fn a_ring_goes_through_every_rank() {
    for size in 1..20 {
        let next = random_ring(size, 3, 0);
        let way: Vec<usize> = std::iter::successors(Some(0), |at| Some(next[*at])).take(size + 1).collect();
        let visited: BTreeSet<usize> = way.iter().copied().collect();
        assert_eq!((visited.len(), way[size]), (size, 0));
    }
    assert_eq!(shift(5, 2), [2, 3, 4, 0, 1]);
}

#[test]
fn a_matching_has_every_rank_once_and_no_place_is_preferred() {
    for size in 2..20 {
        let pairs = matching(size, 9, 4);
        let ranks: BTreeSet<usize> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
        assert_eq!((pairs.len(), ranks.len()), (size / 2, size / 2 * 2));
    }
    // Each of the 3 matchings of 4 ranks in a third of 3,000 draws: the standard deviation is 26.
    let with_first = |number| {
        let pair = matching(4, 1, number).into_iter().map(unordered).find(|pair| pair.0 == 0);
        pair.expect("rank 0 has a partner").1
    };
    let mut counts = [0; 4];
    (0..3000).for_each(|number| counts[with_first(number)] += 1);
    assert!(counts[1..].iter().all(|count| (870..=1130).contains(count)), "{counts:?}");
}
