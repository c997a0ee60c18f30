//! Checks as plain text for people.

use comfy_table::presets::NOTHING as NO_LINES;
use comfy_table::{ContentArrangement, Table};
use linerate_study::claims::{Judged, Tally, Verdict};

use super::words::{allowed, compared, contradictions, modelled, note, published, summary, untested, what};
use super::{Checked, details};
use crate::text::{plain, wrap};

/// The narrowest table: the numbers alone need this.
const NARROWEST: usize = 60;
/// From this width on there is room for what is compared.
const ROOMY: usize = 110;

/// `checked` as text of about `width` columns: a row for each claim that was compared, by source;
/// those that the model misses, and why; those that are not testable, by reason; what nobody
/// expected; the contradictions; a summary. No colours, no control codes.
pub fn table(checked: &Checked<'_>, width: u16) -> String {
    let width = usize::from(width).max(NARROWEST);
    let mut blocks = if checked.in_full {
        details::blocks(checked, width)
    } else {
        let mut blocks: Vec<String> =
            checked.claims.sources.iter().map(|source| rows(checked, &source.number, width)).collect();
        blocks.push(missed(checked, width));
        blocks.push(not_tested(checked, width));
        blocks.push(troubles(checked, width));
        blocks
    };
    blocks.push(disagreements(checked, width));
    blocks.push(wrap(&summary(&Tally::of(checked.judged), checked.judged.len()), width, 2));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// The claims of a source that were compared, or are contradicted.
fn rows(checked: &Checked<'_>, source: &str, width: usize) -> String {
    let shown =
        |judged: &&Judged<'_>| judged.claim.source == source && judged.verdict != Verdict::NotTestable;
    let shown: Vec<&Judged<'_>> = checked.judged.iter().filter(shown).collect();
    if shown.is_empty() {
        return String::new();
    }
    let title = checked.claims.sources.iter().find(|known| known.number == source);
    let title = title.map_or("", |source| &source.title);
    let mut table = Table::new();
    table.load_style(NO_LINES).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    let wide = width >= ROOMY;
    let mut header = vec!["claim", "kind", "published", "modelled", "allowed", "verdict"];
    if wide {
        header.insert(1, "what is compared");
    }
    table.set_header(header);
    for judged in shown {
        table.add_row(row(judged, wide));
    }
    for column in table.column_iter_mut() {
        column.set_padding((2, 0));
    }
    format!("{}\n{}", wrap(&format!("{source} {}", plain(title)), width, 2), table.trim_fmt())
}

fn row(judged: &Judged<'_>, wide: bool) -> Vec<String> {
    let said = published(judged.claim);
    let said = match compared(judged) {
        Some(compared) => format!("{said} ({compared})"),
        None => said,
    };
    let mut row = vec![
        judged.claim.id.clone(),
        judged.check.status.name().to_owned(),
        plain(&said),
        modelled(judged),
        allowed(judged),
        judged.verdict.name().to_owned(),
    ];
    if wide {
        row.insert(1, plain(what(judged)));
    }
    row
}

/// The misses that are known, and why.
fn missed(checked: &Checked<'_>, width: usize) -> String {
    let missed = checked.judged.iter().filter(|judged| judged.verdict == Verdict::Missed);
    let line = |judged: &Judged<'_>| {
        let text = format!("{}: {}", judged.claim.id, note(judged).unwrap_or_default());
        indented(&wrap(&plain(&text), width.saturating_sub(2), 2))
    };
    let lines: Vec<String> = missed.map(line).collect();
    if lines.is_empty() { String::new() } else { format!("Missed\n{}", lines.join("\n")) }
}

/// What nobody expected, and what could not be checked: what was compared, and why.
fn troubles(checked: &Checked<'_>, width: usize) -> String {
    let findings = checked.judged.iter().filter(|judged| judged.verdict.is_finding());
    let mut lines: Vec<String> = findings
        .map(|judged| {
            let note = note(judged).map_or_else(String::new, |note| format!(" ({note})"));
            let (id, what, verdict) = (&judged.claim.id, what(judged), finding(judged.verdict));
            let text = format!(
                "! {id} {verdict}: {what}: {}, allowed is {}{note}",
                modelled(judged),
                allowed(judged)
            );
            wrap(&plain(&text), width, 2)
        })
        .collect();
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for judged in checked.judged.iter().filter(|judged| judged.verdict == Verdict::CouldNot) {
        let reason = judged.trouble.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, ids)) => ids.push(&judged.claim.id),
            None => reasons.push((reason, vec![&judged.claim.id])),
        }
    }
    let could_not = |(reason, ids): &(&str, Vec<&str>)| {
        wrap(&plain(&format!("! could not check {}: {reason}", ids.join(", "))), width, 2)
    };
    lines.extend(reasons.iter().map(could_not));
    lines.join("\n")
}

/// What is wrong with a claim that nobody expected to come out like this.
const fn finding(verdict: Verdict) -> &'static str {
    if matches!(verdict, Verdict::OutOfDate) { "is not missed as recorded" } else { "fails" }
}

/// The claims that are not tested, by reason.
fn not_tested(checked: &Checked<'_>, width: usize) -> String {
    let groups = untested(checked);
    if groups.is_empty() {
        return String::new();
    }
    let line = |(reason, group): &(&str, Vec<&Judged<'_>>)| {
        let ids: Vec<&str> = group.iter().map(|judged| judged.claim.id.as_str()).collect();
        wrap(&plain(&format!("{}: {reason}", ids.join(", "))), width.saturating_sub(2), 2)
    };
    let lines: Vec<String> = groups.iter().map(|group| indented(&line(group))).collect();
    format!("Not testable\n{}", lines.join("\n"))
}

/// The contradictions of the sources.
fn disagreements(checked: &Checked<'_>, width: usize) -> String {
    let found = contradictions(checked);
    if found.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = found
        .iter()
        .map(|it| {
            let claims =
                if it.claims.is_empty() { String::new() } else { format!(" {}:", it.claims.join(", ")) };
            let text = format!("{}{claims} {}; {}", it.id, it.problem, it.treatment);
            indented(&wrap(&plain(&text), width.saturating_sub(2), 4))
        })
        .collect();
    format!("Contradictions\n{}", lines.join("\n"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::text::columns;

    #[test]
    fn every_line_fits_a_usual_terminal() {
        for in_full in [false, true] {
            for width in [60, 80, 120] {
                let text = fixture::with(in_full, |checked| table(checked, width));
                let wide: Vec<&str> =
                    text.lines().filter(|line| columns(line) > usize::from(width)).collect();
                assert!(wide.is_empty(), "{width}: {wide:#?}");
            }
        }
    }

    #[test]
    fn every_claim_is_named_and_the_summary_is_last() {
        let text = fixture::with(false, |checked| table(checked, 80));
        fixture::with(false, |checked| {
            for judged in checked.judged {
                assert!(text.contains(&judged.claim.id), "{}", judged.claim.id);
            }
        });
        let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default().replace("\n  ", " ");
        assert!(last.starts_with("199 claims: ") && last.ends_with("could not be checked"), "{last}");
        assert!(text.contains("! could not check"), "{text}");
    }

    #[test]
    fn what_could_not_be_checked_is_told_once_for_each_reason() {
        fixture::with(false, |checked| {
            let mut ids = std::collections::BTreeMap::<&str, Vec<&str>>::new();
            for judged in checked.judged.iter().filter(|judged| judged.verdict == Verdict::CouldNot) {
                let reason = judged.trouble.as_deref().expect("it has a reason");
                ids.entry(reason).or_default().push(&judged.claim.id);
            }
            assert!(ids.len() > 1, "{ids:?}");
            let expected =
                ids.iter().map(|(reason, ids)| format!("! could not check {}: {reason}", ids.join(", ")));
            let mut expected: Vec<String> = expected.collect();
            expected.sort();
            let told = troubles(checked, 1_000_000);
            let mut told: Vec<&str> = told.lines().filter(|line| line.contains("could not check")).collect();
            told.sort_unstable();
            assert_eq!(told, expected);
        });
    }

    #[test]
    fn what_is_compared_has_a_column_where_there_is_room() {
        let has = |width| fixture::with(false, |checked| table(checked, width).contains("what is compared"));
        assert_eq!([109, 110].map(has), [false, true]);
    }
}
