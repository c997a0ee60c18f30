use std::collections::BTreeSet;

use super::*;

fn made(design: &Design, levels: &[usize]) -> Cells {
    cells(design, levels, 7).expect("a design that exists")
}

/// The sign of a product of factors in a cell.
fn sign(cell: &[usize], factors: &[usize]) -> i32 {
    factors.iter().map(|factor| 2 * cell[*factor] as i32 - 1).product()
}

#[test]
fn one_at_a_time_leaves_the_base_in_one_factor_only() {
    let cells = made(&Design::OneAtATime, &[3, 2]).cells;
    assert_eq!(cells, [[0, 0], [1, 0], [2, 0], [0, 1]]);
}

#[test]
fn a_full_design_has_every_combination_in_standard_order() {
    let cells = made(&Design::Full, &[2, 3]).cells;
    assert_eq!(cells, [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]]);
}

#[test]
fn fractions_have_their_published_resolution_and_columns_that_balance() {
    let table = [
        (3, 4, 3),
        (4, 8, 4),
        (5, 8, 3),
        (6, 8, 3),
        (7, 8, 3),
        (5, 16, 5),
        (6, 16, 4),
        (7, 16, 4),
        (6, 32, 6),
        (7, 32, 4),
        (7, 64, 7),
    ];
    for (factors, runs, resolution) in table {
        let fraction = made(&Design::Fraction { runs }, &vec![2; factors]);
        let structure = fraction.structure.expect("a fraction");
        assert_eq!(structure.resolution, resolution, "{factors} in {runs}");
        let different: BTreeSet<&Vec<usize>> = fraction.cells.iter().collect();
        assert_eq!(different.len(), runs);
        for one in 0..factors {
            assert_eq!(fraction.cells.iter().map(|cell| sign(cell, &[one])).sum::<i32>(), 0);
            for other in one + 1..factors {
                let sum: i32 = fraction.cells.iter().map(|cell| sign(cell, &[one, other])).sum();
                assert_eq!(sum, 0, "{one} and {other} of {factors} in {runs}");
            }
        }
    }
}

/// Main effects and pairs whose columns are equal are aliases, and no others.
#[test]
fn aliases_are_the_effects_with_equal_columns() {
    for (factors, runs) in [(3, 4), (5, 8), (7, 8), (6, 16), (7, 16), (7, 32), (5, 16)] {
        let fraction = made(&Design::Fraction { runs }, &vec![2; factors]);
        let mut effects: Vec<Vec<usize>> = (0..factors).map(|factor| vec![factor]).collect();
        effects.extend((0..factors).flat_map(|one| (one + 1..factors).map(move |other| vec![one, other])));
        let name = |effect: &[usize]| effect.iter().map(|f| char::from(b'A' + *f as u8)).collect::<String>();
        let column =
            |effect: &[usize]| fraction.cells.iter().map(|cell| sign(cell, effect)).collect::<Vec<_>>();
        let sets = &fraction.structure.as_ref().expect("a fraction").aliases;
        for one in &effects {
            for other in effects.iter().filter(|other| *other != one) {
                let together = sets.iter().any(|set| set.contains(&name(one)) && set.contains(&name(other)));
                assert_eq!(together, column(one) == column(other), "{} and {}", name(one), name(other));
            }
        }
    }
}

#[test]
fn the_half_fraction_of_four_factors_is_that_of_the_book() {
    let fraction = made(&Design::Fraction { runs: 8 }, &[2; 4]);
    let structure = fraction.structure.expect("a fraction");
    assert_eq!(structure.generators, ["D=ABC"]);
    assert_eq!(structure.aliases, [["AB", "CD"], ["AC", "BD"], ["AD", "BC"]]);
    // (1), ad, bd, ab, cd, ac, bc, abcd.
    let words: Vec<Vec<usize>> = [
        [0, 0, 0, 0],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [1, 1, 0, 0],
        [0, 0, 1, 1],
        [1, 0, 1, 0],
        [0, 1, 1, 0],
        [1, 1, 1, 1],
    ]
    .map(Vec::from)
    .to_vec();
    assert_eq!(fraction.cells, words);
}

#[test]
fn random_cells_differ_begin_at_the_base_and_grow() {
    for levels in [&[3_usize, 4, 5][..], &[1_000; 30]] {
        let few = made(&Design::Random { cells: 20 }, levels).cells;
        let many = made(&Design::Random { cells: 50 }, levels).cells;
        assert_eq!(few[..], many[..20], "more cells keep those that were");
        assert_eq!(few[0], vec![0; levels.len()]);
        let different: BTreeSet<&Vec<usize>> = many.iter().collect();
        assert_eq!(different.len(), 50);
        assert!(many.iter().all(|cell| cell.iter().zip(levels).all(|(level, count)| level < count)));
        assert_ne!(cells(&Design::Random { cells: 20 }, levels, 8).expect("cells").cells, few);
    }
    assert_eq!(made(&Design::Random { cells: 60 }, &[3, 4, 5]).cells.len(), 60, "the whole space");
}

#[test]
fn a_latin_hypercube_has_every_level_as_often_as_possible() {
    let cells = made(&Design::LatinHypercube { cells: 10 }, &[3, 5, 20]).cells;
    let counts = |factor: usize, levels: usize| -> Vec<usize> {
        let times = |level| cells.iter().filter(|cell| cell[factor] == level).count();
        let mut counts: Vec<usize> = (0..levels).map(times).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(counts(0, 3), [3, 3, 4]);
    assert_eq!(counts(1, 5), [2; 5]);
    assert_eq!(counts(2, 20), [vec![0; 10], vec![1; 10]].concat());
}

#[test]
fn what_cannot_be_made_is_refused_with_what_to_do() {
    let refused = |design, levels: &[usize]| cells(&design, levels, 0).expect_err("no such design");
    assert_eq!(refused(Design::Full, &[]), DesignError::NoFactors);
    assert_eq!(refused(Design::Full, &[2, 0]), DesignError::NoLevels { factor: 1 });
    assert_eq!(refused(Design::TwoLevel, &[2, 3]), DesignError::NotTwoLevels { factor: 1, levels: 3 });
    assert_eq!(
        refused(Design::TwoLevel, &[2, 3]).to_string(),
        "factor 2 has 3 levels and this design takes exactly two: give it two, or ask for the full design"
    );
    assert_eq!(
        refused(Design::Fraction { runs: 12 }, &[2; 6]).to_string(),
        "no fraction of 12 runs is known for 6 factors: ask for 8, 16 or 32"
    );
    let unknown = refused(Design::Fraction { runs: 4 }, &[2; 9]);
    assert!(unknown.to_string().contains("3 to 7 factors"), "{unknown}");
    assert_eq!(refused(Design::Full, &[101, 100]), DesignError::TooManyCells { cells: Some(10_100) });
    assert_eq!(refused(Design::Full, &[usize::MAX; 3]), DesignError::TooManyCells { cells: None });
    assert!(matches!(refused(Design::OneAtATime, &[usize::MAX; 2]), DesignError::TooManyCells { .. }));
    assert_eq!(refused(Design::Random { cells: 0 }, &[2]), DesignError::NoCells);
    assert_eq!(
        refused(Design::Random { cells: 7 }, &[2, 3]),
        DesignError::MoreThanThere { asked: 7, there: 6 }
    );
    assert_eq!(made(&Design::Full, &[100, 100]).cells.len(), MOST_CELLS);
}
