//! Where a laboratory's plan comes from: a file, or linerate itself.

use linerate_core::lab::LabPlan;
use linerate_sim::shipped;
use linerate_sim::shipped::Shipped;

use super::plan_file;
use crate::trouble::Trouble;

/// The plans that come with linerate, in the order in which they are listed.
pub(super) const SHIPPED: &[Shipped] = shipped![Shipped; "../../plans/labs/":
    "pair",
    "direct",
    "indirect",
    "n-to-1",
    "dumbbell",
    "slow-port",
    "two-mtus",
];

/// A plan and what it is called.
#[derive(Debug)]
pub(super) struct Given {
    /// The shipped plan's name, or the file's without its ending.
    pub(super) name: String,
    pub(super) plan: LabPlan,
}

impl Given {
    /// The shipped plan of this name, else the file. A file of a shipped plan's name is reached as `./NAME`.
    pub(super) fn read(given: &str) -> Result<Self, Trouble> {
        let (name, text) = match shipped(given) {
            Some(shipped) => (shipped.name.to_owned(), shipped.text.to_owned()),
            None => plan_file::read(given, "a plan that `linerate lab plans`", || {
                unknown(given, "neither a shipped plan nor a file")
            })?,
        };
        let plan = LabPlan::from_toml(&text).map_err(|error| Trouble::lab(&error, given, &text))?;
        Ok(Self { name, plan })
    }
}

pub(super) fn shipped(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|shipped| shipped.name == name)
}

/// A name that no plan has.
pub(super) fn unknown(name: &str, is: &str) -> Trouble {
    let help = "`linerate lab plans` names the plans that come with linerate";
    Trouble::new(format!("failed to find the laboratory `{name}`: it is {is}"), help)
}
