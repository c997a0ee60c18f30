//! A fact that only these tests know is added in one row and found in every form.

use linerate_analysis::experiment::FigureName;
use linerate_analysis::facts::{Better, Fact, Followed, Kind, Listed, Unit};
use linerate_analysis::figures::{Key, Value, values};
use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::{Level, Rows};

use crate::columns::{fit, of_kind};
use crate::{compare, fixture, history, openmetrics, tidy};

/// What a run is good for: a thing, by the index of its run.
struct Things;

type ThingFact = Fact<Things>;

impl Kind for Things {
    const NAME: &'static str = "thing";
    const LEVELS: &'static [Level] = &[Level::Run];
    const OF: fn(&NamedRun) -> bool = |_| true;
    type Row<'r> = f64;
    const FACTS: &'static [Fact<Self>] = &[
        ThingFact::new("number", Unit::Count, "number of the thing", |row| (*row as u64).into()),
        ThingFact::new("goodness_us", Unit::Microseconds, "time that the thing saves", |row| {
            (row * 1.5).into()
        })
        .more()
        .within(|row| Some([*row, row * 2.0]))
        .column("goodness", 0)
        .followed(Followed::new("goodness", "goodness of it", "goodness").headline()),
    ];

    fn subject(_: &f64) -> String {
        "thing".to_owned()
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, f64)> {
        (0..report.runs.len()).map(|run| (run, 7.0 + run as f64))
    }
}

const THINGS: [Listed; 1] = [Listed::of::<Things>()];

/// The fact as a figure of the first run.
fn value() -> Value {
    let mut found = values::<Things>(&7.0);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn key() -> Key {
    value().key
}

#[test]
fn it_is_a_column_of_csv_and_a_key_of_json_with_what_it_means() {
    let table = tidy::Table::of_kinds(&THINGS, &fixture::one(), Level::Run).expect("it has such rows");
    let own = &table.columns[table.columns.len() - 5..];
    assert_eq!(own, ["kind", "number", "goodness_us", "goodness_low_us", "goodness_high_us"]);
    let json = serde_json::to_value(table.objects()).expect("it has a form");
    let row = &json[0];
    assert_eq!(
        (&row["kind"], &row["goodness_us"], &row["goodness_low_us"]),
        (&"thing".into(), &10.5.into(), &7.0.into())
    );
    let facts = serde_json::to_value(&table.facts).expect("it has a form");
    assert_eq!((&facts[1]["unit"], &facts[1]["better"]), (&"us".into(), &"more".into()));
    assert_eq!(facts[1]["meaning"], "time that the thing saves");
}

#[test]
fn it_is_a_row_of_the_documentation() {
    let tables = tidy::tests::tables(&THINGS);
    assert!(tables.contains("| `goodness_us` | us | more | time that the thing saves |"), "{tables}");
}

#[test]
fn it_is_a_column_on_a_screen() {
    let table = fit(of_kind::<Things>(&[7.0, 8.0]), 80).0;
    assert_eq!(
        table,
        "  goodness us          95 %\n         10.5  7.00 to 14.0\n         12.0  8.00 to 16.0"
    );
}

#[test]
fn it_is_a_metric_in_base_units() {
    let text = openmetrics::of_figures(&fixture::one(), |_| None, |_| vec![value()]);
    assert!(text.contains("# HELP linerate_run_goodness_seconds Time that the thing saves."), "{text}");
    let sample = text.lines().find(|line| line.starts_with("linerate_run_goodness_seconds{"));
    assert!(sample.is_some_and(|line| line.ends_with("subject=\"thing\"} 0.0000105")), "{text}");
    assert!(text.contains("linerate_run_goodness_high_seconds{"), "{text}");
}

#[test]
fn it_is_compared() {
    let mut comparison = compare::fixture::comparison(3);
    let change = &mut comparison.figures[0];
    (change.unit, change.better) = (key().figure.unit(), key().figure.better());
    change.key = key();
    let text = compare::document(&comparison).text(120, Rows::All);
    assert!(text.contains("goodness of it"), "{text}");
}

#[test]
fn it_is_followed() {
    let mut path = history::fixture::history(20, 0);
    path.figures[0].key = key();
    let shown = history::document(&path, None).text(200, Rows::Short);
    assert!(shown.contains("goodness of it"), "{shown}");
    let csv = history::csv(&[path.clone()]).expect("it has a CSV form");
    assert!(csv.lines().any(|line| line.contains(",thing/goodness,") && line.contains(",us,")), "{csv}");
    let lines = history::json_lines(&[path.clone()]).expect("it has a form");
    assert!(lines.contains("\"thing/goodness\":{"), "{lines}");
    let metrics = history::prometheus(&[path]);
    assert!(metrics.contains("figure=\"thing/goodness\""), "{metrics}");
}

#[test]
fn an_experiment_can_ask_for_it() {
    let name = FigureName::of_key(&key());
    assert_eq!((name.key.as_str(), name.title.as_str()), ("thing/goodness", "thing goodness of it"));
    assert_eq!((name.unit.as_str(), name.better, name.is_ratio), ("us", Better::More, true));
}
