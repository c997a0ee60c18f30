//! What a camera sees.

use linerate_apps::application::AppError;
use linerate_apps::photon::{Camera, LightFrom, Photon, ShippedScene, picture};

use super::{furnace, plan, trace};

#[test]
fn a_furnace_looks_the_same_everywhere() {
    let scene = furnace(0.5);
    let camera = scene.camera.clone().expect("it has one");
    let outcome = trace(&Photon { adaptive: true, ..plan(scene.clone(), 200_000) });
    for from in [LightFrom::FixedBins, LightFrom::Trees] {
        let seen = picture(&scene, &outcome, &camera, [32, 24], from).expect("it can be drawn");
        assert_eq!((seen.width, seen.height, seen.radiance.len()), (32, 24, 32 * 24));
        // 2 W/m2 leave, over pi.
        let expected = 2.0 / std::f64::consts::PI;
        assert!(seen.radiance.iter().all(|radiance| (radiance / expected - 1.0).abs() < 0.03), "{seen:?}");
        assert!(seen.rgb(Some(expected / 0.9)).iter().all(|pixel| pixel[0] > 230 && pixel[0] < 255));
    }
}

#[test]
fn the_sky_is_black_and_up_is_up() {
    let scene = ShippedScene::PerpendicularSquares.scene();
    let outcome = trace(&plan(scene.clone(), 10_000));
    // From in front of the wall, along the floor that emits.
    let camera = Camera { eye: [3.0, 0.5, 0.5], target: [0.0, 0.5, 0.0], up: [0.0, 0.0, 1.0], degrees: 40.0 };
    let seen = picture(&scene, &outcome, &camera, [21, 21], LightFrom::FixedBins).expect("it can be drawn");
    let pixel = |row: usize, column: usize| seen.radiance[row * 21 + column];
    let floor = 1.0 / std::f64::consts::PI;
    assert!((pixel(12, 10) - floor).abs() < 1e-12, "the floor below the middle: {seen:?}");
    assert_eq!(pixel(8, 10).to_bits(), 0.0_f64.to_bits(), "the black wall above");
    assert_eq!(pixel(12, 0).to_bits(), 0.0_f64.to_bits(), "nothing beside them");
    assert_eq!(seen.rgb(None)[8 * 21 + 10], [0; 3]);
}

#[test]
fn a_mirror_shows_what_is_before_it() {
    let mut scene = ShippedScene::PerpendicularSquares.scene();
    scene.patches[1].mirror = 0.5;
    let outcome = trace(&plan(scene.clone(), 10_000));
    let camera = Camera { eye: [3.0, 0.5, 0.9], target: [0.0, 0.5, 0.1], up: [0.0, 0.0, 1.0], degrees: 1.0 };
    let seen = picture(&scene, &outcome, &camera, [1, 1], LightFrom::FixedBins).expect("it can be drawn");
    // Back from the wall at 0.1 m, 0.27 m down on 1 m: the floor at x = 0.37 m.
    assert!((seen.radiance[0] - 0.5 / std::f64::consts::PI).abs() < 1e-12, "{seen:?}");
}

#[test]
fn the_room_has_a_camera_that_sees_light() {
    let scene = ShippedScene::SmallRoom.scene();
    let outcome = trace(&Photon { bins: [8, 8, 1, 1], ..plan(scene.clone(), 50_000) });
    let camera = scene.camera.clone().expect("it has one");
    let seen = picture(&scene, &outcome, &camera, [64, 48], LightFrom::FixedBins).expect("it can be drawn");
    let lit = seen.radiance.iter().filter(|radiance| **radiance > 0.0).count();
    assert!(lit > 64 * 48 * 99 / 100, "{lit} pixels");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let scene = furnace(0.5);
    let outcome = trace(&plan(scene.clone(), 1_000));
    let camera = scene.camera.clone().expect("it has one");
    let refused =
        |camera: &Camera, pixels| match picture(&scene, &outcome, camera, pixels, LightFrom::FixedBins) {
            Err(AppError::Plan(text)) => text,
            other => panic!("{other:?}"),
        };
    assert!(refused(&camera, [0, 1]).contains("ask for 1 to 16384"));
    assert!(refused(&Camera { degrees: 180.0, ..camera.clone() }, [1, 1]).contains("look with this camera"));
    assert!(
        refused(&Camera { up: [1.0, 1.0, 0.0], target: [0.55, 0.55, 0.5], ..camera.clone() }, [1, 1])
            .contains("look")
    );
    assert!(refused(&Camera { target: camera.eye, ..camera.clone() }, [1, 1]).contains("look"));
    let other = ShippedScene::SmallRoom.scene();
    assert!(
        matches!(picture(&other, &outcome, &camera, [1, 1], LightFrom::FixedBins), Err(AppError::Plan(text)) if text.contains("another"))
    );
}
