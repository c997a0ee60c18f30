//! A calibrated host as sections.

use linerate_core::units::Span;
use linerate_sim::calibrate::{Band, Estimate, HostFile, PointRecord, ProbeRecord};
use linerate_study::prediction::WIDEST;

use super::section::{self, Cell, Document, Item, Part, Section, TableView, Warning, entries};
use super::text::{digits, percent, plain};

/// The fitted values with their intervals, and the evidence.
pub fn host(file: &HostFile) -> Document {
    let calibration = &file.calibration;
    let of = &calibration.of;
    let [error, drift] = [calibration.discrepancy, calibration.drift].map(percent);
    let freedom = digits(calibration.freedom);
    // What the parameters leave open comes on top.
    let band = |fitted: Span| Band::new(fitted, 0.0, calibration);
    let points = &calibration.point;
    let inside = points.iter().filter(|it| band(time(it.fitted_us)).holds(time(it.measured_us))).count();
    let width = band(Span::from_ms(1)).width();
    let facts = [
        ("processor", plain(&of.processor)),
        ("kernel", plain(&of.kernel)),
        (
            "model error",
            format!("{error} of a time, that no choice of costs explains ({freedom} degrees of freedom)"),
        ),
        ("drift", format!("{drift} of a time, from one connection to a later one")),
        ("in the band", format!("{inside} of {} times that were fitted", points.len())),
        ("band", format!("of a prediction, its upper end is at least {width:.2} times its lower end")),
    ];
    let wide = (width > WIDEST).then(|| {
        let finding = format!(
            "the upper end of a band is at least {width:.1} times its lower end: predictions say little"
        );
        Item::Cautions(vec![Warning::new(finding, "calibrate again on a quieter host, or with more --time")])
    });
    let columns = |first, middle| [(first, 0), (middle, 0), ("95 % from", 1), ("to", 1), ("unit", 0)];
    let of_points = [
        ("MTU", 2),
        ("pattern", 0),
        ("processors", 2),
        ("size", 0),
        ("measured us", 0),
        ("fitted us", 0),
        ("off by", 0),
    ];
    let tables = [
        TableView::of("", &columns("cost", "fitted"), calibration.value.iter().map(value).collect()),
        TableView::of("", &columns("probe", "median"), calibration.probe.iter().map(probe).collect()),
        TableView::of("", &of_points, calibration.point.iter().map(point).collect()),
    ];
    let sections = vec![
        Section::new(Part::Result, "host", "", vec![Item::Facts(entries(facts))]),
        Section::new(Part::Doubts, "cautions", "Cautions", wide.into_iter().collect()),
        Section::new(Part::Tables, "numbers", "", section::tables(tables).collect()),
    ];
    Document::new(plain(&format!("{}: calibrated {}", of.hostname, calibration.made)), sections)
}

fn time(us: f64) -> Span {
    Span::from_seconds(us / 1e6)
}

fn value(value: &Estimate) -> Vec<Cell> {
    let ([low, high], parameter) = (value.interval.map(digits), value.parameter);
    [parameter.key().to_owned(), digits(value.fitted), low, high, parameter.unit().to_owned()]
        .map(Cell::from)
        .to_vec()
}

fn probe(probe: &ProbeRecord) -> Vec<Cell> {
    let [low, high] = probe.interval.map(digits);
    [plain(&probe.name), digits(probe.median), low, high, plain(&probe.unit)].map(Cell::from).to_vec()
}

fn point(point: &PointRecord) -> Vec<Cell> {
    let (of, off) = (&point.conditions, point.fitted_us / point.measured_us - 1.0);
    [
        of.mtu.to_string(),
        of.pattern.name().to_owned(),
        if of.one_processor { "one" } else { "two" }.to_owned(),
        of.size.to_string(),
        digits(point.measured_us),
        digits(point.fitted_us),
        format!("{:+.1} %", off * 100.0),
    ]
    .map(Cell::from)
    .to_vec()
}
