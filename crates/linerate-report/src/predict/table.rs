//! A prediction as text for people.

use linerate_study::prediction::{Compared, Prediction};

use super::super::text::{digits, item, plain, wrap};
use super::{facts, grid};

/// The summary, every size, how to test a change, and what is doubtful.
pub fn table(prediction: &Prediction, width: u16) -> String {
    let width = usize::from(width);
    let mut head = vec![format!("{}: measured and predicted", plain(&prediction.run))];
    head.extend(facts(prediction).iter().map(|(label, value)| item(label, value, width)));
    let mut blocks = vec![head.join("\n"), rows(prediction)];
    blocks.push("  c used for the calibration, so not held out; ! measured outside its band".to_owned());
    if prediction.what_if.len() > 1 {
        let last = prediction.what_if.len();
        blocks.push(format!(
            "  predicted us under what if 1 to {last}; their bands are in the page and in JSON"
        ));
        blocks.push(changes(prediction));
    }
    for what_if in &prediction.what_if {
        let test: Vec<String> =
            what_if.test.iter().map(|command| format!("    {}", plain(command))).collect();
        blocks.push(format!("  to find out whether `{}` does that:\n{}", what_if.change, test.join("\n")));
    }
    let cautions = prediction.cautions.iter();
    let cautions: Vec<String> = cautions
        .map(|[finding, advice]| wrap(&format!("! {}; {advice}", plain(finding)), width, 2))
        .collect();
    blocks.push(cautions.join("\n"));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn rows(prediction: &Prediction) -> String {
    let mut headings = vec!["size", "measured us", "predicted us", "from", "to", ""];
    let alone = match prediction.what_if.as_slice() {
        [alone] => Some(alone),
        _ => None,
    };
    if alone.is_some() {
        headings.extend(["what if us", "from", "to"]);
    }
    let row = |(nth, point): (usize, &Compared)| {
        let band = point.band;
        let mut row = vec![point.conditions.size.to_string()];
        row.extend([point.measured, band.centre, band.low, band.high].map(|time| digits(time.as_us())));
        row.push(mark(point).to_owned());
        if let Some(what_if) = alone {
            let band = what_if.bands[nth];
            row.extend([band.centre, band.low, band.high].map(|time| digits(time.as_us())));
        }
        row
    };
    grid(&headings, prediction.points.iter().enumerate().map(row).collect())
}

/// What is predicted under each of several changes: a column each, so that they are compared at a
/// glance.
fn changes(prediction: &Prediction) -> String {
    let numbers: Vec<String> = (1..=prediction.what_if.len()).map(|nth| nth.to_string()).collect();
    let headings = ["size", "unchanged"].into_iter().chain(numbers.iter().map(String::as_str));
    let headings: Vec<&str> = headings.collect();
    let row = |(nth, point): (usize, &Compared)| {
        let changed = prediction.what_if.iter().map(|it| it.bands[nth]);
        let times = [point.band].into_iter().chain(changed).map(|band| digits(band.centre.as_us()));
        [point.conditions.size.to_string()].into_iter().chain(times).collect()
    };
    grid(&headings, prediction.points.iter().enumerate().map(row).collect())
}

fn mark(point: &Compared) -> &'static str {
    match (point.used, point.inside()) {
        (true, true) => "c",
        (true, false) => "c!",
        (false, true) => "",
        (false, false) => "!",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_whole_text_reads_well() {
        insta::assert_snapshot!(table(&fixture::prediction(), 80), @"
        x: measured and predicted
          host        node, cpu, calibrated 2026-11-22T00:00:00+00:00
          sizes       10, of which 9 are held out
          in the band 8 of 9 held-out sizes (88.9 %)
          error       9.1 % of the held-out times, in the median
          spread      model 5.0 % of a time, the host's drift 2.0 %, by the calibration
          what if     mtu=9000: 64 B 10.00 -> 5.000 us; 32768 B 384.4 -> 192.2 us

          size   measured us  predicted us   from     to     what if us   from     to
          64           11.00         10.00  8.000  12.50  c       5.000  4.000  6.250
          128          16.50         15.00  12.00  18.75          7.500  6.000  9.375
          256          24.75         22.50  18.00  28.12          11.25  9.000  14.06
          512          37.12         33.75  27.00  42.19          16.88  13.50  21.09
          1024         55.69         50.62  40.50  63.28          25.31  20.25  31.64
          2048         83.53         75.94  60.75  94.92          37.97  30.38  47.46
          4096         125.3         113.9  91.12  142.4          56.95  45.56  71.19
          8192         187.9         170.9  136.7  213.6          85.43  68.34  106.8
          16384        281.9         256.3  205.0  320.4          128.1  102.5  160.2
          32768        768.9         384.4  307.5  480.5  !       192.2  153.8  240.3

          c used for the calibration, so not held out; ! measured outside its band

          to find out whether `mtu=9000` does that:
            linerate measure node --out after.run.json

        ! a finding; an advice
        ");
    }

    #[test]
    fn each_of_several_changes_has_a_column() {
        let text = table(&fixture::several(3), 80);
        let (_, changes) = text.split_once("held out; ! measured outside its band\n").expect("a legend");
        insta::assert_snapshot!(changes, @"
          predicted us under what if 1 to 3; their bands are in the page and in JSON

          size   unchanged      1      2      3
          64         10.00  5.000  3.333  2.500
          128        15.00  7.500  5.000  3.750
          256        22.50  11.25  7.500  5.625
          512        33.75  16.88  11.25  8.438
          1024       50.62  25.31  16.88  12.66
          2048       75.94  37.97  25.31  18.98
          4096       113.9  56.95  37.97  28.48
          8192       170.9  85.43  56.95  42.71
          16384      256.3  128.1  85.43  64.07
          32768      384.4  192.2  128.1  96.11

          to find out whether `mtu=1000` does that:
            linerate measure node --out after-1.run.json

          to find out whether `mtu=2000` does that:
            linerate measure node --out after-2.run.json

          to find out whether `mtu=3000` does that:
            linerate measure node --out after-3.run.json

        ! a finding; an advice
        ");
    }

    #[test]
    fn every_line_fits_the_width() {
        for prediction in [fixture::prediction(), fixture::several(8)] {
            let text = table(&prediction, 80);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        }
    }
}
