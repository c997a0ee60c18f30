//! Small models that several tests use.

use linerate_core::units::{Span, Time};
use linerate_sim::bench::ModelBench;
use linerate_sim::ethernet::link::{Link, Parameters as LinkParameters};
use linerate_sim::ethernet::parameters::{frame_bytes, occupied_bytes};
use linerate_sim::frame::Station;
use linerate_sim::framing::Framing;
use linerate_sim::load::Meter;
use linerate_sim::medium::Medium;
use linerate_sim::model;
use linerate_sim::pace::Pace;
use linerate_sim::plan::{ModelPlan, TransportPlan};
use linerate_sim::stack::{Kind, Parameters};
use linerate_sim::stations::Stations;
use linerate_sim::world::World;

/// Two hosts back to back at 1 Gb/s with an MTU of 1500 and 500 ns between them.
pub(crate) fn gigabit(kind: Kind) -> ModelBench {
    let parameters = Parameters {
        kind,
        payload_bytes: if kind == Kind::Stream { 1460 } else { 1472 },
        header_bytes: if kind == Kind::Stream { 40 } else { 28 },
        window_bytes: 64 << 10,
        send_buffer_bytes: 64 << 10,
        acknowledge_every: 2,
        retransmit_after: Span::from_ms(200),
    };
    let link = LinkParameters::new(Pace::of_bits_per_second(1_000_000_000), Span::from_ns(500));
    let stations = Stations::new(2, Meter::new(2, Time::ZERO, Framing::new(frame_bytes, occupied_bytes)));
    let world = World::new(Medium::Link(Link::new(0, link)), stations);
    ModelBench::new(world, [Station(0), Station(1)], parameters)
}

/// The first and the last host of a network whose plan is `network`, with the usual upper half.
pub(crate) fn planned(network: &str, kind: Kind) -> ModelBench {
    let plan = ModelPlan::from_toml(&format!("network = {{ {network} }}")).expect("a plan");
    let plan = ModelPlan { transport: TransportPlan { kind, ..plan.transport }, ..plan };
    model::curve(&plan, None).expect("a network that can be").bench
}
