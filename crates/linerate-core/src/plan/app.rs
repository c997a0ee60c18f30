//! An application on many ranks: every option of `linerate app` that no other task has.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Common, Level, PlanError};
use crate::transport::Transport;
use crate::units::Span;

/// Default of [`AppPlan::repeat`].
const DEFAULT_REPEAT: u32 = 3;
/// The most ranks of a case.
const MOST_RANKS: u32 = 1 << 16;

/// Options of an application by name, as they are written in a plan.
pub type AppOptions = serde_json::Map<String, serde_json::Value>;

/// An application on many ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AppPlan {
    /// Which application, such as `md`.
    pub name: String,
    /// On how many ranks it is run, one after the other. If empty: 1, 2, 4 and so on, and all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<u32>,
    /// How often it is run on each number of ranks. A model gives the same every time, and is asked once.
    pub repeat: u32,
    /// Of a model: what a unit of the application's work takes. If absent, it is measured here on one rank. Unit:
    /// picoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_cost_ps: Option<f64>,
    /// The application's own options: those that differ from its defaults, or all.
    #[serde(skip_serializing_if = "AppOptions::is_empty")]
    pub options: AppOptions,
}

impl Default for AppPlan {
    fn default() -> Self {
        Self {
            name: String::new(),
            ranks: Vec::new(),
            repeat: DEFAULT_REPEAT,
            unit_cost_ps: None,
            options: AppOptions::new(),
        }
    }
}

impl AppPlan {
    /// On how many ranks it is run when there are `all`, in ascending order, each once.
    ///
    /// # Errors
    ///
    /// When it asks for more than all.
    pub fn cases(&self, all: u32) -> Result<Vec<u32>, PlanError> {
        if self.ranks.is_empty() {
            let powers = (0..u32::BITS).map(|power| 1_u32 << power).take_while(|ranks| *ranks < all);
            return Ok(powers.chain([all]).collect());
        }
        let asked: BTreeSet<u32> = self.ranks.iter().copied().collect();
        let more = asked.iter().find(|ranks| **ranks > all);
        let value = more.map(|ranks| format!("{ranks}, of {all} ranks")).unwrap_or_default();
        PlanError::range(more.is_none(), "speed-up", value, "at most the number of ranks that there are")?;
        Ok(asked.into_iter().collect())
    }

    /// Checks every option together with those of `common`; what the application thinks of its own is not known here.
    pub(super) fn check(&self, common: &Common) -> Result<(), PlanError> {
        let range = PlanError::range;
        range(!self.name.is_empty(), "name", "empty".to_owned(), "the name of an application, such as md")?;
        let wrong = self.ranks.iter().find(|ranks| !(1..=MOST_RANKS).contains(*ranks));
        let value = wrong.map(ToString::to_string).unwrap_or_default();
        range(wrong.is_none(), "ranks", value, "numbers from 1 to 65536")?;
        range((1..=1000).contains(&self.repeat), "repeat", self.repeat.to_string(), "from 1 to 1000")?;
        let cost = self.unit_cost_ps;
        let most = Span::from_ms(1_000_000).as_ps() as f64;
        let ok = cost.is_none_or(|cost| cost > 0.0 && cost <= most);
        range(ok, "unit-cost", format!("{:?} ps", cost.unwrap_or_default()), "above 0 and at most 1000 s")?;
        let between_ranks = matches!(common.transport, Transport::Tcp | Transport::Mpi);
        let allowed = "tcp, or mpi in linerate-mpi: ranks talk over nothing else yet";
        range(between_ranks, "transport", common.transport.to_string(), allowed)?;
        common.check_places()?;
        common.check_level(Level::Round, "point: an application has no rounds of sizes")?;
        common.check_level(Level::Interval, "point: an application has no intervals")
    }
}

/// An option of an application as it is written on a command line, `NAME=VALUE`: a number, `true`, a list such as `10,10,10`
/// or `[10,10,10]`, or else a word.
///
/// # Errors
///
/// A sentence, if it is no such thing.
pub fn app_option(text: &str) -> Result<(String, serde_json::Value), String> {
    let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        format!("`{text}` is no option of an application; write OPTION=VALUE, such as steps=1000")
    })?;
    let read =
        |text: &str| serde_json::from_str::<serde_json::Value>(text).ok().filter(|value| !value.is_null());
    let list = || value.contains(',').then(|| read(&format!("[{value}]"))).flatten();
    let value = read(value).or_else(list).unwrap_or_else(|| serde_json::Value::String(value.to_owned()));
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn without_a_wish_powers_of_two_and_all_are_run() {
        let plan = AppPlan::default();
        for (all, cases) in [(1, vec![1]), (2, vec![1, 2]), (6, vec![1, 2, 4, 6]), (8, vec![1, 2, 4, 8])] {
            assert_eq!(plan.cases(all).expect("cases"), cases);
        }
        let asked = AppPlan { ranks: vec![4, 1, 4, 3], ..plan };
        assert_eq!(asked.cases(4).expect("cases"), [1, 3, 4]);
        let error = asked.cases(3).expect_err("there are three").to_string();
        assert_eq!(error, "speed-up is 4, of 3 ranks; it must be at most the number of ranks that there are");
    }

    #[test]
    fn values_are_numbers_lists_or_words() {
        for (text, value) in [
            ("a=1", json!(1)),
            ("a=1.5e3", json!(1500.0)),
            ("a=true", json!(true)),
            ("a=1,2", json!([1, 2])),
            ("a=[1,2]", json!([1, 2])),
            ("a=64MiB", json!("64MiB")),
            ("a=null", json!("null")),
            ("a=", json!("")),
        ] {
            assert_eq!(app_option(text).expect(text), ("a".to_owned(), value));
        }
        for text in ["steps", "=3"] {
            app_option(text).expect_err(text);
        }
    }
}
