//! `linerate lab`.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use linerate_core::lab::{LabPlan, Layout};
use linerate_net::lab::{ForwarderProgram, LabError, forward, forward_kept, kept};
use linerate_report::lab as render;

use super::lab_plan::{self, Given};
use crate::cli::LabVerb;
use crate::screen::{columns, note, show};
use crate::trouble::Trouble;

pub(super) fn run(verb: &LabVerb) -> Result<ExitCode, Trouble> {
    match verb {
        LabVerb::Up { plan, name } => up(plan, name.as_deref()),
        LabVerb::Down { names, all, busy } => down(names, *all, *busy),
        LabVerb::List => list(),
        LabVerb::Exec { node, command } => exec(node, command),
        LabVerb::Forward { socket } => {
            let (input, output) = (std::io::stdin().lock(), std::io::stdout());
            match socket {
                Some(socket) => forward_kept(input, output, socket),
                None => forward(input, output),
            }?;
            Ok(ExitCode::SUCCESS)
        }
        LabVerb::Plans => plans(),
        LabVerb::Show { plan } => {
            match lab_plan::shipped(plan) {
                Some(shipped) => show(shipped.text),
                None => show(&Given::read(plan)?.plan.to_toml()),
            }?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn up(plan: &str, name: Option<&str>) -> Result<ExitCode, Trouble> {
    let given = Given::read(plan)?;
    let name = name.unwrap_or(&given.name);
    let (layout, links) = kept::up(name, &given.plan, &forwarder()?)?;
    let (first, last) = ends(&layout);
    show(&format!(
        "the laboratory {name} is up: {} nodes, {} link{}\n{}\n{}\n\
         `linerate lab exec {name}.{first} -- CMD` runs a command on {first}, which knows the others by\n\
         name (`ping {last}`). `linerate lab down {name}` removes everything.\n",
        layout.nodes.len(),
        layout.links.len(),
        if layout.links.len() == 1 { "" } else { "s" },
        render::mechanisms(&links),
        render::nodes(&layout, Some(name), columns().into()),
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// This program as the forwarder of a laboratory.
pub(super) fn forwarder() -> Result<ForwarderProgram, Trouble> {
    let program = std::env::current_exe().map_err(|error| {
        Trouble::new(
            format!("failed to find this program, which forwards between hosts: {error}"),
            "run it from a file that stays",
        )
    })?;
    Ok(ForwarderProgram { program, arguments: ["lab", "forward"].map(Into::into).to_vec() })
}

/// The names of the first and the last host.
fn ends(layout: &Layout) -> (&str, &str) {
    let mut hosts = layout.hosts().map(|host| &*host.name);
    let first = hosts.next().unwrap_or_default();
    (first, hosts.last().unwrap_or(first))
}

fn down(names: &[String], all: bool, busy: bool) -> Result<ExitCode, Trouble> {
    let all = if all { kept::list()?.into_iter().map(|lab| lab.name).collect() } else { Vec::new() };
    let names: Vec<&String> = names.iter().chain(&all).collect();
    // One that cannot be removed does not keep the others.
    let failed: Vec<LabError> = names.into_iter().filter_map(|name| kept::down(name, busy).err()).collect();
    let mut troubles = failed.into_iter().map(Trouble::from);
    let Some(first) = troubles.next() else { return Ok(ExitCode::SUCCESS) };
    troubles.for_each(|other| note(other.laid_out()));
    Err(first)
}

fn list() -> Result<ExitCode, Trouble> {
    let labs = kept::list()?;
    if labs.is_empty() {
        show("no laboratory is up; `linerate lab plans` names plans for `linerate lab up`\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let labs: Vec<render::KeptLab> = labs.into_iter().map(shown).collect();
    show(&render::kept(&labs, columns().into()))?;
    Ok(ExitCode::from(u8::from(labs.iter().any(|lab| lab.state.is_some()))))
}

fn shown(lab: kept::Kept) -> render::KeptLab {
    let kept::Kept { name, layout, about, missing, carried, processes } = lab;
    let state = match &layout {
        Err(error) => Some(error.clone()),
        Ok(_) if !missing.is_empty() => Some(format!("these nodes are missing: {}", missing.join(", "))),
        Ok(_) if carried.is_none() => Some("its forwarder has ended, and links are cut".to_owned()),
        Ok(_) => None,
    };
    let (nodes, links) = (layout.ok().map(|layout| layout.nodes.len()), carried.unwrap_or_default());
    render::KeptLab { name, about, nodes, processes, links, state }
}

/// Becomes `command`, on a node.
fn exec(node: &str, command: &[std::ffi::OsString]) -> Result<ExitCode, Trouble> {
    let (lab, node) = match node.split_once('.') {
        Some((lab, node)) => (lab.to_owned(), node),
        None => (only(node)?, node),
    };
    kept::become_part(&lab, node)?;
    let (program, arguments) = command.split_first().expect("clap asks for one");
    let error = Command::new(program).args(arguments).exec();
    Err(Trouble::new(
        format!("failed to run {} on {node}: {error}", program.display()),
        "name a program of this host: a laboratory's nodes have its files",
    ))
}

/// The one laboratory with this node.
fn only(node: &str) -> Result<String, Trouble> {
    let has = |lab: &kept::Kept| lab.layout.as_ref().is_ok_and(|layout| layout.find(node).is_some());
    let labs: Vec<String> = kept::list()?.into_iter().filter(has).map(|lab| lab.name).collect();
    match &labs[..] {
        [lab] => Ok(lab.clone()),
        [] => Err(Trouble::new(
            format!("failed to find {node}: no laboratory that is up has such a node"),
            "`linerate lab list` names what is up; `linerate lab up PLAN` makes one",
        )),
        several => Err(Trouble::new(
            format!("failed to choose {node}: the laboratories {} have one", several.join(" and ")),
            format!("name the laboratory too, such as {}.{node}", several[0]),
        )),
    }
}

fn plans() -> Result<ExitCode, Trouble> {
    let about = |plan: &linerate_sim::shipped::Shipped| {
        LabPlan::from_toml(plan.text)
            .map(|read| (plan.name, read.about))
            .map_err(|error| Trouble::lab(&error, plan.name, plan.text))
    };
    let plans: Vec<(&str, String)> = lab_plan::SHIPPED.iter().map(about).collect::<Result<_, _>>()?;
    show(&render::plans(&plans))?;
    Ok(ExitCode::SUCCESS)
}

impl From<LabError> for Trouble {
    fn from(error: LabError) -> Self {
        let help = match &error {
            LabError::Privilege => {
                "run it as root (`sudo linerate ...`); nothing outside its namespaces is changed".to_owned()
            }
            LabError::Namespace(_) => "this kernel must have network namespaces (CONFIG_NET_NS)".to_owned(),
            LabError::Plan(_) => "correct the plan; `linerate lab show dumbbell` prints one to begin with".to_owned(),
            LabError::Refused { what, .. } if what.contains("bridge") => {
                "this kernel must have bridges (CONFIG_BRIDGE)".to_owned()
            }
            LabError::Refused { what, .. } if what.contains("forwarder") => {
                "this kernel must have packet sockets (CONFIG_PACKET)".to_owned()
            }
            LabError::Refused { what, .. } if what.contains("bucket") => {
                "this kernel must have token buckets (CONFIG_NET_SCH_TBF)".to_owned()
            }
            LabError::Refused { .. } => "this kernel must have veth (CONFIG_VETH)".to_owned(),
            LabError::Exists(name) => {
                format!("remove it with `linerate lab down {name}`, or choose another --name")
            }
            LabError::Unknown(_) | LabError::NoNode { .. } => "`linerate lab list` names what is up".to_owned(),
            LabError::Busy { .. } => "end them first, or give --busy".to_owned(),
            LabError::File { .. } => {
                "look at the file; `linerate lab list` says what is whole, and `linerate lab down` removes the rest".to_owned()
            }
        };
        Self::new(format!("failed to {error}"), help)
    }
}
