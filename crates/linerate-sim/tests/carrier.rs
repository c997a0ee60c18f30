//! What every carrier of loads promises, over the model: the same body as over real sockets.

use linerate_sim::carrier::{Ends, ModelCarrier};
use rstest::rstest;

use crate::support::carrier_conformance;
use crate::support::plans::plan;

#[rstest]
#[case::plain("")]
#[case::tcp("[tcp]")]
#[case::old_kernel("[tcp]\npersonality = 'linux-2.2.1'")]
fn a_model_keeps_every_promise(#[case] upper: &str, #[values(1, 3)] peers: u32) {
    let network = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 4\nqueue = '256KiB'\n";
    let plan = plan(&format!("{network}{upper}"));
    let stations = Ends { beginning: 0, answering: (1..=peers).collect() };
    let mut carrier = ModelCarrier::build(&plan, &stations, None).expect("a model");
    carrier_conformance::carrier(&mut carrier, peers);
}
