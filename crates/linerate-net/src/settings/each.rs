//! A value that has parts: one for each queue, interrupt, policy or feature.
//!
//! Where all are the same it is written once, `3`; else with the name of each part, `rx-0=1 rx-1=2`.

use super::Value;
use super::error::Cause;

/// The value of these parts.
pub(super) fn join(parts: &[(String, String)]) -> Value {
    let first = parts.first().map(|(_, value)| value);
    match first {
        Some(first) if parts.iter().all(|(_, value)| value == first) => Value::from(first.as_str()),
        _ => list(parts.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
    }
}

/// The value of these parts, each with its name.
pub(super) fn list<'a>(parts: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    Value::from(parts.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
}

/// The parts that `value` names.
pub(super) fn parts(value: &Value) -> impl Iterator<Item = (&str, &str)> {
    value.as_str().split(' ').filter_map(|word| word.split_once('='))
}

/// What `value` says of the part called `name`.
pub(super) fn part<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    parts(value).find(|(other, _)| *other == name).map(|(_, value)| value)
}

/// What `value` says of each of the parts called `names`: those that it names, or all.
pub(super) fn split(value: &Value, names: &[String]) -> Result<Vec<(String, String)>, Cause> {
    if !value.as_str().contains('=') {
        return Ok(names.iter().map(|name| (name.clone(), value.as_str().to_owned())).collect());
    }
    let part = |word: &str| {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            Cause::Value(format!("{word} says not of which part it is; there are {}", names.join(", ")))
        })?;
        if !names.iter().any(|known| known == name) {
            return Err(Cause::Value(format!("there is no {name}; there are {}", names.join(", "))));
        }
        Ok((name.to_owned(), value.to_owned()))
    };
    value.as_str().split(' ').map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(parts: &[(&str, &str)]) -> Vec<(String, String)> {
        parts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn equal_parts_are_written_once_and_others_with_their_names() {
        assert_eq!(join(&parts(&[("a", "1"), ("b", "1")])).as_str(), "1");
        assert_eq!(join(&parts(&[("a", "1"), ("b", "2")])).as_str(), "a=1 b=2");
    }

    #[test]
    fn what_is_joined_is_split_again() {
        let names = ["a", "b"].map(str::to_owned);
        for value in [parts(&[("a", "1"), ("b", "1")]), parts(&[("a", "1"), ("b", "2")])] {
            assert_eq!(split(&join(&value), &names).expect("good"), value);
        }
        assert!(split(&Value::from("c=1"), &names).is_err());
        assert!(split(&Value::from("a=1 2"), &names).is_err());
    }
}
