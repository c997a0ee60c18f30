//! What every transport promises, over the model: the same body as over real sockets.

use linerate_sim::bench::ModelBench;
use linerate_sim::end::End;
use linerate_sim::stack::Kind;
use rstest::rstest;

use crate::support::conformance::Pair;
use crate::support::{conformance, models};

/// Two ends of a modelled flow; each program is a task.
struct ModelPair(ModelBench);

impl Pair for ModelPair {
    type End = End;

    fn run<A: Send, B: Send>(
        self,
        one: impl AsyncFnOnce(End) -> A + Send,
        other: impl AsyncFnOnce(End) -> B + Send,
    ) -> (A, B) {
        let [here, there] = self.0.ends();
        let (one, other) = self.0.drive(one(here), other(there));
        (one.expect("the first program ends"), other.expect("the second program ends"))
    }
}

/// Everything that is asked of an endpoint and of a bench.
fn keeps_every_promise(model: impl Fn() -> ModelBench) {
    conformance::endpoints(|| ModelPair(model()));
    conformance::bench(&mut model());
}

#[rstest]
fn a_link_keeps_every_promise(#[values(Kind::Stream, Kind::Datagram)] kind: Kind) {
    keeps_every_promise(|| models::gigabit(kind));
}

/// Nothing is sent again in these models, so they are networks that lose nothing: datagrams fit the
/// slowest line, and a repeater has PAUSE.
#[rstest]
#[case::switch("medium = 'ethernet', topology = 'switch', stations = 3, queue = '1MiB'")]
#[case::repeater_with_pause(
    "medium = 'ethernet', topology = 'distributor', stations = 3, pause = 'asymmetric', queue = '16KiB'"
)]
#[case::atm("medium = 'atm', stations = 3")]
#[case::fddi("medium = 'fddi', stations = 4")]
#[case::fibre_channel("medium = 'fibre-channel', stations = 3, credits = 2")]
#[case::myrinet("medium = 'myrinet', stations = 4, stations-per-switch = 2")]
fn every_medium_keeps_every_promise(
    #[case] network: &str,
    #[values(Kind::Stream, Kind::Datagram)] kind: Kind,
) {
    keeps_every_promise(|| models::planned(network, kind));
}

/// Two saturated stations may collide sixteen times in a row, and lose a frame; with this seed the
/// acknowledgements leave gaps enough that they do not.
#[test]
fn a_gigabit_hub_keeps_every_promise_of_a_byte_stream() {
    keeps_every_promise(|| {
        models::planned("medium = 'ethernet', topology = 'hub', stations = 2", Kind::Stream)
    });
}
