//! A prediction as sections.

use linerate_sim::calibrate::Band;
use linerate_study::prediction::{Compared, Prediction, WhatIf};

use super::super::section::{self, Cell, Document, Item, Part, Section, TableView, Tone, Warning, entries};
use super::super::text::{digits, plain};
use super::chart::figures;
use super::facts;

/// How the tables are read.
const READ: &str = "Times are of one message one way. The band holds what is not known of the host's costs and what the model itself gets wrong, by the calibration; it does not hold the error of the measurement. Sizes that were used for the calibration are not held out.";

/// `prediction` in every form: how good it is, both charts, cautions, every number, and how to test a change.
pub fn document(prediction: &Prediction) -> Document {
    let cautions: Vec<Warning> =
        prediction.cautions.iter().map(|it| Warning::new(plain(&it[0]), plain(&it[1]))).collect();
    let cautions = (!cautions.is_empty()).then_some(Item::Cautions(cautions));
    let tests = prediction.what_if.iter().map(|what_if| {
        let text = what_if.test.iter().map(|line| plain(line) + "\n").collect();
        let heading = format!("To find out whether {} does that", what_if.change);
        Section::new(Part::Method, "test", heading, vec![Item::Listing { title: String::new(), text }])
    });
    let numbers = section::tables(tables(prediction)).chain([Item::Note(READ.to_owned())]);
    let computed = "The predicted curves were computed by a model of the calibrated host.".to_owned();
    let result = vec![Item::Facts(entries(facts(prediction))), Item::Note(computed)];
    let mut sections = vec![
        Section::new(Part::Result, "result", "", result),
        Section::new(Part::Charts, "charts", "Charts", section::charts(figures(prediction)).collect()),
        Section::new(Part::Doubts, "cautions", "Cautions", cautions.into_iter().collect()),
        Section::new(Part::Tables, "numbers", "Numbers", numbers.collect()),
    ];
    sections.extend(tests);
    Document::new(format!("{}: measured and predicted", plain(&prediction.run)), sections)
}

/// Every size; a change that is alone stands beside it, and several have a table of all and one each.
fn tables(prediction: &Prediction) -> Vec<TableView> {
    let what_if = prediction.what_if.as_slice();
    let (beside, apart) = if what_if.len() == 1 { (what_if.first(), &[][..]) } else { (None, what_if) };
    let rows = prediction.points.iter().enumerate();
    let rows = rows.map(|(nth, point)| row(beside.map(|it| it.bands[nth]), point)).collect();
    let mut columns = vec![
        ("size B", 0),
        ("MTU B", 3),
        ("measured", 0),
        ("predicted", 0),
        ("from", 1),
        ("to", 1),
        ("error", 2),
        ("", 0),
    ];
    columns.extend(if beside.is_some() { &CHANGED[..] } else { &[] });
    let all = TableView::of("Every size, times in us", &columns, rows);
    let each = apart.iter().map(|it| under(prediction, it));
    [all].into_iter().chain(changes(prediction, apart)).chain(each).collect()
}

/// What is predicted under each of several changes, so that they are compared at a glance.
fn changes(prediction: &Prediction, what_if: &[WhatIf]) -> Option<TableView> {
    let row = |(nth, point): (usize, &Compared)| {
        let changed = what_if.iter().map(|it| it.bands[nth]);
        let times = [point.band].into_iter().chain(changed).map(|band| digits(band.centre.as_us()));
        [point.conditions.size.to_string()].into_iter().chain(times).map(Cell::from).collect()
    };
    let names = what_if.iter().map(|it| (it.change.as_str(), 1));
    let columns: Vec<(&str, u8)> = [("size B", 0), ("unchanged", 0)].into_iter().chain(names).collect();
    let rows = prediction.points.iter().enumerate().map(row).collect();
    (!what_if.is_empty()).then(|| TableView::of("Predicted with each change, us", &columns, rows))
}

/// Every size under one of several changes.
fn under(prediction: &Prediction, what_if: &WhatIf) -> TableView {
    let row = |(point, band): (&Compared, &Band)| {
        let size = point.conditions.size.to_string();
        [size, digits(point.band.centre.as_us())].into_iter().chain(times(*band)).map(Cell::from).collect()
    };
    let columns = [&[("size B", 0), ("predicted", 0)][..], &CHANGED].concat();
    let rows = prediction.points.iter().zip(&what_if.bands).map(row).collect();
    TableView::of(format!("Every size with {}, times in us", what_if.change), &columns, rows).at_length()
}

/// The columns of what is predicted under a change.
const CHANGED: [(&str, u8); 3] = [("what if", 0), ("from", 1), ("to", 1)];

fn row(changed: Option<Band>, point: &Compared) -> Vec<Cell> {
    let mut row = vec![point.conditions.size.to_string(), point.conditions.mtu.to_string()];
    row.push(digits(point.measured.as_us()));
    row.extend(times(point.band));
    row.push(format!("{:+.1} %", point.error() * 100.0));
    let mut row: Vec<Cell> = row.into_iter().map(Cell::from).collect();
    row.push(match (point.used, point.inside()) {
        (true, true) => "used".into(),
        (true, false) => "used, outside".into(),
        (false, true) => Cell::default(),
        (false, false) => Cell::toned("outside", Tone::Bad),
    });
    row.extend(changed.into_iter().flat_map(times).map(Cell::from));
    row
}

/// The middle of a band and its ends. Unit: us.
fn times(band: Band) -> [String; 3] {
    [band.centre, band.low, band.high].map(|time| digits(time.as_us()))
}

#[cfg(test)]
mod tests {
    use linerate_core::plan::Rows;

    use super::super::fixture;
    use super::*;

    #[test]
    fn it_asks_the_network_for_nothing_and_shows_everything() {
        let page = document(&fixture::prediction()).html().expect("it has a page");
        crate::golden::asks_for_nothing(&page);
        assert_eq!(page.matches("<g class=\"curve ").count(), 2 * 4, "two bands and two kinds of points");
        let (_, table) = page.split_once("Every size").expect("there is a table");
        assert_eq!(table.matches("<tr>").count(), 1 + 10);
        assert!(page.contains("linerate measure node --out after.run.json"));
    }

    #[test]
    fn every_change_has_its_curve_its_table_and_its_test() {
        let page = document(&fixture::several(8)).html().expect("it has a page");
        assert_eq!(page.matches("<g class=\"curve ").count(), 2 * (1 + 8 + 2));
        for nth in 1..=8 {
            let change = format!("mtu={nth}000");
            assert!(page.contains(&format!("predicted with {change}")), "{change}");
            assert!(page.contains(&format!("Every size with {change}")), "{change}");
            assert!(page.contains(&format!("To find out whether {change} does that")), "{change}");
            assert!(page.contains(&format!("--out after-{nth}.run.json")), "{change}");
        }
        assert_eq!(page.matches("id=\"test\"").count(), 1);
        assert_eq!(page.matches("id=\"test-8\"").count(), 1);
    }

    #[test]
    fn a_hostile_name_is_text_and_not_markup() {
        let mut prediction = fixture::prediction();
        prediction.run = "</script><script>alert(1)</script>".to_owned();
        prediction.cautions[0][0] = "<img src=x>\u{1b}[31m".to_owned();
        prediction.host.hostname = "<b>".to_owned();
        let page = document(&prediction).html().expect("it has a page");
        assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{1b}'));
        assert!(!page.contains("<b>"));
    }

    #[test]
    fn the_whole_text_reads_well() {
        insta::assert_snapshot!(document(&fixture::prediction()).text(80, Rows::Short), @"
        x: measured and predicted

          host         node, cpu, calibrated 2026-11-22T00:00:00+00:00
          sizes        10, of which 9 are held out
          in the band  8 of 9 held-out sizes (88.9 %)
          band         its upper end is 1.56 times its lower end, in the median
          error        9.1 % of the held-out times, in the median
          spread       model 5.0 % of a time, the host's drift 2.0 %, by the calibration
          what if      mtu=9000: 64 B 10.0 -> 5.00 us; 32768 B 384 -> 192 us
        The predicted curves were computed by a model of the calibrated host.

        ! a finding; an advice

        Every size, times in us:
          size B  measured  predicted  from    to    error           what if  from    to
              64      11.0       10.0  8.00  12.5   -9.1 %  used        5.00  4.00  6.25
             128      16.5       15.0  12.0  18.8   -9.1 %              7.50  6.00  9.38
             256      24.8       22.5  18.0  28.1   -9.1 %              11.2  9.00  14.1
             512      37.1       33.8  27.0  42.2   -9.1 %              16.9  13.5  21.1
            1024      55.7       50.6  40.5  63.3   -9.1 %              25.3  20.2  31.6
            2048      83.5       75.9  60.8  94.9   -9.1 %              38.0  30.4  47.5
            4096       125        114  91.1   142   -9.1 %              57.0  45.6  71.2
            8192       188        171   137   214   -9.1 %              85.4  68.3   107
           16384       282        256   205   320   -9.1 %               128   103   160
           32768       769        384   308   481  -50.0 %  outside      192   154   240
          (no room for MTU B; --format json has all)

        Times are of one message one way. The band holds what is not known of the host's
          costs and what the model itself gets wrong, by the calibration; it does not
          hold the error of the measurement. Sizes that were used for the calibration
          are not held out.

        To find out whether mtu=9000 does that:
            linerate measure node --out after.run.json
        ");
    }

    #[test]
    fn each_of_several_changes_has_a_column() {
        let text = document(&fixture::several(3)).text(80, Rows::Short);
        let (_, changes) = text.split_once("Predicted with each change").expect("a table");
        insta::assert_snapshot!(changes, @"
        , us:
          size B  unchanged  mtu=1000  mtu=2000  mtu=3000
              64       10.0      5.00      3.33      2.50
             128       15.0      7.50      5.00      3.75
             256       22.5     11.2       7.50      5.62
             512       33.8     16.9      11.2       8.44
            1024       50.6     25.3      16.9      12.7
            2048       75.9     38.0      25.3      19.0
            4096      114       57.0      38.0      28.5
            8192      171       85.4      57.0      42.7
           16384      256      128        85.4      64.1
           32768      384      192       128        96.1

        Times are of one message one way. The band holds what is not known of the host's
          costs and what the model itself gets wrong, by the calibration; it does not
          hold the error of the measurement. Sizes that were used for the calibration
          are not held out.

        To find out whether mtu=1000 does that:
            linerate measure node --out after-1.run.json

        To find out whether mtu=2000 does that:
            linerate measure node --out after-2.run.json

        To find out whether mtu=3000 does that:
            linerate measure node --out after-3.run.json

        --rows all also shows: Every size with mtu=1000, times in us; Every size with
          mtu=2000, times in us; Every size with mtu=3000, times in us
        ");
    }

    #[test]
    fn every_line_fits_the_width() {
        for prediction in [fixture::prediction(), fixture::several(8)] {
            let text = document(&prediction).text(80, Rows::Short);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        }
    }

    /// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate prediction_to_look_at -- --ignored`.
    #[test]
    #[ignore = "writes files for a person to look at"]
    fn prediction_to_look_at() {
        let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
        let page = document(&fixture::prediction()).html().expect("it has a page");
        std::fs::write(folder.join("prediction.html"), page).expect("the folder is there");
        let page = document(&fixture::several(8)).html().expect("it has a page");
        std::fs::write(folder.join("changes.html"), page).expect("the folder is there");
    }
}
