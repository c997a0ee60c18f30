//! What the verbs that put loads on a path share.

mod modelled;
mod tool;

use std::ops::ControlFlow;
use std::rc::Rc;

use linerate_analysis::report::Report;
use linerate_core::carrier::{CarriedLoad, Carrier, LoadWatch, Look};
use linerate_core::plan::{Asked, Format, Plan, StreamPlan, Tool};
use linerate_core::run::{Laboratory, Run, Source};
use linerate_core::traffic::Transfer;
use linerate_core::transport::Transport;
use linerate_net::pair::Loads;
use linerate_report as render;

pub(super) use modelled::{base, on_model};

use tool::with_tool;

use super::conduct::{Stopped, Subject, Surroundings, Underway, conduct};
use super::explained;
use super::host_limits;
use super::hosts::{Opening, Started};
use super::laboratory::Entered;
use super::results::is_free;
use crate::cli::{PeerArgs, ProgressForm};
use crate::context::Context;
use crate::progress::Line;
use crate::screen::show;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// What loads can be put on.
pub(super) trait LoadSubject: Subject {
    /// What carries them.
    type Carrier: Carrier<Error: std::fmt::Display + Into<Trouble>>;

    fn carrier(&mut self) -> &mut Self::Carrier;
}

/// Refuses options that loads do not support.
pub(super) fn check(plan: &Plan) -> Result<(), Trouble> {
    plan.check().map_err(|error| Trouble::plan(error, None))?;
    super::planned::built_in(plan)?;
    if plan.common.transport == Transport::Memory {
        return Err(Trouble::new(
            "failed to load the transport memory: copies in one process have no peer",
            "run `linerate measure --transport memory`, or choose another --transport",
        ));
    }
    super::planned::refuse_np(plan)
}

/// Carries the plan's loads between this host and the hosts that it names.
pub(super) fn between_hosts(
    plan: Plan,
    peer: &PeerArgs,
    lab: Option<&Entered>,
    context: &Context,
    progress: ProgressForm,
) -> Result<Report, Trouble> {
    let interrupt = Interrupt::listen()?;
    let line = Line::of(progress);
    let around = Surroundings { context, line: &line, interrupt: &interrupt };
    let limits = host_limits::before_run(peer.host_limits, around)?;
    if let Some((tool, address)) = plan.common.host.as_deref().and_then(Tool::of) {
        let address = address.to_owned();
        return with_tool((tool, &address), plan, peer, limits, around);
    }
    let opening = Rc::new(Opening { peer, lab, limits, around });
    let (loads, started) = opening.loads(&plan)?;
    carry(Hosts { opening, loads, finished: false, started }, plan, around)
}

/// Puts the plan's loads on `subject`, one after the other.
pub(super) fn carry<S: LoadSubject>(
    subject: S,
    plan: Plan,
    around: Surroundings<'_>,
) -> Result<Report, Trouble> {
    let loads = plan.loads().map_err(|error| Trouble::plan(error, None))?;
    conduct(subject, plan, around, |subject, underway| {
        loads.iter().try_for_each(|asked| {
            if loads.len() > 1 && !around.line.is_quiet() {
                announce(&underway.run.plan, asked);
            }
            one(subject, asked, underway)
        })?;
        if underway.run.transfers.iter().any(Transfer::has_passed) {
            return explained::settle(subject, underway, explained::carried);
        }
        let reason = "time anything: no byte of bulk arrived, and no transaction ended after the warm-up";
        let help = "allow more --time, ask for a higher --rate, or look whether the path loses everything";
        let trouble = Trouble::new(format!("failed to {reason}"), help);
        Err(Stopped::Failed { reason: reason.to_owned(), trouble })
    })
}

/// Puts one load on `subject`, and saves the result.
fn one<S: LoadSubject>(subject: &mut S, asked: &Asked, underway: &mut Underway<'_>) -> Result<(), Stopped> {
    let mut watch = Watcher { live: live(underway, asked), underway };
    let CarriedLoad { transfer, ended } = subject.carrier().carry(&asked.load, &mut watch);
    let label = asked.label.clone();
    underway.run.transfers.extend(transfer.map(|transfer| Transfer { label, ..transfer }));
    if underway.go_on().is_break() {
        return Err(Stopped::Interrupted);
    }
    underway.line.load_done(asked);
    ended.map_err(|error| Stopped::Failed { reason: error.to_string(), trouble: error.into() })?;
    underway.save();
    Ok(())
}

/// This host and the servers on others, or a peer that was started here.
struct Hosts<'a> {
    opening: Rc<Opening<'a>>,
    loads: Loads,
    /// Whether all ends have reported what they saw.
    finished: bool,
    /// Kept until the end of the run: a server ends when this is dropped.
    started: Started,
}

impl Subject for Hosts<'_> {
    fn source(&self) -> Source {
        self.started.source()
    }

    fn laboratory(&self) -> Option<Laboratory> {
        self.started.laboratory()
    }

    fn set_hosts(&self, run: &mut Run) {
        let (beginning, answering) = self.loads.ends();
        run.set_star(beginning, answering);
        self.opening.limits.iter().for_each(|limits| run.set_limits(limits));
    }

    fn finish(&mut self, _: &Context) -> Result<(), Trouble> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        self.loads.finish().map_err(Trouble::from)
    }

    fn another(&self, plan: &Plan) -> Result<Option<Self>, Trouble> {
        let (loads, started) = self.opening.loads(plan)?;
        Ok(Some(Self { opening: Rc::clone(&self.opening), loads, finished: false, started }))
    }
}

impl LoadSubject for Hosts<'_> {
    type Carrier = Loads;

    fn carrier(&mut self) -> &mut Loads {
        &mut self.loads
    }
}

/// Whether a person reads standard output.
fn is_read(plan: &Plan) -> bool {
    plan.common.output.format == Format::Table && is_free(&plan.common.output)
}

/// Prints which of several loads the next lines are about.
fn announce(plan: &Plan, asked: &Asked) {
    if asked.load.stream.is_some() && is_read(plan) {
        let name = render::traffic::called(&asked.label, &asked.load);
        show(&format!("{name}:\n")).unwrap_or(());
    }
}

/// The bulk whose intervals are shown: only on a terminal.
fn live(underway: &Underway<'_>, asked: &Asked) -> Option<StreamPlan> {
    let plan = &underway.run.plan;
    let read = is_read(plan) && !underway.line.is_quiet();
    let mut stream = asked.load.stream.clone().filter(|_| read)?;
    let hosts = u32::try_from(plan.hosts().count().max(1)).unwrap_or(u32::MAX);
    stream.flows = stream.flows.saturating_mul(hosts);
    Some(stream)
}

/// Shows what passes, and ends the load when the user asks.
struct Watcher<'a, 'b> {
    live: Option<StreamPlan>,
    underway: &'a Underway<'b>,
}

impl LoadWatch for Watcher<'_, '_> {
    fn interval(&mut self, look: &Look) {
        self.underway.line.interval(look);
        let Some(stream) = &self.live else { return };
        // When the flows have ended, the last interval may be too short for a rate.
        if look.span < stream.interval / 10 {
            return;
        }
        let line = render::traffic::interval(stream, look);
        // If the reader of standard output has gone, the error appears at the end; the measurement
        // goes on.
        show(&line).unwrap_or(());
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        self.underway.go_on()
    }
}
