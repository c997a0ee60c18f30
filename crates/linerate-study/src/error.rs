//! Why a plan cannot be changed or swept.

use linerate_sim::plan::ModelError;

/// The most runs of one command: more is probably a mistake.
pub(crate) const MOST_RUNS: usize = 10_000;

/// Why a plan cannot be changed or swept. The texts fit "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// A setting that is not `KEY=VALUE`.
    #[error("understand --set `{text}`")]
    Setting {
        /// What was given.
        text: String,
    },
    /// A sweep that is not `KEY=A,B,..`.
    #[error("understand --sweep `{text}`")]
    Sweep {
        /// What was given.
        text: String,
    },
    /// Two sweeps of one key.
    #[error("sweep: `{key}` is swept twice")]
    Twice {
        /// Its path in the plan.
        key: String,
    },
    /// More runs than one command may have.
    #[error("sweep: that is {} runs; the limit is {MOST_RUNS}", count(*.runs))]
    TooMany {
        /// How many. If absent, the number overflows.
        runs: Option<usize>,
    },
    /// A key that the plan does not have.
    #[error("find the key `{key}` in the plan")]
    UnknownKey {
        /// What was given.
        key: String,
        /// The paths of all keys.
        known: Vec<String>,
    },
    /// The last part of several keys.
    #[error("choose a key: `{key}` could be {}", .several.join(" or "))]
    Ambiguous {
        /// What was given.
        key: String,
        /// The paths that end so.
        several: Vec<String>,
    },
    /// A key without a value.
    #[error("read a value: it is empty")]
    Empty,
    /// A whole number that no key takes.
    #[error("read the number {number}: it is too large")]
    TooLarge {
        /// Its digits.
        number: String,
    },
    /// Plans that are to be compared have different keys under the same short name.
    #[error("sweep several plans at once: one has {key}, another {other}")]
    Differ {
        /// The keys of the first.
        key: String,
        /// Those of another.
        other: String,
    },
    /// A value that begins like TOML and is not.
    #[error("read the value `{text}`: it is not TOML")]
    NotToml {
        /// What was given.
        text: String,
    },
    /// A plan that cannot be built with these values.
    #[error("build the model{with}: {}", .source.reason())]
    Model {
        /// ` with KEY = VALUE, ..`, or nothing.
        with: String,
        /// Why.
        source: ModelError,
    },
}

impl GridError {
    /// The same of one of several plans, which `of` names.
    pub(crate) fn of_plan(self, of: &str) -> Self {
        match self {
            Self::Model { with, source } => {
                let with = with.strip_prefix(" with ").map_or_else(String::new, |with| format!(", {with}"));
                Self::Model { with: format!("{of}{with}"), source }
            }
            error => error,
        }
    }
}

fn count(runs: Option<usize>) -> String {
    runs.map_or_else(|| "countless".to_owned(), |runs| runs.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_runs_are_told_by_their_number_where_it_has_one() {
        let said = |runs| GridError::TooMany { runs }.to_string();
        assert_eq!(said(Some(10_001)), "sweep: that is 10001 runs; the limit is 10000");
        assert_eq!(said(None), "sweep: that is countless runs; the limit is 10000");
    }
}
