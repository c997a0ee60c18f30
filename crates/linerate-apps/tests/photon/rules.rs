//! What is refused, what is given up, and what is written in files.

use linerate_apps::application::Application;
use linerate_apps::photon::{Patch, Photon, Scene, ShippedScene};
use rstest::rstest;
use schemars::schema_for;

use super::{black, cube, furnace, plan, scene, trace};
use crate::support::refusal;

#[test]
fn shipped_scenes_are_scenes() {
    for shipped in ShippedScene::ALL {
        let scene = shipped.scene();
        let plan = Photon { scene: shipped, ..Photon::default() };
        assert_eq!(plan.lit(), scene);
        plan.check(4).expect("it can be lit");
        let written = toml::to_string(&scene).expect("it can be written");
        assert_eq!(Scene::from_toml(&written), Ok(scene));
    }
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let plan = plan(furnace(0.3), 7);
    let text = serde_json::to_string(&plan).expect("it can be written");
    assert_eq!(serde_json::from_str::<Photon>(&text).expect("and read"), plan);
    assert_eq!(toml::from_str::<Photon>("").expect("defaults"), Photon::default());
    assert!(toml::from_str::<Photon>("photon = 3").is_err());
    assert!(toml::from_str::<Photon>("scene = 'moon'").is_err());
    let schema = serde_json::to_string(&schema_for!(Photon)).expect("it has a schema");
    assert!(schema.contains("split-every") && schema.contains("small-room"));
}

/// The cube, with one change at its floor.
fn with_floor(change: impl Fn(&mut Patch)) -> Scene {
    let mut scene = cube();
    change(&mut scene.patches[0]);
    scene
}

#[rstest]
#[case(scene(Vec::new()), "light 0 patches")]
#[case(furnace(1.0), "that nothing absorbs and that cannot escape")]
#[case(with_floor(|floor| floor.diffuse = 1.1), "patch 0 (floor): it reflects the shares 1.1 and 0")]
#[case(with_floor(|floor| floor.mirror = 0.6), "together at most 1")]
#[case(with_floor(|floor| floor.mirror = -0.1), "two of 0 or more")]
#[case(with_floor(|floor| floor.diffuse = f64::NAN), "the shares NaN and 0")]
#[case(with_floor(|floor| floor.power = -1.0), "it emits -1 W")]
#[case(with_floor(|floor| floor.power = f64::INFINITY), "it emits inf W")]
#[case(with_floor(|floor| floor.u = [0.0; 3]), "it has no area")]
#[case(with_floor(|floor| floor.u = floor.v), "two edges in different directions")]
#[case(with_floor(|floor| floor.corner = [f64::NAN, 0.0, 0.0]), "numbers below 1e9 m")]
#[case(scene(vec![black([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])]), "in which nothing emits")]
#[case(Scene { repeat: [0.5, 0.0, 0.0], ..cube() }, "it leaves the range of x from 0 to 0.5 m")]
#[case(Scene { repeat: [0.0, -1.0, 0.0], ..cube() }, "repeats after -1 m along y")]
#[case(Scene { repeat: [0.0, 0.0, f64::NAN], ..cube() }, "along z")]
fn a_scene_that_cannot_be_lit_is_refused(#[case] scene: Scene, #[case] part: &str) {
    let text = refusal(&plan(scene, 1), 1);
    assert!(text.contains(part), "{text}");
}

#[rstest]
#[case(Photon::default(), 0, "on no ranks")]
#[case(Photon { photons: 0, ..Photon::default() }, 1, "0 photons; ask for 1 to 2147483648")]
#[case(Photon { photons: (1 << 31) + 1, ..Photon::default() }, 1, "ask for 1 to 2147483648")]
#[case(Photon { per_round: 0, ..Photon::default() }, 1, "0 photons of a rank in a round")]
#[case(Photon { split_every: 0, ..Photon::default() }, 1, "0 photons between splits")]
#[case(Photon { bounces: 20_001, ..Photon::default() }, 1, "20001 reflections")]
#[case(Photon { leaves: 0, ..Photon::default() }, 1, "0 bins in a patch's tree")]
#[case(Photon { bins: [4, 0, 1, 1], ..Photon::default() }, 1, "[4, 0, 1, 1] bins")]
#[case(Photon { bins: [u32::MAX; 4], ..Photon::default() }, 1, "ask for 1 to 1048576")]
fn what_makes_no_sense_is_refused(#[case] plan: Photon, #[case] ranks: usize, #[case] part: &str) {
    let text = refusal(&plan, ranks);
    assert!(text.contains(part), "{text}");
}

#[test]
fn photons_between_mirrors_are_given_up_and_counted() {
    // Open at the sides, so it may be asked for; but light goes up and down for ever, or out.
    let mut open = scene(cube().patches.drain(..2).collect());
    open.patches.iter_mut().for_each(|patch| (patch.diffuse, patch.mirror) = (0.0, 1.0));
    open.repeat = [1.0, 1.0, 0.0];
    let outcome = trace(&Photon { bounces: 20, ..plan(open, 1_000) });
    assert_eq!((outcome.lost, outcome.absorbed, outcome.escaped), (1_000, 0, 0));
    assert_eq!(outcome.hits, 21 * 1_000);
    let failed: Vec<&str> =
        outcome.verified.iter().filter(|check| !check.held).map(|check| check.what.as_str()).collect();
    assert_eq!(failed, ["no photon was given up"]);
}

#[test]
fn a_closed_scene_with_a_hole_is_found_out() {
    let mut leaky = cube();
    leaky.patches.pop();
    let outcome = trace(&plan(leaky, 10_000));
    let check = outcome.verified.iter().find(|check| check.what == "nothing escapes from a closed scene");
    assert!(check.is_some_and(|check| !check.held), "{:?}", outcome.verified);
}

#[test]
fn corners_do_not_leak() {
    // Long and thin boxes, where most photons hit near an edge; turned, so that nothing is exact.
    let turned = |vector: [f64; 3]| {
        let (sine, cosine) = 0.7_f64.sin_cos();
        let [x, y, z] = vector;
        [cosine * x - sine * y, sine * x + cosine * y, z]
    };
    for size in [[1.0, 1.0, 1.0], [1.0, 1e-3, 1.0], [1e3, 1e-3, 1e-3]] {
        let mut scene = furnace(0.5);
        for patch in &mut scene.patches {
            for vector in [&mut patch.corner, &mut patch.u, &mut patch.v] {
                *vector = turned(std::array::from_fn(|axis| vector[axis] * size[axis]));
            }
        }
        let outcome = trace(&plan(scene, 300_000));
        assert_eq!((outcome.escaped, outcome.lost), (0, 0), "{size:?}");
        assert_eq!(outcome.absorbed, 300_000);
    }
}

#[test]
fn another_seed_gives_other_photons() {
    let [one, same, other] = [1, 1, 2].map(|seed| trace(&Photon { seed, ..plan(furnace(0.5), 10_000) }));
    assert_eq!(one, same);
    assert_ne!(one.hits, other.hits);
}
