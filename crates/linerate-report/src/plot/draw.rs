//! Drawing a graph layer by layer with plotters.

use std::ops::Range;

use linerate_analysis::report::{Ceiling, Curve, Report, SizeCeiling, Timed};
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::graph::Place;
use super::labels::{Label, Rectangle, Spot, place};
use super::{Axis, Graph, Layer, Picture, look};
use crate::error::RenderError;
use crate::text::plain;

/// Units a pixel: plotters places on whole units only, which at one a pixel shows as steps.
pub(crate) const UNIT: u32 = 4;
/// Size of a picture. Unit: quarter pixels.
pub(crate) const WIDTH: u32 = 960 * UNIT;
/// See [`WIDTH`].
pub(crate) const HEIGHT: u32 = 440 * UNIT;

/// Font sizes; plotters divides a size by 1.24 before it writes it.
const LABEL: f64 = 13.0 * UNIT as f64 * 1.24;
const TITLE: f64 = 14.0 * UNIT as f64 * 1.24;
/// Length of a tick, and so the distance of its label.
const TICK: u32 = 7 * UNIT;
const FONT: &str = "system-ui, sans-serif";
const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
/// What every layer is drawn in, and what it becomes: the colour of the group around it.
pub(crate) const INK: RGBColor = BLACK;
const INK_WRITTEN: &str = "\"#000000\"";
const INK_MEANT: &str = "\"currentColor\"";

/// A graph that is being drawn.
pub(crate) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
/// Why the graph library draws nothing.
pub(crate) type Refusal = DrawingAreaErrorKind<std::io::Error>;

/// Where a point lies in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pixel {
    /// Message size. Unit: bytes.
    pub(crate) size: u64,
    /// Units from the left.
    pub(crate) x: i32,
    /// Units from the top.
    pub(crate) y: i32,
}

/// Draws one graph.
pub(super) fn picture(report: &Report, graph: Graph) -> Result<Picture, RenderError> {
    let canvas = Canvas { graph, x: graph.x(report), y: graph.y(report) };
    canvas
        .picture(report)
        .map_err(|refusal| RenderError::Draw { graph: graph.name().to_owned(), reason: refusal.to_string() })
}

/// The inside of an SVG document with the geometry of every graph and what `draw` draws.
pub(crate) fn layer(
    x: &Axis,
    y: &Axis,
    draw: impl FnOnce(&mut Chart<'_, '_>) -> Result<(), Refusal>,
) -> Result<String, Refusal> {
    let mut document = String::new();
    {
        let root = SVGBackend::with_string(&mut document, (WIDTH, HEIGHT)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin_top(12 * UNIT)
            .margin_right(24 * UNIT)
            .margin_left(6 * UNIT)
            .margin_bottom(4 * UNIT)
            .x_label_area_size(58 * UNIT)
            .y_label_area_size(104 * UNIT)
            .build_cartesian_2d(x.clone(), y.clone())?;
        draw(&mut chart)?;
        root.present()?;
    }
    let inside = document.split_once('>').map_or("", |(_, inside)| inside);
    let inside = inside.rsplit_once("</svg>").map_or(inside, |(inside, _)| inside);
    Ok(inside.replace(INK_WRITTEN, INK_MEANT).trim().to_owned())
}

/// Grid, ticks and titles of a graph.
pub(crate) fn axes(x: &Axis, y: &Axis) -> Result<String, Refusal> {
    layer(x, y, |chart| {
        chart
            .configure_mesh()
            .set_all_tick_mark_size(TICK)
            .bold_line_style(GRID.stroke_width(UNIT))
            .axis_style(GRID.stroke_width(UNIT))
            .x_desc(&x.title)
            .y_desc(&y.title)
            .label_style((FONT, LABEL).into_font().color(&INK))
            .axis_desc_style((FONT, TITLE).into_font().color(&INK))
            .draw()
    })
}

struct Canvas {
    graph: Graph,
    x: Axis,
    y: Axis,
}

impl Canvas {
    fn picture(&self, report: &Report) -> Result<Picture, Refusal> {
        let curve = |(index, curve)| {
            let mut pixels = Vec::new();
            let svg = self.layer(|chart| {
                pixels = self.pixels(chart, curve);
                self.curve(chart, curve)
            })?;
            Ok(Layer { svg, look: look(index), pixels })
        };
        Ok(Picture {
            graph: self.graph,
            axes: axes(&self.x, &self.y)?,
            ceilings: self.layer(|chart| self.ceilings(chart, report))?,
            labels: self.layer(|chart| self.labels(chart, report))?,
            curves: report.curves.iter().enumerate().map(curve).collect::<Result<_, Refusal>>()?,
        })
    }

    /// The inside of an SVG document with this graph's geometry and what `draw` draws.
    fn layer(&self, draw: impl FnOnce(&mut Chart<'_, '_>) -> Result<(), Refusal>) -> Result<String, Refusal> {
        layer(&self.x, &self.y, draw)
    }

    /// A line for each ceiling that lies in the graph.
    fn ceilings(&self, chart: &mut Chart<'_, '_>, report: &Report) -> Result<(), Refusal> {
        let Range { start: left, end: right } = self.x.range();
        for ceiling in self.ceilings_of(report).filter(|ceiling| self.is_within(ceiling)) {
            let line = [left, right].map(|x| (x, ceiling.mbps));
            chart.draw_series([PathElement::new(line, INK.stroke_width(UNIT))])?;
        }
        for ceiling in self.size_ceilings_of(report) {
            let line = self.within(ceiling);
            chart.draw_series([PathElement::new(line, INK.stroke_width(UNIT))])?;
        }
        Ok(())
    }

    /// The labels of the ceilings. One whose line is above the graph says so.
    fn labels(&self, chart: &Chart<'_, '_>, report: &Report) -> Result<(), Refusal> {
        let mut ceilings: Vec<&Ceiling> = self.ceilings_of(report).collect();
        ceilings.sort_by(|one, other| other.mbps.total_cmp(&one.mbps));
        let label = |ceiling: &&Ceiling| {
            let place = (self.x.range().start, ceiling.mbps);
            let line = self.is_within(ceiling).then(|| chart.plotting_area().map_coordinate(&place).1);
            let above = if line.is_some() { "" } else { " (above this graph)" };
            Label { text: format!("{}{above}", plain(&ceiling.label)), line, at_end: false }
        };
        let mut labels: Vec<Label> = ceilings.iter().map(label).collect();
        labels.extend(self.size_ceilings_of(report).map(|ceiling| self.label_at_end(chart, ceiling)));
        let area = chart.plotting_area().strip_coord_spec();
        let (x, y) = area.get_pixel_range();
        let bounds = Rectangle { x: [x.start, x.end], y: [y.start, y.end] };
        for (label, spot) in labels.iter().zip(place(&labels, bounds, &self.pieces(chart, report))) {
            let anchor = Pos::new(HPos::Left, VPos::Bottom);
            let style = (FONT, LABEL).into_font().color(&INK).pos(anchor);
            area.draw(&Text::new(label.text.clone(), (spot.0 - x.start, spot.1 - y.start), style))?;
        }
        Ok(())
    }

    /// The label of a line over the size, by the end of what of it lies in the graph.
    fn label_at_end(&self, chart: &Chart<'_, '_>, ceiling: &SizeCeiling) -> Label {
        let end = self.within(ceiling).last().copied();
        let line = end.map(|place| chart.plotting_area().map_coordinate(&place).1);
        let above = if line.is_some() { "" } else { " (above this graph)" };
        Label { text: format!("{}{above}", plain(&ceiling.label)), line, at_end: true }
    }

    /// The lines over the size that this graph shows: where its axes are size and rate.
    fn size_ceilings_of<'a>(&self, report: &'a Report) -> impl Iterator<Item = &'a SizeCeiling> {
        report.size_ceilings.iter().filter(|_| self.graph == Graph::Throughput)
    }

    /// The places of a line over the size from its first until it leaves the graph.
    fn within(&self, ceiling: &SizeCeiling) -> Vec<Place> {
        let places = ceiling.points.iter().map(|(size, mbps)| (*size as f64, *mbps));
        places.take_while(|(_, mbps)| self.y.share(*mbps) <= 1.0).collect()
    }

    /// The ceilings that this graph shows.
    fn ceilings_of<'a>(&self, report: &'a Report) -> impl Iterator<Item = &'a Ceiling> {
        report.ceilings.iter().filter(|_| self.graph.has_ceilings())
    }

    /// What the lines of all curves are made of; a lone point is a piece without a length.
    fn pieces(&self, chart: &Chart<'_, '_>, report: &Report) -> Vec<[Spot; 2]> {
        let spot =
            |(size, timed): &(u64, Timed)| chart.plotting_area().map_coordinate(&self.place(*size, timed));
        let stretches = report.curves.iter().flat_map(Curve::stretches);
        let pieces = stretches.flat_map(|stretch| {
            let spots: Vec<Spot> = stretch.iter().map(spot).collect();
            let next = spots.iter().skip(1).chain(spots.last());
            spots.iter().zip(next).map(|(from, to)| [*from, *to]).collect::<Vec<_>>()
        });
        let ceilings = self.size_ceilings_of(report).flat_map(|ceiling| {
            let map = |place: &Place| chart.plotting_area().map_coordinate(place);
            let spots: Vec<Spot> = self.within(ceiling).iter().map(map).collect();
            spots.windows(2).map(|pair| [pair[0], pair[1]]).collect::<Vec<_>>()
        });
        pieces.chain(ceilings).collect()
    }

    /// Whether the line of `ceiling` lies in the graph.
    fn is_within(&self, ceiling: &Ceiling) -> bool {
        self.y.share(ceiling.mbps) <= 1.0
    }

    fn curve(&self, chart: &mut Chart<'_, '_>, curve: &Curve) -> Result<(), Refusal> {
        for stretch in curve.stretches() {
            self.intervals(chart, &stretch)?;
            let line: Vec<Place> = stretch.iter().map(|(size, timed)| self.place(*size, timed)).collect();
            chart.draw_series([PathElement::new(line, INK.stroke_width(2 * UNIT))])?;
            // A hollow point says that its interval is wider than asked.
            chart.draw_series(stretch.iter().map(|(size, timed)| {
                let style = if timed.settled { INK.filled() } else { INK.stroke_width(UNIT) };
                Circle::new(self.place(*size, timed), (5 * UNIT) / 2, style)
            }))?;
        }
        self.marks(chart, curve)
    }

    /// The 95 % intervals of a stretch: a band where neighbours have one, a bar for a lone one and
    /// everywhere in the signature graph, which may cross itself.
    fn intervals(&self, chart: &mut Chart<'_, '_>, stretch: &[(u64, Timed)]) -> Result<(), Refusal> {
        let ends = |(size, timed): &(u64, Timed)| self.graph.interval(*size, timed);
        let all: Vec<Option<[Place; 2]>> = stretch.iter().map(ends).collect();
        for run in all.split(Option::is_none) {
            let run: Vec<[Place; 2]> = run.iter().copied().flatten().collect();
            if run.len() > 1 && self.graph != Graph::Signature {
                let there = run.iter().map(|[low, _]| *low);
                let back = run.iter().rev().map(|[_, high]| *high);
                let outline: Vec<Place> = there.chain(back).collect();
                chart.draw_series([Polygon::new(outline, INK.mix(0.25))])?;
            } else {
                chart.draw_series(
                    run.into_iter().map(|ends| PathElement::new(ends, INK.mix(0.35).stroke_width(2 * UNIT))),
                )?;
            }
        }
        Ok(())
    }

    /// Rings at what the curve says: dips, and the saturation point with its interval.
    fn marks(&self, chart: &mut Chart<'_, '_>, curve: &Curve) -> Result<(), Refusal> {
        let ring = |place| Circle::new(place, 7 * UNIT, INK.stroke_width(3 * UNIT / 2));
        match self.graph {
            Graph::Signature => {}
            Graph::Throughput => {
                let sizes: Vec<u64> = curve.derived.dips.iter().map(|dip| dip.size).collect();
                let dips = curve.timed().filter(|(size, _)| sizes.contains(size));
                chart.draw_series(dips.map(|(size, timed)| ring(self.place(size, &timed))))?;
            }
            Graph::Saturation => {
                let Some(knee) = curve.derived.saturation else { return Ok(()) };
                // At the knee the bytes take as long as the fixed part.
                let us = knee.fixed_ps * 2.0 / 1e6;
                let interval = knee.interval.map(|size| (size, us));
                chart.draw_series([PathElement::new(interval, INK.mix(0.6).stroke_width(3 * UNIT))])?;
                chart.draw_series([ring((knee.size, us))])?;
            }
        }
        Ok(())
    }

    fn place(&self, size: u64, timed: &Timed) -> Place {
        self.graph.place(size, timed)
    }

    fn pixels(&self, chart: &Chart<'_, '_>, curve: &Curve) -> Vec<Pixel> {
        let pixel = |(size, timed)| {
            let (x, y) = chart.plotting_area().map_coordinate(&self.place(size, &timed));
            Pixel { size, x, y }
        };
        curve.timed().map(pixel).collect()
    }
}

#[cfg(test)]
mod tests;
