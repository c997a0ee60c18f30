//! Products of matrices and the projector, against the plain way. Under 2 s.

use linerate_apps::tbmd::Tbmd;
use linerate_apps::tbmd::hamiltonian::{bounds, hamiltonian};
use linerate_apps::tbmd::links::Links;
use linerate_apps::tbmd::product::{Matrix, Strips};
use linerate_apps::tbmd::purify::{Purified, purify};
use linerate_apps::tbmd::share::{Distribution, Share};
use linerate_apps::work::Work;
use linerate_core::comm::{Comm as _, ideal};
use nalgebra::{DMatrix, SymmetricEigen};

use crate::ranks::{FREE, near};

/// Numbers of no meaning that are the same every time.
fn numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|number| (seed + 1.7 * number as f64).sin()).collect()
}

#[rstest::rstest]
#[case([1, 1, 1])]
#[case([4, 8, 3])]
#[case([5, 9, 7])]
#[case([130, 17, 300])]
#[case([3, 260, 513])]
#[case([4, 256, 4])]
#[case([3, 5, 4])]
#[case([1, 1, 4])]
fn a_product_is_that_of_rows_and_columns(#[case] sizes: [usize; 3]) {
    let [rows, columns, depth] = sizes;
    let (left, right) = (numbers(rows * depth, 0.1), numbers(depth * columns, 0.7));
    let mut sum = numbers(rows * columns, 0.3);
    let expected: Vec<f64> = (0..rows * columns)
        .map(|place| {
            let (row, column) = (place / columns, place % columns);
            sum[place] + (0..depth).map(|k| left[row * depth + k] * right[k * columns + column]).sum::<f64>()
        })
        .collect();
    // The factors as numbers, and as they came in a message.
    let [left_bytes, right_bytes] =
        [&left, &right].map(|numbers| numbers.iter().map(|number| number.to_le_bytes()).collect::<Vec<_>>());
    let mut strips = Strips::default();
    let mut of_bytes = sum.clone();
    strips.multiply_add(&mut sum, Matrix::whole(&left, rows, depth), Matrix::whole(&right, depth, columns));
    let [left, right] =
        [Matrix::whole(&left_bytes, rows, depth), Matrix::whole(&right_bytes, depth, columns)];
    strips.multiply_add(&mut of_bytes, left, right);
    for ((found, of_bytes), expected) in sum.iter().zip(of_bytes).zip(expected) {
        near("element", *found, expected, 1e-12 * depth as f64);
        assert_eq!(found.to_bits(), of_bytes.to_bits());
    }
}

/// A part of a wider matrix.
#[test]
fn a_product_takes_a_part_of_a_matrix() {
    let (left, right) = ([1.0, 2.0, 9.0, 3.0, 4.0, 9.0], [5.0, 6.0, 7.0, 8.0]);
    let mut sum = [0.0; 4];
    let part = Matrix { elements: &left, rows: 2, columns: 2, stride: 3 };
    Strips::default().multiply_add(&mut sum, part, Matrix::whole(&right, 2, 2));
    assert_eq!(sum, [19.0, 22.0, 43.0, 50.0]);
}

/// The projector of 64 atoms of diamond, put together from all ranks' shares.
fn projector(distribution: Distribution, ranks: usize) -> (Vec<f64>, u32) {
    let (places, sides) = Tbmd::default().start();
    let links = Links::of(&places, sides).expect("atoms are apart");
    let order = 256;
    let all = ideal::run(FREE, ranks, async |mut comm| {
        let share = Share::of(distribution, order, comm.rank(), ranks);
        let mut work = Work::new(&mut comm, None);
        let found =
            purify(&mut work, (distribution, share), &hamiltonian(&links, &share), 128.0, bounds(&links))
                .await?;
        Ok((share, found.expect("diamond has a gap")))
    });
    let all: Vec<(Share, Purified)> = all.expect("nobody waits for ever");
    let element = |row, column| {
        let mut here =
            all.iter().filter_map(|(share, found)| Some(found.elements[share.place(row, column)?]));
        let element = here.next().expect("some rank has it");
        assert!(here.next().is_none(), "one rank has it");
        element
    };
    let elements = (0..order * order).map(|place| element(place / order, place % order)).collect();
    assert!(all.iter().all(|(_, found)| found.products == all[0].1.products));
    (elements, all[0].1.products)
}

/// To 1e-12 of the serial result for all numbers of ranks, also where they do not divide the rows.
#[test]
fn the_projector_is_the_same_for_any_number_of_ranks() {
    let (serial, products) = projector(Distribution::Ring, 1);
    assert_eq!(products, 23);
    let shared = [2, 3, 4, 5, 7, 8, 16].map(|ranks| (Distribution::Ring, ranks));
    let squares = [1, 4, 9, 16].map(|ranks| (Distribution::Summa, ranks));
    for (distribution, ranks) in shared.into_iter().chain(squares) {
        let (found, count) = projector(distribution, ranks);
        assert_eq!(count, products, "{distribution:?}, {ranks} ranks");
        for (one, two) in found.iter().zip(&serial) {
            near("element", *one, *two, 1e-12);
        }
    }
}

/// Against eigenvectors: elements to 1e-12, and an energy to 2e-12 eV for an atom.
#[test]
fn the_projector_is_that_of_the_eigenvectors() {
    let (found, _) = projector(Distribution::Ring, 1);
    let (places, sides) = Tbmd::default().start();
    let links = Links::of(&places, sides).expect("atoms are apart");
    let elements = hamiltonian(&links, &Share::of(Distribution::Ring, 256, 0, 1));
    let eigen = SymmetricEigen::new(DMatrix::from_row_slice(256, 256, &elements));
    let mut order: Vec<usize> = (0..256).collect();
    order.sort_by(|one, two| eigen.eigenvalues[*one].total_cmp(&eigen.eigenvalues[*two]));
    let mut expected = DMatrix::<f64>::zeros(256, 256);
    for level in &order[..128] {
        let vector = eigen.eigenvectors.column(*level);
        expected += vector * vector.transpose();
    }
    for (place, found) in found.iter().enumerate() {
        near("element", *found, expected[(place / 256, place % 256)], 1e-12);
    }
    let levels: f64 = order[..128].iter().map(|level| eigen.eigenvalues[*level]).sum();
    let energy: f64 = found.iter().zip(&elements).map(|(one, two)| one * two).sum();
    near("energy", 2.0 * energy / 64.0, 2.0 * levels / 64.0, 2.5e-12);
    let bounds = bounds(&links);
    assert!(bounds[0] <= eigen.eigenvalues.min() && bounds[1] >= eigen.eigenvalues.max());
}
