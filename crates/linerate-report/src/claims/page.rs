//! Checks as one page that needs nothing else: no network, no other file, and no script needed to
//! read it.

use askama::Template;
use linerate_study::claims::{Contradiction, Judged, Tally, Verdict};

use super::Checked;
use super::figures::figures;
use super::words::{
    allowed, compared, computed, configuration, contradictions, modelled, note, published, summary, untested,
    what,
};
use crate::error::RenderError;
use crate::figure::{Figure, hover};
use crate::page::Frame;
use crate::text::plain;

#[derive(Template)]
#[template(path = "claims.html")]
struct Page<'a> {
    title: &'static str,
    frame: Frame,
    summary: String,
    tally: Tally,
    sources: Vec<SourceView<'a>>,
    figures: Vec<Figure>,
    untested: Vec<Group>,
    contradictions: Vec<&'a Contradiction>,
}

/// The claims of a source that were compared or are contradicted.
struct SourceView<'a> {
    number: &'a str,
    title: &'a str,
    rows: Vec<Row>,
}

/// A claim and what its check says.
struct Row {
    id: String,
    kind: &'static str,
    what: String,
    configuration: String,
    published: String,
    compared: Option<String>,
    computed: Option<String>,
    modelled: String,
    allowed: String,
    interval_from: Option<String>,
    verdict: &'static str,
    note: Option<String>,
    contradictions: String,
}

/// Claims that are not tested for one reason.
struct Group {
    reason: String,
    claims: Vec<Untested>,
}

struct Untested {
    id: String,
    metric: String,
    published: String,
    /// The model's value nevertheless, and its meaning.
    modelled: Option<String>,
}

/// `checked` as one HTML page: a summary, charts, every verdict, what is not testable and why, the
/// contradictions.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(checked: &Checked<'_>) -> Result<String, RenderError> {
    let mut figures = figures(checked)?;
    let tally = Tally::of(checked.judged);
    let page = Page {
        title: "Published claims and the model",
        frame: Frame::new(&hover(&mut figures))?,
        summary: summary(&tally, checked.judged.len()),
        tally,
        sources: sources(checked),
        figures,
        untested: untested(checked).into_iter().map(|(reason, group)| of_group(reason, &group)).collect(),
        contradictions: contradictions(checked),
    };
    Ok(page.render()?)
}

fn sources<'a>(checked: &Checked<'a>) -> Vec<SourceView<'a>> {
    let of_source = |number: &str| {
        let shown =
            |judged: &&Judged<'_>| judged.claim.source == number && judged.verdict != Verdict::NotTestable;
        checked.judged.iter().filter(shown).map(|judged| row(checked, judged)).collect::<Vec<Row>>()
    };
    let view = |source: &'a linerate_study::claims::Source| {
        let rows = of_source(&source.number);
        (!rows.is_empty()).then_some(SourceView { number: &source.number, title: &source.title, rows })
    };
    checked.claims.sources.iter().filter_map(view).collect()
}

fn row(checked: &Checked<'_>, judged: &Judged<'_>) -> Row {
    let ids: Vec<&str> = checked.claims.contradictions_of(judged.claim).map(|it| it.id.as_str()).collect();
    Row {
        id: judged.claim.id.clone(),
        kind: judged.check.status.name(),
        what: plain(what(judged)),
        configuration: plain(&configuration(judged.claim)),
        published: plain(&published(judged.claim)),
        compared: compared(judged),
        computed: computed(judged),
        modelled: modelled(judged),
        allowed: allowed(judged),
        interval_from: judged.check.interval_from.as_deref().map(plain),
        verdict: judged.verdict.name(),
        note: note(judged).map(|note| plain(&note)),
        contradictions: ids.join(", "),
    }
}

fn of_group(reason: &str, group: &[&Judged<'_>]) -> Group {
    let untested = |judged: &&Judged<'_>| {
        let modelled = (judged.modelled != linerate_study::claims::Modelled::Nothing)
            .then(|| format!("{} ({})", modelled(judged), what(judged)));
        Untested {
            id: judged.claim.id.clone(),
            metric: plain(&judged.claim.metric),
            published: plain(&published(judged.claim)),
            modelled,
        }
    };
    Group { reason: plain(reason), claims: group.iter().map(untested).collect() }
}

impl Group {
    /// Whether the model gives a value nevertheless.
    fn has_modelled(&self) -> bool {
        self.claims.iter().any(|claim| claim.modelled.is_some())
    }
}

impl Row {
    /// Its style on the page.
    fn class(&self) -> String {
        self.verdict.replace(' ', "-")
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_asks_the_network_for_nothing() {
        let page = fixture::with(false, |checked| html(checked).expect("it has a page"));
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for address in ["http://", "https://", "url(", "@import", "src=", "fetch(", "import("] {
            assert!(!page.contains(address), "{address}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn every_claim_is_on_the_page_and_the_charts_have_their_marks() {
        let page = fixture::with(false, |checked| html(checked).expect("it has a page"));
        fixture::with(false, |checked| {
            for judged in checked.judged {
                assert!(page.contains(&format!(">{}</th>", judged.claim.id)), "{}", judged.claim.id);
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
