//! What a Myrinet does, against closed forms, and what holds whatever is sent.

mod whatever;

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};
use linerate_sim::fabric::{Client, Fabric, Loss, Seen};
use linerate_sim::frame::{Content, Destination, Frame, Port, Station};
use linerate_sim::kernel::{Class, Includes, Kernel};
use linerate_sim::myrinet::parameters::{
    Arbitration, Parameters, Slack, Topology, check_packet, largest_data_bytes, packet_bytes,
};
use linerate_sim::myrinet::{self, Myrinet};

/// What is offered: when (ps), by whom, to whom, how many bytes.
type Offer = (u64, u32, Destination, u32);

/// What happened: when (ps), at which station, from whom, the number of the offer.
type Arrival = (u64, u32, u32, u64);

/// Stations that send what was offered, in order.
#[derive(Default)]
struct Stations {
    queues: Vec<VecDeque<Frame>>,
    taken: u64,
    sent: Vec<(u64, u32)>,
    arrived: Vec<Arrival>,
    lost: Vec<Loss>,
}

/// What happens: in the network, or the offer of this number is due.
#[derive(Clone, Copy, Debug)]
enum Event {
    Myrinet(myrinet::Event),
    Offer(u32),
}

impl Includes<myrinet::Event> for Event {
    fn of(event: myrinet::Event) -> Self {
        Self::Myrinet(event)
    }
}

impl<E> Client<E> for Stations {
    fn next(&mut self, port: Port, _: &mut Kernel<E>) -> Option<Frame> {
        let frame = self.queues[port.index()].pop_front();
        self.taken += u64::from(frame.is_some());
        frame
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        let Content::Load(number) = frame.content else { unreachable!("load was offered") };
        self.arrived.push((kernel.now().as_ps(), port.0, frame.source.0, number));
    }

    fn lost(&mut self, _: Port, _: Frame, loss: Loss, _: &mut Kernel<E>) {
        self.lost.push(loss);
    }

    fn observe(&mut self, port: Port, _: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        if seen == Seen::Sent {
            self.sent.push((kernel.now().as_ps(), port.0));
        }
    }
}

/// Offers all of it and runs until nothing is left to happen.
fn simulate(parameters: &Parameters, offers: &[Offer]) -> (Stations, Myrinet, u64) {
    let (mut network, mut kernel) = (Myrinet::new(parameters).expect("a network that can be"), Kernel::new());
    let queues = vec![VecDeque::new(); parameters.stations as usize];
    let mut stations = Stations { queues, ..Stations::default() };
    for (number, (at, ..)) in offers.iter().enumerate() {
        kernel.at(Time::from_ps(*at), Class::Offer, Event::Offer(number as u32));
    }
    while let Some(event) = kernel.advance() {
        match event {
            Event::Myrinet(event) => network.handle(event, &mut kernel, &mut stations),
            Event::Offer(number) => {
                let (_, source, destination, data_bytes) = offers[number as usize];
                let content = Content::Load(u64::from(number));
                let (source, offered) = (Station(source), kernel.now());
                let frame = Frame { source, destination, data_bytes, content, offered };
                stations.queues[source.index()].push_back(frame);
                network.wake(Port(source.0), &mut kernel, &mut stations);
            }
        }
    }
    assert_eq!(network.held(), 0, "all of it went through");
    (stations, network, kernel.happened())
}

fn to(station: u32) -> Destination {
    Destination::Station(Station(station))
}

/// When offer `number` arrived.
fn arrival(stations: &Stations, number: u64) -> u64 {
    stations.arrived.iter().find(|arrived| arrived.3 == number).expect("it arrived").0
}

/// Byte, latency, cable and trunk. Unit: picoseconds.
fn times(parameters: &Parameters) -> [u64; 4] {
    [parameters.byte, parameters.latency, parameters.cable, parameters.trunk].map(Span::as_ps)
}

/// The least time of a packet: each byte once, each switch and each cable.
fn idle_latency(parameters: &Parameters, data_bytes: u32, hops: u32) -> u64 {
    let [byte, latency, cable, trunk] = times(parameters);
    packet_bytes(data_bytes, hops) * byte
        + u64::from(hops) * latency
        + 2 * cable
        + u64::from(hops - 1) * trunk
}

const TREE: Topology = Topology::Tree { stations_per_switch: 2 };
/// Marks with which a head that waits is stopped as soon as can be.
const LEAST: Slack = Slack { bytes: 122, stop: 2, go: 1 };
/// Room for whole packets.
const LARGE: Slack = Slack { bytes: 5_000, stop: 4_000, go: 2_000 };

/// The line rate of the first generation, 640 Mb/s.
fn first_generation(stations: u32) -> Parameters {
    Parameters { byte: Span::from_ps(12_500), ..Parameters::lan(stations) }
}

#[test]
fn a_packet_on_an_idle_network_takes_each_byte_each_switch_and_each_cable_once() {
    for parameters in [Parameters::lan(6), first_generation(6)] {
        let longer = Parameters { trunk: Span::from_ns(60), cable: Span::from_ns(41), ..parameters };
        for slack in [longer.slack, LARGE, LEAST] {
            for data_bytes in [0, 1, 60, 1_500, 100_000] {
                let crossbar = Parameters { slack, ..longer };
                let [(near, ..), (far, ..)] = [crossbar, Parameters { topology: TREE, ..crossbar }]
                    .map(|parameters| simulate(&parameters, &[(7, 0, to(5), data_bytes)]));
                assert_eq!(arrival(&near, 0), 7 + idle_latency(&longer, data_bytes, 1));
                assert_eq!(arrival(&far, 0), 7 + idle_latency(&longer, data_bytes, 3));
            }
        }
    }
    // 100 B by hand: 104 x 6.25 ns + 0.5 us + 2 x 125 ns.
    assert_eq!(idle_latency(&Parameters::lan(2), 100, 1), 650_000 + 500_000 + 250_000);
}

#[test]
fn one_sender_has_the_line_rate_less_the_share_of_the_header() {
    for (parameters, mbps) in [(Parameters::lan(2), 1_280.0), (first_generation(2), 640.0)] {
        let offers: Vec<Offer> = (0..200).map(|_| (0, 0, to(1), 8_192)).collect();
        let (stations, network, events) = simulate(&parameters, &offers);
        let [byte, latency, cable, _] = times(&parameters);
        let last = 200 * packet_bytes(8_192, 1) * byte + latency + 2 * cable;
        assert_eq!(arrival(&stations, 199), last);
        let goodput = 199.0 * 8_192.0 * 8.0 / ((last - arrival(&stations, 0)) as f64 / 1e6);
        assert!((goodput - mbps * 8_192.0 / 8_196.0).abs() < 1e-6 * mbps, "{goodput}");
        assert_eq!((network.counters(Port(0)).sent, network.counters(Port(1)).received), (200, 200));
        assert!(events <= 200 * 7, "{events} events, offers included");
    }
}

#[test]
fn senders_to_one_station_share_its_link_by_packets_and_leave_no_gap() {
    for arbitration in [Arbitration::RoundRobin, Arbitration::FirstCome] {
        // Packets of different lengths: the share is of packets, not of bytes.
        let size = |station| 1_000 + 400 * station;
        let parameters = Parameters { arbitration, ..Parameters::lan(5) };
        let offers: Vec<Offer> = (0..400).map(|number| (0, number % 4, to(4), size(number % 4))).collect();
        let (stations, network, _) = simulate(&parameters, &offers);
        let [byte, latency, cable, _] = times(&parameters);
        // From the first head at the switch, one byte after it came, the output never rests.
        let bytes: u64 = (0..4).map(|station| 100 * (u64::from(size(station)) + 3)).sum();
        let last = cable + latency + byte + bytes * byte + cable;
        assert_eq!(stations.arrived.last().expect("all arrived").0, last);
        for (place, arrived) in stations.arrived.iter().enumerate() {
            assert_eq!(arrived.2, place as u32 % 4, "each in its turn");
        }
        assert_eq!(network.counters(Port(4)).received, 400);
    }
}

#[test]
fn marks_below_the_round_trip_leave_gaps_on_an_output_that_is_wanted() {
    let offers: Vec<Offer> = (0..40).map(|number| (0, number % 2, to(2), 4_000)).collect();
    let last = |slack| arrival(&simulate(&Parameters { slack, ..Parameters::lan(3) }, &offers).0, 39);
    let least = last(LEAST);
    let parameters = Parameters::lan(3);
    assert_eq!(last(parameters.slack), last(LARGE));
    // A packet that waited has what came before its STOP worked. GO is sent when that has gone but
    // for a byte, and works a round trip later: each of the 39 that waited pauses for the rest.
    let gap = (parameters.cable * 2 + parameters.latency - parameters.byte).as_ps();
    assert_eq!(least - last(LARGE), 39 * gap);
    // The overshoot is 120 bytes: this much left at GO is enough, one less is not.
    assert_eq!(last(Slack { bytes: 300, stop: 160, go: 120 }), last(LARGE));
    let byte = parameters.byte.as_ps();
    assert_eq!(last(Slack { bytes: 300, stop: 160, go: 119 }), last(LARGE) + 39 * byte);
}

#[test]
fn pairs_that_share_no_channel_do_not_see_each_other() {
    let alone: [Offer; 2] = [(0, 0, to(1), 5_000), (40, 0, to(1), 70)];
    let beside: [Offer; 6] = [
        alone[0],
        alone[1],
        (3, 2, to(3), 9_000),
        (5, 1, to(0), 8_000),
        (7, 3, to(2), 100),
        (7, 4, to(5), 3_000),
    ];
    for topology in [Topology::Crossbar, TREE] {
        let parameters = Parameters { topology, ..Parameters::lan(6) };
        let [(without, ..), (with, ..)] = [simulate(&parameters, &alone), simulate(&parameters, &beside)];
        for number in 0..2 {
            assert_eq!(arrival(&with, number), arrival(&without, number));
        }
        assert_eq!(arrival(&with, 2), 3 + idle_latency(&parameters, 9_000, 1));
    }
}

#[test]
fn a_packet_behind_a_blocked_head_waits_though_its_own_way_is_free() {
    let parameters = Parameters::lan(4);
    let [byte, latency, cable, _] = times(&parameters);
    // From 1 to 3 a long one; from 0 one to 3, and behind it one to 2, whom nobody else wants.
    let (stations, ..) =
        simulate(&parameters, &[(0, 1, to(3), 10_000), (1, 0, to(3), 50), (1, 0, to(2), 40)]);
    let free = packet_bytes(10_000, 1) * byte + cable + latency;
    assert_eq!(arrival(&stations, 1), free + 53 * byte + cable);
    assert_eq!(arrival(&stations, 2), free + (53 + 43) * byte + cable);
    let (alone, ..) = simulate(&parameters, &[(1, 0, to(2), 40)]);
    assert_eq!(arrival(&alone, 0), 1 + idle_latency(&parameters, 40, 1));
}

#[test]
fn a_station_is_stopped_while_its_head_waits_and_the_slack_is_full() {
    let parameters = Parameters::lan(3);
    let [byte, latency, cable, _] = times(&parameters);
    let (stations, network, _) = simulate(&parameters, &[(0, 1, to(2), 10_000), (0, 0, to(2), 3_000)]);
    // STOP: the buffer has filled to the mark. GO: what came until STOP worked has gone to the other.
    let free = packet_bytes(10_000, 1) * byte + cable + latency;
    let stop = cable + latency + parameters.slack.stop * byte;
    let filled = parameters.slack.stop * byte + 2 * cable + latency;
    let go = free + filled - byte - parameters.slack.go * byte;
    assert_eq!(network.counters(Port(0)).paused, Span::from_ps(go - stop));
    assert_eq!(network.counters(Port(1)).paused, Span::ZERO);
    // Its tail leaves when the pause has been made up, and the output did not notice.
    let left = stations.sent.iter().find(|sent| sent.1 == 0).expect("it was sent").0;
    assert_eq!(left, packet_bytes(3_000, 1) * byte + go - stop);
    assert_eq!(arrival(&stations, 1), free + 3_003 * byte + cable);
}

#[test]
fn slack_that_takes_a_blocked_packet_in_frees_the_links_behind_it() {
    // Switches {0, 1}, {2, 3}, {4, 5}. From 3 to 2 a long one; from 0 to 2 one that waits for it at
    // the second switch; from 1 to 4 one that wants only the link up from the first switch.
    const WAITS: u32 = 200;
    const WANTS: u32 = 50;
    let offers = [(0, 3, to(2), 20_000), (0, 0, to(2), WAITS), (100_000, 1, to(4), WANTS)];
    let arrived = |slack| {
        let parameters = Parameters { slack, topology: TREE, ..Parameters::lan(6) };
        arrival(&simulate(&parameters, &offers).0, 2)
    };
    let parameters = Parameters::lan(6);
    let [byte, latency, cable, trunk] = times(&parameters);
    let (waits, wants) = (u64::from(WAITS), u64::from(WANTS));
    // Its five bytes of header on the link up, and what is behind that link.
    let up = (wants + 5) * byte;
    let behind = trunk + latency + cable;

    // Large: it goes up when the tail of the one that waits has.
    let begins = packet_bytes(WAITS, 3) * byte + cable + latency;
    assert_eq!(arrived(LARGE), begins + up + trunk + latency + behind);

    // Least: the second switch takes in two bytes and what comes until STOP works. The rest stays
    // at the switch above, with the start of the other behind it, and the link up is stopped.
    let free = packet_bytes(20_000, 1) * byte + cable + latency;
    let round_trip = 2 * trunk + latency;
    // When the long one has gone, one byte is stripped, and GO is sent when one is left; the switch
    // above hears it, and sends what it has of the one that waited.
    let above_begins = free + round_trip + trunk;
    let above_ends = above_begins + (waits + 4) * byte - (2 * byte + round_trip);
    // Of the other it has some: one byte is stripped, and GO is sent when one is left. A round trip
    // later comes what is behind.
    assert_eq!(arrived(LEAST), above_ends + up - 2 * byte + round_trip + behind);
}

#[test]
fn a_packet_for_all_goes_to_each_in_a_copy_and_one_for_nobody_is_lost() {
    let parameters = Parameters::lan(4);
    let far = largest_data_bytes() + 1;
    let offers = [
        (0, 1, Destination::Everyone, 100),
        (0, 1, to(9), 1),
        (0, 1, Destination::Link, 1),
        (0, 1, to(2), far),
        (0, 1, to(1), 60),
    ];
    let (stations, network, _) = simulate(&parameters, &offers);
    let byte = parameters.byte.as_ps();
    let first = idle_latency(&parameters, 100, 1);
    let got: Vec<_> = stations.arrived.iter().map(|arrived| (arrived.0, arrived.1)).collect();
    let copies = [(first, 0), (first + 104 * byte, 2), (first + 2 * 104 * byte, 3)];
    assert_eq!(got[..3], copies);
    assert_eq!(got[3], (first + (2 * 104 + 64) * byte, 1), "to itself it goes through the switch");
    assert_eq!((stations.lost, stations.taken), (vec![Loss::Error; 3], 5));
    assert_eq!(network.counters(Port(1)).sent, 4, "each copy is a packet");
}

#[test]
fn a_network_that_cannot_be_is_refused_by_the_value_that_is_wrong() {
    let error = |change: fn(&mut Parameters)| {
        let mut parameters = Parameters::lan(4);
        change(&mut parameters);
        Myrinet::new(&parameters).expect_err("outside the range").to_string()
    };
    assert_eq!(error(|it| it.stations = 0), "connect 0 stations by Myrinet: there must be 1 to 4096");
    assert!(
        error(|it| it.topology = Topology::Tree { stations_per_switch: 0 }).contains("0 stations per switch")
    );
    assert!(error(|it| it.byte = Span::ZERO).contains("byte time of 0 ps"));
    assert!(error(|it| it.slack.go = 144).contains("go mark of 144 and a stop mark of 144 bytes"));
    assert!(error(|it| it.slack.go = 0).contains("1 <= go < stop"));
    assert!(error(|it| it.slack.bytes = 263).contains("slack buffer of 263 bytes"));
    assert!(error(|it| it.slack.bytes = 263).contains("264 or more"));
    assert!(error(|it| it.trunk = Span::from_us(10)).contains("without loss"));
    let text = check_packet(largest_data_bytes() + 1).expect_err("too large").to_string();
    assert_eq!(text, "carry a packet of 16777217 bytes over Myrinet: the model allows 16777216 bytes");
}
