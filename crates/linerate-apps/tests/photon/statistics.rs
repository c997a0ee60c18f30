//! Distributions: how often photons hit, and that the light of a furnace is the same everywhere.

use linerate_apps::photon::Photon;
use rstest::rstest;

use super::{all_held, chi_square, furnace, plan, trace};

const PHOTONS: u64 = 200_000;

#[rstest]
#[case(0.0)]
#[case(0.2)]
#[case(0.5)]
#[case(0.8)]
#[case(0.95)]
fn hits_per_photon_and_path_lengths(#[case] albedo: f64) {
    let outcome = trace(&plan(furnace(albedo), PHOTONS));
    all_held(&outcome);
    let mean = outcome.hits as f64 / PHOTONS as f64;
    let bound = 4.0 * albedo.sqrt() / (1.0 - albedo) / (PHOTONS as f64).sqrt();
    assert!((mean - 1.0 / (1.0 - albedo)).abs() <= bound + 1e-12, "{mean} with {albedo}");
    if albedo == 0.0 {
        assert_eq!(outcome.paths[0], PHOTONS);
        return;
    }
    // P(k) = (1 - rho) rho^(k-1); long paths together.
    let expected = |index: i32| PHOTONS as f64 * (1.0 - albedo) * albedo.powi(index);
    let single = (0..63).take_while(|index| expected(*index) >= 50.0).count();
    let mut found = outcome.paths[..single].to_vec();
    found.push(outcome.paths[single..].iter().sum());
    let mut wanted: Vec<f64> = (0..single as i32).map(expected).collect();
    wanted.push(PHOTONS as f64 * albedo.powi(single as i32));
    let likely = chi_square(&found, &wanted);
    assert!(likely > 1e-3, "{likely} for {found:?}");
}

#[rstest]
#[case([4, 4, 1, 1])]
#[case([1, 1, 8, 8])]
#[case([2, 2, 4, 4])]
fn a_furnace_is_equally_bright_everywhere_and_in_all_directions(#[case] bins: [u32; 4]) {
    let scene = furnace(0.5);
    let outcome = trace(&Photon { bins, ..plan(scene.clone(), PHOTONS) });
    all_held(&outcome);
    for patch in &outcome.patches {
        assert_eq!(patch.bins.iter().sum::<u64>(), patch.hits);
        let even = vec![patch.hits as f64 / patch.bins.len() as f64; patch.bins.len()];
        let likely = chi_square(&patch.bins, &even);
        assert!(likely > 1e-3, "{likely} for {patch:?}");
    }
    let hits: Vec<u64> = outcome.patches.iter().map(|patch| patch.hits).collect();
    // 6 W on 6 faces of 1 m2, so 1 W/m2 is emitted and 2 arrive: 2/6 of a hit a photon and face.
    let likely = chi_square(&hits, &[PHOTONS as f64 / 3.0; 6]);
    assert!(likely > 1e-3, "{likely} for {hits:?}");
    for (leaving, patch) in outcome.leaving(&scene).into_iter().zip(&outcome.patches) {
        assert!((leaving - 2.0).abs() < 0.03, "{leaving} W/m2");
        assert!((outcome.incident(patch) - 2.0).abs() < 0.03);
        let flux = outcome.flux(patch);
        let parts = (bins[0] * bins[1]) as usize;
        assert_eq!((flux.len(), flux[0].len()), (bins[0] as usize, bins[1] as usize));
        let mean = flux.iter().flatten().sum::<f64>() / parts as f64;
        assert!((mean - outcome.incident(patch)).abs() < 1e-9);
    }
}

#[test]
fn a_brighter_furnace_reaches_its_light_too() {
    let outcome = trace(&plan(furnace(0.8), PHOTONS));
    for patch in &outcome.patches {
        assert!((outcome.incident(patch) - 5.0).abs() < 0.1, "{}", outcome.incident(patch));
    }
}

#[test]
fn errors_fall_with_the_square_root_of_the_photons() {
    let error = |photons: u64| {
        let outcome = trace(&Photon { bins: [4, 4, 1, 1], ..plan(furnace(0.5), photons) });
        let flux = outcome.patches.iter().flat_map(|patch| outcome.flux(patch)).flatten();
        let squares: Vec<f64> = flux.map(|flux| (flux - 2.0).powi(2)).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    };
    let points: Vec<(f64, f64)> =
        [3.0, 4.0, 5.0, 6.0_f64].map(|power| (power, error(10_f64.powf(power) as u64).log10())).to_vec();
    let mean = points.iter().map(|point| point.1).sum::<f64>() / 4.0;
    let slope = points.iter().map(|point| (point.0 - 4.5) * (point.1 - mean)).sum::<f64>() / 5.0;
    assert!((slope + 0.5).abs() <= 0.05, "slope {slope} of {points:?}");
}
