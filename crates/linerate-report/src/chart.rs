//! The throughput graph in characters.

mod canvas;

use linerate_analysis::report::Report;

use super::curves::Graph;
use super::plot::Axis;
use super::text::{columns, curve_name, plain, wrap};
use canvas::{Area, Canvas, DOTTED};

/// Without colours, curves differ by the character that draws them; the first has fine braille
/// dots.
const MARKERS: [char; 12] = [DOTTED, 'o', 'x', '+', '#', '@', '*', '%', '=', '&', '$', 'v'];
/// The smallest readable chart.
const SMALLEST: [u16; 2] = [30, 8];
/// Columns that a label of the axis of sizes needs, with a gap.
const SIZE_LABEL: usize = 10;
/// Rows from one label of the axis of rates to the next.
const RATE_PITCH: usize = 3;

/// Throughput against the logarithm of message size, as plain text of at most `width` columns and
/// `height` lines, a legend's lines besides. Sizes that were not timed are gaps.
pub(super) fn chart(report: &Report, width: u16, height: u16) -> String {
    if report.curves.iter().all(|curve| curve.timed().next().is_none()) {
        return "nothing was timed, so there is no graph\n".to_owned();
    }
    let [width, height] = [width.max(SMALLEST[0]), height.max(SMALLEST[1])].map(usize::from);
    let y = Axis::rate(report, height / RATE_PITCH);
    let margin = y.ticks.iter().map(|tick| columns(&tick.label)).max().unwrap_or(0) + 2;
    let plot = Area { left: margin, top: 1, width: width - margin - 1, height: height - 3 };
    let x = Axis::size(report, plot.width / SIZE_LABEL);
    let mut canvas = Canvas::new(width, height);
    frame(&mut canvas, plot, [&x, &y]);
    ceilings(&mut canvas, plot, report, &y);
    for index in 0..report.curves.len() {
        curve(&mut canvas, plot, report, index, [&x, &y]);
    }
    format!("{}{}", canvas.lines(), legend(report, width))
}

/// Title, axes and their labels.
fn frame(canvas: &mut Canvas, plot: Area, [x, y]: [&Axis; 2]) {
    let axis = plot.left - 1;
    canvas.text(0, 0, &y.title, plot.right());
    for row in plot.top..plot.bottom() {
        canvas.text(axis, row, "│", 1);
    }
    canvas.text(axis, plot.bottom(), "└", 1);
    canvas.row(plot, plot.bottom(), '─');
    for tick in &y.ticks {
        let row = row(plot, y.share(tick.value));
        canvas.text(0, row, &format!("{:>1$}", tick.label, axis - 1), axis);
        if row < plot.bottom() {
            canvas.text(axis, row, "┤", 1);
        }
    }
    for tick in &x.ticks {
        let column = plot.left + (x.share(tick.value) * (plot.width - 1) as f64).round() as usize;
        canvas.text(column, plot.bottom(), "┴", 1);
        let length = columns(&tick.label);
        let start = column.saturating_sub(length / 2).min(plot.right().saturating_sub(length));
        canvas.text(start, plot.bottom() + 1, &tick.label, length);
    }
}

/// The row of a share of the height; the floor is the axis itself.
fn row(plot: Area, share: f64) -> usize {
    plot.bottom() - (share * plot.height as f64).round() as usize
}

/// Ceilings as dotted rows with their names at the left, where curves are low; of two in one row
/// the higher is named.
fn ceilings(canvas: &mut Canvas, plot: Area, report: &Report, y: &Axis) {
    let mut rows = Vec::new();
    let mut ceilings: Vec<_> = report.ceilings.iter().collect();
    ceilings.sort_by(|one, other| other.mbps.total_cmp(&one.mbps));
    for ceiling in ceilings {
        let share = y.share(ceiling.mbps);
        let at = row(plot, share.min(1.0)).max(plot.top);
        if share > 1.0 || rows.contains(&at) {
            continue;
        }
        rows.push(at);
        canvas.row(plot, at, '┄');
        canvas.text(plot.left + 1, at, &format!(" {} ", plain(&ceiling.label)), plot.width - 1);
    }
}

fn curve(canvas: &mut Canvas, plot: Area, report: &Report, index: usize, [x, y]: [&Axis; 2]) {
    let marker = MARKERS[index % MARKERS.len()];
    for stretch in report.curves[index].stretches() {
        let place = |(size, timed): &(u64, _)| {
            let (size, rate) = Graph::Throughput.place(*size, timed);
            (x.share(size), y.share(rate))
        };
        let points: Vec<(f64, f64)> = stretch.iter().map(place).collect();
        // A single point is a line of no length.
        let ends = points.iter().skip(1).chain(points.last().filter(|_| points.len() == 1));
        for (from, to) in points.iter().zip(ends) {
            canvas.line(plot, marker, [*from, *to]);
        }
    }
}

/// The legend. Empty for a single curve.
fn legend(report: &Report, width: usize) -> String {
    if report.curves.len() < 2 {
        return String::new();
    }
    let line = |index: usize| {
        let symbol = MARKERS[index % MARKERS.len()];
        wrap(&format!("{symbol} {}", curve_name(report, index)), width, 2) + "\n"
    };
    (0..report.curves.len()).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_chart_of_one_curve() {
        insta::assert_snapshot!(chart(&fixture::one(), 80, 20));
    }

    #[test]
    fn it_keeps_to_its_size() {
        for (width, height) in [(30, 8), (80, 20), (200, 50)] {
            let report = fixture::two();
            let text = chart(&report, width, height);
            assert!(text.lines().all(|line| columns(line) <= usize::from(width)), "{text}");
            assert_eq!(text.lines().count(), usize::from(height) + report.curves.len(), "{text}");
            assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
        }
    }

    #[test]
    fn a_gap_is_not_joined() {
        let mut report = fixture::one();
        let all = chart(&report, 80, 20);
        for point in &mut report.curves[0].points[40..80] {
            point.timed = None;
        }
        let dots = |text: &str| text.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
        assert!(dots(&chart(&report, 80, 20)) * 4 < dots(&all) * 3, "{}", chart(&report, 80, 20));
    }

    #[test]
    fn without_a_timed_size_there_is_no_graph() {
        let mut report = fixture::one();
        report.curves[0].points.iter_mut().for_each(|point| point.timed = None);
        assert!(chart(&report, 80, 20).contains("nothing was timed"));
    }

    #[test]
    fn the_chart_of_two_curves_has_a_legend() {
        insta::assert_snapshot!(chart(&fixture::two(), 60, 12));
    }

    /// The floor is the axis, which is the row below the plot; the top is its first row.
    #[test]
    fn a_share_of_the_height_is_a_row() {
        let plot = Area { left: 5, top: 1, width: 20, height: 10 };
        assert_eq!([0.0, 0.04, 0.5, 1.0].map(|share| row(plot, share)), [11, 11, 6, 1]);
    }

    #[test]
    fn of_two_ceilings_in_one_row_the_higher_is_named_and_one_above_is_not_drawn() {
        let mut report = fixture::one();
        let ceiling =
            |mbps: f64, label: &str| linerate_analysis::report::Ceiling { mbps, label: label.to_owned() };
        report.ceilings =
            vec![ceiling(1_000.0, "lower"), ceiling(1_001.0, "higher"), ceiling(9_000.0, "far")];
        let text = chart(&report, 60, 12);
        assert!(text.contains(" higher ") && !text.contains("lower") && !text.contains("far"), "{text}");
        assert_eq!(text.lines().filter(|line| line.contains('\u{2504}')).count(), 1, "{text}");
        report.ceilings.truncate(1);
        report.ceilings.push(ceiling(400.0, "half as high"));
        let text = chart(&report, 60, 12);
        assert_eq!(text.lines().filter(|line| line.contains('\u{2504}')).count(), 2, "{text}");
    }

    #[test]
    fn many_curves_begin_again_with_the_first_character() {
        let report = fixture::many();
        let legend = legend(&report, 60);
        let first: Vec<char> =
            legend.lines().filter_map(|line| line.chars().next()).filter(|c| *c != ' ').collect();
        assert_eq!(first, ['\u{2812}', 'o', 'x', '+', '#', '@', '*', '%']);
        assert!(legend.lines().all(|line| columns(line) <= 60), "{legend}");
    }
}
