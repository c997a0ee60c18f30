//! `docs/papers.md`: that it is whole, and how its table is written anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use super::json;

/// The table of verdicts lies between these lines.
const BEGIN: &str = "<!-- verdicts: begin -->";
/// See [`BEGIN`].
const END: &str = "<!-- verdicts: end -->";

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers.md")
}

fn text() -> String {
    std::fs::read_to_string(page()).expect("it is in the repository")
}

/// A number with four digits, whole where it is whole.
fn number(value: &Value) -> String {
    let Some(value) = value.as_f64() else { return String::new() };
    if (value - value.round()).abs() < 1e-6 {
        return format!("{value:.0}");
    }
    let decimals = (3.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

/// A row of the table; none of a claim that is not compared.
fn row(claim: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if claim["verdict"] == "not-testable" {
        return None;
    }
    let modelled = match claim["descending"].as_array() {
        Some(terms) => terms.iter().map(number).collect::<Vec<_>>().join(", "),
        None => number(&claim["modelled"]),
    };
    let fact = &claim["claim"];
    let unit = text(&fact["unit"]).replace('-', "");
    Some(format!(
        "| {} | {} | {} | {} | {} | {} |",
        text(&fact["id"]),
        text(&claim["compared"]),
        format!("{} {unit}", text(&fact["value"])).trim().replace('|', "/"),
        format!("{} {}", number(&claim["published"]), text(&claim["unit"])).trim(),
        modelled,
        text(&claim["verdict"]).replace('-', " "),
    ))
}

#[test]
fn every_compared_claim_and_every_contradiction_is_on_the_page() {
    let text = text();
    for name in ["f", "p", "a", "t"] {
        let file =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../claims").join(name).with_extension("toml");
        let checks = std::fs::read_to_string(file).expect("it is in the repository");
        let checks: toml::Table = checks.parse().expect("it is TOML");
        for (id, check) in checks["claims"].as_table().expect("checks") {
            let compared = check["status"].as_str() != Some("not-testable");
            assert_eq!(text.contains(&format!("\n| {id} |")), compared, "{id}: refresh docs/papers.md");
        }
    }
    for nth in 1..=15 {
        assert!(text.contains(&format!("\n| X{nth} |")), "X{nth} is not in docs/papers.md");
    }
    assert!(text.contains(BEGIN) && text.contains(END));
}

/// Every claim at once: each comes out as recorded, and the page says of each what the model says.
#[test]
fn every_claim_comes_out_as_recorded_and_stands_on_the_page_as_computed() {
    let (code, checked) = json(&[]);
    let claims = checked["claims"].as_array().expect("claims");
    let bad: Vec<&Value> = claims
        .iter()
        .filter(|claim| {
            matches!(claim["verdict"].as_str(), Some("fails" | "out-of-date" | "could-not") | None)
        })
        .collect();
    assert!(bad.is_empty() && code == Some(0), "exit {code:?}: {bad:#?}");
    let text = text();
    let stale: Vec<String> =
        claims.iter().filter_map(row).filter(|row| !text.contains(&format!("\n{row}\n"))).collect();
    assert!(stale.is_empty(), "refresh docs/papers.md: {stale:#?}");
}

/// Writes the table anew: `cargo test --release -p linerate --test it papers::refresh -- --ignored`.
#[test]
#[ignore = "writes docs/papers.md"]
fn refresh() {
    let (_, checked) = json(&[]);
    let mut table = "| claim | what is compared | as published | against | modelled | verdict |\n|---|---|---|---|---|---|\n".to_owned();
    for row in checked["claims"].as_array().expect("claims").iter().filter_map(row) {
        writeln!(table, "{row}").expect("a string takes all");
    }
    let text = text();
    let (before, rest) = text.split_once(BEGIN).expect("the table begins somewhere");
    let (_, after) = rest.split_once(END).expect("the table ends somewhere");
    std::fs::write(page(), format!("{before}{BEGIN}\n{table}{END}{after}")).expect("it can be written");
}
