//! Cells by two numbers, with their names and the front that nothing beats.

use super::draw::{Kind, Layers};
use crate::figure::{Aim, Figure, Title};
use crate::plot::{Axis, Mark, Place, Side, UNIT};
use crate::text::shortened;

/// The longest name. Unit: characters.
const LONGEST: usize = 48;
/// Of more cells than these only the front is named.
const CROWD: usize = 24;

/// A cell.
pub(super) struct Spot {
    pub(super) name: String,
    /// Across and up.
    pub(super) at: Place,
    /// Of the value upwards.
    pub(super) interval: Option<[f64; 2]>,
    pub(super) kind: Kind,
    /// What its tooltip says, a line each.
    pub(super) lines: Vec<String>,
}

/// The chart of `spots`; the `front` joins those that nothing beats.
pub(super) fn figure(title: Title, axes: [&Axis; 2], spots: &[Spot]) -> Figure {
    let mut layers = Layers::over(axes);
    // What counts is drawn last, over the others, and named first.
    for (kind, what) in [
        (Kind::Pale, "beaten"),
        (Kind::Differs, "beaten, but within the intervals"),
        (Kind::Plain, "not beaten"),
    ] {
        let mut here: Vec<&Spot> = spots.iter().filter(|spot| spot.kind == kind).collect();
        here.sort_by(|one, other| one.at.0.total_cmp(&other.at.0));
        if here.is_empty() {
            continue;
        }
        let is_front = kind == Kind::Plain;
        let front = Mark::line(here.iter().map(|spot| spot.at).collect::<Vec<Place>>(), 3 * UNIT / 2);
        let mut marks: Vec<Mark> = (is_front && here.len() > 1).then_some(front).into_iter().collect();
        for spot in &here {
            let (x, _) = spot.at;
            marks.extend(spot.interval.map(|ends| Mark::line(ends.map(|end| (x, end)), 2 * UNIT)));
            marks.push(kind.mark(spot.at));
            let text =
                Mark::Text { at: spot.at, side: Side::Beside, lines: vec![shortened(&spot.name, LONGEST)] };
            marks.extend((is_front || spots.len() <= CROWD).then_some(text));
        }
        let aims = here.iter().map(|spot| Aim::at(axes, spot.at, spot.lines.clone())).collect();
        layers.add((kind, what), marks, aims);
    }
    layers.figure(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_beats_is_named_and_drawn_over_the_others() {
        let spot = |nth: u32, kind| Spot {
            name: format!("cell {nth}"),
            at: (f64::from(nth), f64::from(nth % 7)),
            interval: None,
            kind,
            lines: Vec::new(),
        };
        let mut spots: Vec<Spot> = (0..60).map(|nth| spot(nth, Kind::Pale)).collect();
        spots[30].kind = Kind::Plain;
        spots[31].at = (f64::NAN, 1.0);
        let axis = super::super::axes::around("x", "", &[0.0, 60.0]);
        let title = Title { id: String::new(), title: String::new(), caption: String::new() };
        let figure = figure(title, [&axis, &axis], &spots);
        let [beaten, front] = &figure.layers[..] else { panic!("two kinds") };
        assert!(front.svg.contains("\ncell 30\n") && !beaten.svg.contains("<text"));
        assert_eq!(beaten.svg.matches("<circle").count(), 58, "one has no place");
        assert_eq!(front.svg.matches("<circle").count(), 1);
    }
}
