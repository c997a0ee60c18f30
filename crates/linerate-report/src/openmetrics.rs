//! The key figures of runs as metrics, in the text format of OpenMetrics, which Prometheus' node exporter collects from files too.
//!
//! Source: OpenMetrics 1.0; Prometheus, Exposition formats; Metric and label naming: base units, so a rate is in bytes and a time
//! in seconds. All are gauges without a time of their own, as the collector asks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use linerate_analysis::figures::{Figure, Sheet, Value};
use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::Plan;
use linerate_core::run::{Source, State};

use crate::history::escaped;

/// What is written of a run besides its figures: how the name ends, its unit, and what it is.
const OF_RUN: [(&str, &str, &str); 3] = [
    ("start_timestamp_seconds", "seconds", "When the run began."),
    ("complete", "", "1 if the run ended as planned, else 0."),
    ("cautions", "", "How many cautions the run has."),
];
/// The ends of a figure's 95 % interval within its run.
const ENDS: [&str; 2] = ["low", "high"];

/// Labels by name.
type Labels = Vec<(&'static str, String)>;

/// The metrics of one name.
#[derive(Default)]
struct Family {
    unit: &'static str,
    about: String,
    samples: BTreeMap<Labels, f64>,
}

/// The runs as metrics. Where several have the same labels, the one that began last counts. `seconds` is the time since 1970 of a text
/// as run files have it (RFC 3339): this crate has no calendar.
#[must_use]
pub fn openmetrics(report: &Report, seconds: impl Fn(&str) -> Option<f64>) -> String {
    of_figures(report, seconds, |named| Sheet::of_run(&named.name, &named.run).figures)
}

/// The same with these figures of each run.
pub(crate) fn of_figures(
    report: &Report,
    seconds: impl Fn(&str) -> Option<f64>,
    figures: impl Fn(&NamedRun) -> Vec<Value>,
) -> String {
    let mut families = BTreeMap::new();
    let mut runs: Vec<(Option<f64>, &NamedRun)> =
        report.runs.iter().map(|named| (seconds(&named.run.started), named)).collect();
    runs.sort_by(|one, other| one.0.unwrap_or(f64::MIN).total_cmp(&other.0.unwrap_or(f64::MIN)));
    for (began, named) in runs {
        let complete = f64::from(u8::from(named.run.state == State::Complete));
        let of_run = [began, Some(complete), Some(named.run.cautions.len() as f64)];
        for ((name, unit, about), value) in OF_RUN.into_iter().zip(of_run) {
            add(&mut families, &full(name), (unit, about.to_owned()), labels(named), value);
        }
        for value in figures(named) {
            add_figure(&mut families, named, &value);
        }
    }
    let mut text = String::new();
    for (name, family) in families {
        family.write(&name, &mut text);
    }
    text + "# EOF\n"
}

/// The names of all metrics that there are.
#[must_use]
pub fn metric_names() -> BTreeSet<String> {
    let of_figure = |figure: Figure| {
        let (name, ..) = called(figure);
        ENDS.map(|end| name.interval(end)).into_iter().chain([name.plain()])
    };
    Figure::all().flat_map(of_figure).chain(OF_RUN.map(|(name, ..)| full(name))).collect()
}

fn full(name: &str) -> String {
    format!("linerate_run_{name}")
}

/// The name of a figure's metric before its unit, and the unit.
struct Name {
    stem: &'static str,
    unit: &'static str,
}

impl Name {
    fn ending(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!("_{}", self.unit) }
    }

    fn plain(&self) -> String {
        full(self.stem) + &self.ending()
    }

    fn interval(&self, end: &str) -> String {
        full(self.stem) + "_" + end + &self.ending()
    }
}

/// The metric of a figure, how many of its unit are one of the figure's, and the labels that it has because of the figure.
fn called(figure: Figure) -> (Name, f64, Labels) {
    let ((stem, quantile), (unit, factor)) = (figure.metric(), figure.unit().base());
    let band = figure.band().map(|band| ("band", band.name().to_owned()));
    let direction = figure.direction().map(|way| ("direction", way.name().to_owned()));
    let quantile = quantile.map(|quantile| ("quantile", quantile.to_owned()));
    (Name { stem, unit }, factor, [band, direction, quantile].into_iter().flatten().collect())
}

/// What a figure is, as a sentence. Several quantiles are one metric, so it says what its name says.
fn about(figure: Figure) -> String {
    let text = match figure.metric() {
        (stem, Some(_)) => format!("{} by quantile", stem.replace('_', " ")),
        (_, None) => figure.meaning().to_owned(),
    };
    let first = text.chars().next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", text.get(first.len()..).unwrap_or_default())
}

fn add_figure(families: &mut BTreeMap<String, Family>, named: &NamedRun, value: &Value) {
    let (name, factor, of_figure) = called(value.key.figure);
    let subject = ("subject", value.key.subject.clone());
    let labels: Labels = labels(named).into_iter().chain([subject]).chain(of_figure).collect();
    let described = |what: &str| (name.unit, format!("{}{what}", about(value.key.figure)));
    add(families, &name.plain(), described(""), labels.clone(), Some(value.value * factor));
    let Some(interval) = value.interval else { return };
    for (end, bound) in ENDS.into_iter().zip(interval) {
        let described = described(&format!(" The {end} end of its 95 % interval."));
        add(families, &name.interval(end), described, labels.clone(), Some(bound * factor));
    }
}

fn add(
    families: &mut BTreeMap<String, Family>,
    name: &str,
    (unit, about): (&'static str, String),
    labels: Labels,
    value: Option<f64>,
) {
    let Some(value) = value.filter(|value| value.is_finite()) else { return };
    let family = families.entry(name.to_owned()).or_default();
    (family.unit, family.about) = (unit, about);
    family.samples.insert(labels, value);
}

/// What tells the paths of runs apart.
fn labels(named: &NamedRun) -> Labels {
    let run = &named.run;
    vec![("host", host(&run.plan, &run.source)), ("transport", run.path().transport.clone())]
}

/// The peers; where the plan names none, what the run was made on.
fn host(plan: &Plan, source: &Source) -> String {
    let named: Vec<&str> = plan.hosts().collect();
    match source {
        Source::Modelled(model) => format!("model {model}"),
        Source::Imported(from) => from.clone(),
        Source::Loopback => "loopback".to_owned(),
        Source::Measured => named.join(","),
    }
}

impl Family {
    // Writing to a String cannot fail.
    fn write(&self, name: &str, text: &mut String) {
        let _ = writeln!(text, "# TYPE {name} gauge");
        if !self.unit.is_empty() {
            let _ = writeln!(text, "# UNIT {name} {}", self.unit);
        }
        let _ = writeln!(text, "# HELP {name} {}", self.about);
        for (labels, value) in &self.samples {
            let labels: Vec<String> =
                labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
            let _ = writeln!(text, "{name}{{{}}} {value}", labels.join(","));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    /// Names, and the labels and value of each line, by a reading of the format that is not the writer's.
    fn read(text: &str) -> BTreeMap<String, Vec<(String, f64)>> {
        assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1, "{text}");
        let mut found: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
        let mut family = String::new();
        for line in text.lines().filter(|line| *line != "# EOF") {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                family = rest.strip_suffix(" gauge").expect(line).to_owned();
                assert!(found.insert(family.clone(), Vec::new()).is_none(), "{family} comes twice");
            } else if let Some(rest) = line.strip_prefix("# UNIT ") {
                let (name, unit) = rest.split_once(' ').expect(line);
                assert!(name == family && name.ends_with(&format!("_{unit}")), "{line}");
            } else if let Some(rest) = line.strip_prefix("# HELP ") {
                assert!(rest.starts_with(&family) && rest.ends_with('.'), "{line}");
            } else {
                let (labels, value) = line.rsplit_once(' ').expect(line);
                let labels = labels.strip_prefix(&family).and_then(|it| it.strip_prefix('{')).expect(line);
                let labels = labels.strip_suffix('}').expect(line).to_owned();
                found.get_mut(&family).expect("a family").push((labels, value.parse().expect(line)));
            }
        }
        found
    }

    fn value(found: &BTreeMap<String, Vec<(String, f64)>>, name: &str, part: &str) -> f64 {
        let samples = found.get(name).unwrap_or_else(|| panic!("{name} is not there"));
        samples.iter().find(|(labels, _)| labels.contains(part)).unwrap_or_else(|| panic!("{name} {part}")).1
    }

    #[test]
    fn figures_are_in_base_units_with_their_labels() {
        let report = fixture::one();
        let found = read(&openmetrics(&report, |_| Some(1.5e9)));
        let latency = report.curves[0].derived.latency.expect("it has one");
        let written = value(&found, "linerate_run_latency_seconds", "subject=\"ping-pong\"");
        assert!((written / (latency.time.median / 1e12) - 1.0).abs() < 1e-12, "{written}");
        let peak = report.curves[0].derived.bandwidth.expect("it has one").peak;
        let written = value(&found, "linerate_run_peak_bytes_per_second", "transport=\"tcp\"");
        assert!((written / (peak.throughput.as_mbps() * 1e6 / 8.0) - 1.0).abs() < 1e-12, "{written}");
        let [low, high] = latency.time.interval.expect("an interval").map(|ps| ps / 1e12);
        let written =
            ["low", "high"].map(|end| value(&found, &format!("linerate_run_latency_{end}_seconds"), "host="));
        assert!((written[0] / low - 1.0).abs() < 1e-12 && (written[1] / high - 1.0).abs() < 1e-12);
        assert!(value(&found, "linerate_run_band_time_seconds", "band=\"1KiB\"") > 0.0);
        assert_eq!(value(&found, "linerate_run_start_timestamp_seconds", ""), 1.5e9);
    }

    #[test]
    fn of_the_same_path_the_last_run_counts() {
        let mut report = fixture::one();
        let mut later = report.runs[0].clone();
        (later.run.started, later.run.state) = ("later".to_owned(), State::Interrupted);
        report.runs.insert(0, later);
        let found = read(&openmetrics(&report, |text| Some(if text == "later" { 2.0 } else { 1.0 })));
        assert_eq!(found["linerate_run_complete"].len(), 1);
        assert_eq!(value(&found, "linerate_run_complete", ""), 0.0);
        assert_eq!(value(&found, "linerate_run_start_timestamp_seconds", ""), 2.0);
    }

    #[test]
    fn what_hosts_are_called_cannot_break_a_line() {
        let mut report = fixture::one();
        report.runs[0].run.source = Source::Modelled("a\"b\\\n\x1b".to_owned());
        let text = openmetrics(&report, |_| None);
        assert!(text.contains("host=\"model a\\\"b\\\\\\n\u{fffd}\""), "{text}");
        assert!(!text.contains("timestamp"), "{text}");
    }

    #[test]
    fn all_quantiles_of_a_metric_say_the_same_of_it() {
        for (nth, one) in Figure::all().enumerate() {
            for other in Figure::all().skip(nth).filter(|other| other.metric().0 == one.metric().0) {
                assert_eq!(about(one), about(other), "{one} and {other}");
            }
        }
        let request = "rr/p99".parse::<linerate_analysis::figures::Key>().expect("a key").figure;
        assert_eq!(about(request), "Request time by quantile.");
    }

    #[test]
    fn nothing_is_written_under_a_name_that_is_not_listed() {
        let names = metric_names();
        for report in [fixture::one(), fixture::two(), fixture::many(), fixture::bare()] {
            for name in read(&openmetrics(&report, |_| None)).keys() {
                assert!(names.contains(name), "{name}");
            }
        }
        let legal = |name: &String| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(names.iter().all(legal), "{names:?}");
    }
}
