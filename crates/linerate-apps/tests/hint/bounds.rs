//! The bounds, to the last cell: the published kernel, and an independent exact calculation for many ranks.

use linerate_apps::hint::{DataType, Decomposition, Hint, HintOutcome, HintStop, quality};
use rstest::rstest;

use super::one;
use crate::support::{FREE, on_ideal};

fn gamut(plan: &Hint, ranks: usize) -> u64 {
    let outcome = on_ideal(plan, FREE, ranks, 1e6).swap_remove(0).0;
    assert_eq!(outcome.points.len(), 1);
    outcome.points[0].gamut()
}

#[rstest]
#[case(2, 4_503_599_660_924_928)]
#[case(3, 3_002_399_790_727_168)]
#[case(4, 2_251_799_864_016_896)]
#[case(5, 1_801_439_902_957_568)]
#[case(6, 1_501_199_928_918_016)]
#[case(7, 1_286_742_808_199_168)]
#[case(8, 1_125_899_965_562_880)]
#[case(10, 900_719_985_033_216)]
#[case(16, 562_950_016_335_872)]
#[case(100, 90_072_058_691_584)]
#[case(1_000, 9_007_266_267_136)]
#[case(1_024, 8_796_160_065_536)]
#[case(10_000, 900_787_027_968)]
#[case(16_384, 549_822_918_656)]
#[case(100_000, 90_139_100_672)]
fn the_serial_algorithm_is_the_published_one(#[case] subintervals: u64, #[case] expected: u64) {
    assert_eq!(gamut(&one(Decomposition::Interleaved, subintervals), 1), expected);
}

#[rstest]
#[case(1_000, [9_019_227_373_568, 9_025_428_324_352, 9_028_581_851_136])]
#[case(1_024, [8_796_160_065_536, 8_796_160_065_536, 8_796_160_065_536])]
#[case(10_000, [903_000_272_896, 904_194_580_480, 904_813_330_432])]
#[case(16_384, [549_822_918_656, 549_822_918_656, 549_822_918_656])]
fn interleaved_chunks_on_2_4_and_8_ranks(#[case] subintervals: u64, #[case] expected: [u64; 3]) {
    let plan = one(Decomposition::Interleaved, subintervals);
    assert_eq!([2, 4, 8].map(|ranks| gamut(&plan, ranks)), expected);
}

#[rstest]
#[case(3, 9_009_937_973_248)]
#[case(5, 9_019_476_672_512)]
fn interleaved_chunks_of_a_number_of_ranks_that_is_no_power_of_two(
    #[case] ranks: usize,
    #[case] expected: u64,
) {
    let plan = Hint { chunks: Some(64), ..one(Decomposition::Interleaved, 1_000) };
    assert_eq!(gamut(&plan, ranks), expected);
}

#[test]
fn fixed_chunks_give_the_same_bounds_on_any_number_of_ranks() {
    for (subintervals, expected) in [(64, 140_737_554_415_616), (1_024, 8_796_160_065_536)] {
        let plan = one(Decomposition::Fixed, subintervals);
        for ranks in [1, 2, 3, 4, 7, 16, 64] {
            assert_eq!(gamut(&plan, ranks), expected, "{subintervals} on {ranks} ranks");
        }
    }
    assert!((quality(53, 140_737_554_415_616) - 63.0).abs() < 5e-5, "Q = 63.0000");
    let curve = |ranks| {
        let plan = Hint { decomposition: Decomposition::Fixed, largest: Some(20_000), ..Hint::default() };
        let points = on_ideal(&plan, FREE, ranks, 1e6).swap_remove(0).0.points;
        points.iter().map(|at| (at.subintervals, at.upper, at.lower)).collect::<Vec<_>>()
    };
    let alone = curve(1);
    assert!(alone.len() > 20 && alone.iter().all(|at| at.0.is_multiple_of(64)), "{alone:?}");
    assert!((2..=4).all(|ranks| curve(ranks) == alone));
}

#[test]
fn powers_of_two_do_not_feel_the_interleaving() {
    for exponent in 8..=14 {
        let plan = one(Decomposition::Interleaved, 1 << exponent);
        let serial = gamut(&plan, 1);
        assert!([2, 4, 8, 16].iter().all(|ranks| gamut(&plan, *ranks) == serial), "2^{exponent}");
    }
}

fn whole_curve(data: DataType) -> HintOutcome {
    let plan = Hint { data, largest: Some(200_000), stop_ratio: 0.0, ..Hint::default() };
    on_ideal(&plan, FREE, 1, 1e6).swap_remove(0).0
}

#[test]
fn a_curve_checks_itself() {
    let outcome = whole_curve(DataType::Double);
    assert_eq!(outcome.stop, Some(HintStop::Largest));
    assert!(outcome.verified.len() == 4 && outcome.verified.iter().all(|check| check.held), "{outcome:?}");
    let area = 2.0_f64.powi(53) * 0.386_294_361_1;
    for at in &outcome.points {
        assert!(at.lower as f64 <= area && area <= at.upper as f64);
        assert_eq!(at.memory_bytes, 84 * at.subintervals);
        let least = 0.998 * (at.subintervals - 1) as f64;
        assert!(at.quality >= least && at.quality <= at.subintervals as f64, "{at:?}");
    }
    let hundred = gamut(&one(Decomposition::Interleaved, 100), 1);
    assert!((quality(53, hundred) / 99.0 - 0.999_93).abs() < 1e-4, "0.99993 at n = 100");
}

#[test]
fn whole_numbers_of_32_bits_end_where_their_precision_does() {
    let outcome = whole_curve(DataType::Int);
    assert_eq!(outcome.stop, Some(HintStop::Precision));
    let last = outcome.points.last().expect("there are points");
    assert!(last.quality < 32_768.0 && last.quality > 16_384.0, "2^15 steps of x: {last:?}");
    assert!(outcome.verified.iter().all(|check| check.held), "{outcome:?}");
    assert!(outcome.points.iter().all(|at| at.memory_bytes == 44 * at.subintervals));
}
