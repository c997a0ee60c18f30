//! Bins that divide where light is uneven.

use linerate_apps::photon::{Axis, Photon, ShippedScene, Tree};

use super::{furnace, plan, trace};

fn trees(plan: &Photon) -> Vec<Tree> {
    trace(plan).patches.into_iter().map(|patch| patch.tree.expect("it was asked for")).collect()
}

#[test]
fn even_light_splits_almost_nothing() {
    // Four looks at six patches, each at four axes: 0.27 % each, if they were independent.
    let adaptive = Photon { adaptive: true, split_every: 50_000, ..plan(furnace(0.5), 200_000) };
    let leaves: usize = trees(&adaptive).iter().map(Tree::leaves).sum();
    assert!(leaves <= 6 + 3, "{leaves} leaves");
}

#[test]
fn uneven_light_is_divided_where_it_changes() {
    let photons = 200_000;
    let adaptive = Photon {
        adaptive: true,
        split_every: 5_000,
        ..plan(ShippedScene::PerpendicularSquares.scene(), photons)
    };
    let outcome = trace(&adaptive);
    let [floor, wall] = [0, 1].map(|patch| outcome.patches[patch].tree.as_ref().expect("it was asked for"));
    assert_eq!((floor.leaves(), outcome.patches[0].hits), (1, 0), "nothing arrives on the floor");
    assert!(wall.leaves() > 20, "{} leaves", wall.leaves());
    assert!(wall.bins.iter().any(|bin| bin.split.is_some_and(|split| split.0 == Axis::V)));
    // Near the edge a place sees half of the sky full of light; above it fades.
    let at = |v: f64| (0..32).map(|u| wall.density((f64::from(u) + 0.5) / 32.0, v)).sum::<f64>() / 32.0;
    let heights: Vec<f64> = [0.02, 0.2, 0.5, 0.9].map(at).to_vec();
    assert!(heights.windows(2).all(|pair| pair[0] > 1.2 * pair[1]), "{heights:?}");
    // The view factor again, from the densities of bins that counted for different times.
    let cells = 64;
    let middle = |cell: u32| (f64::from(cell) + 0.5) / f64::from(cells);
    let all = (0..cells * cells).map(|cell| wall.density(middle(cell / cells), middle(cell % cells)));
    let mean = all.sum::<f64>() / f64::from(cells * cells);
    assert!((mean - 0.200_044).abs() < 0.004, "{mean}");
}

#[test]
fn a_tree_has_no_more_leaves_than_it_may() {
    let scene = ShippedScene::SmallRoom.scene();
    let adaptive = Photon { adaptive: true, split_every: 1_000, leaves: 5, ..plan(scene, 50_000) };
    let trees = trees(&adaptive);
    assert!(trees.iter().all(|tree| tree.leaves() <= 5), "{trees:?}");
    assert!(trees.iter().any(|tree| tree.leaves() == 5));
}

#[test]
fn a_tree_from_a_file_that_goes_round_in_circles_ends() {
    let bin = r#"{"split": ["s", 0], "count": 1, "since": 0, "until": 1}"#;
    let tree: Tree = serde_json::from_str(&format!("[{bin}]")).expect("it is written like one");
    assert!(tree.density(0.5, 0.5) < 1.0);
}
