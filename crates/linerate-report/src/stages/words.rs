//! The stages as a table.

use linerate_core::run::Run;
use linerate_core::stages::{Clocks, Part, Stages};
use linerate_core::units::{Size, Span};

use crate::columns::Column;
use crate::section::TableView;
use crate::text::{count, digits};

/// The stages of a run's messages, with their intervals; `of` names the run where there are several.
pub(crate) fn table(run: &Run, of: &str) -> TableView {
    let interval = |part: &Part| {
        let ends = part.time_ns.and_then(|time| time.interval);
        ends.map_or_else(|| "-".to_owned(), |[low, high]| format!("{} to {}", us(low), us(high)))
    };
    let mut with_intervals = Vec::new();
    for column in columns(run) {
        let part = PARTS.iter().find(|(heading, _)| *heading == column.heading).map(|(_, part)| part);
        with_intervals.push(column);
        if let Some(part) = part {
            let cells = run.stages.iter().map(|stages| interval(part(stages))).collect();
            with_intervals.push(Column::new("95 %", 4, cells));
        }
    }
    let asked = run.stages.first().map_or(0, |stages| stages.asked);
    let note = format!(
        "Times are in us, from the application's call to the queue, to the driver, to the peer's kernel and to its application: medians of {asked} a size; {}.",
        caption(run)
    );
    TableView::new(format!("Stages of a message, us{of}"), with_intervals).noted(vec![note])
}

/// Whose stamps they are, by which clocks, and what is missing.
pub(super) fn caption(run: &Run) -> String {
    let mut parts =
        vec![stamps(run), clocks(&run.stages.iter().map(|stages| stages.clocks).collect::<Vec<_>>())];
    let complete = |stages: &Stages| stages.messages() == stages.asked as usize;
    let short = run.stages.iter().filter(|stages| !complete(stages)).count();
    if short > 0 {
        parts.push(format!("at {short} of {} sizes messages or stamps are missing", run.stages.len()));
    }
    let planned = run.plan.sizes().map_or(0, |sizes| linerate_core::stages::sizes(&sizes).len());
    if run.stages.len() < planned {
        parts.push(format!("it ended after {} of {planned} sizes", run.stages.len()));
    }
    parts.join("; ")
}

fn stamps(run: &Run) -> String {
    let hardware = run.stages.iter().any(|stages| stages.hardware.known() == Some(&true));
    if hardware {
        "software timestamps, although this host's adaptor can stamp in hardware".to_owned()
    } else {
        "software stamps".to_owned()
    }
}

/// How the clocks of two ends were compared, at each size.
pub(crate) fn clocks(all: &[Clocks]) -> String {
    match all.iter().copied().filter_map(two).max() {
        Some(most) => format!(
            "two clocks, compared by the quickest round trip: times from one to the other may be wrong by {}",
            Span::from_ns(most)
        ),
        None if all.iter().all(|clocks| *clocks == Clocks::One) => "one clock".to_owned(),
        None => "two clocks that could not be compared".to_owned(),
    }
}

/// How far two clocks may be from where they are taken to be. Unit: nanoseconds.
const fn two(clocks: Clocks) -> Option<u64> {
    match clocks {
        Clocks::Two { uncertainty_ns, .. } => Some(uncertainty_ns),
        Clocks::One | Clocks::Unknown => None,
    }
}

/// A stage by its column's heading.
type Named = (&'static str, fn(&Stages) -> &Part);

/// The stages by their columns' headings, those first that cross no clocks.
const PARTS: [Named; 6] = [
    ("to queue", |stages| &stages.to_queue),
    ("to driver", |stages| &stages.to_driver),
    ("to peer", |stages| &stages.to_peer),
    ("to its app", |stages| &stages.to_application),
    ("all", |stages| &stages.whole),
    ("acked", |stages| &stages.acknowledged),
];

fn columns(run: &Run) -> Vec<Column> {
    let all = &run.stages;
    let sizes = all.iter().map(|stages| stages.size.to_string()).collect();
    let mut columns = vec![Column::new("B", 0, sizes)];
    for (heading, part) in PARTS {
        let crosses = matches!(heading, "to peer" | "all");
        let cells = all.iter().map(|stages| cell(part(stages), crosses, stages.clocks)).collect();
        // Nothing is acknowledged but by TCP.
        let expendable = match heading {
            "acked" => 2,
            "to driver" | "all" => 1,
            _ => 0,
        };
        columns.push(Column::new(heading, expendable, cells));
    }
    let messages = all.iter().map(|stages| stages.messages().to_string()).collect();
    columns.push(Column::new("messages", 3, messages));
    columns
}

/// A median, with how wrong it may be where it goes from clock to clock.
fn cell(part: &Part, crosses: bool, clocks: Clocks) -> String {
    let Some(time) = part.time_ns else { return "-".to_owned() };
    let median = us(time.median);
    match clocks.uncertainty_ns() {
        _ if !crosses => median,
        Some(0) => median,
        Some(uncertainty_ns) => format!("{median} +-{}", us(uncertainty_ns as f64)),
        None => "?".to_owned(),
    }
}

/// Nanoseconds as microseconds.
pub(crate) fn us(ns: f64) -> String {
    digits(ns / 1e3)
}

/// What a bar of `stages` says of one of its parts.
pub(super) fn lines(stages: &Stages, name: &str, part: &Part, crosses: bool) -> Vec<String> {
    let interval = part.time_ns.and_then(|time| time.interval);
    let interval = interval.map_or_else(String::new, |[low, high]| format!(" ({} to {})", us(low), us(high)));
    vec![
        Size(stages.size).to_string(),
        format!("{name}: {} us{interval}", cell(part, crosses, stages.clocks)),
        count(part.each_ns.len() as u64, "message"),
    ]
}

#[cfg(test)]
mod tests {
    use linerate_analysis::report::{NamedRun, Report};
    use linerate_core::plan::Rows;

    use crate::fixture::staged;
    use crate::text::columns as wide;

    /// The block of the stages.
    fn text(named: &NamedRun, width: u16) -> Option<String> {
        let text = crate::text(&Report::new(vec![named.clone()]), width, Rows::All);
        let (_, stages) = text.split_once("Stages of a message")?;
        Some(format!("Stages of a message{}", stages.split("\n\n").next()?))
    }

    #[test]
    fn every_stage_has_its_column_and_the_whole_fits() {
        let named = staged(true).runs.remove(0);
        for width in [40, 60, 80, 120] {
            let text = text(&named, width).expect("there are stages");
            assert!(text.lines().all(|line| wide(line) <= usize::from(width)), "{width}:\n{text}");
        }
        let text = text(&named, 80).expect("there are stages");
        let lines: Vec<&str> = text.lines().collect();
        insta::assert_snapshot!([&lines[..4], &lines[lines.len() - 4..]].concat().join("\n"), @r"
        Stages of a message, us:
              B  to queue  to driver  to peer  to its app   all  acked  messages
              1      2.04      0.300     9.00        6.00  17.3   27.3        10
              4      2.04      0.300     9.00        6.00  17.3   27.3        10
          (no room for 95 %, 95 %, 95 %, 95 %, 95 %, 95 %; --format json has all)
          Times are in us, from the application's call to the queue, to the driver, to
           the peer's kernel and to its application: medians of 10 a size; software
           stamps; one clock.
        ");
    }

    #[test]
    fn what_goes_from_clock_to_clock_says_how_wrong_it_may_be() {
        let named = staged(false).runs.remove(0);
        let text = text(&named, 100).expect("there are stages");
        assert!(text.contains("may be wrong by 9.00 us"), "{text}");
        for stages in &named.run.stages {
            let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{} ", stages.size)));
            assert_eq!(line.expect("every size has a line").matches(" +-").count(), 2, "{text}");
        }
        assert!(
            named.run.stages[0].to_peer.each_ns.iter().any(|ns| *ns < 0),
            "the fixture has a negative one"
        );
    }

    #[test]
    fn a_run_without_stages_says_nothing_of_them() {
        assert_eq!(text(&crate::fixture::one().runs[0], 80), None);
    }
}
