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
          what if     mtu=9000: 64 B 10.0 -> 5.00 us; 32768 B 384 -> 192 us

          size   measured us  predicted us  from    to     what if us  from    to
          64            11.0          10.0  8.00  12.5  c        5.00  4.00  6.25
          128           16.5          15.0  12.0  18.8           7.50  6.00  9.38
          256           24.8          22.5  18.0  28.1           11.2  9.00  14.1
          512           37.1          33.8  27.0  42.2           16.9  13.5  21.1
          1024          55.7          50.6  40.5  63.3           25.3  20.2  31.6
          2048          83.5          75.9  60.8  94.9           38.0  30.4  47.5
          4096           125           114  91.1   142           57.0  45.6  71.2
          8192           188           171   137   214           85.4  68.3   107
          16384          282           256   205   320            128   103   160
          32768          769           384   308   481  !         192   154   240

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

          size   unchanged     1     2     3
          64          10.0  5.00  3.33  2.50
          128         15.0  7.50  5.00  3.75
          256         22.5  11.2  7.50  5.62
          512         33.8  16.9  11.2  8.44
          1024        50.6  25.3  16.9  12.7
          2048        75.9  38.0  25.3  19.0
          4096         114  57.0  38.0  28.5
          8192         171  85.4  57.0  42.7
          16384        256   128  85.4  64.1
          32768        384   192   128  96.1

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
