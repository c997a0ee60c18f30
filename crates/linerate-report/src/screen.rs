//! The report as text for a terminal.

use linerate_analysis::report::Report;
use linerate_core::plan::Rows;

use super::chart::chart;
use super::figure::Figure;
use super::mesh;
use super::runs::{Beside, document};
use super::terminal::Terminal;

/// Rows of the chart of curves.
const CHART_ROWS: u16 = 18;

/// `report` as plain text of about `width` columns, in the order of a page: what came of it and what limits it, charts,
/// what is doubtful, tables with these `rows`, and how it was measured; with all rows also where. No colours, no control
/// codes.
pub fn text(report: &Report, width: u16, rows: Rows) -> String {
    if report.runs.is_empty() {
        return "nothing was measured\n".to_owned();
    }
    let drawn = |section: &str, figure: &Figure| match (section, figure.id.strip_prefix("map-")) {
        ("maps", Some(number)) => mesh::in_characters(report, number.parse().ok()?, usize::from(width), rows),
        ("graphs", None) if figure.id == "throughput" => {
            Some(chart(report, width, CHART_ROWS).trim_end().to_owned())
        }
        _ => None,
    };
    Terminal::new(&document(report, &Beside::default()), width, rows, &drawn).text()
}

#[cfg(test)]
mod tests {
    use linerate_core::pattern::Pattern;
    use linerate_core::run::State;
    use linerate_core::traffic::Transfer;

    use super::*;
    use crate::fixture::{self, GIGABIT, Made};
    use crate::text::columns;

    fn in_pattern(pattern: Pattern) -> String {
        text(&Report::new(vec![Made { pattern, ..GIGABIT }.run()]), 80, Rows::Short)
    }

    /// Whether the text has a table and a chart of curves, stages, and a block of loads.
    fn parts(report: &Report) -> [bool; 4] {
        let text = text(report, 80, Rows::Short);
        ["median us", "Throughput (Mb/s)", "Stages of a message", "stream over"]
            .map(|part| text.contains(part))
    }

    #[test]
    fn a_report_shows_what_its_runs_have() {
        assert_eq!(parts(&fixture::one()), [true, true, false, false]);
        assert_eq!(parts(&fixture::staged(true)), [true, true, true, false]);
        let loads = || {
            let mut loads = fixture::loads(vec![Transfer::default()]);
            loads.runs[0].run.plan.task = linerate_core::plan::Task::Stream(Default::default());
            loads
        };
        assert_eq!(parts(&loads()), [false, false, false, true]);
        let both = Report::new([fixture::one().runs, loads().runs].concat());
        assert_eq!(parts(&both), [true, true, false, true]);
        assert!(text(&Report::new(Vec::new()), 80, Rows::Short).contains("nothing was measured"));
    }

    #[test]
    fn the_result_comes_first_then_the_chart_then_what_is_doubtful() {
        let text = text(&fixture::staged(true), 80, Rows::Short);
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in {text}"));
        let order = [
            "limited by",
            "latency",
            "What limits it",
            "Throughput (Mb/s)",
            "\n! ",
            "median us",
            "Stages of a message",
        ];
        assert!(order.map(at).is_sorted(), "{text}");
    }

    #[test]
    fn every_line_fits_the_width() {
        let reports = [fixture::one(), fixture::two(), fixture::bare(), fixture::many()];
        for width in [40, 60, 80, 120] {
            for report in &reports {
                let text = text(report, width, Rows::All);
                let wide: Vec<&str> =
                    text.lines().filter(|line| columns(line) > usize::from(width)).collect();
                assert!(wide.is_empty(), "{width}: {wide:#?}");
            }
        }
    }

    #[test]
    fn nothing_commands_the_terminal() {
        let text = text(&fixture::one(), 80, Rows::Short);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    }

    #[test]
    fn the_header_says_what_a_time_is() {
        assert!(in_pattern(Pattern::PingPong).contains("half the round trip"));
        assert!(in_pattern(Pattern::OneWay).contains("time between arrivals"));
        assert!(in_pattern(Pattern::Exchange).contains("each direction by itself"));
    }

    #[test]
    fn what_was_asked_stands_beside_what_was_granted() {
        let text = text(&fixture::one(), 120, Rows::Short);
        assert!(text.contains("asked 65000 B; granted: this host 130000; the peer 130000"), "{text}");
    }

    #[test]
    fn a_speed_that_a_driver_makes_up_is_no_link_rate() {
        let text = text(&fixture::veth(), 80, Rows::Short);
        let link: Vec<&str> = text.lines().filter(|line| line.contains("veth")).collect();
        assert_eq!(link, ["  link        rate unknown: veth states 10000 Mb/s but has no limit, MTU 1500 B"]);
        assert!(!text.contains("of link"), "{text}");
    }

    #[test]
    fn the_whole_text_reads_well() {
        insta::assert_snapshot!(text(&fixture::one(), 80, Rows::Short));
    }

    #[test]
    fn all_rows_are_there_for_the_asking() {
        let report = fixture::one();
        let text = text(&report, 80, Rows::All);
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for point in &report.curves[0].points {
            assert!(
                lines
                    .iter()
                    .any(|line| line.starts_with(&format!("{} ", linerate_core::units::Size(point.size)))),
                "{}",
                point.size
            );
        }
        assert!(!text.contains("--rows"), "{text}");
    }

    #[test]
    fn a_wide_terminal_shows_more_of_each_size() {
        let heading = |width| {
            let text = text(&fixture::one(), width, Rows::Short);
            text.lines().find(|line| line.contains("median us")).expect("a heading").to_owned()
        };
        let [usual, wide] = [80, 160].map(heading);
        for more in ["max us", "batch", "samples", "rounds"] {
            assert!(!usual.contains(more) && wide.contains(more), "{more} in {wide}");
        }
    }

    #[test]
    fn a_run_that_did_not_end_as_planned_says_so_first() {
        let first = |state: State| {
            let mut report = fixture::one();
            report.runs[0].run.state = state;
            text(&report, 80, Rows::Short).lines().next().expect("a line").to_owned()
        };
        assert!(first(State::Failed("the peer closed".to_owned())).starts_with("FAILED: the peer closed"));
        assert!(first(State::Interrupted).starts_with("INTERRUPTED"));
        assert!(first(State::Running).starts_with("UNFINISHED"));
        assert!(first(State::Complete).starts_with("930 Mb/s at "));
        let mut report = fixture::one();
        report.runs[0].run.state = State::Failed("no round".to_owned());
        report.curves.clear();
        assert!(text(&report, 80, Rows::Short).starts_with("FAILED: no round"));
    }
}
