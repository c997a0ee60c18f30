//! What the collectives of a mesh send: message by message the same over TCP, on a model and on the ideal network.

use std::collections::BTreeMap;

use linerate_core::comm::Comm as _;
use linerate_core::comm::call::{Call, CallData};
use linerate_core::comm::counted::Counted;
use linerate_core::comm::ideal::{self, Network};
use linerate_core::run::Run;
use linerate_core::units::Span;

use crate::support::Desk;

/// Messages and bytes of all ranks, by collective, algorithm and size.
type Sent = BTreeMap<(String, String, u64), [u64; 2]>;

/// Not in equal parts, so that vectors of doubles have a part that is shorter. Unit: bytes.
const SIZES: [u64; 2] = [8, 1000];

fn measured(options: &[&str]) -> Sent {
    let desk = Desk::new();
    let asked = ["mesh", "--schedules", "none", "--collectives", "all", "--collective-sizes", "8,1000"];
    let short = ["--visit", "100us", "--out", "x.run.json", "--no-report"];
    desk.linerate(&[&asked[..], options, &short].concat()).done();
    let run: Run = desk.run_file("x.run.json");
    let collectives = run.mesh.expect("a mesh").collectives;
    let of = |one: linerate_core::mesh::CollectiveTimes| {
        let sent = one.sent.expect("it was counted");
        ((one.collective, one.algorithm, one.bytes), [sent.messages, sent.bytes])
    };
    collectives.into_iter().map(of).collect()
}

fn on_the_ideal_network(ranks: usize) -> Sent {
    let network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };
    let mut all = Sent::new();
    for call in Call::ALL.into_iter().filter(|call| call.takes(ranks)) {
        for bytes in if call == Call::Barrier { vec![0] } else { SIZES.to_vec() } {
            let ended = ideal::run(network, ranks, async |comm| {
                let (mut data, mut comm) =
                    (CallData::new(call, comm.rank(), ranks, bytes as usize), Counted::new(comm));
                data.reset();
                data.call(&mut comm).await?;
                assert!(data.is_right(), "{call} of {bytes} B");
                Ok(comm.sent())
            });
            let sent = ended.expect("nobody waits for ever").into_iter();
            let sent =
                sent.fold([0, 0], |[messages, bytes], one| [messages + one.messages, bytes + one.bytes]);
            let (collective, algorithm) = call.parts();
            all.insert((collective.to_owned(), algorithm.to_owned(), bytes), sent);
        }
    }
    all
}

/// About 3 s.
#[test]
fn every_collective_sends_the_same_over_tcp_on_a_model_and_on_the_ideal_network() {
    for (ranks, calls) in [(4, 13), (5, 11)] {
        let ideal = on_the_ideal_network(ranks);
        assert_eq!(ideal.len(), calls * 2 - 1, "a barrier has no size");
        assert!(ideal.values().all(|[messages, _]| *messages > 0));
        let ranks = ranks.to_string();
        assert_eq!(measured(&["--ranks", &ranks]), ideal, "over TCP, {ranks} ranks");
        for model in ["cluster-switch", "cluster-repeater"] {
            assert_eq!(measured(&["--ranks", &ranks, "--model", model]), ideal, "on {model}, {ranks} ranks");
        }
    }
}
