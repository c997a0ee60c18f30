//! What every transport promises, over the model: the same body as over real sockets.

#[path = "../../linerate-core/tests/support/conformance.rs"]
mod conformance;
#[path = "support/models.rs"]
mod support;

use conformance::Pair;
use linerate_sim::bench::ModelBench;
use linerate_sim::end::End;
use linerate_sim::stack::Kind;
use rstest::rstest;

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

#[rstest]
fn a_modelled_flow_keeps_every_promise_of_an_endpoint(#[values(Kind::Stream, Kind::Datagram)] kind: Kind) {
    conformance::endpoints(|| ModelPair(support::gigabit(kind)));
}

#[rstest]
fn a_model_keeps_every_promise_of_a_bench(#[values(Kind::Stream, Kind::Datagram)] kind: Kind) {
    conformance::bench(&mut support::gigabit(kind));
}
