//! Any offers, against a model that walks the token from station to station.

use linerate_sim::kernel::Class;
use proptest::prelude::*;

use super::*;

/// What is offered: when (ps), by whom, how many bytes.
type Offer = (u64, usize, u32);

/// The rules of X3.139, one visit after the other: each TRT a counter with a late count.
fn walk(parameters: &Parameters, offers: &[Offer]) -> Vec<(u64, usize, u32)> {
    let count = parameters.stations.len();
    let target = parameters.ttrt.as_ps();
    let mut queues = vec![VecDeque::new(); count];
    for (at, station, bytes) in offers {
        queues[*station].push_back((*at, *bytes));
    }
    // Since when each TRT has run; as after an idle rotation that ended at station 0 at zero.
    let mut place = 0_i64;
    let rotation = parameters.ring_latency().as_ps() as i64;
    let mut since: Vec<i64> = (0..count)
        .map(|station| {
            let before = if station == 0 { 0 } else { place - rotation };
            place += parameters.hop(station).as_ps() as i64;
            before
        })
        .collect();
    let (mut now, mut station, mut sent) = (0, 0, Vec::new());
    while sent.len() < offers.len() {
        now += parameters.hop(station).as_ps();
        station = (station + 1) % count;
        let shown = (now as i64 - since[station]) as u64;
        let mut holding = 0;
        if shown < target {
            holding = target - shown;
            since[station] = now as i64;
        } else {
            since[station] += target as i64;
        }
        let mut synchronous = parameters.stations[station].synchronous.as_ps();
        let before = sent.len();
        while let Some((at, bytes)) = queues[station].front().copied() {
            let time = (u64::from(bytes) + 36) * 80_000;
            if at > now || (time > synchronous && holding == 0) {
                break;
            }
            if time <= synchronous {
                synchronous -= time;
            } else {
                holding = holding.saturating_sub(time);
            }
            now += time;
            sent.push((now, station, bytes));
            queues[station].pop_front();
        }
        if sent.len() > before {
            now += 11 * 80_000;
        }
    }
    sent
}

/// The same offers on the ring that is tested, and whether frames are conserved on the way.
fn simulate(parameters: &Parameters, offers: &[Offer]) -> Vec<(u64, usize, u32)> {
    let (mut ring, mut kernel) = (Fddi::new(parameters).expect("a ring"), Kernel::new());
    let mut stations = Stations::new(parameters.stations.len());
    for (number, (at, _, _)) in offers.iter().enumerate() {
        kernel.at(Time::from_ps(*at), Class::Offer, Event::Offer(number as u32));
    }
    while let Some(event) = kernel.advance() {
        match event {
            Event::Fddi(event) => ring.handle(event, &mut kernel, &mut stations),
            Event::Offer(number) => {
                let (_, station, bytes) = offers[number as usize];
                let destination = to((station as u32 + 1) % ring.ports() as u32);
                stations.queues[station].push_back(frame(station, destination, bytes));
                ring.wake(Port(station as u32), &mut kernel, &mut stations);
            }
        }
        let arrived = stations.delivered.len() as u64;
        assert_eq!(stations.taken, arrived + ring.held(), "frames are conserved");
    }
    assert_eq!((ring.held(), stations.delivered.len()), (0, offers.len()));
    stations.sent.iter().map(|(at, port, frame)| (at.as_ps(), port.index(), frame.data_bytes)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn any_offers_go_out_when_a_token_that_is_walked_from_station_to_station_lets_them(
        shape in prop::collection::vec((1..120_u64, 0..3_000_u32, 0..200_u64), 2..12),
        rates in (0..4_000_u64, 0..3_u64),
        offers in prop::collection::vec((0..400_u64, 0..12_usize, 1..4_353_u32), 1..150)
    ) {
        let (spread, allocated) = rates;
        let station = |(latency, fibre_metres, synchronous): &(u64, u32, u64)| StationParameters {
            latency: Span::from_us(*latency),
            fibre_metres: *fibre_metres,
            synchronous: Span::from_us(*synchronous * allocated.saturating_sub(1)),
        };
        let parameters = Parameters { ttrt: Span::from_us(4_100), stations: shape.iter().map(station).collect() };
        prop_assume!(parameters.check().is_ok());
        let mut offers: Vec<Offer> = offers
            .iter()
            .map(|(at, station, bytes)| (at * spread * 123_457, station % shape.len(), *bytes))
            .collect();
        offers.sort_by_key(|offer| offer.0);
        let sent = simulate(&parameters, &offers);
        prop_assert_eq!(&sent, &walk(&parameters, &offers));
        prop_assert_eq!(&sent, &simulate(&parameters, &offers), "the same again");
    }
}
