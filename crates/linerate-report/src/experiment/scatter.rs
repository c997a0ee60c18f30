//! Cells by two numbers, with their names and the front that nothing beats.

use super::draw::{Anchor, Head, Kind, LINE, Pen, WIDTH, width_of};
use crate::plot::Axis;
use crate::section::Drawing;
use crate::text::shortened;

/// The field in which cells lie. Unit: pixels.
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 394.0;
const HEIGHT: f64 = 446.0;
/// The longest name. Unit: characters.
const LONGEST: usize = 48;
/// Of more cells than these only the front is named.
const CROWD: usize = 24;
/// Between a mark and its name.
const GAP: f64 = 10.0;
/// Distance of the pieces of a line that names keep off. Unit: pixels.
const PIECE: f64 = 6.0;

/// A cell.
pub(super) struct Spot {
    pub(super) name: String,
    /// Across and up.
    pub(super) at: [f64; 2],
    /// Of the value upwards.
    pub(super) interval: Option<[f64; 2]>,
    pub(super) kind: Kind,
    /// What its tooltip says.
    pub(super) tip: String,
}

/// A rectangle: left, top, right, bottom.
type Box4 = [f64; 4];

/// The chart of `spots`; the `front` joins those that nothing beats, by their indices.
pub(super) fn drawing(head: Head, [across, up]: [&Axis; 2], spots: &[Spot], front: &[usize]) -> Drawing {
    let field = Field { across, up };
    let mut pen = Pen::default();
    field.frame(&mut pen);
    let sound = |place: &(f64, f64)| place.0.is_finite() && place.1.is_finite();
    let places: Vec<(f64, f64)> = spots.iter().map(|spot| field.place(spot.at)).collect();
    let line: Vec<(f64, f64)> =
        front.iter().filter_map(|nth| places.get(*nth).copied()).filter(sound).collect();
    if line.len() > 1 {
        pen.path("front accent", &line);
    }
    let along = along(&line);
    let mut taken: Vec<Box4> = places.iter().map(|(x, y)| [x - 5.0, y - 6.0, x + 5.0, y + 6.0]).collect();
    // Names of the front first: they are the ones that are looked for. Of a crowd no others.
    let mut order: Vec<usize> = (0..spots.len()).filter(|nth| sound(&places[*nth])).collect();
    order.sort_by_key(|nth| !front.contains(nth));
    let (mut labels, mut named) = (Vec::new(), Vec::new());
    for nth in order {
        let is_front = front.contains(&nth);
        let name = shortened(&spots[nth].name, LONGEST);
        let wide = width_of(&name);
        let beside = free(places[nth], wide, &[taken.as_slice(), &along].concat());
        // A name of the front may rather cover a mark than be missing.
        let label = match is_front {
            true => {
                beside.or_else(|| free(places[nth], wide, &taken)).or_else(|| free(places[nth], wide, &named))
            }
            false => beside.filter(|_| spots.len() <= CROWD),
        };
        for names in [&mut taken, &mut named] {
            names.extend(label.map(|(_, _, area)| area));
        }
        labels.push((nth, name, label));
    }
    // What counts is drawn last, over the others.
    for (nth, name, label) in labels.into_iter().rev() {
        pen.tipped(&spots[nth].tip, |pen| {
            field.spot(pen, &spots[nth]);
            if let Some((at, anchor, _)) = label {
                pen.text(at, anchor, if front.contains(&nth) { "strong halo" } else { "soft halo" }, &name);
            }
        });
    }
    head.over(pen, [WIDTH, HEIGHT])
}

/// Where values lie.
struct Field<'a> {
    across: &'a Axis,
    up: &'a Axis,
}

impl Field<'_> {
    fn place(&self, [across, up]: [f64; 2]) -> (f64, f64) {
        let x = LEFT + self.across.share(across).clamp(0.0, 1.0) * (RIGHT - LEFT);
        (x, BOTTOM - self.up.share(up).clamp(0.0, 1.0) * (BOTTOM - TOP))
    }

    /// Both axes.
    fn frame(&self, pen: &mut Pen) {
        for tick in &self.across.ticks {
            let (x, _) = self.place([tick.value, 0.0]);
            pen.line("grid", (x, TOP), (x, BOTTOM));
            pen.text((x, BOTTOM + LINE), Anchor::Middle, "soft", &tick.label);
        }
        for tick in &self.up.ticks {
            let (_, y) = self.place([0.0, tick.value]);
            pen.line("grid", (LEFT, y), (RIGHT, y));
            pen.text((LEFT - 8.0, y + 4.5), Anchor::End, "soft", &tick.label);
        }
        let middle = (f64::midpoint(LEFT, RIGHT), BOTTOM + 2.0 * LINE + 6.0);
        pen.text(middle, Anchor::Middle, "soft", &self.across.title);
        pen.text((8.0, TOP - 14.0), Anchor::Start, "soft", &self.up.title);
    }

    /// A mark with its interval.
    fn spot(&self, pen: &mut Pen, spot: &Spot) {
        if let Some(ends) = spot.interval.filter(|ends| ends.iter().all(|end| end.is_finite())) {
            let [low, high] = ends.map(|end| self.place([spot.at[0], end]));
            pen.line(&format!("bar {}", spot.kind.class()), low, high);
        }
        pen.mark(spot.kind, self.place(spot.at));
    }
}

/// What the front covers, in small pieces.
fn along(line: &[(f64, f64)]) -> Vec<Box4> {
    let pieces = line.windows(2).flat_map(|pair| {
        let [from, to] = [pair[0], pair[1]];
        let many = ((to.0 - from.0).hypot(to.1 - from.1) / PIECE).ceil().max(1.0);
        (0..=many as u32).map(move |nth| {
            let share = f64::from(nth) / many;
            [from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share]
        })
    });
    pieces.map(|[x, y]| [x - 2.0, y - 2.0, x + 2.0, y + 2.0]).collect()
}

/// Where a name of this width covers nothing: right of its mark, left of it, above or below.
fn free((x, y): (f64, f64), wide: f64, taken: &[Box4]) -> Option<((f64, f64), Anchor, Box4)> {
    let places = [
        ((x + GAP, y + 4.5), Anchor::Start),
        ((x - GAP, y + 4.5), Anchor::End),
        ((x, y - GAP), Anchor::Middle),
        ((x, y + GAP + 11.0), Anchor::Middle),
        ((x + GAP, y - GAP), Anchor::Start),
        ((x + GAP, y + GAP + 11.0), Anchor::Start),
        ((x - GAP, y - GAP), Anchor::End),
        ((x - GAP, y + GAP + 11.0), Anchor::End),
    ];
    let area = |(at, anchor): ((f64, f64), Anchor)| {
        let left = match anchor {
            Anchor::Start => at.0,
            Anchor::Middle => at.0 - wide / 2.0,
            Anchor::End => at.0 - wide,
        };
        (at, anchor, [left, at.1 - 11.0, left + wide, at.1 + 4.0])
    };
    let apart = |one: &Box4, other: &Box4| {
        one[2] < other[0] || other[2] < one[0] || one[3] < other[1] || other[3] < one[1]
    };
    let within =
        |area: &Box4| area[0] >= LEFT && area[2] <= RIGHT && area[1] >= TOP - 6.0 && area[3] <= BOTTOM;
    places
        .into_iter()
        .map(area)
        .find(|(_, _, area)| within(area) && taken.iter().all(|other| apart(area, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_beats_is_named_and_drawn_over_the_others() {
        let spot = |nth: u32, kind| Spot {
            name: format!("cell {nth}"),
            at: [f64::from(nth), f64::from(nth % 7)],
            interval: None,
            kind,
            tip: String::new(),
        };
        let mut spots: Vec<Spot> = (0..60).map(|nth| spot(nth, Kind::Pale)).collect();
        spots[30].kind = Kind::Plain;
        spots[31].at = [f64::NAN, 1.0];
        let axis = super::super::draw::around("x", "", &[0.0, 60.0]);
        let head = Head { id: String::new(), title: String::new(), caption: String::new() };
        let svg = drawing(head, [&axis, &axis], &spots, &[30]).svg;
        assert!(svg.contains(">cell 30</text>") && !svg.contains(">cell 29</text>"));
        assert!(svg.rfind("class=\"solid accent\"") > svg.rfind("class=\"hollow pale\""));
        assert_eq!(svg.matches("class=\"hollow pale\"").count(), 58, "one has no place");
    }

    #[test]
    fn a_name_stands_where_nothing_else_does_and_else_nowhere() {
        let at = (300.0, 200.0);
        let (place, anchor, area) = free(at, 80.0, &[]).expect("there is room");
        assert_eq!((place, anchor), ((310.0, 204.5), Anchor::Start));
        assert_eq!(free(at, 80.0, &[area]).map(|it| it.1), Some(Anchor::End), "right of it is taken");
        assert!(free(at, 80.0, &[[0.0, 0.0, 960.0, 446.0]]).is_none());
        assert_eq!(
            free((RIGHT - 20.0, 200.0), 80.0, &[]).map(|it| it.1),
            Some(Anchor::End),
            "the frame ends there"
        );
    }
}
