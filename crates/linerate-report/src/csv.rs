//! The report as comma-separated values.

use linerate_analysis::report::Report;
use linerate_core::plan::Level;
use serde_json::Value;

use crate::error::RenderError;
use crate::rows::Rows;
use crate::tidy::Table;

/// `report` as CSV (RFC 4180): a header with units, and the rows of `level`. What is unknown is an empty
/// cell, and so is never read as zero.
///
/// # Errors
///
/// [`RenderError::NoLevel`] if the runs cannot have such rows, [`RenderError::Csv`] when the writer
/// refuses.
pub fn csv(report: &Report, level: Level) -> Result<String, RenderError> {
    let table = Table::of(report, level)?;
    let mut rows = Rows::of(&table.columns)?;
    for row in &table.rows {
        rows.add(row.iter().map(cell))?;
    }
    rows.finish()
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use linerate_analysis::report::Curve;
    use linerate_core::traffic::Transfer;

    use super::super::fixture;
    use super::*;

    /// The header of a CSV, and its rows.
    fn read(text: &str) -> (Vec<String>, Vec<::csv::StringRecord>) {
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("there is a header").iter().map(str::to_owned).collect();
        (header, reader.records().map(|line| line.expect("a line")).collect())
    }

    fn column(header: &[String], name: &str) -> usize {
        header.iter().position(|heading| heading == name).expect(name)
    }

    #[test]
    fn it_reads_back_to_the_report() {
        let report = fixture::two();
        let (header, lines) = read(&csv(&report, Level::Point).expect("it has a CSV form"));
        let column = |name: &str| column(&header, name);
        let timed: Vec<_> = report.curves.iter().flat_map(Curve::timed).collect();
        assert_eq!(lines.len(), timed.len());
        for (line, (size, timed)) in lines.iter().zip(timed) {
            assert_eq!(line[column("size_bytes")].parse(), Ok(size));
            assert_eq!(line[column("median_us")].parse(), Ok(timed.median_us));
            assert_eq!(line[column("throughput_mbps")].parse(), Ok(timed.mbps));
            assert_eq!(line[column("settled")].parse(), Ok(timed.settled));
        }
    }

    #[test]
    fn every_round_has_a_row_with_its_own_numbers() {
        let report = fixture::one();
        let (header, lines) = read(&csv(&report, Level::Round).expect("it has a CSV form"));
        let column = |name: &str| column(&header, name);
        let series = &report.runs[0].run.series[0];
        let rounds: Vec<_> = series
            .points
            .iter()
            .flat_map(|point| point.rounds.iter().map(|round| (point.size, round)))
            .collect();
        assert_eq!(lines.len(), rounds.len());
        for (line, (size, round)) in lines.iter().zip(rounds) {
            assert_eq!(line[column("size_bytes")].parse(), Ok(size));
            assert_eq!(line[column("round")].parse(), Ok(round.round + 1));
            assert_eq!(line[column("mean_us")].parse(), Ok(round.mean.as_ps() as f64 / 1e6));
            assert_eq!(line[column("samples")].parse(), Ok(round.samples));
            let mbps: f64 = line[column("throughput_mbps")].parse().expect("a rate");
            let expected = size as f64 * 8e6 / round.median.as_ps() as f64;
            assert!((mbps / expected - 1.0).abs() < 1e-9, "{mbps} {expected}");
        }
    }

    #[test]
    fn every_row_says_which_run_it_is_of() {
        let mut report = fixture::two();
        report.runs[0].run.id = "0199".to_owned();
        report.runs[0].run.labels.insert("kernel".to_owned(), "6.18, new".to_owned());
        let (header, lines) = read(&csv(&report, Level::Point).expect("it has a CSV form"));
        let column = |name: &str| column(&header, name);
        for line in &lines {
            let first = &line[column("run")] == report.runs[0].name.as_str();
            assert_eq!(&line[column("label_kernel")], if first { "6.18, new" } else { "" });
            assert_eq!(&line[column("id")], if first { "0199" } else { "" });
            let run = &report.runs[usize::from(!first)].run;
            assert_eq!(&line[column("started")], run.started);
            assert_eq!(&line[column("transport")], run.path().transport);
        }
        assert!(lines.iter().any(|line| line[column("run")] == *report.runs[1].name));
    }

    #[test]
    fn every_quantity_has_its_unit_in_its_name() {
        let bare = [
            "run",
            "id",
            "started",
            "source",
            "from_host",
            "to_hosts",
            "transport",
            "kind",
            "curve",
            "pattern",
            "link_share",
            "samples",
            "batch",
            "rounds",
            "warmup_samples",
            "settled",
            "pass",
            "round",
        ];
        let report = fixture::one();
        for level in [Level::Point, Level::Round] {
            let (header, _) = read(&csv(&report, level).expect("it has a CSV form"));
            for name in header.iter().filter(|name| !bare.contains(&name.as_str())) {
                assert!(["_us", "_bytes", "_mbps"].iter().any(|unit| name.ends_with(unit)), "{name}");
            }
        }
    }

    #[test]
    fn what_is_unknown_is_an_empty_cell() {
        let mut report = fixture::one();
        for point in &mut report.curves[0].points {
            if let Some(timed) = &mut point.timed {
                (timed.interval_us, timed.mbps_interval, timed.link_share) = (None, None, None);
            }
        }
        let (header, lines) = read(&csv(&report, Level::Point).expect("it has a CSV form"));
        for name in ["median_low_us", "median_high_us", "throughput_low_mbps", "link_share"] {
            assert!(lines.iter().all(|line| line[column(&header, name)].is_empty()), "{name}");
        }
    }

    #[test]
    fn a_level_that_no_run_has_is_refused_by_name() {
        let refused = |report: &Report, level| csv(report, level).expect_err("it has none").to_string();
        let curves = refused(&fixture::one(), Level::Interval);
        assert_eq!(
            curves,
            "list each interval: none of the runs has any; ask for the level run, point or round"
        );
        let loads = refused(&fixture::loads(vec![Transfer::default()]), Level::Round);
        assert_eq!(
            loads,
            "list each round: none of the runs has any; ask for the level run, point or interval"
        );
        let curves = refused(&fixture::one(), Level::Pair);
        assert_eq!(curves, "list each pair: none of the runs has any; ask for the level run, point or round");
    }
}
