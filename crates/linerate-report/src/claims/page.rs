//! Checks as one page that needs nothing else: no network, no other file, and no script needed to
//! read it.

use linerate_study::claims::{Contradiction, Judged, Tally, Verdict};

use super::Checked;
use super::figures::figures;
use super::words::{
    allowed, compared, computed, configuration, contradictions, modelled, note, published, summary, untested,
    what,
};
use crate::error::RenderError;
use crate::page::html as page;
use crate::section::{self, Cell, Document, Item, Part, Section, TableView, Tone};
use crate::text::plain;

/// `checked` as one HTML page: a summary, charts, every verdict, what is not testable and why, the
/// contradictions.
///
/// # Errors
///
/// [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(checked: &Checked<'_>) -> Result<String, RenderError> {
    let tally = Tally::of(checked.judged);
    let about = "Models in virtual time: no host took part. A definition says only that the model has a rule, and a claim that parameters were calibrated on predicts nothing.";
    let found =
        vec![Item::Lead(format!("{}.", summary(&tally, checked.judged.len()))), Item::Note(about.to_owned())];
    let marks = "Modelled curves; published figures are rings where their place is known, else dashed lines.";
    let drawn = section::charts(figures(checked)).chain([Item::Note(marks.to_owned())]).collect();
    let mut sections = vec![
        Section::new(Part::Result, "result", "", found),
        Section::new(Part::Charts, "charts", "Charts", drawn),
    ];
    sections.extend(sources(checked));
    sections.push(Section::new(Part::Tables, "contradictions", "Contradictions", contradicting(checked)));
    let untested = untested(checked).into_iter().map(|(reason, group)| Item::Table(of_group(reason, &group)));
    sections.push(Section::new(Part::Tables, "untested", "Not testable", untested.collect()));
    page(Document::new("Published claims and the model".to_owned(), sections), None)
}

/// The claims of each source that were compared or are contradicted.
fn sources(checked: &Checked<'_>) -> Vec<Section> {
    let headings = ["claim", "what is compared", "published", "modelled", "allowed", "verdict"];
    let of_source = |source: &linerate_study::claims::Source| {
        let shown = |judged: &&Judged<'_>| {
            judged.claim.source == source.number && judged.verdict != Verdict::NotTestable
        };
        let rows = checked.judged.iter().filter(shown).map(|judged| row(checked, judged)).collect();
        let table = TableView { rows, ..TableView::of_rows("", headings.map(str::to_owned).to_vec()) };
        let heading = format!("{} {}", source.number, source.title);
        Section::new(Part::Tables, "source", heading, section::tables([table]).collect())
    };
    checked.claims.sources.iter().map(of_source).collect()
}

fn row(checked: &Checked<'_>, judged: &Judged<'_>) -> Vec<Cell> {
    let ids: Vec<&str> = checked.claims.contradictions_of(judged.claim).map(|it| it.id.as_str()).collect();
    let lines = |first: String, rest: Vec<Option<String>>| {
        Cell::from([Some(first)].into_iter().chain(rest).flatten().collect::<Vec<_>>().join("\n"))
    };
    let set_up = plain(&configuration(judged.claim));
    let (kind, verdict) = (judged.check.status.name(), judged.verdict.name());
    let tone = match judged.verdict.name() {
        "predicted" => Tone::Good,
        "definition" | "not testable" => Tone::Quiet,
        "calibrated" => Tone::Plain,
        "contradicted" => Tone::Differs,
        _ => Tone::Bad,
    };
    let what = lines(
        plain(what(judged)),
        vec![
            computed(judged),
            (set_up != "-").then(|| format!("set-up: {set_up}")),
            note(judged).map(|note| plain(&note)),
            (!ids.is_empty()).then(|| format!("see {}", ids.join(", "))),
        ],
    );
    let compared = compared(judged).map(|compared| format!("compared with {compared}"));
    let verdict = lines(verdict.to_owned(), vec![(kind != verdict).then(|| kind.to_owned())]);
    vec![
        judged.claim.id.clone().into(),
        what,
        lines(plain(&published(judged.claim)), vec![compared]),
        modelled(judged).into(),
        lines(allowed(judged), vec![judged.check.interval_from.as_deref().map(plain)]),
        Cell { tone, ..verdict },
    ]
}

fn contradicting(checked: &Checked<'_>) -> Vec<Item> {
    let row = |it: &&Contradiction| {
        [it.id.clone(), it.claims.join(", "), it.problem.clone(), it.treatment.clone()]
            .map(Cell::from)
            .to_vec()
    };
    let headings =
        ["name", "claims", "what does not fit", "what is done about it"].map(str::to_owned).to_vec();
    let rows = contradictions(checked).iter().map(row).collect();
    section::tables([TableView { rows, ..TableView::of_rows("", headings) }]).collect()
}

/// Claims that are not tested for one reason; of some the model gives a value nevertheless.
fn of_group(reason: &str, group: &[&Judged<'_>]) -> TableView {
    let row = |judged: &&Judged<'_>| {
        let modelled = match judged.modelled {
            linerate_study::claims::Modelled::Nothing => "-".to_owned(),
            _ => format!("{} ({})", modelled(judged), what(judged)),
        };
        [judged.claim.id.clone(), plain(&judged.claim.metric), plain(&published(judged.claim)), modelled]
            .map(Cell::from)
            .to_vec()
    };
    let headings = ["claim", "what", "published", "the model gives"].map(str::to_owned).to_vec();
    let table = TableView::of_rows(format!("{} ({})", plain(reason), group.len()), headings).closed();
    TableView { rows: group.iter().map(row).collect(), ..table }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_asks_the_network_for_nothing() {
        let page = fixture::with(false, |checked| html(checked).expect("it has a page"));
        crate::golden::asks_for_nothing(&page);
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn every_claim_is_on_the_page_and_the_charts_have_their_marks() {
        let page = fixture::with(false, |checked| html(checked).expect("it has a page"));
        fixture::with(false, |checked| {
            for judged in checked.judged {
                assert!(page.contains(&format!(">{}</td>", judged.claim.id)), "{}", judged.claim.id);
            }
        });
        assert_eq!(page.matches("<figure").count(), 2, "a chart by size and a sweep");
        assert_eq!(
            page.matches("published P003: 226 Mb/s (ring)").count(),
            2,
            "in the legend and the tooltip"
        );
    }

    /// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate pages_to_look_at -- --ignored`.
    #[test]
    #[ignore = "writes files for a person to look at"]
    fn pages_to_look_at() {
        let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
        let page = fixture::with(false, |checked| html(checked).expect("it has a page"));
        std::fs::write(folder.join("claims.html"), page).expect("the folder is there");
    }
}
