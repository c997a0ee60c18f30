//! The responder's flows of requests.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::ScopedJoinHandle;

use linerate_core::endpoint::LinkError;
use linerate_core::kernel::Effort;
use linerate_core::traffic::RrPlan;
use linerate_core::trial::Tally;

use super::Held;
use super::places::start;
use crate::channel::Channel;
use crate::flow::{Answered, Answering};
use crate::line::Line;
use crate::observe::{EffortWatch, HostClock};
use crate::wait::Wait;

/// Channels of one flow that may wait for their answer. A peer that keeps to the protocol has one.
const WAITING: usize = 16;

/// What [`answer_by_connection`] receives from the listener of channels.
pub(crate) enum NextChannel {
    /// A channel, and its number.
    Line(u32, Held),
    /// No channel lately.
    Quiet,
    /// No more will come.
    Over,
}

/// Answers over all `lines` at the same time, each on a thread of its own, until the peer sends no
/// more requests.
pub(crate) fn answer_all(
    clock: &HostClock,
    plan: &RrPlan,
    datagrams: bool,
    cpus: &[u32],
    lines: Vec<Box<dyn Line>>,
) -> Vec<Answered> {
    std::thread::scope(|scope| {
        let answer = |mut line: Box<dyn Line>| {
            let mut answering = Answering::new(plan).on_datagrams(datagrams);
            let watch = EffortWatch::start(clock, line.channel().tcp());
            // How it failed is seen at the end that asks.
            line.answer(&mut answering).unwrap_or(());
            let effort = watch.finish(clock, &tally(plan, answering.transactions()), || line.channel().tcp());
            (answering, Some(effort))
        };
        let running: Vec<_> =
            (0..).zip(lines).map(|(flow, line)| start(scope, cpus, flow, move || answer(line))).collect();
        finish(running)
    })
}

/// Answers once over each channel that arrives, the channels of one flow one after the other.
pub(crate) fn answer_by_connection(
    plan: &RrPlan,
    cpus: &[u32],
    mut next: impl FnMut() -> NextChannel,
) -> Vec<Answered> {
    std::thread::scope(|scope| {
        let (senders, running): (Vec<_>, Vec<_>) = (0..plan.flows)
            .map(|flow| {
                let (sender, arrivals) = sync_channel(WAITING);
                (sender, start(scope, cpus, flow, move || (each(plan, &arrivals), None)))
            })
            .unzip();
        loop {
            match next() {
                // A peer that does not wait for its answers loses channels.
                NextChannel::Line(number, held) => {
                    senders[(number % plan.flows) as usize].try_send(held).unwrap_or(());
                }
                NextChannel::Quiet => {}
                NextChannel::Over => break,
            }
        }
        drop(senders);
        finish(running)
    })
}

fn each(plan: &RrPlan, arrivals: &Receiver<Held>) -> Answering {
    let mut answering = Answering::new(plan);
    for (mut line, _hold) in arrivals {
        // How it failed is seen at the end that asks.
        once(line.channel_mut(), &mut answering).unwrap_or(());
    }
    answering
}

/// Answers one request, ends the channel, and waits until the peer has ended it too.
fn once(channel: &mut dyn Channel, answering: &mut Answering) -> Result<(), LinkError> {
    let asked = answering.take(|into| match channel.pull(into, Wait::Patiently) {
        // A channel for a single request is not retried.
        Err(LinkError::Stalled(_)) => Err(LinkError::Closed),
        other => other,
    })?;
    if asked {
        answering.give(|data| channel.push(data, Wait::Patiently))?;
        channel.finish_sending()?;
        channel.pull(&mut [0], Wait::Patiently)?;
    }
    Ok(())
}

/// What passed at the end that answers.
pub(crate) fn tally(plan: &RrPlan, transactions: u64) -> Tally {
    Tally {
        sent_bytes: transactions.saturating_mul(plan.response.0),
        received_bytes: transactions.saturating_mul(plan.request.0),
        sent: transactions,
        received: transactions,
    }
}

/// What a flow answered, and what that took.
type Spent = (Answering, Option<Effort>);

fn finish(running: Vec<Result<ScopedJoinHandle<'_, Spent>, String>>) -> Vec<Answered> {
    let ended = (0..).zip(running).filter_map(|(flow, running)| Some((flow, running.ok()?.join().ok()?)));
    ended.map(|(flow, (answering, effort))| answering.answered(flow, effort)).collect()
}
