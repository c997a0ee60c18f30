//! The report as comma-separated values.

use linerate_core::report::{Curve, CurvePoint, Report};

use super::text::{curve_name, plain};
use crate::error::RenderError;

/// The columns; times are of one message one way, rates of payload in one direction (10^6 bit/s).
const HEADER: [&str; 19] = [
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

/// `report` as CSV (RFC 4180): a header with units, then a line for each timed size of each curve.
/// What is unknown is an empty cell, and so is never read as zero.
///
/// # Errors
///
/// [`RenderError::Csv`] when the writer refuses.
pub fn csv(report: &Report) -> Result<String, RenderError> {
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(HEADER)?;
    for (index, curve) in report.curves.iter().enumerate() {
        let name = curve_name(report, index);
        for cells in curve.points.iter().filter_map(|point| line(&name, curve, point)) {
            out.write_record(cells)?;
        }
    }
    let bytes = out.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8(bytes).expect("only text was written"))
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
