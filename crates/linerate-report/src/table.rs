//! The report as plain text for people.

mod short;

use linerate_analysis::facts::{Size, Sizes};
use linerate_analysis::report::{Curve, CurvePoint, NamedRun, Report, describe};
use linerate_core::options::Granted;
use linerate_core::plan::{DEFAULT_TARGET, Rows};
use linerate_core::run::{Run, Source};

use super::columns::{Column, fit, of_kind};
use super::explain::limits;
use super::text::{
    coverage, curve_name, fact, hosts, item, keys, percent, plain, progress, timing, unfinished, waiting,
    wrap,
};

/// The narrowest table: the numbers alone need this.
const NARROWEST: usize = 40;

/// The curves of `report` as text of at most `width` columns: of each what came of it and what limits it.
pub(super) fn result(report: &Report, width: u16) -> String {
    let width = usize::from(width).max(NARROWEST);
    let mut blocks = empty(report, width);
    for (index, curve) in report.curves.iter().enumerate() {
        let named = &report.runs[curve.run];
        let state = unfinished(report, curve.run).map(|state| wrap(&state, width, 2));
        let head = wrap(&format!("{}: {}", curve_name(report, index), curve.pattern), width, 2);
        let lines = state.into_iter().chain([head, summary(curve, named, width)]);
        blocks.push(lines.collect::<Vec<_>>().join("\n"));
    }
    blocks.join("\n\n") + "\n"
}

/// Of each curve of `report` these `rows` of its sizes, and how it was measured. No colours, no control codes.
pub(super) fn details(report: &Report, width: u16, rows: Rows) -> String {
    let width = usize::from(width).max(NARROWEST);
    let mut blocks = Vec::new();
    for (index, curve) in report.curves.iter().enumerate() {
        let named = &report.runs[curve.run];
        let head = wrap(&format!("{}:", curve_name(report, index)), width, 2);
        blocks.extend((report.curves.len() > 1).then_some(head));
        let shown = short::rows(curve, rows);
        blocks.push(fit(sizes(curve, &shown), width).0);
        blocks.push(footer(curve, named, shown.len(), width));
        blocks.push(method(curve, named, width));
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// These points of a curve.
fn sizes(curve: &Curve, points: &[&CurvePoint]) -> Vec<Column> {
    let row = |point: &&CurvePoint| Size { curve, size: point.size, timed: point.timed };
    let rows: Vec<Size<'_>> = points.iter().map(row).collect();
    let mark = |row: &Size<'_>| row.timed.filter(|timed| !timed.settled).map_or("", |_| "*").to_owned();
    let mut columns = of_kind::<Sizes>(&rows);
    columns.push(Column::of_words("", 0, rows.iter().map(mark).collect()));
    columns
}

/// The first lines of runs that ended before they had a curve.
fn empty(report: &Report, width: usize) -> Vec<String> {
    let bare = |(index, named): &(usize, &NamedRun)| {
        named.is_of_curves() && report.curves.iter().all(|curve| curve.run != *index)
    };
    let line = |(index, named): (usize, &NamedRun)| {
        Some(wrap(&format!("{}: {}", plain(&named.name), unfinished(report, index)?), width, 2))
    };
    report.runs.iter().enumerate().filter(bare).filter_map(line).collect()
}

fn method(curve: &Curve, named: &NamedRun, width: usize) -> String {
    let run = &named.run;
    let hosts = hosts(named).map_or_else(|| "unknown".to_owned(), |hosts| hosts.join(" -> "));
    let family = if run.path().ipv6 { "IPv6" } else { "IPv4" };
    let transport = match (run.path().transport.as_str(), &run.path().library) {
        ("", _) => "transport unknown".to_owned(),
        (transport, Some(library)) => format!("{} by {}", plain(transport), plain(library)),
        (transport, None) => format!("{} over {family}", plain(transport)),
    };
    let mut lines = vec![
        item("hosts", &format!("{hosts}, {transport}"), width),
        item("how", &plain(&describe(run)), width),
    ];
    if let Some(link) = link(run) {
        lines.push(item("link", &link, width));
    }
    lines.push(item("times", timing(curve.pattern).trim_start_matches("times are "), width));
    if run.source == Source::Measured || run.source == Source::Loopback {
        lines.push(item("receivers", waiting(run.plan.common.socket.wait), width));
    }
    lines.extend(coverage(curve).map(|text| item("intervals", &text, width)));
    lines.extend(buffers(named, width));
    lines.join("\n")
}

/// The link's rate, or why what its driver states is none; and the MTU.
fn link(run: &Run) -> Option<String> {
    let mtu = run.framing().map_or_else(String::new, |framing| format!(", MTU {} B", framing.mtu));
    if let Some(link) = run.link() {
        return Some(format!("{link}{mtu}"));
    }
    let (driver, mbps) = run.local().environment.interface.known()?.made_up_speed()?;
    Some(format!("rate unknown: {} states {mbps} Mb/s but has no limit{mtu}", plain(driver)))
}

/// The requested buffers beside what each end was granted. Empty if none were requested.
fn buffers(named: &NamedRun, width: usize) -> Option<String> {
    let socket = &named.run.plan.common.socket;
    let ends = [("this host", &named.run.local().granted), ("the peer", &named.run.remote().granted)];
    let send = |granted: &Granted| fact(&granted.sndbuf);
    let receive = |granted: &Granted| {
        format!("{}, usable window {}", fact(&granted.rcvbuf), fact(&granted.usable_window))
    };
    let line = |label: &str, asked: u64, granted: &dyn Fn(&Granted) -> String| {
        let granted = ends.map(|(who, end)| format!("{who} {}", granted(end))).join("; ");
        item(label, &format!("asked {asked} B; granted: {granted}"), width)
    };
    let lines: Vec<String> = [
        socket.sndbuf.map(|asked| line("sndbuf", asked.bytes(), &send)),
        socket.rcvbuf.map(|asked| line("rcvbuf", asked.bytes(), &receive)),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What the marks and the missing rows mean.
fn footer(curve: &Curve, named: &NamedRun, shown: usize, width: usize) -> String {
    let progress = progress(curve);
    let mut lines = Vec::new();
    if shown < progress.asked {
        let more = progress.asked - shown;
        lines.push(wrap(
            &format!("{more} of {} sizes are not shown; --rows all has all", progress.asked),
            width,
            2,
        ));
    }
    if progress.settled < progress.timed {
        let target = percent(named.run.plan.curve().map_or(DEFAULT_TARGET, |curve| curve.ci));
        let text = format!(
            "* not settled: {} of {} intervals are wider than +-{target} of the median, or missing",
            progress.timed - progress.settled,
            progress.timed
        );
        lines.push(wrap(&text, width, 2));
    }
    if progress.timed < progress.asked {
        let missing = progress.asked - progress.timed;
        lines.push(wrap(&format!("- not timed: {missing} of {} sizes", progress.asked), width, 2));
    }
    lines.join("\n")
}

/// The key numbers, what limits the curve, and its dips.
fn summary(curve: &Curve, named: &NamedRun, width: usize) -> String {
    let keys = keys(curve);
    let mut lines: Vec<String> = keys.iter().map(|key| item(key.label, &key.value, width)).collect();
    let limits = limits(&named.run, curve.pattern);
    let label = |nth: usize| if nth == 0 { "limited by" } else { "" };
    lines.extend(limits.iter().enumerate().map(|(nth, limit)| item(label(nth), limit, width)));
    for dip in &curve.derived.dips {
        let [first, last] = dip.extent;
        let boundary = dip.boundary.map_or_else(String::new, |boundary| format!(", at {boundary}"));
        let text = format!(
            "{} B: {} below its neighbours, from {first} to {last} B{boundary}",
            dip.size,
            percent(dip.depth)
        );
        lines.push(item("dip", &text, width));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use linerate_analysis::report::Report;
    use linerate_core::pattern::Pattern;
    use linerate_core::run::State;

    use super::super::fixture::{self, GIGABIT, Made};
    use super::super::text::columns;
    use super::*;

    fn table(report: &Report, width: u16, rows: Rows) -> String {
        result(report, width) + &details(report, width, rows)
    }

    fn in_pattern(pattern: Pattern) -> String {
        table(&Report::new(vec![Made { pattern, ..GIGABIT }.run()]), 80, Rows::Short)
    }

    #[test]
    fn every_line_fits_the_width() {
        let reports = [fixture::one(), fixture::two(), fixture::bare(), fixture::many()];
        for width in [40, 60, 80, 120] {
            for report in &reports {
                let text = table(report, width, Rows::All);
                let wide: Vec<&str> =
                    text.lines().filter(|line| columns(line) > usize::from(width)).collect();
                assert!(wide.is_empty(), "{width}: {wide:#?}");
            }
        }
    }

    #[test]
    fn nothing_commands_the_terminal() {
        let text = table(&fixture::one(), 80, Rows::Short);
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
        let text = table(&fixture::one(), 120, Rows::Short);
        assert!(text.contains("asked 65000 B; granted: this host 130000; the peer 130000"), "{text}");
    }

    #[test]
    fn a_speed_that_a_driver_makes_up_is_no_link_rate() {
        let text = table(&fixture::veth(), 80, Rows::Short);
        let link: Vec<&str> = text.lines().filter(|line| line.contains("veth")).collect();
        assert_eq!(link, ["  link        rate unknown: veth states 10000 Mb/s but has no limit, MTU 1500 B"]);
        assert!(!text.contains("of link"), "{text}");
    }

    #[test]
    fn the_whole_text_reads_well() {
        insta::assert_snapshot!(table(&fixture::one(), 80, Rows::Short));
    }

    #[test]
    fn all_rows_are_there_for_the_asking() {
        let report = fixture::one();
        let text = table(&report, 80, Rows::All);
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
            let text = table(&fixture::one(), width, Rows::Short);
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
            table(&report, 80, Rows::Short).lines().next().expect("a line").to_owned()
        };
        assert!(first(State::Failed("the peer closed".to_owned())).starts_with("FAILED: the peer closed"));
        assert!(first(State::Interrupted).starts_with("INTERRUPTED"));
        assert!(first(State::Running).starts_with("UNFINISHED"));
        assert!(first(State::Complete).starts_with("gigabit"));
        let mut report = fixture::one();
        report.runs[0].run.state = State::Failed("no round".to_owned());
        report.curves.clear();
        assert!(table(&report, 80, Rows::Short).starts_with("gigabit.run.json: FAILED: no round"));
    }
}
