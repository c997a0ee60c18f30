use super::*;

fn dip(size: u64, depth: f64) -> Dip {
    Dip { size, extent: [size; 2], depth, significance: 0.001, boundary: None }
}

#[test]
fn dips_are_matched_by_how_near_they_are() {
    let found = [
        vec![dip(1460, 0.2), dip(8192, 0.1), dip(65536, 0.1)],
        vec![dip(1448, 0.2), dip(9000, 0.1), dip(32768, 0.1)],
    ];
    let mut pairs = matched(&found, 0.1);
    pairs.sort_unstable();
    assert_eq!(pairs, [[0, 0], [1, 1]], "one octave is too far");
    assert!(octaves(1460, 1448) < 0.0119 + 1e-4 && octaves(8192, 9000) > 0.1);
}

#[test]
fn each_dip_has_one_partner_and_the_nearest_wins() {
    let found = [vec![dip(1000, 0.2), dip(1200, 0.1)], vec![dip(1190, 0.1)]];
    assert_eq!(matched(&found, 0.1), [[1, 0]]);
    assert!(matched(&[Vec::new(), vec![dip(1, 0.5)]], 0.1).is_empty());
}
