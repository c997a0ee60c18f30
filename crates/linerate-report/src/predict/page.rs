//! A prediction as one page that needs nothing else.

use linerate_sim::calibrate::Band;
use linerate_study::prediction::{Compared, Prediction, WhatIf};

use super::super::page::html as page;
use super::super::section::{self, Cell, Document, Item, Part, Section, TableView, Warning, entries};
use super::super::text::{digits, plain};
use super::chart::figures;
use super::facts;
use crate::error::RenderError;

/// How the tables are read.
const READ: &str = "Times are of one message one way. The band holds what is not known of the host's costs and what the model itself gets wrong, by the calibration; it does not hold the error of the measurement. Sizes that were used for the calibration are not held out.";

/// `prediction` as one HTML page: the verdict, both charts, cautions, how to test a change, and
/// every number.
///
/// # Errors
///
/// [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(prediction: &Prediction) -> Result<String, RenderError> {
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
    let mut sections = vec![
        Section::new(
            Part::Result,
            "result",
            "",
            vec![Item::Facts(entries(facts(prediction))), Item::Note(computed)],
        ),
        Section::new(Part::Charts, "charts", "Charts", section::charts(figures(prediction)).collect()),
        Section::new(Part::Doubts, "cautions", "Cautions", cautions.into_iter().collect()),
        Section::new(Part::Tables, "numbers", "Numbers", numbers.collect()),
    ];
    sections.extend(tests);
    page(Document::new(format!("{}: measured and predicted", plain(&prediction.run)), sections), None)
}

/// Every size; a change that is alone stands beside it, and several have a table each.
fn tables(prediction: &Prediction) -> Vec<TableView> {
    let what_if = prediction.what_if.as_slice();
    let (beside, apart) = if what_if.len() == 1 { (what_if.first(), &[][..]) } else { (None, what_if) };
    let rows = prediction.points.iter().enumerate();
    let rows = rows.map(|(nth, point)| row(beside.map(|it| it.bands[nth]), point)).collect();
    let headings = headings(beside.is_some());
    let all = TableView { rows, ..TableView::of_rows("Every size", headings) };
    [all].into_iter().chain(apart.iter().map(|it| under(prediction, it))).collect()
}

/// Every size under one of several changes.
fn under(prediction: &Prediction, what_if: &WhatIf) -> TableView {
    let row = |(point, band): (&Compared, &Band)| {
        let size = point.conditions.size.to_string();
        [size, digits(point.band.centre.as_us())].into_iter().chain(times(*band)).map(Cell::from).collect()
    };
    let headings = ["size B", "predicted us"].iter().chain(&CHANGED);
    let headings = headings.map(|text| (*text).to_owned()).collect();
    let table = TableView::of_rows(format!("Every size with {}", what_if.change), headings);
    TableView { rows: prediction.points.iter().zip(&what_if.bands).map(row).collect(), ..table }
}

/// Headings of what is predicted under a change.
const CHANGED: [&str; 3] = ["what if us", "from us", "to us"];

fn headings(changed: bool) -> Vec<String> {
    let usual = ["size B", "MTU B", "measured us", "predicted us", "from us", "to us", "error", "verdict"];
    let more: &[&str] = if changed { &CHANGED } else { &[] };
    usual.iter().chain(more).map(|text| (*text).to_owned()).collect()
}

fn row(changed: Option<Band>, point: &Compared) -> Vec<Cell> {
    let mut row = vec![point.conditions.size.to_string(), point.conditions.mtu.to_string()];
    row.push(digits(point.measured.as_us()));
    row.extend(times(point.band));
    row.push(format!("{:+.1} %", point.error() * 100.0));
    let verdict = if point.inside() { "in the band" } else { "outside" };
    row.push(if point.used { format!("{verdict}, used") } else { verdict.to_owned() });
    row.extend(changed.into_iter().flat_map(times));
    row.into_iter().map(Cell::from).collect()
}

/// The middle of a band and its ends. Unit: us.
fn times(band: Band) -> [String; 3] {
    [band.centre, band.low, band.high].map(|time| digits(time.as_us()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_asks_the_network_for_nothing_and_shows_everything() {
        let page = html(&fixture::prediction()).expect("it has a page");
        crate::golden::asks_for_nothing(&page);
        assert_eq!(page.matches("<g class=\"curve ").count(), 2 * 4, "two bands and two kinds of points");
        let (_, table) = page.split_once("Every size").expect("there is a table");
        assert_eq!(table.matches("<tr>").count(), 1 + 10);
        assert!(page.contains("linerate measure node --out after.run.json"));
    }

    #[test]
    fn every_change_has_its_curve_its_table_and_its_test() {
        let page = html(&fixture::several(8)).expect("it has a page");
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
        let page = html(&prediction).expect("it has a page");
        assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{1b}'));
        assert!(!page.contains("<b>"));
    }

    /// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate prediction_to_look_at -- --ignored`.
    #[test]
    #[ignore = "writes files for a person to look at"]
    fn prediction_to_look_at() {
        let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
        let page = html(&fixture::prediction()).expect("it has a page");
        std::fs::write(folder.join("prediction.html"), page).expect("the folder is there");
        let page = html(&fixture::several(8)).expect("it has a page");
        std::fs::write(folder.join("changes.html"), page).expect("the folder is there");
    }
}
