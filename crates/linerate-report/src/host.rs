//! A calibrated host as text for people.

use linerate_sim::calibrate::{Estimate, HostFile, PointRecord, ProbeRecord};

use super::predict::grid;
use super::text::{digits, item, percent, plain};

/// The fitted values with their intervals, and the evidence.
pub fn host(file: &HostFile, width: u16) -> String {
    let width = usize::from(width);
    let calibration = &file.calibration;
    let of = &calibration.of;
    let head = [
        item("host", &plain(&format!("{}, {}, {}", of.hostname, of.processor, of.kernel)), width),
        item(
            "model error",
            &format!(
                "{} of a time, that no choice of costs explains ({} degrees of freedom)",
                percent(calibration.discrepancy),
                digits(calibration.freedom)
            ),
            width,
        ),
        item(
            "drift",
            &format!("{} of a time, from one connection to a later one", percent(calibration.drift)),
            width,
        ),
    ];
    let values =
        grid(&["cost", "fitted", "95 % from", "to", "unit"], calibration.value.iter().map(value).collect());
    let probes =
        grid(&["probe", "median", "95 % from", "to", "unit"], calibration.probe.iter().map(probe).collect());
    let points = grid(
        &["MTU", "pattern", "processors", "size", "measured us", "fitted us", "off by"],
        calibration.point.iter().map(point).collect(),
    );
    [head.join("\n"), values, probes, points].join("\n\n") + "\n"
}

fn value(value: &Estimate) -> Vec<String> {
    let [low, high] = value.interval.map(digits);
    let parameter = value.parameter;
    vec![parameter.key().to_owned(), digits(value.fitted), low, high, parameter.unit().to_owned()]
}

fn probe(probe: &ProbeRecord) -> Vec<String> {
    let [low, high] = probe.interval.map(digits);
    vec![plain(&probe.name), digits(probe.median), low, high, plain(&probe.unit)]
}

fn point(point: &PointRecord) -> Vec<String> {
    let off = point.fitted_us / point.measured_us - 1.0;
    vec![
        point.conditions.mtu.to_string(),
        point.conditions.pattern.name().to_owned(),
        if point.conditions.one_processor { "one" } else { "two" }.to_owned(),
        point.conditions.size.to_string(),
        digits(point.measured_us),
        digits(point.fitted_us),
        format!("{:+.1} %", off * 100.0),
    ]
}
