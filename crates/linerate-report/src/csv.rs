//! The report as comma-separated values.

use linerate_core::report::{Curve, CurvePoint, NamedRun, Report};

use super::text::{curve_name, plain};
use super::traffic::{INTERVALS, LATENCIES, Lines};
use crate::error::RenderError;

/// The columns; times are of one message one way, rates of payload in one direction (10^6 bit/s).
static HEADER: [&str; 19] = [
    "curve",
    "pattern",
    "size_bytes",
    "median_us",
    "median_low_us",
    "median_high_us",
    "min_us",
    "least_mean_us",
    "p99_us",
    "max_us",
    "throughput_mbps",
    "throughput_low_mbps",
    "throughput_high_mbps",
    "link_share",
    "samples",
    "batch",
    "rounds",
    "warmup_samples",
    "settled",
];

/// `report` as CSV (RFC 4180): a header with units, then a line for each timed size of each curve,
/// for each interval of each flow of a stream, and for each percentile of each latency of requests.
/// What is unknown is an empty cell, and so is never read as zero.
///
/// Several runs with loads among them have the columns of all that they have, after one that names
/// the run; a line leaves those empty that are of other things.
///
/// # Errors
///
/// [`RenderError::Csv`] when the writer refuses.
pub fn csv(report: &Report) -> Result<String, RenderError> {
    let of_run = |(index, named): (usize, &NamedRun)| {
        if named.has_loads() { of_loads(report, index) } else { of_curves(report, index) }
    };
    let tables: Vec<Table> = report.runs.iter().enumerate().map(of_run).collect();
    let named = report.runs.len() > 1 && report.runs.iter().any(NamedRun::has_loads);
    let mut headers: Vec<&[&str]> = Vec::new();
    for table in &tables {
        if !headers.contains(&table.header) {
            headers.push(table.header);
        }
    }
    if headers.is_empty() {
        headers.push(&HEADER);
    }
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(named.then_some(&"run").into_iter().chain(headers.iter().copied().flatten()))?;
    for (table, run) in tables.iter().zip(&report.runs) {
        let place = headers.iter().position(|header| *header == table.header).unwrap_or(0);
        let empty =
            |headers: &[&[&str]]| vec![String::new(); headers.iter().map(|header| header.len()).sum()];
        let (before, after) = (empty(&headers[..place]), empty(&headers[place + 1..]));
        let name = named.then(|| plain(&run.name));
        for line in &table.lines {
            out.write_record(name.iter().chain(&before).chain(line).chain(&after))?;
        }
    }
    let bytes = out.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8(bytes).expect("only text was written"))
}

/// The lines of a run.
struct Table {
    header: &'static [&'static str],
    lines: Vec<Vec<String>>,
}

impl Table {
    fn new<const N: usize>(header: &'static [&'static str; N], lines: Vec<[String; N]>) -> Self {
        Self { header, lines: lines.into_iter().map(Vec::from).collect() }
    }
}

fn of_loads(report: &Report, run: usize) -> Table {
    let loads: Vec<_> = report.loads_of(run).collect();
    match Lines::of(loads.iter().copied()) {
        Lines::Intervals(lines) => Table::new(&INTERVALS, lines),
        Lines::Latencies(lines) => Table::new(&LATENCIES, lines),
    }
}

fn of_curves(report: &Report, run: usize) -> Table {
    let curves = report.curves.iter().enumerate().filter(|(_, curve)| curve.run == run);
    let lines = curves.flat_map(|(index, curve)| {
        let name = curve_name(report, index);
        curve.points.iter().filter_map(move |point| line(&name, curve, point))
    });
    Table::new(&HEADER, lines.collect())
}

fn line(name: &str, curve: &Curve, point: &CurvePoint) -> Option<[String; HEADER.len()]> {
    let timed = point.timed?;
    let [low_us, high_us] = optional(timed.interval_us);
    let [low_mbps, high_mbps] = optional(timed.mbps_interval);
    Some([
        plain(name),
        curve.pattern.to_string(),
        point.size.to_string(),
        timed.median_us.to_string(),
        low_us,
        high_us,
        timed.min_us.to_string(),
        timed.least_mean_us.to_string(),
        timed.p99_us.to_string(),
        timed.max_us.to_string(),
        timed.mbps.to_string(),
        low_mbps,
        high_mbps,
        timed.link_share.map_or_else(String::new, |share| share.to_string()),
        timed.samples.to_string(),
        timed.batch.to_string(),
        timed.rounds.to_string(),
        timed.warmup.to_string(),
        timed.settled.to_string(),
    ])
}

fn optional(interval: Option<[f64; 2]>) -> [String; 2] {
    interval.map_or_else(Default::default, |ends| ends.map(|end| end.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_reads_back_to_the_report() {
        let report = fixture::two();
        let text = csv(&report).expect("it has a CSV form");
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("there is a header").clone();
        let column = |name: &str| header.iter().position(|heading| heading == name).expect(name);
        let lines: Vec<::csv::StringRecord> = reader.records().map(|line| line.expect("a line")).collect();
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
    fn every_quantity_has_its_unit_in_its_name() {
        let bare =
            ["curve", "pattern", "link_share", "samples", "batch", "rounds", "warmup_samples", "settled"];
        for name in HEADER.iter().filter(|name| !bare.contains(name)) {
            assert!(["_us", "_bytes", "_mbps"].iter().any(|unit| name.ends_with(unit)), "{name}");
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
        let text = csv(&report).expect("it has a CSV form");
        let first = text.lines().nth(1).expect("there is a line");
        assert_eq!(first.matches(",,").count(), 3, "{first}");
    }
}
