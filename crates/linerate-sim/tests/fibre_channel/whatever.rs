//! What holds for any sequences on any network: they arrive once, in order, and none is lost.

use linerate_sim::fabric::Fabric as _;
use linerate_sim::frame::Port;
use proptest::prelude::*;

use super::*;
use crate::support::stations::number_of;

fn any_parameters() -> impl Strategy<Value = Parameters> {
    let switch = (any::<bool>(), 1..4_u16, 0..3_000_000_u64).prop_map(|(whole, credits, latency)| Switch {
        forwarding: if whole { Forwarding::StoreAndForward } else { Forwarding::CutThrough },
        credits,
        latency: Span::from_ps(latency),
    });
    let topology = prop_oneof![
        Just(Topology::PointToPoint),
        (2..6_u32, switch).prop_map(|(stations, switch)| Topology::Switched { stations, switch }),
    ];
    let payload = prop_oneof![Just(128_u32), Just(512), Just(2_048), Just(2_112)];
    (topology, payload, 1..4_u16, 0..60_000_000_u64, 0..2_000_000_u64).prop_map(
        |(topology, payload_bytes, credits, delay, processing)| Parameters {
            payload_bytes,
            delay: Span::from_ps(delay),
            credits,
            processing: Span::from_ps(processing),
            topology,
            ..Parameters::default()
        },
    )
}

proptest! {
    /// Nothing is ever lost; what a station sends to another arrives in order and no earlier than
    /// its bytes allow; offered = delivered + held whenever one looks; the same again is the same.
    #[test]
    fn everything_arrives_once_in_order_and_is_never_lost_sight_of(
        parameters in any_parameters(),
        offers in prop::collection::vec((0..5_u32, 0..5_u32, 0..9_000_u32, 0..200_000_000_u64), 1..50),
        look_after in 0..400_u32,
    ) {
        let stations = FibreChannel::new(parameters).expect("such a network can be").ports() as u32;
        let mut offers: Vec<Offer> = offers.into_iter().map(|(from, on, size, at)| {
            let from = from % stations;
            let on = if stations == 2 { 1 - from } else { on % stations };
            (from, to(on), size, at)
        }).collect();
        offers.sort_by_key(|(.., at)| *at);

        let mut run_of = prepare(parameters, &offers);
        for _ in 0..look_after {
            run_of.step();
        }
        let known = run_of.stations.delivered.len() + run_of.stations.waiting();
        prop_assert_eq!(run_of.fabric.held() as usize + known, offers.len());
        let Run { fabric, kernel, stations: seen, .. } = run_of.finished();
        prop_assert_eq!((fabric.held(), seen.delivered.len(), seen.lost.len()), (0, offers.len(), 0));

        let mut newest = [[None; 5]; 5];
        for (at, port, frame) in &seen.delivered {
            let number = number_of(frame);
            prop_assert_eq!(frame.destination, to(*port));
            prop_assert!(newest[frame.source.index()][*port as usize].replace(number) < Some(number));
            let wire = u64::from(frame.data_bytes + 24) + OVERHEAD;
            prop_assert!(*at >= frame.offered.as_ps() + bytes(wire) + parameters.delay.as_ps());
        }
        for port in 0..stations {
            let [sent, received] = [seen.sent.iter().filter(|(_, from)| *from == port).count(),
                seen.delivered.iter().filter(|(_, on, _)| *on == port).count()];
            let counters = fabric.counters(Port(port));
            prop_assert_eq!([counters.sent, counters.received], [sent as u64, received as u64]);
        }
        let again = run(parameters, &offers);
        prop_assert_eq!((again.stations, again.kernel.happened()), (seen, kernel.happened()));
    }
}
