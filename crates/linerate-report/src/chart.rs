//! The throughput graph in characters.

use linerate_analysis::report::Report;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line};

use super::plot::{Axis, Graph};
use super::text::{columns, curve_name, plain, wrap};

/// Without colours, curves differ by the character that draws them; the first has fine braille
/// dots.
const MARKERS: [(Marker, &str); 12] = [
    (Marker::Braille, "⠒"),
    (Marker::Custom('o'), "o"),
    (Marker::Custom('x'), "x"),
    (Marker::Custom('+'), "+"),
    (Marker::Custom('#'), "#"),
    (Marker::Custom('@'), "@"),
    (Marker::Custom('*'), "*"),
    (Marker::Custom('%'), "%"),
    (Marker::Custom('='), "="),
    (Marker::Custom('&'), "&"),
    (Marker::Custom('$'), "$"),
    (Marker::Custom('v'), "v"),
];
/// The smallest readable chart.
const SMALLEST: [u16; 2] = [30, 8];
/// Columns that a label of the axis of sizes needs, with a gap.
const SIZE_LABEL: u16 = 10;
/// Rows from one label of the axis of rates to the next.
const RATE_PITCH: u16 = 3;

/// Throughput against the logarithm of message size, as plain text of at most `width` columns and
/// `height` lines, a legend's lines besides. Sizes that were not timed are gaps.
pub(super) fn chart(report: &Report, width: u16, height: u16) -> String {
    if report.curves.iter().all(|curve| curve.timed().next().is_none()) {
        return "nothing was timed, so there is no graph\n".to_owned();
    }
    let area = Rect::new(0, 0, width.max(SMALLEST[0]), height.max(SMALLEST[1]));
    let mut buffer = Buffer::empty(area);
    let y = Axis::rate(report, usize::from(area.height / RATE_PITCH));
    let margin = y.ticks.iter().map(|tick| columns(&tick.label)).max().unwrap_or(0) as u16 + 2;
    let plot = Rect::new(margin, 1, area.width - margin - 1, area.height - 3);
    let x = Axis::size(report, usize::from(plot.width / SIZE_LABEL));
    frame(&mut buffer, plot, [&x, &y]);
    ceilings(&mut buffer, plot, report, &y);
    for index in 0..report.curves.len() {
        curve(&mut buffer, plot, report, index, [&x, &y]);
    }
    let lines = lines(&buffer);
    format!("{lines}{}", legend(report, usize::from(area.width)))
}

/// Title, axes and their labels.
fn frame(buffer: &mut Buffer, plot: Rect, [x, y]: [&Axis; 2]) {
    buffer.set_string(0, 0, &y.title, Style::new());
    for row in plot.top()..plot.bottom() {
        buffer.set_string(plot.x - 1, row, "│", Style::new());
    }
    buffer.set_string(plot.x - 1, plot.bottom(), "└", Style::new());
    for column in plot.left()..plot.right() {
        buffer.set_string(column, plot.bottom(), "─", Style::new());
    }
    for tick in &y.ticks {
        let row = row(plot, y.share(tick.value));
        let label = format!("{:>1$}", tick.label, usize::from(plot.x) - 2);
        buffer.set_string(0, row, label, Style::new());
        if row < plot.bottom() {
            buffer.set_string(plot.x - 1, row, "┤", Style::new());
        }
    }
    for tick in &x.ticks {
        let column = plot.x + (x.share(tick.value) * f64::from(plot.width - 1)).round() as u16;
        buffer.set_string(column, plot.bottom(), "┴", Style::new());
        let length = columns(&tick.label) as u16;
        let start = column.saturating_sub(length / 2).min(plot.right().saturating_sub(length));
        buffer.set_string(start, plot.bottom() + 1, &tick.label, Style::new());
    }
}

/// The row of a share of the height; the floor is the axis itself.
fn row(plot: Rect, share: f64) -> u16 {
    plot.bottom() - (share * f64::from(plot.height)).round() as u16
}

/// Ceilings as dotted rows with their names at the left, where curves are low; of two in one row
/// the higher is named.
fn ceilings(buffer: &mut Buffer, plot: Rect, report: &Report, y: &Axis) {
    let mut rows = Vec::new();
    let mut ceilings: Vec<_> = report.ceilings.iter().collect();
    ceilings.sort_by(|one, other| other.mbps.total_cmp(&one.mbps));
    for ceiling in ceilings {
        let share = y.share(ceiling.mbps);
        let at = row(plot, share.min(1.0)).max(plot.y);
        if share > 1.0 || rows.contains(&at) {
            continue;
        }
        rows.push(at);
        for column in plot.left()..plot.right() {
            buffer.set_string(column, at, "┄", Style::new());
        }
        let room = usize::from(plot.width - 1);
        buffer.set_stringn(plot.x + 1, at, format!(" {} ", plain(&ceiling.label)), room, Style::new());
    }
}

fn curve(buffer: &mut Buffer, plot: Rect, report: &Report, index: usize, [x, y]: [&Axis; 2]) {
    let stretches: Vec<Vec<(f64, f64)>> = report.curves[index]
        .stretches()
        .map(|stretch| {
            let place = |(size, timed): &(u64, _)| {
                let (size, rate) = Graph::Throughput.place(*size, timed);
                (x.share(size), y.share(rate))
            };
            stretch.iter().map(place).collect()
        })
        .collect();
    let (marker, _) = MARKERS[index % MARKERS.len()];
    let canvas =
        Canvas::default().marker(marker).x_bounds([0.0, 1.0]).y_bounds([0.0, 1.0]).paint(|context| {
            for stretch in &stretches {
                // A single point is a line of zero length, which is drawn as a dot.
                let ends = stretch.iter().skip(1).chain(stretch.last().filter(|_| stretch.len() == 1));
                for ((x1, y1), (x2, y2)) in stretch.iter().zip(ends) {
                    context.draw(&Line { x1: *x1, y1: *y1, x2: *x2, y2: *y2, ..Line::default() });
                }
            }
        });
    canvas.render(plot, buffer);
}

/// The buffer as text without trailing blanks, which an empty braille character is as well.
fn lines(buffer: &Buffer) -> String {
    let area = buffer.area();
    let line = |row| {
        let cells = (area.left()..area.right()).map(|column| buffer[(column, row)].symbol());
        let text: String = cells.collect();
        text.trim_end_matches([' ', '\u{2800}']).to_owned() + "\n"
    };
    (area.top()..area.bottom()).map(line).collect()
}

/// The legend. Empty for a single curve.
fn legend(report: &Report, width: usize) -> String {
    if report.curves.len() < 2 {
        return String::new();
    }
    let line = |index: usize| {
        let (_, symbol) = MARKERS[index % MARKERS.len()];
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
        let plot = Rect::new(5, 1, 20, 10);
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
