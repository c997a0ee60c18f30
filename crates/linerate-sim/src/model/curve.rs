//! A model between whose first and last station a curve is measured.

use linerate_core::caution::Caution;
use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::Granted;
use linerate_core::run::End;
use linerate_core::units::{Rate, Span, Time};

use super::{Built, medium};
use crate::bench::ModelBench;
use crate::frame::Station;
use crate::hosts::Hosts;
use crate::load::Meter;
use crate::plan::{ModelError, ModelPlan, require};
use crate::stack::{Kind, Parameters};
use crate::world::World;

/// A model, ready to be measured.
#[derive(Debug)]
pub struct Curve {
    /// The bench.
    pub bench: ModelBench,
    /// Between whom.
    pub stations: [Station; 2],
    /// What a run says of them.
    pub ends: [End; 2],
    /// Rate of their lines.
    pub link: Rate,
    /// The most payload that framing leaves of that, one direction, the other free.
    pub payload: Rate,
    /// Whether anything is random, so that one trial does not say all.
    pub random: bool,
    /// What is doubtful about the network.
    pub cautions: Vec<Caution>,
}

/// The plan's network with a flow between its first and its last station.
///
/// # Errors
///
/// When the plan cannot be built.
pub fn curve(plan: &ModelPlan) -> Result<Curve, ModelError> {
    let stations = plan.network.stations();
    require(stations >= 2, "network.stations", stations, "it must be at least 2")?;
    let mtu = plan.network.mtu();
    let built = medium::build(&plan.network, plan.seed)?;
    let parameters = plan.transport.parameters(mtu)?;
    let between = [Station(0), Station(stations - 1)];
    let ends = between.map(|station| end(station, &built, mtu, &parameters));
    let share = f64::from(parameters.payload_bytes) * 8.0 / built.full_packet_bits;
    let payload = Rate::from_bits_per_second(built.line_rate.bits_per_second() * share);
    let meter = Meter::new(stations as usize, Time::ZERO, built.frame_bytes);
    let world = World::new(built.medium, Hosts::new(stations as usize, meter));
    Ok(Curve {
        bench: ModelBench::new(world, between, parameters),
        stations: between,
        ends,
        link: built.line_rate,
        payload,
        random: built.half_duplex,
        cautions: built.cautions,
    })
}

/// A station as a host says it of itself.
fn end(station: Station, built: &Built, mtu: u32, parameters: &Parameters) -> End {
    let interface = Interface {
        name: format!("station {}", station.0),
        speed_mbps: Fact::Known(built.line_rate.as_mbps().round() as u64),
        duplex: Fact::Known(if built.half_duplex { "half" } else { "full" }.to_owned()),
        mtu: Fact::Known(mtu.into()),
        ..Interface::default()
    };
    let stream = parameters.kind == Kind::Stream;
    let window =
        || if stream { Fact::Known(parameters.window_bytes) } else { Fact::unknown("datagrams have none") };
    End {
        environment: Environment {
            linerate: env!("CARGO_PKG_VERSION").to_owned(),
            hostname: Fact::Known(format!("station {}", station.0)),
            kernel: Fact::Known("a model".to_owned()),
            architecture: "none".to_owned(),
            interface: Fact::Known(interface),
            ..Environment::default()
        },
        granted: Granted {
            sndbuf: Fact::Known(parameters.send_buffer_bytes),
            rcvbuf: window(),
            usable_window: window(),
            mss: Fact::Known(parameters.payload_bytes.into()),
            timestamps: Fact::Known(false),
            ..Granted::default()
        },
        observation: Observation { clock: Fact::Known(virtual_clock()), ..Observation::default() },
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
