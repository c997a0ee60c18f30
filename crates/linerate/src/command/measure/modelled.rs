//! A model as what is measured.

use std::path::PathBuf;

use linerate_core::measure::Method;
use linerate_core::options::SocketOptions;
use linerate_core::plan::{Common, CurvePlan, LocalOptions, Plan, PlanError, RemoteOptions};
use linerate_core::run::{Answering, EndState, Model, Path, Source};
use linerate_core::transport::Transport;
use linerate_sim::bench::ModelBench;
use linerate_sim::model::{self, Curve};
use linerate_sim::plan::ModelPlan;

use super::subject::CurveSubject;
use crate::command::conduct::Subject;
use crate::command::model::traced;
use crate::trouble::Trouble;

/// A modelled network, ready to be measured.
pub(super) struct Modelled {
    name: String,
    plan: ModelPlan,
    curve: Curve,
    /// Where a capture of what passed goes, if one is taken.
    trace: Option<PathBuf>,
}

impl Modelled {
    /// Builds the model. What `plan` asks of sockets is asked of the modelled hosts.
    pub(super) fn build(
        name: String,
        mut model: ModelPlan,
        plan: &Plan,
        trace: Option<PathBuf>,
    ) -> Result<Self, Trouble> {
        refuse_what_no_model_has(plan)?;
        ask(&plan.common.socket, &mut model);
        let passages = trace.as_ref().map(|_| traced::MOST_PASSAGES);
        let curve = model::curve(&model, passages).map_err(|error| Trouble::model(&error, ""))?;
        if let Some(path) = &trace {
            traced::prepare(path)?;
        }
        Ok(Self { name, plan: model, curve, trace })
    }

    /// Whether one trial of a size says everything.
    pub(super) const fn is_exact(&self) -> bool {
        self.curve.exact.is_some()
    }
}

/// Asks the modelled hosts for what is asked of sockets.
fn ask(asked: &SocketOptions, model: &mut ModelPlan) {
    let mss = asked.mss.map(|mss| linerate_core::units::Size(mss.into()));
    if let Some(tcp) = &mut model.tcp {
        tcp.mss = mss.or(tcp.mss);
        tcp.receive_buffer = asked.rcvbuf.or(tcp.receive_buffer);
        tcp.send_buffer = asked.sndbuf.or(tcp.send_buffer);
        tcp.nodelay &= asked.nodelay;
    } else {
        let transport = &mut model.transport;
        transport.mss = mss.or(transport.mss);
        transport.window = asked.rcvbuf.unwrap_or(transport.window);
        transport.send_buffer = asked.sndbuf.or(transport.send_buffer);
    }
}

/// Options that only a real host has are refused rather than ignored.
fn refuse_what_no_model_has(plan: &Plan) -> Result<(), Trouble> {
    let asked = &plan.common.socket;
    let usual = SocketOptions {
        sndbuf: asked.sndbuf,
        rcvbuf: asked.rcvbuf,
        mss: asked.mss,
        ..SocketOptions::default()
    };
    let what = if *asked != usual {
        "nodelay, congestion, dscp, busy-poll or io"
    } else if plan.common.transport != Transport::default() || !plan.common.memory.is_plain() {
        "transport or place of messages in memory"
    } else if plan.curve().is_some_and(|curve| curve.stages.is_some()) {
        "kernels that stamp the stages of a message"
    } else if plan.common.host.is_some() {
        "peer on another host"
    } else if plan.common.local != LocalOptions::default() || plan.common.remote != RemoteOptions::default() {
        "addresses, interfaces, address families or processors"
    } else {
        return Ok(());
    };
    Err(Trouble::new(
        format!("failed to measure the model: its hosts have no {what}"),
        "leave that out; sndbuf, rcvbuf and mss are the modelled hosts' send buffer, window and segment",
    ))
}

impl Subject for Modelled {
    fn source(&self) -> Source {
        Source::Modelled(self.name.clone())
    }

    fn ends(&self) -> (EndState, Vec<Answering>) {
        let [here, there] = self.curve.stations.map(|station| format!("station {}", station.0));
        let path =
            Path { transport: "model".to_owned(), from_address: here, to_address: there, ..Path::default() };
        let [local, end] = self.curve.ends.clone();
        (local, vec![Answering { end, path }])
    }

    fn model(&self) -> Option<Model> {
        Some(Model {
            plan: self.plan.to_toml(),
            link: self.curve.link,
            payload: self.curve.payload,
            cautions: self.curve.cautions.clone(),
        })
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        match (&self.trace, self.curve.bench.take_trace()) {
            (Some(path), Some(trace)) => traced::keep(&trace, &self.plan, path),
            _ => Ok(()),
        }
    }
}

impl CurveSubject for Modelled {
    type Bench = ModelBench;

    fn bench(&mut self) -> &mut ModelBench {
        &mut self.curve.bench
    }

    fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError> {
        self.curve.method(common, curve)
    }
}
