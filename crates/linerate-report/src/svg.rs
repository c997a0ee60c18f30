//! The three graphs of curves in one file, the heat maps of meshes, or how applications scale.

use askama::Template;
use linerate_analysis::report::{Report, describe};

use super::curves::graphs;
use super::figure::Figure as Chart;
use super::plot::{HEIGHT, PALETTE, WIDTH, look};
use super::text::{curve_name, hosts, plain, shortened};
use super::{app, mesh};
use crate::error::{RenderError, refuse_loads_alone};

/// Heights in the units of a picture.
const TITLE: u32 = 260;
const LEGEND_LINE: u32 = 90;
const CAPTION: u32 = 120;
/// The longest line. Unit: characters.
const LONGEST_TITLE: usize = 80;
const LONGEST_NAME: usize = 90;
const LONGEST_OTHER: usize = 110;

#[derive(Template)]
#[template(path = "report.svg")]
struct File {
    width: u32,
    height: u32,
    title: String,
    legend: Vec<Entry>,
    figures: Vec<Figure>,
}

/// A line of the legend: a curve, or what limits a band of sizes.
struct Entry {
    y: u32,
    name: String,
    colour: &'static str,
    dashes: &'static str,
}

/// A graph and where it is.
struct Figure {
    y: u32,
    chart: Chart,
}

/// The throughput, signature and saturation graphs of `report` under each other on white, with a
/// legend: one SVG document that needs nothing else. Of runs of meshes alone it has their heat maps, and of
/// applications alone how they scale.
///
/// # Errors
///
/// [`RenderError::Page`] when the document
/// cannot be filled, [`RenderError::NoCurve`] if all runs are of loads.
pub fn svg(report: &Report) -> Result<String, RenderError> {
    if report.curves.is_empty() && !report.meshes.is_empty() {
        return mesh::svg(report);
    }
    if report.curves.is_empty() && !report.apps.is_empty() {
        return app::svg(report);
    }
    refuse_loads_alone(report, "svg")?;
    let mut legend: Vec<Entry> = (0..report.curves.len()).map(|index| entry(report, index)).collect();
    let charts = graphs(report);
    let others = charts.iter().flat_map(|chart| chart.layers.iter().skip(report.curves.len()));
    let lines = (TITLE..).step_by(LEGEND_LINE as usize).skip(legend.len());
    legend.extend(lines.zip(others).map(|(y, layer)| Entry {
        y,
        name: shortened(&layer.name, LONGEST_OTHER),
        colour: layer.colour(),
        dashes: layer.look.dashes,
    }));
    let top = TITLE + LEGEND_LINE * legend.len() as u32;
    let figures: Vec<Figure> = charts
        .into_iter()
        .zip(0..)
        .map(|(chart, nth)| Figure { y: top + CAPTION + nth * (HEIGHT + CAPTION), chart })
        .collect();
    let height = top + figures.len() as u32 * (HEIGHT + CAPTION);
    let file = File { width: WIDTH, height, title: title(report), legend, figures };
    Ok(file.render()?)
}

fn entry(report: &Report, index: usize) -> Entry {
    let look = look(index);
    let name = shortened(&curve_name(report, index), LONGEST_NAME);
    let name = format!("{name} ({})", report.curves[index].pattern);
    let y = TITLE + LEGEND_LINE * index as u32;
    Entry { y, name, colour: PALETTE[look.colour], dashes: look.dashes }
}

fn title(report: &Report) -> String {
    let [named] = &report.runs[..] else { return format!("{} runs", report.runs.len()) };
    let hosts = hosts(named).map_or_else(|| plain(&named.name), |hosts| hosts.join(" to "));
    shortened(&format!("{hosts}, {}", plain(&describe(&named.run))), LONGEST_TITLE)
}

#[cfg(test)]
mod tests {
    use linerate_analysis::report::{Report, SizeCeiling};

    use super::super::curves::Graph;
    use super::super::figure::Aim;
    use super::super::fixture::{self, DIP, GAP};
    use super::super::plot::{Shape, Sign};
    use super::*;

    fn picture(report: &Report, graph: Graph) -> Chart {
        graphs(report).into_iter().find(|chart| chart.id == graph.name()).expect("every graph is drawn")
    }

    #[test]
    fn the_signature_graph_keeps_the_order_of_the_schedule() {
        let report = fixture::one();
        let pixels = &picture(&report, Graph::Signature).layers[0].aims;
        let sizes: Vec<u64> = report.curves[0].timed().map(|(size, _)| size).collect();
        assert_eq!(pixels.len(), sizes.len());
        // Time goes up into the dip and down out of it: a vertical line there meets the curve
        // more than once, which sorting by time would hide.
        let within = |size: u64| {
            let at = sizes.iter().position(|other| *other == size).expect("it is timed");
            (pixels[at].x, pixels[at].y)
        };
        let (before, dip, after) = (within(8_188 - 2_047), within(8_192), within(12_285));
        assert!(before.0 < dip.0 && after.0 < dip.0, "{before:?} {dip:?} {after:?}");
        let x = f64::midpoint(f64::from(after.0), f64::from(dip.0));
        let crosses = |pair: &&[Aim]| (f64::from(pair[0].x) < x) != (f64::from(pair[1].x) < x);
        assert!(pixels.windows(2).filter(crosses).count() >= 3);
    }

    #[test]
    fn lines_go_through_the_points_in_order_and_stop_at_gaps() {
        let report = fixture::one();
        for picture in graphs(&report) {
            let layer = &picture.layers[0];
            let lines: Vec<&str> = layer
                .svg
                .lines()
                .filter(|line| line.contains("opacity=\"1\" stroke=\"currentColor\" stroke-width=\"8\""))
                .collect();
            let gap = report.curves[0].timed().position(|(size, _)| size > *GAP.end()).expect("sizes follow");
            let [before, after] = [&layer.aims[..gap], &layer.aims[gap..]].map(|stretch| {
                stretch.iter().map(|pixel| format!("{},{} ", pixel.x, pixel.y)).collect::<String>()
            });
            assert_eq!(lines.len(), 2, "{}", picture.id);
            assert!(lines[0].contains(&format!("points=\"{before}\"")), "{}", picture.id);
            assert!(lines[1].contains(&format!("points=\"{after}\"")), "{}", picture.id);
        }
    }

    #[test]
    fn a_triangle_is_a_dip() {
        let report = fixture::one();
        assert!(report.curves[0].derived.dips.iter().any(|dip| DIP.contains(&dip.size)));
        let dips = |graph| {
            picture(&report, graph).layers[0].marks.iter().any(|mark| mark.is(Sign::Shape(Shape::Down)))
        };
        assert_eq!([Graph::Throughput, Graph::Signature, Graph::Saturation].map(dips), [true, false, false]);
    }

    #[test]
    fn ceilings_are_labelled_where_the_axis_is_a_rate() {
        let report = fixture::one();
        for (graph, labels) in [(Graph::Throughput, 2), (Graph::Signature, 2), (Graph::Saturation, 0)] {
            let picture = picture(&report, graph);
            assert_eq!(picture.labels_svg().matches("<text").count(), labels, "{graph:?}");
            assert_eq!(picture.ceilings_svg().matches("<polyline").count(), labels, "{graph:?}");
        }
    }

    #[test]
    fn a_line_over_the_size_is_drawn_where_sizes_are_an_axis_until_it_leaves_the_graph() {
        let mut report = fixture::one();
        let line = |label: &str, rates: [f64; 3]| SizeCeiling {
            label: label.to_owned(),
            points: [1, 1_024, 65_536].into_iter().zip(rates).collect(),
        };
        report.size_ceilings = vec![line("copies", [1.0, 10.0, 1e9]), line("far", [1e9; 3])];
        let [throughput, signature] =
            [Graph::Throughput, Graph::Signature].map(|graph| picture(&report, graph));
        let labels =
            |chart: &Chart, of: &str| chart.labels_svg().lines().filter(|text| text.trim() == of).count();
        assert_eq!(labels(&throughput, "copies"), 1, "{}", throughput.labels_svg());
        assert_eq!(labels(&throughput, "far (above)"), 1, "{}", throughput.labels_svg());
        assert_eq!(labels(&signature, "copies") + labels(&signature, "far (above)"), 0);
        let lines = |picture: &Chart| picture.ceilings_svg().matches("<polyline").count();
        assert!(lines(&throughput) > lines(&signature), "the line to 1 KiB is drawn");
    }

    #[test]
    fn a_report_without_numbers_is_drawn_without_curves() {
        let mut report = fixture::one();
        report.curves[0].points.iter_mut().for_each(|point| point.timed = None);
        assert!(svg(&report).is_ok());
        assert!(svg(&Report::new(Vec::new())).is_ok());
    }

    #[test]
    fn names_are_text_and_not_markup() {
        let mut report = fixture::one();
        report.curves[0].name = fixture::HOSTILE.to_owned();
        let svg = svg(&report).expect("it can be drawn");
        assert!(!svg.contains("<script") && !svg.contains('\u{1b}'));
        assert!(svg.contains("script"), "the name is shown");
    }

    /// 65 units of a quarter pixel for the title, 22.5 px for a line of the legend, 30 px over each graph.
    #[test]
    fn graphs_stand_under_each_other_below_the_legend() {
        for (report, curves, limits) in [(fixture::one(), 1_u32, 2_u32), (fixture::two(), 2, 0)] {
            let svg = svg(&report).expect("it can be drawn");
            assert_eq!(
                svg.matches(">limit ").count(),
                limits as usize,
                "each number in the graph has its name"
            );
            let top = 260 + 90 * (curves + limits);
            let height = top + 3 * (440 * 4 + 120);
            assert!(svg.contains(&format!("viewBox=\"0 0 3840 {height}\"")), "{}", &svg[..400]);
            for nth in 0..3 {
                let y = top + 120 + nth * (440 * 4 + 120);
                assert!(svg.contains(&format!("translate(0 {y})")), "{y}");
            }
            for nth in 0..curves {
                assert_eq!(entry(&report, nth as usize).y, 260 + 90 * nth);
            }
        }
    }

    #[test]
    fn a_file_is_named_after_its_hosts_or_its_number_of_runs() {
        let hostile = plain(fixture::HOSTILE);
        assert_eq!(title(&fixture::one()), format!("alpha to {hostile}, measured between two ends"));
        assert_eq!(title(&fixture::two()), "2 runs");
        let bare = fixture::bare();
        assert_eq!(title(&bare), "gigabit.run.json, imported from NetPIPE 3.7.2");
        let mut long = fixture::bare();
        long.runs[0].name = "x".repeat(200);
        assert_eq!(title(&long).chars().count(), LONGEST_TITLE);
    }

    #[test]
    fn a_line_of_the_legend_has_its_pattern_and_its_look() {
        let report = fixture::many();
        let [first, seventh] = [0, 6].map(|index| entry(&report, index));
        assert!(first.name.ends_with(" (ping-pong)"), "{}", first.name);
        assert!(seventh.name.chars().count() <= LONGEST_NAME + " (ping-pong)".len());
        assert_eq!((first.colour, first.dashes), ("#0072B2", "none"));
        assert_eq!((seventh.colour, seventh.dashes), ("#0072B2", "36 20"), "the colours begin again");
    }
}
