//! Charts as data: axes, and layers of marks in units of them, which a reader can hide one by one.

pub(super) mod axis;
pub(super) mod curve;
mod labels;

use serde::Serialize;

use super::plot::{
    self, ACROSS, Axis, Frame, Look, Mark, Place, Shape, Side, Sign, Spot, UNIT, UP, look, spot,
};
use super::text::escaped;
use labels::{Label, Rectangle};

/// A chart of at most so many points shows their values without a script too.
const FEW: usize = 100;
/// A legend of more curves is long.
const MANY: usize = 6;
/// How near to a point that is. Unit: quarter pixels.
const TIP: u32 = 10 * UNIT;

/// The title of a chart.
pub(super) struct Title {
    /// Its name in the page.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
}

/// A chart in layers.
pub(super) struct Figure {
    /// Its name in the page.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) ceilings: Vec<Ceiling>,
    pub(super) layers: Vec<Layer>,
    /// Which graph of the page: the page sets it.
    pub(super) graph: usize,
    /// Another chart whose legend is also that of this one, by its name in the page and its title: the page sets it.
    pub(super) legend_at: Option<[String; 2]>,
}

/// A line that no curve can exceed, and its name.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Ceiling {
    pub(super) name: String,
    pub(super) line: Vec<Place>,
    /// It is no level: its name stands at its right end.
    #[serde(skip)]
    pub(super) at_end: bool,
}

impl Figure {
    /// A chart of `layers` that were made for these axes.
    pub(super) fn new(title: Title, [x, y]: [&Axis; 2], layers: Vec<Layer>) -> Self {
        let Title { id, title, caption } = title;
        let (x, y) = (x.clone(), y.clone());
        Self { id, title, caption, x, y, ceilings: Vec::new(), layers, graph: 0, legend_at: None }
    }

    /// The same with a sentence in its caption for each sign that it has.
    pub(super) fn explained(mut self, signs: &[(Sign, &str)]) -> Self {
        for (sign, sentence) in signs {
            if self.has(*sign) {
                self.caption = format!("{} {sentence}", self.caption).trim_start().to_owned();
            }
        }
        self
    }

    /// Whether it has such a mark.
    pub(super) fn has(&self, sign: Sign) -> bool {
        self.layers.iter().any(|layer| layer.marks.iter().any(|mark| mark.is(sign)))
    }

    /// The same below these ceilings.
    pub(super) fn below(self, ceilings: Vec<Ceiling>) -> Self {
        Self { ceilings, ..self }
    }

    /// Grid, labels and titles, as SVG.
    pub(super) fn axes(&self) -> String {
        plot::axes([&self.x, &self.y])
    }

    /// Of the picture. Unit: quarter pixels.
    pub(super) fn height(&self) -> u32 {
        Frame::of([&self.x, &self.y]).height
    }

    /// Whether its legend is long.
    pub(super) const fn has_many(&self) -> bool {
        self.layers.len() > MANY
    }

    /// Whether the legend of `other` names all of its curves.
    fn is_named_by(&self, other: &Self) -> bool {
        let same = |one: &Layer, it: &Layer| {
            (&it.name, it.look.colour, it.legend()) == (&one.name, one.look.colour, one.legend())
        };
        self.layers.iter().all(|layer| other.layers.iter().any(|it| same(layer, it)))
    }

    /// Of charts with many curves that follow each other only the first has a legend, if it names all.
    pub(super) fn share_legends(figures: Vec<&mut Self>) {
        let mut first: Option<&Self> = None;
        for figure in figures {
            match first.filter(|first| figure.has_many() && figure.is_named_by(first)) {
                Some(first) => figure.legend_at = Some([first.id.clone(), first.title.clone()]),
                None => first = Some(figure),
            }
        }
    }

    /// Whether its rows or cells have names.
    pub(super) const fn is_of_words(&self) -> bool {
        self.x.words().is_some() || self.y.words().is_some()
    }

    /// The values of a chart of few points where they are, as SVG that shows them without a script.
    pub(super) fn tips(&self) -> String {
        let aims: Vec<&Aim> = self.layers.iter().flat_map(|layer| &layer.aims).collect();
        let tip = |aim: &&Aim| {
            let (x, y, lines) = (aim.x, aim.y, escaped(&aim.lines.join("\n")));
            format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{TIP}\" opacity=\"0\"><title>{lines}</title></circle>\n"
            )
        };
        aims.iter().filter(|_| aims.len() <= FEW).map(tip).collect()
    }

    /// The ceilings, as SVG.
    pub(super) fn ceilings_svg(&self) -> String {
        let lines = self.ceilings.iter().map(|ceiling| Mark::line(self.within(ceiling), UNIT));
        plot::svg([&self.x, &self.y], &lines.collect::<Vec<_>>())
    }

    /// The names of the ceilings where they cover no line, as SVG. One whose line is above the chart says so.
    pub(super) fn labels_svg(&self) -> String {
        let label = |ceiling: &Ceiling| {
            let at = |place: &Place| spot([&self.x, &self.y], *place).1;
            let line = self.within(ceiling).last().map(at);
            let above = if line.is_some() { "" } else { " (above)" };
            Label { text: format!("{}{above}", ceiling.name), line, at_end: ceiling.at_end }
        };
        let labels: Vec<Label> = self.ceilings.iter().map(label).collect();
        let bounds = Rectangle { x: ACROSS, y: [UP[1], UP[0]] };
        let spots = labels::place(&labels, bounds, &self.pieces(), &self.texts());
        labels.iter().zip(spots).map(|(label, spot)| plot::text(spot, "start", &label.text)).collect()
    }

    /// The places of a ceiling until it leaves the chart.
    fn within(&self, ceiling: &Ceiling) -> Vec<Place> {
        ceiling.line.iter().copied().take_while(|(_, y)| self.y.share(*y) <= 1.0).collect()
    }

    /// Where texts at the top of the chart stand, on either side of their rules.
    fn texts(&self) -> Vec<Rectangle> {
        let texts = self.layers.iter().flat_map(|layer| &layer.marks).filter_map(|mark| match mark {
            Mark::Text { at, side: Side::Top(down), lines } => {
                Some((spot([&self.x, &self.y], *at).0, *down, lines))
            }
            _ => None,
        });
        texts.map(|(x, down, lines)| labels::at_top(x, down, lines, UP[1])).collect()
    }

    /// What all lines are made of; a lone point is a piece without a length.
    fn pieces(&self) -> Vec<[Spot; 2]> {
        let lines = self.layers.iter().flat_map(|layer| &layer.marks).filter_map(|mark| match mark {
            Mark::Line { through, .. } => Some(through.clone()),
            Mark::Rule { at, .. } => Some(self.y.range().map(|end| (*at, end)).to_vec()),
            _ => None,
        });
        let ceilings =
            self.ceilings.iter().filter(|ceiling| ceiling.at_end).map(|ceiling| self.within(ceiling));
        let pieces = |line: Vec<Place>| {
            let spots: Vec<Spot> = line.iter().map(|place| spot([&self.x, &self.y], *place)).collect();
            let next = spots.iter().skip(1).chain(spots.last());
            spots.iter().zip(next).map(|(from, to)| [*from, *to]).collect::<Vec<_>>()
        };
        lines.chain(ceilings).flat_map(pieces).collect()
    }
}

/// A curve, or bars, or marks, in a chart.
pub(super) struct Layer {
    /// Which curve of the page: the page sets it.
    pub(super) number: usize,
    pub(super) marks: Vec<Mark>,
    /// The marks over the axes that they were made for, in `currentColor`.
    pub(super) svg: String,
    pub(super) look: Look,
    /// Its line in the legend.
    pub(super) name: String,
    pub(super) aims: Vec<Aim>,
}

impl Layer {
    /// The colour where no style sheet sets another.
    pub(super) fn colour(&self) -> &'static str {
        self.look.on_white()
    }

    /// These marks over these axes, and the points with tooltips; `index` chooses the look.
    pub(super) fn new(
        (index, name): (usize, impl Into<String>),
        axes: [&Axis; 2],
        mut marks: Vec<Mark>,
        mut aims: Vec<Aim>,
    ) -> Self {
        marks.retain(Mark::is_sound);
        aims.retain(|aim| aim.at.0.is_finite() && aim.at.1.is_finite());
        let svg = plot::svg(axes, &marks);
        Self { number: index, marks, svg, look: look(index), name: name.into(), aims }
    }

    /// What it looks like, for the legend: its points, unless a line joins them, or shades of its map.
    pub(super) fn legend(&self) -> String {
        let line = |class: &str, [from, to]: [u32; 2], width: u32| {
            let dashes = self.look.legend_dashes();
            format!(
                "<line class=\"{class}\" x1=\"{from}\" y1=\"5\" x2=\"{to}\" y2=\"5\" stroke=\"currentColor\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\"/>"
            )
        };
        let is_joined =
            self.marks.iter().any(|mark| matches!(mark, Mark::Line { through, .. } if through.len() > 2));
        let own = self.marks.iter().find_map(|mark| match mark {
            Mark::Point { shape, .. } if !is_joined => Some(shape.svg((17, 5), 4, 2)),
            Mark::Points { .. } => Some(Shape::Disc.svg((17, 5), 4, 2)),
            Mark::Tiles(tiles) => Some(
                (0..3)
                    .map(|nth| {
                        line(&tiles.shades.class(1 + 4 * nth), [7 * nth as u32 + 6, 7 * nth as u32 + 13], 8)
                    })
                    .collect(),
            ),
            _ => None,
        });
        own.unwrap_or_else(|| line("", [0, 34], 3))
    }

    /// The same with what another one of the same look has.
    pub(super) fn merge(&mut self, other: Self) {
        self.marks.extend(other.marks);
        self.aims.extend(other.aims);
        self.svg = format!("{}\n{}", self.svg, other.svg);
    }
}

/// A point in a chart with a tooltip.
pub(super) struct Aim {
    /// In units of the axes.
    pub(super) at: Place,
    /// In units of the graph, from its left.
    pub(super) x: i32,
    /// In units of the graph, from its top.
    pub(super) y: i32,
    pub(super) lines: Vec<String>,
}

impl Aim {
    /// The point at a place in units of the axes.
    pub(super) fn at(axes: [&Axis; 2], at: Place, lines: Vec<String>) -> Self {
        let (x, y) = spot(axes, at);
        Self { at, x, y, lines }
    }
}

#[cfg(test)]
impl Figure {
    /// Its caption names each kind of mark that it has beside discs, and no other. Every chart of every test comes here.
    pub(super) fn names_its_marks(&self) {
        let shapes = [
            (&["hollow", "ring"][..], &[Shape::Ring][..]),
            (&["triangle"], &[Shape::Up, Shape::Down]),
            (&["diamond"], &[Shape::Diamond]),
            (&["cross"], &[Shape::Cross]),
        ];
        let caption = self.caption.to_lowercase();
        let names: String = self.layers.iter().map(|layer| layer.name.as_str()).collect();
        let words: Vec<&str> =
            caption.split(|it: char| !it.is_alphabetic()).map(|word| word.trim_end_matches('s')).collect();
        let says = |all: &[&str]| {
            all.iter().any(|word| words.contains(word) || words.contains(&&*format!("{word}e")))
        };
        for (named, shapes) in shapes {
            let drawn = shapes.iter().any(|shape| self.has(Sign::Shape(*shape)));
            let in_legend = named.iter().any(|word| names.contains(&format!("({word})")));
            assert!(says(named) == (drawn && !in_legend), "{}: {named:?}: {}", self.id, self.caption);
        }
        let bars = self.has(Sign::Bar);
        assert!(!bars || caption.contains("bars"), "{}: {}", self.id, self.caption);
        let pale = self.has(Sign::Pale);
        let field = says(&["shaded", "pale"]);
        assert!(!field || pale, "{}: {}", self.id, self.caption);
        let dashed = self.layers.iter().any(|layer| layer.look.dashes != "none");
        assert!(!says(&["dashed"]) || dashed, "{}: {}", self.id, self.caption);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Scale;

    fn figure(id: usize, first: usize, curves: usize) -> Figure {
        let axis = Axis::new(String::new(), Scale::Linear, [0.0, 1.0], &[], |_| String::new());
        let layer = |nth| Layer::new((nth, format!("flow {nth}")), [&axis, &axis], Vec::new(), Vec::new());
        let title = Title { id: id.to_string(), title: String::new(), caption: String::new() };
        Figure::new(title, [&axis, &axis], (first..first + curves).map(layer).collect())
    }

    /// Every curve of a long legend is named exactly once in charts of the same curves.
    #[test]
    fn a_long_legend_is_that_of_the_charts_below_with_the_same_curves() {
        for seed in 0..40_u64 {
            let mut state = seed;
            let mut draw = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % below
            };
            let mut figures: Vec<Figure> = (0..6).map(|id| figure(id, draw(2), 1 + draw(2 * MANY))).collect();
            Figure::share_legends(figures.iter_mut().collect());
            let mut owner = 0;
            for (nth, figure) in figures.iter().enumerate() {
                let is_shared = figure.legend_at.is_some();
                let may = nth > 0 && figure.layers.len() > MANY && figure.is_named_by(&figures[owner]);
                assert_eq!(is_shared, may, "seed {seed}, chart {nth}");
                if !is_shared {
                    owner = nth;
                }
                let of = figure.legend_at.as_ref().map(|[id, _]| id.clone());
                assert!(of.is_none_or(|of| of == figures[owner].id), "seed {seed}, chart {nth}");
            }
        }
    }
}
