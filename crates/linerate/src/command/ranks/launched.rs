//! A rank that srun or mpirun has started.

use std::net::ToSocketAddrs;
use std::path::PathBuf;

use linerate_analysis::report::Report;
use linerate_core::plan::Plan;
use linerate_net::control::{Key, RankOrder};
use linerate_net::ranks::{
    Job, Meeting, Oversight, Place, Program, joining, lead, place as found, take_part,
};

use super::application::application;
use super::on_hosts::{WITHIN, hostname};
use super::subject::Ranks;
use super::{Place as At, meeting};
use crate::command::conduct::{Stopped, Surroundings, Underway};
use crate::command::hosts::given_key;
use crate::context::Context;
use crate::peer::fresh_key;
use crate::progress::Line;
use crate::signals::{self, Interrupt};
use crate::trouble::Trouble;

/// Which rank this is, if a launcher started it and nothing on the command line says otherwise.
pub(super) fn place(at: &At<'_>) -> Result<Option<Place>, Trouble> {
    let ranks = at.ranks;
    let told = ranks.hosts.is_some() || ranks.servers.is_some() || ranks.ranks.is_some();
    let told = told || at.lab.lab.is_some() || at.threads;
    if told {
        return Ok(None);
    }
    let found = found(|name| std::env::var(name).ok()).map_err(|error| {
        let help = "start all ranks with one srun or mpirun, or give --hosts";
        Trouble::new(format!("failed to {error}"), help)
    })?;
    match found {
        Some(Place { size: 1, launcher, .. }) if at.fewest > 1 => Err(Trouble::new(
            format!("failed to measure pairs: {launcher} started a single rank"),
            "start at least two, such as `srun -N 2 linerate mesh` or `mpirun -np 2 linerate mesh`",
        )),
        found => Ok(found),
    }
}

/// How the ranks of a job find each other.
enum Way {
    /// Rank 0 is at this address.
    At(String),
    /// It writes to this file where it is.
    In(PathBuf),
}

/// Takes part. Rank 0 conducts and has the report.
pub(super) fn measure(
    at: &At<'_>,
    plan: Plan,
    place: &Place,
    context: &Context,
    line: &Line,
    work: impl FnOnce(&mut Ranks, &mut Underway<'_>) -> Result<(), Stopped>,
) -> Result<Option<Report>, Trouble> {
    let job = Job::of(|name| std::env::var(name).ok(), std::os::unix::process::parent_id());
    let way = way(at, &job)?;
    let key = given_key(at.key)?;
    let within = at.ranks.within.unwrap_or(WITHIN);
    let order = RankOrder {
        rank: place.rank,
        size: place.size,
        first: 0,
        name: hostname(),
        plan: Box::new(plan),
        within_ms: within.to_duration().as_millis() as u64,
        patience_ms: at.patience().to_duration().as_millis() as u64,
    };
    if place.rank > 0 {
        signals::leave_to_parent().map_err(|error| Trouble::new(error.to_string(), "look at `ulimit -n`"))?;
        let find = || match &way {
            Way::In(path) => meeting::read(path, &job.name, key.as_ref()),
            Way::At(address) => key.clone().map_or_else(
                || Err("no key is known: give all ranks the same one with LINERATE_KEY".to_owned()),
                |key| Ok(Meeting { addresses: vec![address.clone()], key }),
            ),
        };
        take_part(&order, application, find, context.clock, Oversight::default())?;
        return Ok(None);
    }
    Program::of(&order, application)?;
    let interrupt = Interrupt::listen()?;
    let ranks = meet(at, &order, &way, (&job, key), context, line, &interrupt)?;
    ranks.measure(*order.plan, Surroundings { context, line, interrupt: &interrupt }, work).map(Some)
}

fn meet(
    at: &At<'_>,
    order: &RankOrder,
    way: &Way,
    (job, key): (&Job, Option<Key>),
    context: &Context,
    line: &Line,
    interrupt: &Interrupt,
) -> Result<Ranks, Trouble> {
    let (listener, posted, key) = match way {
        Way::At(address) => {
            let port =
                address.to_socket_addrs().ok().and_then(|mut all| all.next()).map_or(0, |at| at.port());
            let key = key.ok_or_else(|| {
                Trouble::new(
                    "failed to let ranks meet at an address without a key",
                    "give all ranks the same key: export LINERATE_KEY=$(openssl rand -hex 16)",
                )
            })?;
            (meeting::listen(at.ranks.bind, port)?, None, key)
        }
        Way::In(path) => {
            let listener = meeting::listen(at.ranks.bind, 0)?;
            let addresses = meeting::addresses(&listener)?;
            let fresh = if key.is_none() { Some(fresh_key()?) } else { None };
            let posted = meeting::post(path, &job.name, &addresses, (fresh.as_ref(), &context.files))?;
            let key = key.or(fresh).expect("there is one or the other");
            (listener, Some(posted), key)
        }
    };
    line.doing("waiting for all ranks");
    let attendance = at.attendance(order.first, Vec::new());
    let comm = lead(listener, joining(order, &key, context.clock), &attendance, || {
        given_up(interrupt).map(|()| Vec::new())
    })?;
    drop(posted);
    Ok(Ranks::new(comm, 0, at.patience(), context.clock))
}

/// Why the ranks are not waited for any longer.
pub(super) fn given_up(interrupt: &Interrupt) -> Result<(), String> {
    if interrupt.asked() { Err("it was interrupted".to_owned()) } else { Ok(()) }
}

fn way(at: &At<'_>, job: &Job) -> Result<Way, Trouble> {
    match &at.ranks.rendezvous {
        Some(given) => Ok(if is_address(given) { Way::At(given.clone()) } else { Way::In(given.into()) }),
        None if job.is_on_one_host => Ok(Way::In(std::env::temp_dir().join(job.file()))),
        None if job.is_named => Ok(Way::In(job.file().into())),
        None => Err(Trouble::new(
            "failed to agree on where ranks meet: this launcher gives its job no name",
            "give all ranks --rendezvous with a file in a folder that they share, or HOST:PORT of rank 0 and a key",
        )),
    }
}

/// `HOST:PORT` rather than a file.
fn is_address(text: &str) -> bool {
    let port = text.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
    !text.contains('/') && matches!(port, Some(Ok(_)))
}
