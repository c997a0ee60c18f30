//! Where a model's plan comes from: a file, or linerate itself.

use std::path::Path;

use linerate_sim::calibrate::HostFile;
use linerate_sim::plan::ModelPlan;
use linerate_study::shipped;

use crate::command::lab_plan;
use crate::command::plan_file;
use crate::command::predict::host_file;
use crate::command::predict::model::of_host;
use crate::trouble::Trouble;

/// What stands before the plan of a laboratory.
const LAB: &str = "lab:";

/// A plan and what it is called.
#[derive(Debug)]
pub(in crate::command) struct Given {
    /// The shipped plan's name, or the file's without its ending.
    pub(in crate::command) name: String,
    pub(in crate::command) plan: ModelPlan,
}

impl Given {
    /// The shipped plan of this name, else the file; behind `lab:` the model of a laboratory. A file of a shipped plan's name is reached
    /// as `./NAME`.
    pub(in crate::command) fn read(given: &str) -> Result<Self, Trouble> {
        if let Some(lab) = given.strip_prefix(LAB) {
            let lab_plan::Given { name, plan } = lab_plan::Given::read(lab)?;
            let plan = ModelPlan::of_lab(&plan).map_err(|error| Trouble::model(&error, ""))?;
            return Ok(Self { name, plan });
        }
        let (name, text) = match shipped::find(given) {
            Some(shipped) => (shipped.name.to_owned(), shipped.text.to_owned()),
            None => plan_file::read(given, "a plan that `linerate model list`", || {
                unknown(given, "neither a shipped plan nor a file")
            })?,
        };
        if let Some(host) = calibrated(given, &text)? {
            return Ok(Self { name, plan: of_host(&host) });
        }
        let plan = ModelPlan::from_toml(&text).map_err(|error| Trouble::model_text(&error, given, &text))?;
        Ok(Self { name, plan })
    }
}

/// The host in a file of `linerate calibrate`; none in any other file.
fn calibrated(given: &str, text: &str) -> Result<Option<HostFile>, Trouble> {
    let is_one = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("calibration"));
    is_one.then(|| host_file(Path::new(given), text)).transpose()
}

/// A name that no plan has.
pub(in crate::command) fn unknown(name: &str, is: &str) -> Trouble {
    let help = "`linerate model list` names the plans that come with linerate";
    Trouble::new(format!("failed to find the plan `{name}`: it is {is}"), help)
}
