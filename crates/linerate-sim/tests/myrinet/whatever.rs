//! What holds for any packets on any tree: they arrive once, in order, and none is lost.

use proptest::prelude::*;

use super::*;

fn any_network() -> impl Strategy<Value = Parameters> {
    let times = (0..300_u64, 0..200_u64, 0..200_u64);
    (2..9_u32, 0..5_u32, times, 1..200_u64, 1..200_u64, any::<bool>()).prop_map(
        |(stations, per_switch, (latency, cable, trunk), go, above, fair)| {
            let topology = match per_switch {
                0 => Topology::Crossbar,
                stations_per_switch => Topology::Tree { stations_per_switch },
            };
            let mut parameters = Parameters {
                topology,
                latency: Span::from_ns(latency),
                cable: Span::from_ns(cable),
                trunk: Span::from_ns(trunk),
                arbitration: if fair { Arbitration::RoundRobin } else { Arbitration::FirstCome },
                ..Parameters::lan(stations)
            };
            // Exactly as much room as is needed: one byte that was not foreseen would be seen.
            let stop = go + above;
            parameters.slack = Slack { bytes: stop + parameters.overshoot_bytes(), stop, go };
            parameters
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_is_sent_arrives_once_in_order_and_not_too_soon(
        parameters in any_network(),
        offers in prop::collection::vec((0..30_u64, 0..8_u32, 0..9_u32, 0..1_200_u32), 1..80)
    ) {
        let count = parameters.stations;
        let offers: Vec<Offer> = offers
            .iter()
            .map(|(at, from, destination, bytes)| {
                let all = *destination == 8;
                (at * 999_983, from % count, if all { Destination::Everyone } else { to(destination % count) }, *bytes)
            })
            .collect();
        let (stations, network, _) = simulate(&parameters, &offers);
        let mut copies = 0;
        for (number, (at, from, destination, bytes)) in offers.iter().enumerate() {
            let got: Vec<_> = stations.arrived.iter().filter(|arrived| arrived.3 == number as u64).collect();
            let expected = if *destination == Destination::Everyone { count - 1 } else { 1 };
            prop_assert_eq!(got.len() as u32, expected);
            copies += u64::from(expected);
            for arrived in got {
                prop_assert!(arrived.0 >= at + idle_latency(&parameters, *bytes, 1), "from {}", from);
            }
        }
        // Between two stations packets keep their order.
        for pair in (0..count * count).map(|pair| (pair / count, pair % count)) {
            let of_pair = stations.arrived.iter().filter(|arrived| (arrived.2, arrived.1) == pair);
            let numbers: Vec<(u64, u64)> = of_pair.map(|arrived| (offers[arrived.3 as usize].0, arrived.3)).collect();
            prop_assert!(numbers.is_sorted(), "{:?}", numbers);
        }
        let counters = (0..count).map(|port| network.counters(Port(port)));
        let (sent, received) = counters.fold((0, 0), |sum, it| (sum.0 + it.sent, sum.1 + it.received));
        prop_assert_eq!((sent, received), (copies, copies));
        prop_assert_eq!(&stations.arrived, &simulate(&parameters, &offers).0.arrived, "the same again");
    }
}
