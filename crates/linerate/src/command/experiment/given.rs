//! Where an experiment's plan comes from: a file, or linerate itself.

use linerate_analysis::experiment::{Bench, ExperimentPlan};
use linerate_sim::shipped;
use linerate_sim::shipped::Shipped;

use crate::command::plan_file;
use crate::trouble::Trouble;

/// The experiments that come with linerate, in the order in which they are listed.
pub(super) const SHIPPED: &[Shipped] = shipped![Shipped; "../../../plans/experiments/":
    "kernel-progression",
    "processor-comparison",
    "driver-comparison",
    "mtu-and-buffer",
    "mtu-and-buffer-in-a-lab",
    "high-speed-networks",
    "linux-and-freebsd",
    "netperf-tables",
    "ten-gigabit-staircase",
    "flows",
    "flows-in-a-lab",
    "rate-without-loss",
    "low-cost-cluster",
];

/// A plan and what it is called.
#[derive(Debug)]
pub(super) struct Given {
    /// The shipped plan's name, or the file's without its ending.
    pub(super) name: String,
    /// As it is written.
    pub(super) text: String,
    pub(super) plan: ExperimentPlan,
}

impl Given {
    /// The shipped plan of this name, else the file. A file of a shipped plan's name is reached as `./NAME`.
    pub(super) fn read(given: &str) -> Result<Self, Trouble> {
        let (name, text) = match shipped(given) {
            Some(shipped) => (shipped.name.to_owned(), shipped.text.to_owned()),
            None => plan_file::read(given, "an experiment that `linerate experiment list`", || {
                unknown(given, "neither a shipped experiment nor a file")
            })?,
        };
        let plan = checked(given, &text)?;
        Ok(Self { name, text, plan })
    }

    /// The same in another laboratory or on another model, if one is named.
    pub(super) fn on(self, lab: &Option<String>, model: &Option<String>) -> Result<Self, Trouble> {
        if lab.is_none() && model.is_none() {
            return Ok(self);
        }
        let mut plan = self.plan;
        plan.bench =
            Bench { lab: lab.clone(), model: model.clone(), set: plan.bench.set, ..Bench::default() };
        let text = plan.to_toml();
        let plan = checked(&self.name, &text)?;
        Ok(Self { name: self.name, text, plan })
    }
}

/// The plan in `text`, which makes sense in itself.
pub(super) fn checked(name: &str, text: &str) -> Result<ExperimentPlan, Trouble> {
    let plan =
        ExperimentPlan::from_toml(text).map_err(|error| Trouble::experiment_text(&error, name, text))?;
    plan.check().map_err(|error| {
        Trouble::new(
            format!("failed to plan the experiment {name}: {error}"),
            "correct the plan; `linerate experiment init` prints one with comments",
        )
    })?;
    Ok(plan)
}

pub(super) fn shipped(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|shipped| shipped.name == name)
}

/// A name that no plan has.
pub(super) fn unknown(name: &str, is: &str) -> Trouble {
    let help = "`linerate experiment list` names the experiments that come with linerate";
    Trouble::new(format!("failed to find the experiment `{name}`: it is {is}"), help)
}
