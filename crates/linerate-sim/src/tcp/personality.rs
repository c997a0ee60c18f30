//! The kernels whose TCP is known, as data: `plans/kernels/*.toml`.

mod rules;

pub use rules::{
    AcknowledgementRules, Charge, CongestionRules, Counting, Detection, EcnUse, Nagle, OptionRules, Raise,
    ReceiveBuffer, ReceiveMss, Recovery, ReducedFrom, Reduction, Rules, RulesError, ScaleFrom, SendBuffer,
    SendingRules, Threshold, TimerRules, Unit, WindowRules,
};

use crate::shipped;

/// A kernel whose rules come with linerate.
#[derive(Clone, Copy, Debug)]
pub struct Personality {
    /// Its name.
    pub name: &'static str,
    /// TOML of its [`Rules`].
    pub text: &'static str,
}

impl Personality {
    /// Every one, the oldest first.
    pub const ALL: &'static [Self] = shipped![Personality; "../../plans/kernels/":
        "linux-2.0.35",
        "freebsd-2.2",
        "linux-2.1.121",
        "linux-2.2.5",
        "linux-2.2.5-ackfix",
        "linux-2.4",
        "linux-modern",
    ];

    /// Other names of the same rules: kernels whose differences do not show in the model.
    pub const ALIASES: [(&'static str, &'static str); 2] =
        [("linux-2.0.29", "linux-2.0.35"), ("linux-2.2.1", "linux-2.1.121")];

    /// The kernel of that name, if there is one.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let name = Self::ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
        Self::ALL.iter().copied().find(|personality| personality.name == name)
    }

    /// Its rules.
    ///
    /// # Panics
    ///
    /// Never: the files that come with linerate are read by a test.
    #[must_use]
    pub fn rules(&self) -> Rules {
        Rules::from_toml(self.text).expect("the shipped files are read by a test")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_file_is_read_and_has_the_name_of_its_file() {
        for personality in Personality::ALL {
            let rules =
                Rules::from_toml(personality.text).unwrap_or_else(|e| panic!("{}: {e}", personality.name));
            assert_eq!(rules.name, personality.name);
        }
    }

    #[test]
    fn an_alias_finds_the_rules_of_its_kernel() {
        assert_eq!(Rules::find("linux-2.2.1").map(|rules| rules.name), Some("linux-2.1.121".to_owned()));
        assert_eq!(Rules::find("linux-2.0.29").map(|rules| rules.name), Some("linux-2.0.35".to_owned()));
        assert_eq!(Rules::find("linux-9"), None);
    }

    #[test]
    fn rules_are_written_as_they_are_read() {
        for personality in Personality::ALL {
            let rules = personality.rules();
            let text = toml::to_string(&rules).expect("rules are a table");
            assert_eq!(Rules::from_toml(&text), Ok(rules));
        }
    }
}
