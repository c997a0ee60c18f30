//! What a run records about the two stations of a curve.

use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::Granted;
use linerate_core::run::EndState;
use linerate_core::units::{Rate, Span};

use crate::frame::Station;
use crate::plan::HostPlan;
use crate::stack::{Kind, Parameters};
use crate::tcp::Connection;

/// The interface of a station, without its name.
pub(super) fn interface(line_rate: Rate, half_duplex: bool, mtu: u32) -> Interface {
    Interface {
        speed_mbps: Fact::Known(line_rate.as_mbps().round() as u64),
        duplex: Fact::Known(if half_duplex { "half" } else { "full" }.to_owned()),
        mtu: Fact::Known(mtu.into()),
        ..Interface::default()
    }
}

/// The interface of a station whose host costs what `plan` says: with the timer of its interrupts.
pub(super) fn of_host(interface: Interface, plan: Option<&HostPlan>) -> Interface {
    let Some(HostPlan(profile)) = plan else { return interface };
    let timer =
        u32::try_from(profile.adaptor.coalesce_time.as_ps() / Span::from_us(1).as_ps()).unwrap_or(u32::MAX);
    Interface { coalescing: Fact::Known([("rx-usecs".to_owned(), timer)].into()), ..interface }
}

/// A station, described as a host describes itself.
pub(super) fn end(station: Station, interface: Interface, granted: Granted) -> EndState {
    let name = format!("station {}", station.0);
    EndState {
        environment: Environment {
            linerate: env!("CARGO_PKG_VERSION").to_owned(),
            hostname: Fact::Known(name.clone()),
            kernel: Fact::Known("a model".to_owned()),
            architecture: "none".to_owned(),
            interface: Fact::Known(Interface { name, ..interface }),
            ..Environment::default()
        },
        granted,
        observation: Observation { clock: Fact::Known(virtual_clock()), ..Observation::default() },
    }
}

/// The granted options of a plain flow.
pub(super) fn plainly(parameters: &Parameters) -> Granted {
    let stream = parameters.kind == Kind::Stream;
    let window =
        || if stream { Fact::Known(parameters.window_bytes) } else { Fact::unknown("datagrams have none") };
    Granted {
        sndbuf: Fact::Known(parameters.send_buffer_bytes),
        rcvbuf: window(),
        usable_window: window(),
        mss: Fact::Known(parameters.payload_bytes.into()),
        timestamps: Fact::Known(false),
        ..Granted::default()
    }
}

/// The granted options of a TCP end after its handshake.
pub(super) fn by_tcp(connection: &Connection) -> Granted {
    let [sndbuf, rcvbuf] = connection.granted();
    Granted {
        sndbuf: Fact::Known(sndbuf),
        rcvbuf: Fact::Known(rcvbuf),
        usable_window: Fact::Known(connection.usable_window()),
        nodelay: Fact::Known(connection.settings().nodelay),
        congestion: Fact::Known(connection.congestion_name().to_owned()),
        mss: Fact::Known(connection.mss().into()),
        path_mtu: Fact::Known(connection.settings().mtu.into()),
        timestamps: Fact::Known(connection.has_timestamps()),
        ..Granted::default()
    }
}

/// The model's clock: exact, and free to read.
fn virtual_clock() -> Clock {
    Clock {
        name: "virtual".to_owned(),
        reads: 0,
        cost: Span::ZERO,
        resolution: Span::from_ps(1),
        backwards: 0,
    }
}
