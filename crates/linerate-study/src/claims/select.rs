//! Which claims are meant.

use super::data::{Claim, Claims};

/// The most similar names that are suggested.
const SUGGESTIONS: usize = 3;
/// A name that differs in more letters is not similar.
const NEAR: usize = 2;

/// A name that no claim has.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What was given.
    pub given: String,
    /// Names that are like it.
    pub near: Vec<String>,
}

/// The claims that `given` names, in the order in which they are stored: each by itself or by the
/// letter of its source, in upper or lower case. An empty list means all.
///
/// # Errors
///
/// The first name that no claim has.
pub fn select<'a>(claims: &'a Claims, given: &[String]) -> Result<Vec<&'a Claim>, Unknown> {
    let all = || claims.claims.iter();
    if given.is_empty() {
        return Ok(all().collect());
    }
    let wanted: Vec<String> = given.iter().map(|name| name.trim().to_ascii_uppercase()).collect();
    let is = |name: &str, claim: &Claim| claim.id == name || (name.len() == 1 && claim.id.starts_with(name));
    if let Some(place) = wanted.iter().position(|name| !all().any(|claim| is(name, claim))) {
        return Err(Unknown { given: given[place].clone(), near: near(claims, &wanted[place]) });
    }
    Ok(all().filter(|claim| wanted.iter().any(|name| is(name, claim))).collect())
}

/// Names that differ from `name` in the fewest letters.
fn near(claims: &Claims, name: &str) -> Vec<String> {
    let mut near: Vec<(usize, &str)> =
        claims.claims.iter().map(|claim| (distance(&claim.id, name), claim.id.as_str())).collect();
    near.retain(|(distance, _)| *distance <= NEAR);
    let Some(least) = near.iter().map(|(distance, _)| *distance).min() else { return Vec::new() };
    near.retain(|(distance, _)| *distance == least);
    near.into_iter().take(SUGGESTIONS).map(|(_, id)| id.to_owned()).collect()
}

/// How many letters have to be put in, left out or changed. Source: Levenshtein 1966.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (nth, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = nth + 1;
        for (at, of_other) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != *of_other);
            diagonal = row[at + 1];
            row[at + 1] = change.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(given: &[&str]) -> Result<Vec<String>, Unknown> {
        let claims = Claims::shipped();
        let given: Vec<String> = given.iter().map(|name| (*name).to_owned()).collect();
        let chosen = select(&claims, &given)?;
        Ok(chosen.into_iter().map(|claim| claim.id.clone()).collect())
    }

    #[test]
    fn claims_are_meant_by_name_or_letter_each_once_and_in_order() {
        assert_eq!(ids(&["P026", "f053", "F053"]), Ok(vec!["F053".to_owned(), "P026".to_owned()]));
        assert_eq!(ids(&["T"]).map(|ids| ids.len()), Ok(28));
        assert_eq!(ids(&["t", "T001"]).map(|ids| ids.len()), Ok(28));
        assert_eq!(ids(&[]).map(|ids| ids.len()), Ok(199));
    }

    #[test]
    fn near_names_are_suggested() {
        let unknown = ids(&["F063", "F0633"]).expect_err("there is none");
        assert_eq!(
            (unknown.given.as_str(), &unknown.near[..]),
            ("F0633", &["F033".to_owned(), "F063".to_owned()][..])
        );
        assert_eq!(ids(&["Z"]).expect_err("there is none").near.len(), 0);
        assert_eq!(ids(&["F1"]).map_err(|unknown| unknown.given), Err("F1".to_owned()), "no prefixes");
    }

    #[test]
    fn letters_are_counted() {
        assert_eq!(distance("F063", "F063"), 0);
        assert_eq!(distance("F063", "F63"), 1);
        assert_eq!(distance("P018", "F019"), 2);
        assert_eq!(distance("", "abc"), 3);
    }
}
