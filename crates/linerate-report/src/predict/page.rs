//! A prediction as one page that needs nothing else.

use askama::Template;
use linerate_study::prediction::{Compared, Prediction};

use super::super::columns::TableView;
use super::super::figure::{Figure, hover};
use super::super::page::{Entry, Frame, entries};
use super::super::text::{digits, plain};
use super::chart::figures;
use super::facts;
use crate::error::RenderError;

#[derive(Template)]
#[template(path = "predict.html")]
struct Page {
    title: String,
    frame: Frame,
    facts: Vec<Entry>,
    figures: Vec<Figure>,
    tables: Vec<TableView>,
    cautions: Vec<[String; 2]>,
    change: String,
    test: Vec<String>,
}

/// `prediction` as one HTML page: the verdict, both charts, cautions, how to test a change, and
/// every number.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(prediction: &Prediction) -> Result<String, RenderError> {
    let mut figures = figures(prediction)?;
    let page = Page {
        title: format!("{}: measured and predicted", plain(&prediction.run)),
        frame: Frame::new(&hover(&mut figures))?,
        facts: entries(facts(prediction)),
        figures,
        tables: vec![table(prediction)],
        cautions: prediction.cautions.iter().map(|it| [plain(&it[0]), plain(&it[1])]).collect(),
        change: prediction.what_if.as_ref().map(|it| it.change.clone()).unwrap_or_default(),
        test: prediction.what_if.iter().flat_map(|it| it.test.iter().map(|line| plain(line))).collect(),
    };
    Ok(page.render()?)
}

fn table(prediction: &Prediction) -> TableView {
    let rows = prediction.points.iter().enumerate().map(|(nth, point)| row(prediction, nth, point));
    TableView { title: "Every size".to_owned(), headings: headings(prediction), rows: rows.collect() }
}

fn headings(prediction: &Prediction) -> Vec<String> {
    let usual = ["size B", "MTU B", "measured us", "predicted us", "from us", "to us", "error", "verdict"];
    let more: &[&str] = if prediction.what_if.is_some() { &["what if us", "from us", "to us"] } else { &[] };
    usual.iter().chain(more).map(|text| (*text).to_owned()).collect()
}

fn row(prediction: &Prediction, nth: usize, point: &Compared) -> Vec<String> {
    let band = point.band;
    let mut row = vec![point.conditions.size.to_string(), point.conditions.mtu.to_string()];
    row.extend([point.measured, band.centre, band.low, band.high].map(|time| digits(time.as_us())));
    row.push(format!("{:+.1} %", point.error() * 100.0));
    let verdict = if point.inside() { "in the band" } else { "outside" };
    row.push(if point.used { format!("{verdict}, used") } else { verdict.to_owned() });
    if let Some(what_if) = &prediction.what_if {
        let band = what_if.bands[nth];
        row.extend([band.centre, band.low, band.high].map(|time| digits(time.as_us())));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_asks_the_network_for_nothing_and_shows_everything() {
        let page = html(&fixture::prediction()).expect("it has a page");
        let bare = page.replace("http://www.w3.org/2000/svg", "");
        for address in ["http://", "https://", "url(", "@import", "src=", "fetch(", "import("] {
            assert!(!bare.contains(address), "{address}");
        }
        assert_eq!(page.matches("<g class=\"curve ").count(), 2 * 4, "two bands and two kinds of points");
        let (_, table) = page.split_once("Every size").expect("there is a table");
        assert_eq!(table.matches("<tr>").count(), 1 + 10);
        assert!(page.contains("linerate measure node --out after.run.json"));
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
    }
}
