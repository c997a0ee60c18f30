//! The server's end of requests.

use linerate_core::kernel::HostSample;
use linerate_core::traffic::{Load, RrPlan};

use super::channels::{ChannelListener, LOOK};
use super::session::{Refusal, Session};
use crate::channel::{CancelGroup, ChannelHandle as _};
use crate::flow::Answered;
use crate::line::Line;
use crate::traffic::channels;
use crate::traffic::rr::{Beside, NextChannel, answer_all, answer_by_connection, places, tally, watched};

/// Connections of single transactions that may wait at the server's port.
pub(super) const WAITING: u32 = 1024;

impl<'a> Session<'a> {
    /// Answers the requests of `load` over `lines`, or over a channel of `more` for every
    /// transaction, until the client sends no more requests. Returns what was answered and what the
    /// host did meanwhile, unless bulk beside it reports the host.
    pub(super) fn answer(
        &self,
        load: &Load,
        lines: Vec<Box<dyn Line>>,
        more: Option<ChannelListener<'a>>,
    ) -> Result<(Vec<Answered>, Vec<HostSample>), Refusal> {
        let Some(plan) = &load.rr else { return Ok(Default::default()) };
        let answer = || self.answer_requests(load, plan, lines, more);
        if load.stream.is_some() {
            return Ok((answer()?, Vec::new()));
        }
        let clock = self.server.clock;
        let beside = Beside { link: self.observer.link().clone(), ..Beside::default() };
        let (answered, host, _) = watched(clock, clock.now(), beside, answer);
        Ok((answered?, host))
    }

    fn answer_requests(
        &self,
        load: &Load,
        plan: &RrPlan,
        lines: Vec<Box<dyn Line>>,
        more: Option<ChannelListener<'a>>,
    ) -> Result<Vec<Answered>, Refusal> {
        let cpus = places(self.plan.common.remote.pin, load.stream.is_some(), self.free);
        match more {
            Some(more) => self.answer_by_connection(plan, &cpus, channels(load), more),
            None => Ok(answer_all(
                &self.server.clock,
                plan,
                self.plan.common.transport.is_datagram(),
                &cpus,
                lines,
            )),
        }
    }

    /// The numbers of the transactions' channels begin at `first`.
    fn answer_by_connection(
        &self,
        plan: &RrPlan,
        cpus: &[u32],
        first: u32,
        mut more: ChannelListener<'a>,
    ) -> Result<Vec<Answered>, Refusal> {
        let mut failed = None;
        let cancel = CancelGroup::default();
        self.envelope.guard(Box::new(cancel.clone()));
        let answered = answer_by_connection(plan, cpus, || match more.look(LOOK) {
            Ok(Some((number, line))) => match line.channel().handle() {
                Ok(remote) => NextChannel::Line(number.wrapping_sub(first), (line, cancel.register(remote))),
                // There are no more descriptors: the client finds this one closed.
                Err(_) => NextChannel::Quiet,
            },
            // The client's next message comes after its last transaction.
            Ok(None) if self.client.has_spoken() => NextChannel::Over,
            Ok(None) if self.client.has_left() => {
                cancel.cut();
                NextChannel::Over
            }
            Ok(None) => NextChannel::Quiet,
            Err(refusal) => {
                failed = Some(refusal);
                NextChannel::Over
            }
        });
        failed.map_or(Ok(answered), Err)
    }

    /// Counts the requests of each flow that were answered.
    pub(super) fn saw_answered(&mut self, plan: &RrPlan, answered: &[Answered]) {
        answered.iter().for_each(|one| self.observer.saw(&tally(plan, one.transactions), None));
    }
}
