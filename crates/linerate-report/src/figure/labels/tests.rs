use super::*;

const AREA: Rectangle = Rectangle { x: [100, 3_700], y: [50, 1_600] };

fn label(line: impl Into<Option<i32>>) -> Label {
    Label { text: "TCP payload at MTU 1500: 941.5 Mb/s".to_owned(), line: line.into(), at_end: false }
}

/// The rectangles of labels whose lines are at these heights.
fn placed(labels: &[Label], pieces: &[[Spot; 2]]) -> Vec<Rectangle> {
    let width = label(None).text.len() as i32 * CHARACTER;
    let rectangle = |(x, y): Spot| Rectangle { x: [x, x + width], y: [y - ABOVE, y + BELOW] };
    place(labels, AREA, pieces, &[]).into_iter().map(rectangle).collect()
}

/// Whatever the distance of the lines, no label meets a line, a curve or another label.
#[test]
fn labels_keep_clear_of_lines_curves_and_each_other() {
    // Up from the lower left to just below the lines, as the curve of most networks.
    let curve =
        [[(100, 1_600), (1_800, 1_500)], [(1_800, 1_500), (2_600, 420)], [(2_600, 420), (3_700, 380)]];
    for apart in 0..120 {
        let lines = [60, 300, 300 + apart, 1_590];
        let labels = lines.map(label);
        let all = placed(&labels, &curve);
        for (nth, it) in all.iter().enumerate() {
            assert!(lines.iter().all(|y| !it.has_line(*y)), "{apart}: {it:?}");
            assert!(curve.iter().all(|piece| !it.has_piece(piece)), "{apart}: {it:?}");
            assert!(all[..nth].iter().all(|other| !it.overlaps(other)), "{apart}: {all:?}");
            assert!(AREA.x[0] <= it.x[0] && it.x[1] <= AREA.x[1], "{apart}: {it:?}");
            assert!(AREA.y[0] <= it.y[0] && it.y[1] <= AREA.y[1], "{apart}: {it:?}");
        }
    }
}

#[test]
fn a_label_stands_over_its_line_at_the_left_if_it_can() {
    let [it] = placed(&[label(300)], &[])[..] else { panic!("one label, one place") };
    assert_eq!((it.x[0], it.y[1]), (AREA.x[0] + MARGIN, 300 - UNIT as i32));
    // A curve that lies on it.
    let [it] = placed(&[label(300)], &[[(100, 280), (3_700, 280)]])[..] else { panic!("one place") };
    assert_eq!(it.y[0], 300 + GAP, "under its line");
    let [it] = placed(&[label(300)], &[[(100, 0), (100, 1_600)], [(300, 0), (300, 1_600)]])[..] else {
        panic!("one place")
    };
    assert_eq!(it.x[1], AREA.x[1] - MARGIN, "at the right");
    let [it] = placed(&[label(None)], &[])[..] else { panic!("one place") };
    assert_eq!(it.y[0], AREA.y[0], "its line is above the graph");
}

#[test]
fn a_piece_meets_what_it_crosses_touches_or_lies_in() {
    let it = Rectangle { x: [10, 20], y: [10, 20] };
    for piece in [
        [(0, 0), (30, 30)],
        [(15, 0), (15, 30)],
        [(12, 12), (14, 14)],
        [(15, 15), (15, 15)],
        [(0, 10), (10, 10)],
    ] {
        assert!(it.has_piece(&piece), "{piece:?}");
    }
    for piece in [[(0, 15), (5, 15)], [(0, 25), (25, 25)], [(0, 12), (12, 0)], [(5, 5), (5, 5)]] {
        assert!(!it.has_piece(&piece), "{piece:?}");
    }
}

/// Four units a pixel.
fn pixels(rectangle: Rectangle) -> [i32; 4] {
    let Rectangle { x, y } = rectangle;
    [x[0] / 4, x[1] / 4, y[0] / 4, y[1] / 4]
}

/// In pixels: letters of 8 by 12 with 3 below the base line, rows of 17, 8 to the sides. The line is at
/// 200: a label over it stands on 196 (3 below, 1 of air), one under it on 216 (12 above, 4 of air).
#[test]
fn a_label_stands_over_its_line_then_under_it_then_farther_off() {
    let area = Rectangle { x: [100, 2_100], y: [80, 2_080] };
    let label = |line| Label { text: "ten letter".to_owned(), line, at_end: false };
    let all: Vec<[i32; 4]> = candidates(&label(Some(800)), area).map(pixels).collect();
    let row = |base: i32| [33, 437, 235].map(|x| [x, x + 80, base - 12, base + 3]);
    let rows = [196, 216, 179, 233, 162, 250, 145, 267, 128, 284, 111, 301];
    // The last row of all is the first of the graph, which is always there.
    let expected: Vec<[i32; 4]> = rows.into_iter().chain([32]).flat_map(row).collect();
    assert_eq!(all, expected);
    let all: Vec<[i32; 4]> = candidates(&label(None), area).map(pixels).collect();
    assert_eq!(all[..3], row(32), "its line is above the graph");
    assert_eq!(all[6..9], row(32 + 17));
}

#[test]
fn a_label_leaves_the_graph_on_no_side() {
    let area = Rectangle { x: [100, 2_100], y: [80, 2_080] };
    let bases = |line: i32| {
        let label = Label { text: "ten letter".to_owned(), line: Some(line), at_end: false };
        let all: Vec<i32> = candidates(&label, area).step_by(3).map(|it| (it.y[1] - BELOW) / 4).collect();
        all
    };
    // A line at 25 px has no room over it (the graph begins at 20), one at 516 none under it (to 520).
    assert_eq!(bases(100), [41, 58, 75, 92, 109, 126, 32]);
    assert_eq!(bases(2_064), [512, 495, 478, 461, 444, 427, 32]);
    // A graph narrower than its label: it begins at the left.
    let narrow = Rectangle { x: [100, 300], y: [80, 2_080] };
    let label = Label { text: "ten letter".to_owned(), line: None, at_end: false };
    assert!(candidates(&label, narrow).all(|it| it.x == [132, 452]));
}

/// The beginnings of labels of five letters in a graph of so many rows, in which there is room for three
/// side by side.
fn crowded(rows: i32, lines: &[Option<i32>], pieces: &[[Spot; 2]]) -> Vec<Spot> {
    let area = Rectangle { x: [0, 1_000], y: [0, 60 + (rows - 1) * PITCH] };
    let label = |line: &Option<i32>| Label { text: "abcde".to_owned(), line: *line, at_end: false };
    place(&lines.iter().map(label).collect::<Vec<_>>(), area, pieces, &[])
}

/// Base lines of the two rows, and the places in a row.
const UPPER: i32 = 48;
const LOWER: i32 = 116;
const LEFT: i32 = 32;
const MIDDLE: i32 = 420;
const RIGHT: i32 = 808;

/// So many pieces of curves that go through both rows at the three places of a row.
fn pieces(counts: [usize; 3]) -> Vec<[Spot; 2]> {
    let places = [LEFT, MIDDLE, RIGHT].into_iter().zip(counts);
    places.flat_map(|(x, count)| vec![[(x + 10, 0), (x + 10, 130)]; count]).collect()
}

#[test]
fn labels_of_one_row_stand_left_right_and_in_the_middle() {
    let three = crowded(1, &[None; 3], &[]);
    assert_eq!(three, [LEFT, RIGHT, MIDDLE].map(|x| (x, UPPER)));
    for (counts, expected) in
        [([1, 0, 0], RIGHT), ([1, 0, 1], MIDDLE), ([2, 3, 3], LEFT), ([3, 2, 3], MIDDLE)]
    {
        assert_eq!(crowded(1, &[None], &pieces(counts))[0].0, expected, "{counts:?}");
    }
}

#[test]
fn a_label_meets_a_curve_rather_than_a_line_and_a_line_rather_than_a_label() {
    // The line of the second label goes through the upper row.
    let first = |counts| {
        let lower: Vec<[Spot; 2]> =
            pieces(counts).into_iter().map(|[from, to]| [(from.0, 100), to]).collect();
        crowded(2, &[None, Some(30)], &lower)[0]
    };
    assert_eq!(first([0; 3]), (LEFT, LOWER));
    assert_eq!(first([9; 3]), (LEFT, LOWER), "nine pieces are better than a line");
    assert_eq!(first([11; 3]), (LEFT, UPPER), "eleven are worse");
    let two = crowded(1, &[None; 2], &pieces([0, 900, 901]));
    assert_eq!(two[1].0, MIDDLE, "even 900 pieces are better than a label");
}

#[test]
fn rectangles_overlap_where_they_share_a_point() {
    let rectangle = |x, y| Rectangle { x, y };
    let one = rectangle([10, 20], [10, 20]);
    for (other, overlap) in [
        (rectangle([20, 30], [20, 30]), true),
        (rectangle([21, 30], [10, 20]), false),
        (rectangle([10, 20], [21, 30]), false),
        (rectangle([0, 10], [0, 10]), true),
        (rectangle([0, 9], [10, 20]), false),
        (rectangle([10, 20], [0, 9]), false),
        (rectangle([12, 18], [12, 18]), true),
        (rectangle([0, 30], [0, 30]), true),
    ] {
        assert_eq!((one.overlaps(&other), other.overlaps(&one)), (overlap, overlap), "{other:?}");
    }
    assert_eq!([9, 10, 20, 21].map(|y| one.has_line(y)), [false, true, true, false]);
}

/// Numbers at the top of the chart are read wherever they stand: no label covers them while a row is free.
#[test]
fn labels_keep_clear_of_texts() {
    let mut state = 7_u64;
    let mut draw = |below: i32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i32 % below
    };
    for round in 0..200 {
        let numbers = ["1".to_owned()];
        let texts: Vec<Rectangle> = (0..1 + draw(5))
            .map(|_| at_top(AREA.x[0] + draw(AREA.x[1] - AREA.x[0]), 0, &numbers, AREA.y[0]))
            .collect();
        let labels = [label(None), label(AREA.y[0] + draw(120))];
        let width = label(None).text.len() as i32 * CHARACTER;
        for (x, y) in place(&labels, AREA, &[], &texts) {
            let it = Rectangle { x: [x, x + width], y: [y - ABOVE, y + BELOW] };
            assert!(texts.iter().all(|text| !it.overlaps(text)), "{round}: {it:?} {texts:?}");
        }
    }
}
