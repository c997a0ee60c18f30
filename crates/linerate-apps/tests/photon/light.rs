//! Where light arrives, against closed forms.

use linerate_apps::photon::{Patch, PhotonOutcome, Scene, ShippedScene};
use rstest::rstest;

use super::{all_held, black, cube, plan, scene, share_is, trace};

const PHOTONS: u64 = 400_000;
/// View factors of the faces of a cube, to the opposite one and to the others.
const OPPOSITE: f64 = 0.199_824_895_7;
const ADJACENT: f64 = 0.200_043_776_1;

/// A floor of this depth along x that emits, 1 m wide.
fn floor(depth: f64) -> Patch {
    Patch { power: 1.0, ..black([0.0; 3], [depth, 0.0, 0.0], [0.0, 1.0, 0.0]) }
}

#[rstest]
#[case(0.5, 0.068_589_59)]
#[case(1.0, OPPOSITE)]
#[case(2.0, 0.415_253_28)]
#[case(4.0, 0.632_036_43)]
#[case(10.0, 0.826_994_52)]
fn opposite_squares(#[case] side_by_distance: f64, #[case] factor: f64) {
    let height = 1.0 / side_by_distance;
    let above = black([0.0, 0.0, height], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    let outcome = trace(&plan(scene(vec![floor(1.0), above]), PHOTONS));
    share_is(outcome.patches[1].absorbed, PHOTONS, factor);
    assert_eq!(outcome.patches[0].escaped, outcome.escaped, "all left from the floor");
    all_held(&outcome);
}

#[rstest]
#[case(1.0, 1.0, ADJACENT)]
#[case(1.0, 2.0, 0.232_852_60)]
#[case(2.0, 1.0, 0.116_426_30)]
fn squares_at_a_right_angle(#[case] depth: f64, #[case] height: f64, #[case] factor: f64) {
    let wall = black([0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, height]);
    let outcome = trace(&plan(scene(vec![floor(depth), wall]), PHOTONS));
    share_is(outcome.patches[1].hits, PHOTONS, factor);
}

#[test]
fn the_shipped_squares_are_those_of_the_table() {
    let outcome = trace(&plan(ShippedScene::PerpendicularSquares.scene(), PHOTONS));
    share_is(outcome.patches[1].hits, PHOTONS, ADJACENT);
}

#[test]
fn a_black_cube_loses_nothing() {
    assert!((OPPOSITE + 4.0 * ADJACENT - 1.0_f64).abs() < 1.5e-10, "the table adds up");
    let mut black_cube = cube();
    for (index, patch) in black_cube.patches.iter_mut().enumerate() {
        (patch.diffuse, patch.power) = (0.0, f64::from(u8::from(index == 0)));
    }
    let outcome = trace(&plan(black_cube, PHOTONS));
    all_held(&outcome);
    assert_eq!((outcome.absorbed, outcome.escaped, outcome.hits), (PHOTONS, 0, PHOTONS));
    assert_eq!(outcome.patches[0].hits, 0, "a flat patch does not see itself");
    share_is(outcome.patches[1].hits, PHOTONS, OPPOSITE);
    for patch in &outcome.patches[2..] {
        share_is(patch.hits, PHOTONS, ADJACENT);
    }
}

/// Two endless plates, or two in a tube of mirrors. Plate 1 emits.
fn plates(albedos: [f64; 2], tube: bool) -> Scene {
    let mut scene = ShippedScene::TwoPlates.scene();
    for (patch, albedo) in scene.patches.iter_mut().zip(albedos) {
        patch.diffuse = albedo;
    }
    if tube {
        scene.repeat = [0.0; 3];
        let walls = cube().patches.drain(2..).collect::<Vec<_>>();
        scene.patches.extend(walls.into_iter().map(|wall| Patch {
            power: 0.0,
            diffuse: 0.0,
            mirror: 1.0,
            ..wall
        }));
    }
    scene
}

fn absorbed(outcome: &PhotonOutcome) -> [u64; 2] {
    [0, 1].map(|plate| outcome.patches[plate].absorbed)
}

#[rstest]
#[case([0.5, 0.5], [1.0 / 3.0, 2.0 / 3.0])]
#[case([0.3, 0.7], [0.620_253, 0.379_747])]
fn two_endless_plates(
    #[case] albedos: [f64; 2],
    #[case] shares: [f64; 2],
    #[values(false, true)] tube: bool,
) {
    let outcome = trace(&plan(plates(albedos, tube), PHOTONS));
    let both = absorbed(&outcome);
    assert_eq!(both.iter().sum::<u64>(), PHOTONS, "{:?}", outcome.verified);
    for (absorbed, share) in both.into_iter().zip(shares) {
        share_is(absorbed, PHOTONS, share);
    }
    all_held(&outcome);
}

#[rstest]
fn a_black_plate_takes_every_photon(#[values(false, true)] tube: bool) {
    let outcome = trace(&plan(plates([0.4, 0.0], tube), PHOTONS));
    assert_eq!(absorbed(&outcome), [0, PHOTONS]);
    assert_eq!(outcome.lost, 0);
}

#[test]
fn light_falls_on_both_sides_of_a_patch() {
    // Between two plates that emit towards each other, a third one.
    let mut scene = plates([0.0, 0.0], false);
    scene.patches[1].power = 1.0;
    scene.patches.push(black([0.0, 0.0, 0.5], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
    let outcome = trace(&plan(scene.clone(), 10_000));
    assert_eq!(outcome.patches[2].absorbed, 10_000);
    scene.patches[2].diffuse = 1.0;
    let outcome = trace(&plan(scene, 10_000));
    assert_eq!(absorbed(&outcome).iter().sum::<u64>(), 10_000);
    assert_eq!(outcome.patches[2].hits, 10_000);
}
