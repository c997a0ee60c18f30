//! Where a laboratory's plan comes from: a file, a topology of containerlab, or linerate itself.

mod containerlab;

use std::path::Path;

use linerate_core::lab::LabPlan;
use linerate_sim::shipped;
use linerate_sim::shipped::Shipped;

use super::plan_file;
use crate::screen::note;
use crate::trouble::Trouble;
use containerlab::Imported;

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
        if Path::new(given).extension().is_some_and(|end| end == "yml" || end == "yaml") {
            return Self::imported(given, &name, &text);
        }
        let plan = LabPlan::from_toml(&text).map_err(|error| Trouble::lab(&error, given, &text))?;
        Ok(Self { name, plan })
    }

    /// What a topology of containerlab describes of a laboratory. Says what it describes besides.
    fn imported(file: &str, name: &str, text: &str) -> Result<Self, Trouble> {
        let Imported { name: own, plan, left_out } = containerlab::read(text).map_err(|reason| {
            Trouble::new(
                format!("failed to read the topology {file}: {reason}"),
                "it must be one of containerlab; a plan of linerate is TOML, such as `linerate lab show dumbbell` prints",
            )
        })?;
        if !left_out.is_empty() {
            note(format!("! {file}: left out: {}", left_out.join(", ")));
        }
        let name = own.unwrap_or_else(|| name.strip_suffix(".clab").unwrap_or(name).to_owned());
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
