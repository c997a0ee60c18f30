//! The functions of the model. No time.

use linerate_apps::tbmd::model::{block_slopes, embedding, hopping, hopping_falloff, repulsion};

use crate::ranks::near;

/// Copies with a wrong digit, or with the tail from another distance, fail here.
#[test]
fn the_functions_have_the_values_of_the_paper() {
    near("s(1.42)", hopping_falloff(1.42)[0], 1.271_088_837_18, 1e-11);
    near("phi(1.42)", repulsion(1.42)[0], 17.264_786_390_16, 1e-10);
    near("s at the unit", hopping_falloff(1.536_329)[0], 1.0, 1e-14);
    near("phi at the unit", repulsion(1.64)[0], 8.185_55, 1e-13);
    near("f(0)", embedding(0.0)[0], -2.590_976_511_819_1, 1e-14);
}

#[test]
fn the_tails_join_and_end() {
    let [below, above] = [2.45, 2.45 + 1e-12].map(hopping_falloff);
    near("s(2.45)", below[0], 0.006_739_26, 5e-9);
    near("s(2.45)", above[0], 0.006_739_26, 5e-9);
    // One side is -0.0818853, the other -0.0818854.
    near("s'(2.45)", below[1], -0.081_885_35, 1e-7);
    near("s'(2.45)", above[1], -0.081_885_35, 1e-7);
    let [below, above] = [2.57, 2.57 + 1e-12].map(repulsion);
    near("phi(2.57)", below[0], 2.2504e-8, 1e-11);
    near("phi(2.57)", above[0], 2.2504e-8, 1e-11);
    let end = 2.6 * (1.0 - 1e-15);
    near("s(2.6)", hopping_falloff(end)[0], 0.0, 1e-14);
    near("phi(2.6)", repulsion(end)[0], 0.0, 1e-14);
    assert_eq!((hopping_falloff(2.6), repulsion(2.6)), ([0.0; 2], [0.0; 2]));
}

#[test]
fn slopes_are_those_of_differences() {
    let step = 1e-6;
    for distance in [1.1, 1.42, 2.0, 2.3, 2.5, 2.58] {
        for of in [hopping_falloff, repulsion] {
            let slope = (of(distance + step)[0] - of(distance - step)[0]) / (2.0 * step);
            near("slope", of(distance)[1], slope, 1e-7);
        }
    }
    near("f'", embedding(30.0)[1], (embedding(30.001)[0] - embedding(29.999)[0]) / 0.002, 1e-8);
}

/// Along an axis the elements are the named integrals, and in the other direction s to p changes its sign.
#[test]
fn hopping_depends_on_the_direction() {
    let at_unit = hopping([1.536_329, 0.0, 0.0]);
    let expected =
        [[-5.0, 4.7, 0.0, 0.0], [-4.7, 5.5, 0.0, 0.0], [0.0, 0.0, -1.55, 0.0], [0.0, 0.0, 0.0, -1.55]];
    for (found, expected) in at_unit.as_flattened().iter().zip(expected.as_flattened()) {
        near("element", *found, *expected, 1e-13);
    }
    let (apart, back) = ([0.7, -0.9, 1.1], [-0.7, 0.9, -1.1]);
    for row in 0..4 {
        for column in 0..4 {
            near("transposed", hopping(apart)[row][column], hopping(back)[column][row], 1e-14);
        }
    }
}

#[test]
fn slopes_of_hopping_are_those_of_differences() {
    let (apart, step) = ([0.7, -0.9, 1.1_f64], 1e-6);
    let distance = apart.iter().map(|axis| axis * axis).sum::<f64>().sqrt();
    let all = block_slopes(apart, distance, hopping_falloff(distance));
    for axis in 0..3 {
        let [mut more, mut less] = [apart; 2];
        more[axis] += step;
        less[axis] -= step;
        let (more, less) = (hopping(more), hopping(less));
        for (row, slopes) in all[axis].iter().enumerate() {
            for (column, slope) in slopes.iter().enumerate() {
                near("slope", *slope, (more[row][column] - less[row][column]) / (2.0 * step), 1e-8);
            }
        }
    }
}
