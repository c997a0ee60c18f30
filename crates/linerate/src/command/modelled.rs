//! A modelled network in place of hosts and a wire, for every verb.

use std::path::PathBuf;

use linerate_core::caution::Caution;
use linerate_core::options::SocketOptions;
use linerate_core::plan::{LocalOptions, Plan, RemoteOptions};
use linerate_core::run::{Model, Source};
use linerate_core::transport::Transport;
use linerate_core::units::Rate;
use linerate_sim::plan::ModelPlan;
use linerate_sim::trace::Trace;
use linerate_study::changed;

use super::model::{Given, traced};
use crate::cli::OnModelArgs;
use crate::store::Writer;
use crate::trouble::Trouble;

/// The chosen model, with its changes.
pub(super) struct Chosen {
    name: String,
    pub(super) plan: ModelPlan,
    /// The path of the capture, if one is requested.
    trace: Option<PathBuf>,
}

impl Chosen {
    /// Reads the model that the flags name, if any.
    pub(super) fn read(args: &OnModelArgs) -> Result<Option<Self>, Trouble> {
        let Some(given) = &args.model else { return Ok(None) };
        let Given { name, plan } = Given::read(given)?;
        Ok(Some(Self { name, plan: changed(&plan, &args.set)?, trace: args.trace.clone() }))
    }

    /// Refuses options that only a real host has, rather than ignoring them.
    pub(super) fn refuse(plan: &Plan) -> Result<(), Trouble> {
        if plan.common.explain {
            return Err(Trouble::new(
                "failed to confirm what limits the model: it is exact, and nothing is changed",
                "leave explain out; `linerate explain` says what limits it, and --set changes it",
            ));
        }
        let asked = &plan.common.socket;
        let usual = SocketOptions {
            sndbuf: asked.sndbuf,
            rcvbuf: asked.rcvbuf,
            mss: asked.mss,
            ..SocketOptions::default()
        };
        let (here, there) = (&plan.common.local, &plan.common.remote);
        let what = if *asked != usual {
            "nodelay, congestion, dscp, busy-poll or io"
        } else if plan.common.transport != Transport::default() || !plan.common.memory.is_plain() {
            "transport or place of messages in memory"
        } else if plan.stream().is_some_and(|stream| stream.bulk.read_rate.is_some()) {
            "slow readers"
        } else if plan.curve().is_some_and(|curve| curve.stages.is_some()) {
            "kernels that stamp the stages of a message"
        } else if !plan.has_loads() && plan.common.host.is_some() {
            "peer on another host"
        } else if *here != LocalOptions::default() || *there != RemoteOptions::default() {
            "addresses, interfaces, address families or processors"
        } else {
            return Ok(());
        };
        Err(Trouble::new(
            format!("failed to measure the model: its hosts have no {what}"),
            "leave that out; sndbuf, rcvbuf and mss are the modelled hosts' send buffer, window and segment",
        ))
    }

    /// The number of passages to record for the capture. Finds a path that cannot be written.
    pub(super) fn passages(&self, files: &Writer) -> Result<Option<usize>, Trouble> {
        self.trace.as_ref().map(|path| files.writable(path).map(|()| traced::MOST_PASSAGES)).transpose()
    }

    /// Writes the capture, if one was requested.
    pub(super) fn keep(&self, trace: Option<Trace>, files: &Writer) -> Result<(), Trouble> {
        match (&self.trace, trace) {
            (Some(path), Some(trace)) => traced::keep(&trace, &self.plan, path, files),
            _ => Ok(()),
        }
    }

    /// Where the numbers come from.
    pub(super) fn source(&self) -> Source {
        Source::Modelled(self.name.clone())
    }

    /// What a run records about it.
    pub(super) fn model(&self, link: Rate, payload: Rate, cautions: &[Caution]) -> Model {
        Model { plan: self.plan.to_toml(), link, payload, cautions: cautions.to_vec() }
    }
}
