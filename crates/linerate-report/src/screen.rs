//! Sections as text for a terminal.

use linerate_analysis::report::Report;
use linerate_core::plan::Rows;

use super::chart::chart;
use super::columns::fit_wrapped;
use super::figure::Figure;
use super::mesh;
use super::runs::{Beside, document};
use super::section::{Card, Document, Entry, Item, Part, Section, TableView, said_once};
use super::text::{items, wrap};

/// The narrowest text: the numbers alone need this.
const NARROWEST: usize = 40;
/// Rows of the chart of curves.
const CHART_ROWS: u16 = 18;

/// `report` as plain text of about `width` columns, in the order of a page: what came of it and what limits it, charts,
/// what is doubtful, tables with these `rows`, and how it was measured; with all rows also where. No colours, no control
/// codes.
pub fn text(report: &Report, width: u16, rows: Rows) -> String {
    if report.runs.is_empty() {
        return "nothing was measured\n".to_owned();
    }
    let width = usize::from(width).max(NARROWEST);
    let drawn = |section: &str, figure: &Figure| match (section, figure.id.strip_prefix("map-")) {
        ("maps", Some(number)) => mesh::in_characters(report, number.parse().ok()?, width, rows),
        ("graphs", None) if figure.id == "throughput" => {
            Some(chart(report, width as u16, CHART_ROWS).trim_end().to_owned())
        }
        _ => None,
    };
    Screen { width, rows, drawn: &drawn }.document(&document(report, &Beside::default()))
}

/// How sections are shown.
struct Screen<'a> {
    width: usize,
    rows: Rows,
    /// A chart of a section in characters, if it has such a form.
    drawn: &'a dyn Fn(&str, &Figure) -> Option<String>,
}

impl Screen<'_> {
    fn document(&self, document: &Document) -> String {
        let all = document.sections.iter().map(|section| section.runs.len()).max().unwrap_or(0);
        let sections = document.sections.iter();
        let mut blocks: Vec<String> =
            sections.clone().flat_map(|section| self.section(section, section.runs.len() < all)).collect();
        let mut left_out: Vec<&str> = Vec::new();
        for name in sections.flat_map(|section| self.left_out(section)) {
            left_out.extend((!left_out.contains(&name)).then_some(name));
        }
        if !left_out.is_empty() {
            blocks.push(self.wrapped(&format!("--rows all also shows: {}", left_out.join("; "))));
        }
        blocks.join("\n\n") + "\n"
    }

    /// Its blocks: of charts those that can be drawn, and of the environment nothing in a short text. A section of some
    /// runs says of which it is.
    fn section(&self, section: &Section, is_of_some: bool) -> Vec<String> {
        match section.part {
            Part::Charts => return self.charts(section),
            Part::Environment if self.rows == Rows::Short => return Vec::new(),
            _ => {}
        }
        let mut blocks: Vec<String> = Vec::new();
        let mut was_line = false;
        for item in &section.items {
            let is_line = is_line(item);
            for block in self.item(item).into_iter().filter(|block| !block.is_empty()) {
                match blocks.last_mut().filter(|_| was_line && is_line) {
                    Some(last) => *last = format!("{last}\n{block}"),
                    None => blocks.push(block),
                }
            }
            was_line = is_line;
        }
        let has_title = match section.items.first() {
            Some(Item::Table(table)) => !table.title.is_empty(),
            first => matches!(first, Some(Item::Cautions(_))),
        };
        // One that names its run says so even over a title.
        let names_run = is_of_some && section.heading.contains(": ");
        if let (Some(first), false) =
            (blocks.first_mut(), section.heading.is_empty() || has_title && !names_run)
        {
            let colon = if names_run { "" } else { ":" };
            *first = format!("{}\n{first}", self.wrapped(&format!("{}{colon}", section.heading)));
        }
        blocks
    }

    /// Of several in a short text the first and the last.
    fn charts(&self, section: &Section) -> Vec<String> {
        let charts = section.items.iter().filter_map(|item| match item {
            Item::Chart(figure) => (self.drawn)(section.id, figure),
            _ => None,
        });
        let mut charts: Vec<String> = charts.collect();
        let all = charts.len();
        if all > 2 && self.rows == Rows::Short {
            charts.drain(1..all - 1);
            charts.push(format!("  (2 of {all} charts; --rows all has all)"));
        }
        charts
    }

    fn item(&self, item: &Item) -> Vec<String> {
        match item {
            Item::State(text) | Item::Lead(text) | Item::Note(text) => vec![self.wrapped(text)],
            Item::Keys(cards) => self.cards(cards),
            Item::Facts(list) => vec![self.facts(list)],
            Item::Table(table) => self.table(table).into_iter().collect(),
            Item::Cautions(list) => {
                let lines = list.iter().map(|warning| self.wrapped(&format!("! {warning}")));
                vec![lines.collect::<Vec<_>>().join("\n")]
            }
            Item::Listing { title, text } => vec![format!("{title}:\n{}", text.trim_end())],
            Item::Chart(_) | Item::Order(..) | Item::Scale(_) => Vec::new(),
        }
    }

    /// A block for each; what is said of all of a kind stands below the last.
    fn cards(&self, cards: &[Card]) -> Vec<String> {
        let card = |card: &Card| {
            let title = (!card.title.is_empty()).then(|| self.wrapped(&card.title));
            let keys = Some(self.facts(&card.keys)).filter(|keys| !keys.is_empty());
            title.into_iter().chain(keys).collect::<Vec<_>>().join("\n")
        };
        let of_kind = |cards: &[Card]| {
            let mut blocks: Vec<String> = cards.iter().map(card).collect();
            let notes = said_once(cards.iter().map(|card| (card.title.as_str(), card.note.clone())));
            let notes = notes.iter().map(|note| self.note(note));
            if let Some(last) = blocks.last_mut() {
                *last = std::iter::once(last.clone()).chain(notes).collect::<Vec<_>>().join("\n");
            }
            blocks
        };
        cards.chunk_by(|one, other| one.kind == other.kind).flat_map(of_kind).collect()
    }

    fn facts(&self, list: &[Entry]) -> String {
        let list: Vec<_> = list.iter().map(|entry| (entry.label.as_str(), entry.value.as_str())).collect();
        items(&list, self.width)
    }

    /// The tables that are left out of a section, or its heading if nothing else is in it.
    fn left_out<'t>(&self, section: &'t Section) -> Vec<&'t str> {
        let title = |item: &'t Item| match item {
            Item::Table(table) if self.rows == Rows::Short => {
                table.brief.as_ref().filter(|(rows, _)| rows.is_empty()).map(|_| table.title.as_str())
            }
            _ => None,
        };
        let titles: Vec<&str> = section.items.iter().filter_map(title).collect();
        let is_whole = titles.len() == section.items.len() && titles.len() > 1;
        if is_whole { vec![&section.heading] } else { titles }
    }

    /// The rows that are shown, as many columns as there is room for, and the notes. Absent if it is left out.
    fn table(&self, table: &TableView) -> Option<String> {
        let all = table.rows.len();
        let (shown, chosen) = match &table.brief {
            _ if self.rows == Rows::All => ((0..all).collect(), String::new()),
            Some((rows, _)) if rows.is_empty() => return None,
            Some((rows, chosen)) => (rows.clone(), chosen.clone()),
            None => ((0..all).collect(), String::new()),
        };
        let title = (!table.title.is_empty()).then(|| self.wrapped(&format!("{}:", table.title)));
        let mut lines: Vec<String> = title.into_iter().collect();
        if table.is_list() {
            let row = |row: &usize| (table.rows[*row][0].first(), table.rows[*row][1].first());
            lines.push(items(&shown.iter().map(row).collect::<Vec<_>>(), self.width));
        } else {
            let (text, left_out) = fit_wrapped(table.columns(&shown), self.width);
            lines.push(text);
            if !left_out.is_empty() {
                lines.push(
                    self.note(&format!("(no room for {}; --format json has all)", left_out.join(", "))),
                );
            }
        }
        if !chosen.is_empty() {
            lines.push(self.note(&format!("({chosen}; --rows all has all)")));
        }
        lines.extend(table.notes.iter().map(|note| self.note(note)));
        Some(lines.join("\n"))
    }

    fn note(&self, text: &str) -> String {
        let lines = wrap(text, self.width - 2, 1);
        lines.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }

    fn wrapped(&self, text: &str) -> String {
        wrap(text, self.width, 2)
    }
}

/// Whether it has no blank line between it and another such.
fn is_line(item: &Item) -> bool {
    match item {
        Item::State(_) | Item::Lead(_) | Item::Note(_) | Item::Facts(_) => true,
        Item::Keys(cards) => cards.iter().all(|card| card.title.is_empty()),
        _ => false,
    }
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
        let order =
            ["latency", "What limits it", "Throughput (Mb/s)", "\n! ", "median us", "Stages of a message"];
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
        assert!(first(State::Complete).starts_with("gigabit"));
        let mut report = fixture::one();
        report.runs[0].run.state = State::Failed("no round".to_owned());
        report.curves.clear();
        assert!(text(&report, 80, Rows::Short).starts_with("FAILED: no round"));
    }
}
