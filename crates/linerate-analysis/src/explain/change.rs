//! What can be changed to settle which bound binds.

use std::fmt;

use super::bound::{Bound, Cost, Which};
use linerate_core::options::{Io, Waiting};
use linerate_core::plan::{Plan, Task};
use linerate_core::run::Run;
use linerate_core::schedule::Schedule;
use linerate_core::units::{Size, Span};

/// A buffer that is to hold nothing back is this many times as large,
const LARGER: u64 = 16;
/// and at least so large.
const LARGE: Size = Size(4 << 20);

/// One thing to change, and what it is to settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bound that is on trial: if it binds, the time falls.
    pub bound: Bound,
    /// The message sizes to look at, one for each band. Unit: bytes.
    pub sizes: Vec<u64>,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Spin,
    Apart([u32; 2]),
    Nodelay,
    ReceiveBuffer(Size),
    SendBuffer(Size),
    Congestion(&'static str),
    Sendfile,
}

impl Change {
    /// What would settle `bound` on `run` for messages of this size. Absent if nothing that a plan says would.
    pub(super) fn of(bound: Bound, run: &Run, size: u64) -> Option<Self> {
        let socket = &run.plan.common.socket;
        let larger =
            |asked: Option<Size>| Size(asked.map_or(0, |asked| asked.0.saturating_mul(LARGER))).max(LARGE);
        let what = match bound {
            Bound::WakeUp if socket.wait == Waiting::Block => What::Spin,
            Bound::Processor(Which::Sender | Which::Receiver | Which::Both, Cost::Byte) | Bound::Memory
                if socket.io == Io::default() =>
            {
                What::Sendfile
            }
            Bound::Others | Bound::Processor(..) => What::Apart(two_processors(run)?),
            Bound::Nagle => What::Nodelay,
            Bound::ReceiverWindow => What::ReceiveBuffer(larger(socket.rcvbuf)),
            Bound::SendBuffer => What::SendBuffer(larger(socket.sndbuf)),
            Bound::CongestionWindow => {
                let cubic = run.local().granted.congestion.known().is_some_and(|name| name == "cubic");
                What::Congestion(if cubic { "bbr" } else { "cubic" })
            }
            _ => return None,
        };
        Some(Self { bound, sizes: vec![size], what })
    }

    /// Whether it changes the same thing as `other`.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.what == other.what
    }

    /// The plan for its sizes as `plan` is, for this long.
    #[must_use]
    pub fn usual(&self, plan: &Plan, time: Span) -> Plan {
        let mut plan = plan.clone();
        plan.common.time = time;
        if let Task::Curve(curve) = &mut plan.task {
            curve.schedule = Schedule::List(self.sizes.iter().copied().map(Size).collect());
            (curve.from, curve.to, curve.perturb) = (None, None, None);
            (curve.repeat, curve.stages, curve.explain) = (1, None, false);
        }
        plan
    }

    /// The same with the change.
    #[must_use]
    pub fn changed(&self, plan: &Plan, time: Span) -> Plan {
        let mut plan = self.usual(plan, time);
        let socket = &mut plan.common.socket;
        match self.what {
            What::Spin => socket.wait = Waiting::Spin,
            What::Nodelay => socket.nodelay = true,
            What::ReceiveBuffer(bytes) => socket.rcvbuf = Some(bytes),
            What::SendBuffer(bytes) => socket.sndbuf = Some(bytes),
            What::Congestion(name) => socket.congestion = Some(name.to_owned()),
            What::Sendfile => socket.io = Io::Sendfile,
            What::Apart([ours, theirs]) => {
                plan.common.local.pin = Some(ours);
                plan.common.remote.pin = Some(theirs);
            }
        }
        plan
    }
}

/// Two processors for ends that are on one host and were not pinned. Absent if it has only one for them.
fn two_processors(run: &Run) -> Option<[u32; 2]> {
    let (local, remote) = (run.local(), run.remote());
    let pinned = run.plan.common.local.pin.is_some() || run.plan.common.remote.pin.is_some();
    if pinned || local.environment.same_host(remote.environment) != Some(true) {
        return None;
    }
    let cpus = local.environment.cpus.known()?;
    Some([*cpus.first()?, *cpus.get(1)?])
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Spin => out.write_str("--wait spin"),
            What::Apart([ours, theirs]) => write!(out, "--pin {ours},{theirs}"),
            What::Nodelay => out.write_str("--nodelay on"),
            What::ReceiveBuffer(bytes) => write!(out, "--rcvbuf {bytes}"),
            What::SendBuffer(bytes) => write!(out, "--sndbuf {bytes}"),
            What::Congestion(name) => write!(out, "--congestion {name}"),
            What::Sendfile => out.write_str("--io sendfile"),
        }
    }
}
