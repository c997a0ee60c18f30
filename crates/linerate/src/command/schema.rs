//! `linerate schema`.

use std::process::ExitCode;

use linerate_analysis::experiment::ExperimentPlan;
use linerate_core::host_limits::HostLimitsFile;
use linerate_core::lab::LabPlan;
use linerate_core::plan::Plan;
use linerate_core::run::Run;
use linerate_sim::plan::ModelPlan;

use crate::cli::SchemaOf;
use crate::screen::show;
use crate::trouble::Trouble;

pub(super) fn run(of: SchemaOf) -> Result<ExitCode, Trouble> {
    let schema = match of {
        SchemaOf::Run => Run::schema(),
        SchemaOf::Plan => Plan::schema(),
        SchemaOf::Model => ModelPlan::schema(),
        SchemaOf::Lab => LabPlan::schema(),
        SchemaOf::Experiment => ExperimentPlan::schema(),
        SchemaOf::HostLimits => HostLimitsFile::schema(),
        SchemaOf::Report => {
            show(&format!("{:#}\n", linerate_report::schema()))?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    show(&format!("{:#}\n", schema.as_value()))?;
    Ok(ExitCode::SUCCESS)
}
