//! `linerate schema`.

use std::process::ExitCode;

use linerate_analysis::experiment::ExperimentPlan;
use linerate_core::host_limits::HostLimitsFile;
use linerate_core::lab::LabPlan;
use linerate_core::plan::Plan;
use linerate_sim::plan::ModelPlan;

use crate::cli::SchemaOf;
use crate::screen::show;
use crate::trouble::Trouble;

pub(super) fn run(of: SchemaOf) -> Result<ExitCode, Trouble> {
    let schema = match of {
        SchemaOf::Run => linerate_report::run_schema(),
        SchemaOf::Plan => Plan::schema().to_value(),
        SchemaOf::Model => ModelPlan::schema().to_value(),
        SchemaOf::Lab => LabPlan::schema().to_value(),
        SchemaOf::Experiment => ExperimentPlan::schema().to_value(),
        SchemaOf::HostLimits => HostLimitsFile::schema().to_value(),
        SchemaOf::Report => linerate_report::schema(),
    };
    show(&format!("{schema:#}\n"))?;
    Ok(ExitCode::SUCCESS)
}
