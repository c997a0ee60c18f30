//! Ranks on this host, in a laboratory, on hosts over ssh or on servers, conducted from here.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::thread;

use linerate_analysis::report::Report;
use linerate_core::comm::Comm as _;
use linerate_core::plan::{LocalOptions, Plan};
use linerate_core::run::Source;
use linerate_core::units::Span;
use linerate_net::control::{Key, RankOrder};
use linerate_net::observe::HostClock;
use linerate_net::pair::{ServerRank, Target};
use linerate_net::ranks::{Meeting, Oversight, Program, joining, lead, take_part};

use super::application::application;
use super::launched::given_up;
use super::member::Told;
use super::started::Started;
use super::subject::Ranks;
use super::{Place, meeting, room};
use crate::agent::{self, Agent, quoted};
use crate::cli::HostList;
use crate::command::conduct::{Stopped, Surroundings, Underway};
use crate::command::hosts::given_key;
use crate::command::laboratory::Entered;
use crate::context::Context;
use crate::peer::fresh_key;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// Default of `--within`.
pub(super) const WITHIN: Span = Span::from_ms(30_000);
/// Ranks on this host if nothing else is asked.
const RANKS: u32 = 2;
/// How many copies are made at the same time.
const COPIES: usize = 8;
/// How many servers are asked at the same time.
const ASKED: usize = 64;
/// What a rank is started with.
const AS_RANK: [&str; 2] = ["mesh", "--as-rank"];

/// Where the ranks are.
enum Way<'a> {
    /// On this host.
    Here,
    /// In this process.
    Threads,
    /// On the hosts of a laboratory.
    Laboratory(&'a Entered),
    /// On hosts that an agent reaches.
    Agent { agent: Agent, program: String, deploy: bool },
    /// On servers.
    Servers,
}

impl Way<'_> {
    /// The address at which the ranks find this process, if it is known beforehand.
    fn address(&self, bind: Option<IpAddr>) -> Option<IpAddr> {
        bind.or(match self {
            Self::Here | Self::Threads => Some(Ipv4Addr::LOCALHOST.into()),
            Self::Laboratory(lab) => Some(lab.address()),
            Self::Agent { .. } | Self::Servers => None,
        })
    }

    fn source(&self) -> Source {
        if matches!(self, Self::Here | Self::Threads) { Source::Loopback } else { Source::Measured }
    }
}

pub(super) fn measure(
    place: &Place<'_>,
    mut plan: Plan,
    context: &Context,
    line: &Line,
    work: impl FnOnce(&mut Ranks, &mut Underway<'_>) -> Result<(), Stopped>,
) -> Result<Report, Trouble> {
    let interrupt = Interrupt::listen()?;
    let lab = Entered::into(place.lab, &mut plan, context)?;
    plan.common.host = None;
    let (way, hosts) = way(place, lab.as_ref())?;
    let per_host = place.ranks.per_host.unwrap_or(1) as usize;
    let hosts: Vec<String> = hosts.into_iter().flat_map(|host| vec![host; per_host]).collect();
    if hosts.len() < place.fewest {
        return Err(Trouble::new(
            "failed to measure pairs: there is a single rank",
            "name at least two hosts, or start several ranks on each with --per-host",
        ));
    }
    let key = match way {
        Way::Servers => given_key(place.key)?.ok_or_else(|| {
            let help =
                "start all servers with `linerate serve --key-file FILE`, and give the same --key-file here";
            Trouble::new("failed to ask servers without a key", help)
        })?,
        _ => fresh_key()?,
    };
    let ranks = Starting { way: &way, hosts: &hosts, key: &key, place, plan: &plan, clock: context.clock };
    let laboratory = lab.as_ref().map(|lab| lab.noted(&plan).between(hosts.clone()));
    let started = Started::default();
    let mut ranks = ranks.meet(&started, context.clock, line, &interrupt)?;
    (ranks.source, ranks.laboratory) = (way.source(), laboratory);
    ranks.measure(plan, Surroundings { context, line, interrupt: &interrupt }, work)
}

/// Where the ranks are, and the host of each.
fn way<'a>(place: &Place<'_>, lab: Option<&'a Entered>) -> Result<(Way<'a>, Vec<String>), Trouble> {
    let ranks = place.ranks;
    if let Some(lab) = lab {
        let mut hosts = lab.hosts();
        if let Some(count) = ranks.ranks {
            let known = hosts.len();
            if count as usize > known {
                return Err(Trouble::new(
                    format!("failed to have {count} ranks: the laboratory has {known} hosts"),
                    "ask for fewer --ranks, or for several on each host with --per-host",
                ));
            }
            hosts.truncate(count as usize);
        }
        return Ok((Way::Laboratory(lab), hosts));
    }
    if let Some(HostList(hosts)) = &ranks.servers {
        return Ok((Way::Servers, hosts.clone()));
    }
    if let Some(HostList(hosts)) = &ranks.hosts {
        let agent = Agent::of(ranks.agent.as_deref())?;
        let program = ranks.program.clone().unwrap_or_else(|| "linerate".to_owned());
        return Ok((Way::Agent { agent, program, deploy: ranks.deploy }, hosts.clone()));
    }
    let way = if place.threads { Way::Threads } else { Way::Here };
    Ok((way, vec![hostname(); ranks.ranks.unwrap_or(RANKS) as usize]))
}

/// What this host calls itself.
pub(super) fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// What is needed to start all ranks.
struct Starting<'a> {
    way: &'a Way<'a>,
    hosts: &'a [String],
    key: &'a Key,
    place: &'a Place<'a>,
    plan: &'a Plan,
    clock: HostClock,
}

impl Starting<'_> {
    fn order(&self, rank: usize) -> RankOrder {
        let milliseconds = |span: Span| span.to_duration().as_millis() as u64;
        let name =
            rank.checked_sub(1).map_or_else(|| "the conductor".to_owned(), |host| self.hosts[host].clone());
        RankOrder {
            rank,
            size: self.hosts.len() + 1,
            first: 1,
            name,
            plan: Box::new(self.plan.clone()),
            within_ms: milliseconds(self.place.ranks.within.unwrap_or(WITHIN)),
            patience_ms: milliseconds(self.place.patience()),
        }
    }

    /// Starts the ranks while it waits for them.
    fn meet(
        &self,
        started: &Started,
        clock: HostClock,
        line: &Line,
        interrupt: &Interrupt,
    ) -> Result<Ranks, Trouble> {
        let order = self.order(0);
        let program = Program::of(&order, application)?;
        let here = matches!(self.way, Way::Here | Way::Threads | Way::Laboratory(_));
        let ranks = self.hosts.len();
        room::check(ranks, here.then(|| program.memory(ranks).all))?;
        let listener = meeting::listen(self.way.address(self.place.ranks.bind), 0)?;
        let addresses = meeting::addresses(&listener)?;
        line.doing("waiting for all ranks");
        let comm = thread::scope(|scope| {
            scope.spawn(|| {
                if let Err(trouble) = self.start(started, &addresses, interrupt) {
                    started.fail(trouble);
                }
            });
            let names = std::iter::once(order.name.clone()).chain(self.hosts.iter().cloned()).collect();
            let attendance = self.place.attendance(order.first, names);
            let led = lead(listener, joining(&order, self.key, clock), &attendance, || {
                given_up(interrupt).and_then(|()| started.hope())
            });
            started.met(|rank| led.as_ref().is_ok_and(|comm| comm.absence(rank).is_some()));
            led
        });
        let comm = comm.map_err(|error| started.trouble().unwrap_or_else(|| error.into()))?;
        Ok(Ranks::new(comm, 1, self.place.patience(), clock))
    }

    fn start(&self, started: &Started, addresses: &[String], interrupt: &Interrupt) -> Result<(), Trouble> {
        if matches!(self.way, Way::Servers) {
            return self.ask_all(started, addresses, interrupt);
        }
        let programs = self.programs(started, interrupt)?;
        for (number, host) in self.hosts.iter().enumerate() {
            if interrupt.asked() {
                return Ok(());
            }
            let order = self.order(number + 1);
            let child = match self.way {
                Way::Servers => unreachable!("they were asked"),
                Way::Threads => {
                    self.begin(started, addresses, order)?;
                    continue;
                }
                Way::Here => agent::here(&AS_RANK)?,
                Way::Laboratory(lab) => lab.on(host, || agent::here(&AS_RANK))??,
                Way::Agent { agent, .. } => {
                    let Some(program) = &programs[number] else { continue };
                    agent.start(host, &format!("exec {program} {}", AS_RANK.join(" ")))?
                }
            };
            let told = Told { addresses: addresses.to_vec(), key: self.key.to_string(), order };
            started.add(host, child, &told);
        }
        Ok(())
    }

    /// Begins a rank as a thread of this process.
    fn begin(&self, started: &Started, addresses: &[String], order: RankOrder) -> Result<(), Trouble> {
        let meeting = Meeting { addresses: addresses.to_vec(), key: self.key.clone() };
        let clock = self.clock;
        let name = format!("rank {}", order.rank - order.first);
        let thread = thread::Builder::new().name(name).spawn(move || {
            take_part(&order, application, || Ok(meeting.clone()), clock, Oversight::default())
                .map_err(Trouble::from)
        });
        let thread = thread.map_err(|error| {
            Trouble::new(format!("failed to start a thread: {error}"), "ask for fewer --ranks")
        })?;
        started.add_thread(thread);
        Ok(())
    }

    /// The program on the host of each rank, as a word of its shell; copied there if that was asked for. Absent where it
    /// could not be copied and the others are enough.
    fn programs(&self, started: &Started, interrupt: &Interrupt) -> Result<Vec<Option<String>>, Trouble> {
        let Way::Agent { agent, program, deploy } = self.way else { return Ok(Vec::new()) };
        if !deploy {
            return Ok(vec![Some(quoted(program)); self.hosts.len()]);
        }
        let mut hosts: Vec<&String> = self.hosts.iter().collect();
        hosts.dedup();
        let copies: Mutex<Vec<(String, String)>> = Mutex::default();
        let mut failed: Vec<(&String, Trouble)> = Vec::new();
        for some in hosts.chunks(COPIES) {
            if interrupt.asked() {
                return Ok(vec![None; self.hosts.len()]);
            }
            let copied: Vec<Result<(), Trouble>> = thread::scope(|scope| {
                let copying = some.iter().map(|host| {
                    let copies = &copies;
                    scope.spawn(move || {
                        let deployed = agent.deploy(host)?;
                        let program = (host.to_string(), deployed.program());
                        copies.lock().expect("nobody panics").push(program);
                        started.add_deployed(deployed);
                        Ok(())
                    })
                });
                let copying: Vec<_> = copying.collect();
                copying.into_iter().map(|one| one.join().expect("it does not panic")).collect()
            });
            failed.extend(
                some.iter().copied().zip(copied).filter_map(|(host, copied)| Some((host, copied.err()?))),
            );
            if self.place.all
                && let Some((_, trouble)) = failed.pop()
            {
                return Err(trouble);
            }
        }
        let copies = copies.into_inner().expect("nobody panics");
        let of = |(number, host): (usize, &String)| {
            if let Some((_, trouble)) = failed.iter().find(|(at, _)| *at == host) {
                started.miss(number + 1, format!("failed to {}", trouble.reason()));
            }
            copies.iter().find(|(at, _)| at == host).map(|(_, program)| program.clone())
        };
        Ok(self.hosts.iter().enumerate().map(of).collect())
    }

    /// Asks all servers, many at once: one that does not answer takes no time of another.
    fn ask_all(&self, started: &Started, addresses: &[String], interrupt: &Interrupt) -> Result<(), Trouble> {
        let ranks: Vec<usize> = (1..=self.hosts.len()).collect();
        for some in ranks.chunks(ASKED) {
            if interrupt.asked() {
                return Ok(());
            }
            thread::scope(|scope| {
                let ask = |rank: &usize| {
                    let rank = *rank;
                    scope.spawn(move || self.ask(started, addresses, rank))
                };
                let asking: Vec<_> = some.iter().map(ask).collect();
                asking.into_iter().try_for_each(|one| one.join().expect("it does not panic"))
            })?;
        }
        Ok(())
    }

    /// Asks the server that is to be this rank.
    fn ask(&self, started: &Started, addresses: &[String], rank: usize) -> Result<(), Trouble> {
        let (host, order) = (&self.hosts[rank - 1], self.order(rank));
        let port = addresses.first().and_then(|one| one.rsplit_once(':')?.1.parse().ok()).unwrap_or_default();
        let local = LocalOptions { bind: self.place.ranks.bind, ..LocalOptions::default() };
        let patience = self.place.patience().to_duration();
        let mut queued = |_: u32| match started.is_over() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        match ServerRank::ask(&Target::parse(host)?, self.key, (&local, patience), (port, order), &mut queued)
        {
            Ok(server) => started.add_server(rank, server),
            Err(error) if error.is_absence() && !self.place.all => {
                started.miss(rank, format!("failed to {error}"));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}
