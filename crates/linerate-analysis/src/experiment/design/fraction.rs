//! Regular fractions of two-level designs, and what they cannot tell apart.

use serde::Serialize;

use super::DesignError;

/// A row of the table: factors, runs, and a generator for each factor beyond the basic ones.
type Known = (usize, usize, &'static [&'static str]);

/// The fractions of least aberration for up to 7 factors.
/// Source: Montgomery, Design and Analysis of Experiments (2013), table 8.14.
const KNOWN: [Known; 11] = [
    (3, 4, &["AB"]),
    (4, 8, &["ABC"]),
    (5, 8, &["AB", "AC"]),
    (5, 16, &["ABCD"]),
    (6, 8, &["AB", "AC", "BC"]),
    (6, 16, &["ABC", "BCD"]),
    (6, 32, &["ABCDE"]),
    (7, 8, &["AB", "AC", "BC", "ABC"]),
    (7, 16, &["ABC", "BCD", "ACD"]),
    (7, 32, &["ABCD", "ABDE"]),
    (7, 64, &["ABCDEF"]),
];

/// What a fraction is made of and cannot tell apart. Factors are letters: A is the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Structure {
    /// How each factor beyond the basic ones is set, such as `D=ABC`.
    pub generators: Vec<String>,
    /// The length of the shortest word of the defining relation. 3: main effects are aliased with pairs;
    /// 4: pairs with pairs; 5 and more: neither.
    pub resolution: usize,
    /// Sets of main effects and pairs that share one estimate, such as `[A, BC]`; what stands alone is not
    /// listed. Interactions of three and more factors are taken to be none and are not listed either.
    pub aliases: Vec<Vec<String>>,
}

/// The cells of the fraction of `runs` for so many factors, in standard order of the basic factors.
pub(super) fn fraction(factors: usize, runs: usize) -> Result<(Vec<Vec<usize>>, Structure), DesignError> {
    let of_factors = || KNOWN.iter().filter(|known| known.0 == factors);
    let Some((.., words)) = of_factors().find(|known| known.1 == runs) else {
        let possible = of_factors().map(|known| known.1).collect();
        return Err(DesignError::NoFraction { factors, runs, possible });
    };
    let generators: Vec<u32> = words.iter().map(|word| mask(word)).collect();
    let basic = factors - generators.len();
    let cell = |run: usize| {
        // The product of signs is positive if an even number of them is negative.
        let high = |generator: &u32| usize::from((!(run as u32) & generator).count_ones().is_multiple_of(2));
        (0..basic).map(|factor| run >> factor & 1).chain(generators.iter().map(high)).collect()
    };
    Ok(((0..runs).map(cell).collect(), structure(basic, &generators)))
}

fn structure(basic: usize, generators: &[u32]) -> Structure {
    let relation = relation(basic, generators);
    let named = |(nth, generator): (usize, &u32)| format!("{}={}", letter(basic + nth), word(*generator));
    Structure {
        generators: generators.iter().enumerate().map(named).collect(),
        resolution: relation.iter().map(|word| word.count_ones() as usize).min().unwrap_or(0),
        aliases: aliases(basic + generators.len(), &relation),
    }
}

/// Every product of generator words but the empty one: the words that equal the mean.
fn relation(basic: usize, generators: &[u32]) -> Vec<u32> {
    let words: Vec<u32> =
        generators.iter().enumerate().map(|(nth, generator)| generator | 1 << (basic + nth)).collect();
    let product = |chosen: u32| {
        let taken = words.iter().enumerate().filter(|(nth, _)| chosen >> nth & 1 == 1);
        taken.fold(0, |product, (_, word)| product ^ word)
    };
    (1..1_u32 << words.len()).map(product).collect()
}

fn aliases(factors: usize, relation: &[u32]) -> Vec<Vec<String>> {
    let mains = (0..factors).map(|factor| 1_u32 << factor);
    let pairs = (0..factors).flat_map(|one| (one + 1..factors).map(move |other| 1 << one | 1 << other));
    let mut left: Vec<u32> = mains.chain(pairs).collect();
    let mut sets = Vec::new();
    while let Some(first) = left.first().copied() {
        let same = |effect: &u32| *effect == first || relation.contains(&(first ^ effect));
        let (set, rest): (Vec<u32>, Vec<u32>) = left.iter().partition(|effect| same(effect));
        if set.len() > 1 {
            sets.push(set.into_iter().map(word).collect());
        }
        left = rest;
    }
    sets
}

fn mask(word: &str) -> u32 {
    word.bytes().fold(0, |mask, letter| mask | 1 << (letter - b'A'))
}

fn word(mask: u32) -> String {
    (0..u32::BITS as usize).filter(|factor| mask >> factor & 1 == 1).map(letter).collect()
}

fn letter(factor: usize) -> char {
    char::from(b'A' + u8::try_from(factor).expect("a fraction has at most 7 factors"))
}
