//! Whether an experiment makes sense, before anything is run.

use std::collections::BTreeSet;

use super::plan::MOST_FACTORS;
use super::target::Target;
use super::{DesignPlan, ExperimentPlan, Factor};
use crate::figures;

/// What is wrong with an experiment. One sentence that says what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A key that sets nothing, or cannot be set so.
    #[error("{key}: {reason}")]
    Key {
        /// As written.
        key: String,
        /// What is wrong, and what to write.
        reason: String,
    },
    /// A factor that cannot be.
    #[error("factor {factor}: {reason}")]
    Factor {
        /// Its name, or its number.
        factor: String,
        /// What is wrong, and what to write.
        reason: String,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl ExperimentPlan {
    /// Whether it makes sense in itself. What its keys name, only the bench can say.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_task()?;
        self.check_bench()?;
        self.check_factors()?;
        self.check_design()?;
        self.check_prices()?;
        for factor in 0..self.factor.len() {
            for level in 0..self.factor[factor].levels.len() {
                let mut cell = vec![0; self.factor.len()];
                cell[factor] = level;
                self.conditions(&cell)?;
            }
        }
        Ok(())
    }

    fn check_task(&self) -> Result<(), PlanError> {
        let Some(command) = &self.command else {
            let is_figure = |goal: &String| goal.parse::<figures::Key>();
            if let Some(Err(error)) = self.goal.as_ref().map(is_figure) {
                return Err(other(format!("goal: {error}")));
            }
            return Ok(());
        };
        require(self.task.is_empty(), "an experiment has a [task] or a [command]; leave one out")?;
        require(
            !command.run.is_empty(),
            "command.run is empty; write the program and its arguments, such as [\"ping\", \"-c3\", \"10.0.0.2\"]",
        )?;
        require(
            !command.metric.is_empty(),
            "command.metric is empty; say what to read, such as [command.metric.rate] with json = \"/end/bits_per_second\"",
        )?;
        for (name, metric) in &command.metric {
            require(
                metric.json.is_some() != metric.pattern.is_some(),
                &format!(
                    "command.metric.{name} needs json (a pointer) or pattern (a regular expression), and not both"
                ),
            )?;
        }
        if let Some(goal) = &self.goal {
            let known: Vec<&str> = command.metric.keys().map(String::as_str).collect();
            require(
                command.metric.contains_key(goal),
                &format!("goal is {goal}, which is no metric of the command; it has {}", known.join(", ")),
            )?;
        }
        command.compile().map_err(other)
    }

    fn check_bench(&self) -> Result<(), PlanError> {
        let named = [&self.bench.host, &self.bench.lab, &self.bench.model];
        require(
            named.iter().filter(|given| given.is_some()).count() <= 1,
            "bench: choose one of host, lab and model",
        )?;
        require(
            self.bench.on.is_none()
                || self.bench.lab.is_some()
                || self.factor.iter().any(|factor| factor.sets("lab")),
            "bench.on names a host of a laboratory; name the laboratory with bench.lab",
        )
    }

    fn check_factors(&self) -> Result<(), PlanError> {
        require(
            !self.factor.is_empty(),
            "an experiment needs a factor; write [[factor]] with name, key and levels",
        )?;
        require(
            self.factor.len() <= MOST_FACTORS,
            &format!("{} factors are too many; {MOST_FACTORS} are possible", self.factor.len()),
        )?;
        let mut names = BTreeSet::new();
        for (nth, factor) in self.factor.iter().enumerate() {
            require(!factor.name.trim().is_empty(), &format!("factor {} has no name", nth + 1))?;
            require(
                names.insert(&factor.name),
                &format!("two factors are called {}; give each a name of its own", factor.name),
            )?;
            self.check_factor(factor)?;
        }
        Ok(())
    }

    fn check_factor(&self, factor: &Factor) -> Result<(), PlanError> {
        let wrong = |reason: String| PlanError::Factor { factor: factor.name.clone(), reason };
        if factor.levels.len() < 2 {
            return Err(wrong("it needs two levels at least; the first is the base".to_owned()));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = factor.levels.iter().find(|level| !names.insert(&level.name)) {
            return Err(wrong(format!("two levels are called {}; give each a name of its own", twice.name)));
        }
        let word = format!("{{{}}}", factor.name);
        let in_command =
            self.command.as_ref().is_some_and(|command| command.run.iter().any(|part| part.contains(&word)));
        // The base may leave everything as it is, where another level changes something.
        for level in factor.levels.iter().skip(1) {
            let sets = (factor.key.is_some() && level.value.is_some()) || !level.set.is_empty();
            if !(sets || in_command || factor.manual.is_some()) {
                return Err(wrong(format!(
                    "level {} sets nothing; give the factor a key, the level a set, or say what a person does with manual",
                    level.name
                )));
            }
        }
        for key in factor.key.iter().chain(factor.levels.iter().flat_map(|level| level.set.keys())) {
            self.check_key(key).map_err(wrong)?;
        }
        Ok(())
    }

    fn check_key(&self, key: &str) -> Result<(), String> {
        let target: Target =
            key.parse().map_err(|error: super::target::ParseTargetError| error.to_string())?;
        match target {
            Target::Task(_) if self.command.is_some() => {
                Err(format!("{key}: a command has no such key; write {{NAME}} where its level belongs"))
            }
            Target::Here(_) | Target::There(_) if self.is_modelled() => {
                Err(format!("{key}: a model has no host to set; use model.KEY"))
            }
            Target::There(_) if self.bench.host.is_none() => Err(format!(
                "{key}: there is no other host; name one with bench.host, or set a laboratory's with lab.KEY"
            )),
            Target::Here(_) if self.bench.lab.is_some() => {
                Err(format!("{key}: a laboratory is set with its own keys, such as lab.mtu"))
            }
            _ => Ok(()),
        }
    }

    fn check_design(&self) -> Result<(), PlanError> {
        require(self.design.blocks() != Some(0), "design.blocks is 0; measure each cell once at least")?;
        match &self.design {
            DesignPlan::Staircase { pairs, looks } => {
                require((1..=100).contains(pairs), "design.pairs must be 1 to 100")?;
                require((1..=20).contains(looks), "design.looks must be 1 to 20")?;
            }
            DesignPlan::HighestLoad { loss, repeats } => {
                require((0.0..1.0).contains(loss), "design.loss is a share: 0 to below 1")?;
                require((1..=100).contains(repeats), "design.repeats must be 1 to 100")?;
            }
            DesignPlan::Smallest { keep, repeats } => {
                require(*keep > 0.0 && *keep <= 1.0, "design.keep is a share: above 0, up to 1")?;
                require((2..=100).contains(repeats), "design.repeats must be 2 to 100")?;
            }
            _ => return Ok(()),
        }
        let hard = self.factor.iter().find(|factor| factor.is_hard());
        if let Some(hard) = hard {
            let design = self.design.name();
            return Err(PlanError::Factor {
                factor: hard.name.clone(),
                reason: format!(
                    "a {design} changes it again and again, but it is expensive to change; choose another design"
                ),
            });
        }
        let search = !matches!(self.design, DesignPlan::Staircase { .. });
        let design = self.design.name();
        require(
            !search || self.factor.len() == 1,
            &format!(
                "the design {design} searches one factor; leave the others out, or set them under [bench]"
            ),
        )
    }

    fn check_prices(&self) -> Result<(), PlanError> {
        let priced =
            self.factor.iter().flat_map(|factor| &factor.levels).find(|level| !level.parts.is_empty());
        let Some(prices) = &self.prices else {
            return require(
                priced.is_none(),
                &format!(
                    "level {} has parts, but nothing says what they cost; write [prices]",
                    priced.map_or("", |level| &level.name)
                ),
            );
        };
        require(
            !prices.currency.is_empty() && !prices.date.is_empty(),
            "prices need a currency and a date, such as currency = \"USD\" and date = \"2026-11\"",
        )?;
        let bad = prices
            .part
            .iter()
            .find(|(_, part)| !(part.price.is_finite() && part.price >= 0.0) || part.ports == Some(0));
        require(
            bad.is_none(),
            &format!(
                "prices.part.{}: a price is 0 or more, and ports are 1 or more",
                bad.map_or("", |(name, _)| name)
            ),
        )?;
        for factor in &self.factor {
            for level in &factor.levels {
                prices.bill(&level.parts, level.hosts).map_err(|part| {
                    other(format!(
                        "the part {part} has no price; write [prices.part.{part}] with price = AMOUNT"
                    ))
                })?;
            }
        }
        Ok(())
    }
}

fn other(reason: String) -> PlanError {
    PlanError::Other(reason)
}

fn require(ok: bool, reason: &str) -> Result<(), PlanError> {
    if ok { Ok(()) } else { Err(other(reason.to_owned())) }
}
