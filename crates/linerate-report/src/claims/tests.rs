use linerate_core::plan::Rows;
use linerate_study::claims::Verdict;

use super::{document, fixture};
use crate::text::columns;

fn text(in_full: bool, width: u16) -> String {
    fixture::with(in_full, |checked| document(checked).text(width, Rows::Short))
}

#[test]
fn every_line_fits_a_usual_terminal() {
    for in_full in [false, true] {
        for width in [60, 80, 120] {
            let text = text(in_full, width);
            let wide: Vec<&str> = text.lines().filter(|line| columns(line) > usize::from(width)).collect();
            assert!(wide.is_empty(), "{width}: {wide:#?}");
        }
    }
}

#[test]
fn every_claim_is_named_and_the_summary_is_first() {
    for in_full in [false, true] {
        let text = text(in_full, 80);
        fixture::with(in_full, |checked| {
            for judged in checked.judged {
                assert!(text.contains(&judged.claim.id), "{}", judged.claim.id);
            }
        });
        let first = text.split("\n\n").nth(1).unwrap_or_default().replace("\n  ", " ");
        assert!(first.starts_with("199 claims: ") && first.contains("could not be checked."), "{first}");
    }
}

#[test]
fn what_could_not_be_checked_is_told_once_for_each_reason() {
    let text = text(false, u16::MAX);
    let mut told: Vec<&str> = text.lines().filter(|line| line.contains("could not check")).collect();
    fixture::with(false, |checked| {
        let mut ids = std::collections::BTreeMap::<&str, Vec<&str>>::new();
        for judged in checked.judged.iter().filter(|judged| judged.verdict == Verdict::CouldNot) {
            let reason = judged.trouble.as_deref().expect("it has a reason");
            ids.entry(reason).or_default().push(&judged.claim.id);
        }
        assert!(ids.len() > 1, "{ids:?}");
        let line =
            |(reason, ids): (&&str, &Vec<&str>)| format!("! could not check {}; {reason}", ids.join(", "));
        let mut expected: Vec<String> = ids.iter().map(line).collect();
        expected.sort();
        told.sort_unstable();
        assert_eq!(told, expected);
    });
}

#[test]
fn what_is_compared_has_a_column_where_there_is_room() {
    assert_eq!([80, 160].map(|width| text(false, width).contains("claim  what is compared")), [false, true]);
}
