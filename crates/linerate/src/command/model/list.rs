//! `linerate model list`.

use std::process::ExitCode;

use linerate_report as render;
use linerate_report::catalogue::{Catalogue, Link, Medium, Named, Plan, Relay};
use linerate_sim::ethernet::phy::Phy;
use linerate_sim::machine::{self, Profile};
use linerate_sim::plan::ModelPlan;
use linerate_sim::shipped::Shipped;
use linerate_sim::tcp::Personality;
use linerate_study::shipped::SHIPPED;

use crate::cli::{ListArgs, ListFormat};
use crate::screen::show;
use crate::trouble::Trouble;

pub(super) fn run(args: &ListArgs) -> Result<ExitCode, Trouble> {
    let catalogue = catalogue()?;
    let text = match args.format {
        ListFormat::Table => render::catalogue::table(&catalogue),
        ListFormat::Json => render::catalogue::json(&catalogue).map_err(|error| {
            Trouble::new(format!("failed to show the list: {error}"), "try --format table")
        })?,
    };
    show(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// What a plan can name.
fn catalogue() -> Result<Catalogue, Trouble> {
    let plan = |shipped: &Shipped| {
        let text = shipped.text.to_owned();
        let plan = ModelPlan::from_toml(shipped.text)
            .map_err(|error| Trouble::model_text(&error, shipped.name, &text))?;
        Ok(Plan { name: shipped.name, about: plan.about, medium: plan.network.medium() })
    };
    Ok(Catalogue {
        links: Phy::ALL.into_iter().map(Link::of).collect(),
        media: Medium::all(),
        relays: Relay::ALL.to_vec(),
        hosts: hosts(),
        kernels: kernels(),
        plans: SHIPPED.iter().map(plan).collect::<Result<_, Trouble>>()?,
    })
}

fn hosts() -> Vec<Named> {
    let named = |host: &Shipped| {
        let about = Profile::find(host.name).map(|profile| profile.about).unwrap_or_default();
        Named { name: host.name, about }
    };
    machine::SHIPPED.iter().map(named).collect()
}

fn kernels() -> Vec<Named> {
    let named = |kernel: &Personality| Named { name: kernel.name, about: kernel.rules().about };
    Personality::ALL.iter().map(named).collect()
}
