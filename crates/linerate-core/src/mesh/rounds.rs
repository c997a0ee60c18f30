//! Who talks to whom at the same time.

use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Separates the random numbers of this module from others of the same seed.
const STREAM: u128 = 0x6d65_7368;

/// Two ranks that talk to each other; the first begins.
pub type Pair = (usize, usize);

/// Every pair of `size` ranks once, in rounds in which no rank is in two pairs: `size - 1` rounds, or `size` if that is
/// odd, when one rank is idle in each.
///
/// Source: the 1-factorization of the complete graph that tournaments use (Kirkman 1847).
#[must_use]
pub fn every_pair(size: usize) -> Vec<Vec<Pair>> {
    if size < 2 {
        return Vec::new();
    }
    // With an odd number a ghost is the last of an even one, and who meets it is idle.
    let even = size + size % 2;
    let around = even - 1;
    let round = |turn: usize| {
        let with_last = (even - 1, turn);
        let others = (1..even / 2).map(move |step| ((turn + step) % around, (turn + around - step) % around));
        let pairs = std::iter::once(with_last).chain(others);
        pairs.filter(|(one, other)| *one.max(other) < size).collect()
    };
    (0..around).map(round).collect()
}

/// The rounds of [`every_pair`] in a random order, the ranks in random places, and a random one of each pair first. It
/// depends on `seed` and the number of the repetition.
#[must_use]
pub fn every_pair_shuffled(size: usize, seed: u64, repetition: u32) -> Vec<Vec<Pair>> {
    let mut random = generator(seed, repetition, 0);
    let places = order(size, &mut random);
    let mut rounds = every_pair(size);
    rounds.shuffle(&mut random);
    for (number, round) in rounds.iter_mut().enumerate() {
        for pair in round.iter_mut() {
            *pair = (places[pair.0], places[pair.1]);
            // In turn, so that a rank begins as often as it answers.
            if number % 2 == 1 {
                *pair = (pair.1, pair.0);
            }
        }
        round.shuffle(&mut random);
    }
    rounds
}

/// To whom each rank sends: to the one that follows it by `distance`.
#[must_use]
pub fn shift(size: usize, distance: usize) -> Vec<usize> {
    (0..size).map(|rank| (rank + distance) % size).collect()
}

/// To whom each rank sends in a ring through all ranks in random order.
#[must_use]
pub fn random_ring(size: usize, seed: u64, repetition: u32) -> Vec<usize> {
    let order = order(size, &mut generator(seed, repetition, 1));
    let mut next = vec![0; size];
    for (place, rank) in order.iter().enumerate() {
        next[*rank] = order[(place + 1) % size];
    }
    next
}

/// Random pairs, each rank in at most one: of an odd number one is left out.
#[must_use]
pub fn matching(size: usize, seed: u64, number: u32) -> Vec<Pair> {
    let order = order(size, &mut generator(seed, number, 2));
    order.as_chunks::<2>().0.iter().map(|[one, other]| (*one, *other)).collect()
}

/// All ranks in random order, another for each `number`.
#[must_use]
pub fn shuffled(size: usize, seed: u64, number: u32) -> Vec<usize> {
    order(size, &mut generator(seed, number, 3))
}

fn order(size: usize, random: &mut Pcg64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..size).collect();
    order.shuffle(random);
    order
}

fn generator(seed: u64, number: u32, purpose: u32) -> Pcg64 {
    let state = u128::from(seed) << 64 | u128::from(number) << 32 | u128::from(purpose);
    Pcg64::new(state, STREAM)
}

#[cfg(test)]
mod tests;
