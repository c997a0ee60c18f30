//! Checks as sections.

use linerate_study::claims::{Contradiction, Judged, Modelled, Source, Tally, Verdict};

use super::words::{
    NOTHING, allowed, compared, computed, configuration, contradictions, grouped, modelled, note, published,
    summary, untested, what,
};
use super::{Checked, figures::figures};
use crate::section::{
    self, Card, Cell, Document, Entry, Item, Kind, Part, Section, TableView, Tone, Warning,
};
use crate::text::plain;

/// `checked` in every form: a summary, charts, what nobody expected, every verdict, the contradictions, and what is not
/// testable and why. With `in_full` each claim stands by itself.
pub fn document(checked: &Checked<'_>) -> Document {
    let tally = Tally::of(checked.judged);
    let about = "Models in virtual time: no host took part. A definition says only that the model has a rule, and a claim that parameters were calibrated on predicts nothing.";
    let found =
        vec![Item::Lead(format!("{}.", summary(&tally, checked.judged.len()))), Item::Note(about.to_owned())];
    let marks = "Modelled curves; published figures are rings where their place is known, else dashed lines.";
    let drawn = section::charts(figures(checked)).chain([Item::Note(marks.to_owned())]).collect();
    let troubles = troubles(checked);
    let cautions = (!troubles.is_empty()).then_some(Item::Cautions(troubles));
    let mut sections = vec![
        Section::new(Part::Result, "result", "", found),
        Section::new(Part::Charts, "charts", "Charts", drawn),
        Section::new(Part::Doubts, "cautions", "Not as expected", cautions.into_iter().collect()),
    ];
    let table =
        |id, heading, table| Section::new(Part::Tables, id, heading, section::tables([table]).collect());
    if checked.in_full {
        let cards = checked.judged.iter().map(|judged| card(checked, judged)).collect();
        sections.push(Section::new(Part::Tables, "claims", "", vec![Item::Keys(cards)]));
    } else {
        sections.extend(checked.claims.sources.iter().map(|source| of_source(checked, source)));
        sections.push(table("missed", "Known misses", missed(checked)));
        sections.push(Section::new(Part::Tables, "untested", "Not testable", not_tested(checked)));
    }
    sections.push(table("contradictions", "Contradictions", contradicting(checked)));
    Document::new("Published claims and the model".to_owned(), sections)
}

/// The claims of a source that were compared or are contradicted.
fn of_source(checked: &Checked<'_>, source: &Source) -> Section {
    let columns = [
        ("claim", 0),
        ("what is compared", 3),
        ("kind", 2),
        ("published", 0),
        ("modelled", 0),
        ("allowed", 1),
        ("verdict", 0),
    ];
    let shown =
        |judged: &&Judged<'_>| judged.claim.source == source.number && judged.verdict != Verdict::NotTestable;
    let rows = checked.judged.iter().filter(shown).map(|judged| row(checked, judged)).collect();
    let heading = format!("{} {}", source.number, plain(&source.title));
    let table = TableView::of("", &columns, rows);
    Section::new(Part::Tables, "source", heading, section::tables([table]).collect())
}

/// The contradictions that a claim is part of.
fn disputes(checked: &Checked<'_>, judged: &Judged<'_>) -> String {
    let all = checked.claims.contradictions_of(judged.claim).map(|it| it.id.as_str());
    all.collect::<Vec<_>>().join(", ")
}

fn row(checked: &Checked<'_>, judged: &Judged<'_>) -> Vec<Cell> {
    let lines = |first: String, rest: Vec<Option<String>>| {
        Cell::from([Some(first)].into_iter().chain(rest).flatten().collect::<Vec<_>>().join("\n"))
    };
    let (set_up, see) = (plain(&configuration(judged.claim)), disputes(checked, judged));
    let tone = match judged.verdict.name() {
        "predicted" => Tone::Good,
        "definition" | "not testable" => Tone::Quiet,
        "calibrated" => Tone::Plain,
        "contradicted" => Tone::Differs,
        _ => Tone::Bad,
    };
    let note = note(judged).filter(|_| judged.verdict != Verdict::Missed);
    let what = lines(
        plain(what(judged)),
        vec![
            computed(judged),
            (set_up != NOTHING).then(|| format!("set-up: {set_up}")),
            note.map(|note| plain(&note)),
            (!see.is_empty()).then(|| format!("see {see}")),
        ],
    );
    let compared = compared(judged).map(|compared| format!(" ({compared})")).unwrap_or_default();
    vec![
        judged.claim.id.clone().into(),
        what,
        judged.check.status.name().into(),
        (plain(&published(judged.claim)) + &compared).into(),
        modelled(judged).into(),
        lines(allowed(judged), vec![judged.check.interval_from.as_deref().map(plain)]),
        Cell::toned(judged.verdict.name(), tone),
    ]
}

/// A claim in full: what was published, for which set-up, how it is checked, and the result.
fn card(checked: &Checked<'_>, judged: &Judged<'_>) -> Card {
    let (claim, check) = (judged.claim, judged.check);
    let title = checked.claims.sources.iter().find(|source| source.number == claim.source);
    let title = title.map_or("", |source| &source.title);
    let is_compared = check.model.is_some() || !check.descending.is_empty();
    let of_check = |text: Option<String>| text.filter(|_| is_compared).unwrap_or_default();
    let entries = [
        ("source", format!("{} {title}", claim.source)),
        ("set-up", configuration(claim)),
        ("published", published(claim)),
        ("kind", check.status.name().to_owned()),
        ("compared", of_check(Some(what(judged).to_owned()))),
        ("computed", of_check(computed(judged))),
        ("against", of_check(compared(judged))),
        ("allowed", of_check(Some(allowed(judged)))),
        ("interval", of_check(check.interval_from.clone())),
        ("modelled", modelled(judged)),
        ("verdict", judged.verdict.name().to_owned()),
        ("note", note(judged).unwrap_or_default()),
        ("see", disputes(checked, judged)),
    ];
    let keys = entries.into_iter().filter(|(_, value)| !value.is_empty() && value != NOTHING);
    Card {
        kind: Kind::Claim,
        title: plain(&format!("{}: {}", claim.id, claim.metric)),
        colour: None,
        keys: keys.map(|(label, value)| Entry::from((label, plain(&value)))).collect(),
        note: String::new(),
    }
}

/// The misses that are known, and why.
fn missed(checked: &Checked<'_>) -> TableView {
    let missed = checked.judged.iter().filter(|judged| judged.verdict == Verdict::Missed);
    let row = |judged: &Judged<'_>| {
        vec![Cell::from(judged.claim.id.clone()), plain(&note(judged).unwrap_or_default()).into()]
    };
    TableView::of("", &[("claim", 0), ("why the model misses it", 0)], missed.map(row).collect())
}

/// What nobody expected, and what could not be checked: what was compared, and why.
fn troubles(checked: &Checked<'_>) -> Vec<Warning> {
    let findings = checked.judged.iter().filter(|judged| judged.verdict.is_finding());
    let finding = |judged: &Judged<'_>| {
        let is_stale = judged.verdict == Verdict::OutOfDate;
        let verdict = if is_stale { "is not missed as recorded" } else { "fails" };
        let (id, allowed) = (&judged.claim.id, allowed(judged));
        let text = format!("{id} {verdict}: {}: {}, allowed is {allowed}", what(judged), modelled(judged));
        let usual = || format!("`linerate model check {id}` shows how it is computed");
        Warning::new(plain(&text), note(judged).map_or_else(usual, |note| plain(&note)))
    };
    let mut all: Vec<Warning> = findings.map(finding).collect();
    let failed = checked.judged.iter().filter(|judged| judged.verdict == Verdict::CouldNot);
    all.extend(
        grouped(failed, |judged| judged.trouble.as_deref())
            .into_iter()
            .map(|(reason, ids)| Warning::new(format!("could not check {}", ids_of(&ids)), plain(reason))),
    );
    all
}

fn contradicting(checked: &Checked<'_>) -> TableView {
    let row = |it: &Contradiction| {
        let claims =
            if it.claims.is_empty() { String::new() } else { format!(" ({})", it.claims.join(", ")) };
        vec![Cell::from(it.id.clone() + &claims), plain(&format!("{}; {}", it.problem, it.treatment)).into()]
    };
    let columns = [("claims", 0), ("what does not fit, and what is done about it", 0)];
    TableView::of("", &columns, contradictions(checked).into_iter().map(row).collect())
}

/// Why claims are not tested, and what the model gives for some of them nevertheless.
fn not_tested(checked: &Checked<'_>) -> Vec<Item> {
    let groups = untested(checked);
    let reason =
        |(reason, group): &(&str, Vec<&Judged<'_>>)| vec![Cell::from(ids_of(group)), plain(reason).into()];
    let row = |judged: &&Judged<'_>| {
        let modelled = match judged.modelled {
            Modelled::Nothing => NOTHING.to_owned(),
            _ => format!("{} ({})", modelled(judged), what(judged)),
        };
        [judged.claim.id.clone(), plain(&judged.claim.metric), plain(&published(judged.claim)), modelled]
            .map(Cell::from)
            .to_vec()
    };
    let reasons = TableView::of("", &[("claims", 0), ("why", 0)], groups.iter().map(reason).collect());
    let columns = [("claim", 0), ("what", 0), ("published", 0), ("the model gives", 0)];
    let rows = groups.iter().flat_map(|(_, group)| group.iter().map(row)).collect();
    let each = TableView::of("Every claim that is not testable", &columns, rows).closed().at_length();
    section::tables([reasons, each]).collect()
}

fn ids_of(group: &[&Judged<'_>]) -> String {
    group.iter().map(|judged| judged.claim.id.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_asks_the_network_for_nothing() {
        let page = fixture::with(false, |checked| document(checked).html().expect("it has a page"));
        crate::golden::asks_for_nothing(&page);
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn every_claim_is_on_the_page_and_the_charts_have_their_marks() {
        let page = fixture::with(false, |checked| document(checked).html().expect("it has a page"));
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
        let page = fixture::with(false, |checked| document(checked).html().expect("it has a page"));
        std::fs::write(folder.join("claims.html"), page).expect("the folder is there");
    }
}
