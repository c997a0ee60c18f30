//! How a claim is checked.

use serde::{Deserialize, Serialize};

use super::data::Claim;
use super::quantity::{Need, Quantity};

/// The kinds of agreement with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A standard, the method or arithmetic says it, and the model has it as a constant or carries
    /// the rule out. That they agree shows that the model has the rule, and nothing about networks.
    Definition,
    /// One figure over another, or a figure whose level was calibrated, within an interval.
    Ratio,
    /// Which of several is more.
    Order,
    /// Where something happens.
    Location,
    /// Its sources do not agree, or arithmetic forbids it.
    Contradicted,
    /// The model cannot compute it, or not honestly.
    NotTestable,
}

impl Status {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Ratio => "ratio",
            Self::Order => "order",
            Self::Location => "location",
            Self::Contradicted => "contradicted",
            Self::NotTestable => "not testable",
        }
    }

    /// Whether a claim of this kind should hold.
    pub const fn is_tested(self) -> bool {
        !matches!(self, Self::Contradicted | Self::NotTestable)
    }
}

/// On which side of the published figure the modelled one may lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// On neither, but for the tolerance.
    #[default]
    Equal,
    /// At it or above.
    AtLeast,
    /// At it or below.
    AtMost,
}

/// A disagreement that is known: what the model gives instead, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Miss {
    /// What the model gave when this was written, in the unit of the check; the terms of an order.
    /// Empty if the model does not show at all what is asked for.
    pub modelled: Vec<f64>,
    /// What the model lacks.
    pub reason: String,
}

/// How far the model's value may move from a recorded one before the record is out of date. Unit:
/// share.
const RECORDED_WITHIN: f64 = 0.05;

impl Miss {
    /// Whether the model still gives what was recorded.
    pub(super) fn is(&self, modelled: &[f64]) -> bool {
        let near = |(now, then): (&f64, &f64)| (now - then).abs() <= then.abs() * RECORDED_WITHIN;
        self.modelled.len() == modelled.len() && modelled.iter().zip(&self.modelled).all(near)
    }
}

/// How a claim is checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Check {
    /// Which kind of agreement is asked for.
    pub status: Status,
    /// What is compared, where it is not the claim itself.
    pub what: Option<String>,
    /// The claim's number, where its text is not one.
    pub value: Option<f64>,
    /// Of what is compared, where it is not the claim's.
    pub unit: Option<String>,
    /// What the model is compared with, where it is not the claim's own number.
    pub published: Option<Quantity>,
    /// What the model gives.
    pub model: Option<Quantity>,
    /// Instead of that: what the model must give in falling order.
    #[serde(default)]
    pub descending: Vec<Quantity>,
    /// By what share each of those must be above the next.
    #[serde(default)]
    pub margin: f64,
    /// On which side of the published figure the modelled one may lie.
    #[serde(default)]
    pub compare: Compare,
    /// Tolerance of the modelled figure, as a share of the published one. If absent, they must be
    /// equal.
    #[serde(default)]
    pub tolerance: f64,
    /// Instead of that: the least and the most that the modelled figure may be.
    pub within: Option<[f64; 2]>,
    /// What gives `tolerance`, `within` or `margin`: the precision of the published figure, or the
    /// size of the published effect; never what the model happens to give.
    pub interval_from: Option<String>,
    /// Parameters of hosts that were calibrated so that this claim holds. It is then not a
    /// prediction.
    #[serde(default)]
    pub calibrated: Vec<String>,
    /// It is known that the model does not agree.
    pub missed: Option<Miss>,
    /// Why it is contradicted or not testable, or another note.
    pub reason: Option<String>,
}

impl Check {
    /// A check of this kind that computes nothing.
    pub const fn of(status: Status) -> Self {
        Self {
            status,
            what: None,
            value: None,
            unit: None,
            published: None,
            model: None,
            descending: Vec::new(),
            margin: 0.0,
            compare: Compare::Equal,
            tolerance: 0.0,
            within: None,
            interval_from: None,
            calibrated: Vec::new(),
            missed: None,
            reason: None,
        }
    }

    /// Everything that it computes.
    pub fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        self.published.iter().chain(self.modelled())
    }

    /// What it computes of the model.
    pub fn modelled(&self) -> impl Iterator<Item = &Quantity> {
        self.model.iter().chain(&self.descending)
    }

    /// The number of `claim`: its text, if that is a number.
    pub fn number(&self, claim: &Claim) -> Option<f64> {
        self.value.or_else(|| claim.value.parse().ok())
    }

    /// The unit of what is compared. Empty if it has no unit.
    pub fn unit<'a>(&'a self, claim: &'a Claim) -> &'a str {
        let unit = self.unit.as_deref().unwrap_or(&claim.unit);
        if unit == "-" { "" } else { unit }
    }

    /// Whether a run of the model has a part in what is compared. Without one, numbers of a standard,
    /// of the method or of a kernel's rules are compared with themselves.
    pub fn runs_the_model(&self) -> bool {
        let runs = |need: Need<'_>| !matches!(need, Need::Plan(_));
        self.modelled().flat_map(Quantity::needs).any(runs)
    }

    /// Whether its parts are consistent.
    pub(super) fn fits(&self) -> Result<(), String> {
        let refuse = |ok: bool, reason: &str| if ok { Ok(()) } else { Err(reason.to_owned()) };
        if !self.status.is_tested() {
            refuse(self.reason.is_some(), "it needs a reason")?;
            let asked = !self.calibrated.is_empty() || self.missed.is_some();
            return refuse(!asked, "what is not tested is neither calibrated on nor missed");
        }
        let ordered = !self.descending.is_empty();
        refuse(
            ordered || self.status != Status::Order,
            "an order needs `descending`, and nothing else has it",
        )?;
        let may_be_ordered = matches!(self.status, Status::Order | Status::Definition);
        refuse(!ordered || may_be_ordered, "an order needs `descending`, and nothing else has it")?;
        refuse(ordered != self.model.is_some(), "give `model` or `descending`")?;
        refuse(!ordered || self.descending.len() > 1, "an order needs two quantities")?;
        let interval = self.within.is_none_or(|[low, high]| low <= high);
        refuse(interval && self.tolerance >= 0.0, "its interval is reversed")?;
        self.is_classed()
    }

    /// Whether it is called what it is: a definition, or something that the model could miss.
    fn is_classed(&self) -> Result<(), String> {
        let refuse = |ok: bool, reason: &str| if ok { Ok(()) } else { Err(reason.to_owned()) };
        if self.status == Status::Definition {
            let chosen = !self.calibrated.is_empty() || self.missed.is_some();
            return refuse(!chosen, "a definition is neither calibrated on nor missed");
        }
        refuse(self.runs_the_model(), "no run of the model has a part in it: it is a definition")?;
        let wide = self.within.is_some() || self.tolerance > 0.0 || self.margin > 0.0;
        refuse(!wide || self.interval_from.is_some(), "`interval-from` must say what gives its interval")
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::made;
    use super::*;

    /// The checks of Q001, published as 100 Mb/s, and of Q002, published as `>3`.
    fn with<T>(first: &str, second: &str, test: impl FnOnce([(&Claim, &Check); 2]) -> T) -> T {
        let claims = made(&format!("[claims.Q001]\n{first}\n[claims.Q002]\n{second}"));
        let pair = |id| {
            let claim = claims.claim(id).expect("it is there");
            (claim, claims.check(claim))
        };
        test(["Q001", "Q002"].map(pair))
    }

    const DEFINED: &str = "status = 'definition'\nmodel = { number = 1 }";

    #[test]
    fn a_claims_number_is_its_text_unless_the_check_has_another() {
        with(DEFINED, DEFINED, |[(one, check), (other, of_other)]| {
            assert_eq!((check.number(one), of_other.number(other)), (Some(100.0), None));
            assert_eq!((check.unit(one), of_other.unit(other)), ("Mb/s", "x"));
        });
        let own = format!("{DEFINED}\nvalue = 3.5\nunit = '-'");
        with(&own, &own, |pairs| {
            for (claim, check) in pairs {
                assert_eq!((check.number(claim), check.unit(claim)), (Some(3.5), ""));
            }
        });
    }

    #[test]
    fn only_a_run_makes_a_check_one_of_the_model() {
        let plan = "status = 'definition'\nmodel = { mtu = 'gigabit' }";
        let order = "status = 'order'\ndescending = [{ mtu = 'gigabit' }, { peak = 'gigabit' }]";
        with(plan, order, |[(_, constant), (_, ordered)]| {
            assert!(!constant.runs_the_model() && ordered.runs_the_model());
            assert_eq!((constant.modelled().count(), ordered.modelled().count()), (1, 2));
        });
        let published = format!("{DEFINED}\npublished = {{ peak = 'gigabit' }}");
        with(&published, DEFINED, |[(_, check), _]| {
            assert_eq!((check.quantities().count(), check.modelled().count()), (2, 1));
            assert!(!check.runs_the_model(), "what it is compared with is no part of the model's answer");
        });
    }

    #[test]
    fn kinds_have_the_names_that_users_read_and_two_are_not_tested() {
        for (status, name, tested) in [
            (Status::Definition, "definition", true),
            (Status::Ratio, "ratio", true),
            (Status::Order, "order", true),
            (Status::Location, "location", true),
            (Status::Contradicted, "contradicted", false),
            (Status::NotTestable, "not testable", false),
        ] {
            assert_eq!((status.name(), status.is_tested()), (name, tested));
        }
    }

    /// Why a check with these lines does not fit.
    fn refused(lines: &str) -> Option<String> {
        toml::from_str::<Check>(lines).expect(lines).fits().err()
    }

    #[test]
    fn an_interval_has_its_ends_in_order_and_says_where_it_is_from() {
        let ratio = "status = 'ratio'\nmodel = { peak = 'a' }";
        let from = format!("{ratio}\ninterval-from = 'a test'");
        assert_eq!(refused(ratio), None);
        for more in ["within = [1, 2]", "within = [2, 2]", "tolerance = 0.1"] {
            assert_eq!(refused(&format!("{from}\n{more}")), None, "{more}");
            let reason = "`interval-from` must say what gives its interval";
            assert_eq!(refused(&format!("{ratio}\n{more}")).as_deref(), Some(reason), "{more}");
        }
        for more in ["within = [2, 1]", "tolerance = -0.1"] {
            assert_eq!(
                refused(&format!("{from}\n{more}")).as_deref(),
                Some("its interval is reversed"),
                "{more}"
            );
        }
    }

    #[test]
    fn an_order_has_at_least_two_terms_and_no_model() {
        let order = |terms: &str| format!("status = 'order'\ndescending = [{terms}]");
        assert_eq!(refused(&order("{ peak = 'a' }, { peak = 'b' }")), None);
        let one = refused(&order("{ peak = 'a' }"));
        assert_eq!(one.as_deref(), Some("an order needs two quantities"));
        let both = refused(&format!("{}\nmodel = {{ peak = 'a' }}", order("{ peak = 'a' }, { peak = 'b' }")));
        assert_eq!(both.as_deref(), Some("give `model` or `descending`"));
        let margin = refused(&format!("{}\nmargin = 0.1", order("{ peak = 'a' }, { peak = 'b' }")));
        assert_eq!(margin.as_deref(), Some("`interval-from` must say what gives its interval"));
        let defined = order("{ number = 2 }, { number = 1 }").replace("'order'", "'definition'");
        assert_eq!(refused(&defined), None, "a definition may be an order");
    }

    #[test]
    fn a_definition_is_not_calibrated_on() {
        let reason = "a definition is neither calibrated on nor missed";
        assert_eq!(refused(&format!("{DEFINED}\ncalibrated = ['costs.send']")).as_deref(), Some(reason));
        let untested = "status = 'contradicted'\nreason = 'no'\ncalibrated = ['costs.send']";
        let reason = "what is not tested is neither calibrated on nor missed";
        assert_eq!(refused(untested).as_deref(), Some(reason));
    }
}
