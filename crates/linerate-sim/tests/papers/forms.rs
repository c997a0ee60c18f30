//! The time of a message of one segment through two hosts with TCP: the sum of its stages, as
//! docs/models/host.md has it (t0), to the picosecond.

use linerate_core::pattern::Pattern;
use linerate_core::units::Span;
use linerate_sim::machine::{Bus, Profile, Times};
use linerate_sim::plan::HostPlan;
use rstest::rstest;

use super::ensemble::{HOSTS, drawn};
use super::lab::{HEADERS, Lab, bus_span, host, on_the_wire, paper, round_host, with_host};

/// 10 m of fibre.
const CABLE: Span = Span::from_ns(50);

/// The rows of the page's table.
#[rstest]
#[case(1, 52_395_500)]
#[case(1448, 115_646_000)]
fn a_message_takes_the_sum_of_its_stages(#[case] bytes: u64, #[case] sum_ps: u64) {
    let times = Lab::new(&with_host(paper("gnic-ii"), round_host())).times(Pattern::PingPong, bytes, 8);
    assert_eq!(times, [Span::from_ps(sum_ps); 8]);
}

/// The sum for a message of one segment from one host to another.
fn sum(from: &Profile, to: &Profile, bytes: u64) -> Span {
    let (sends, receives) = (Times::of(from, 1500), Times::of(to, 1500));
    let payload = u32::try_from(bytes).expect("a segment");
    let sender = sends.system_call + sends.copy_in(bytes, bytes) + sends.transmit;
    let way = bus_span(&from.bus, bytes + HEADERS)
        + from.adaptor.latency
        + on_the_wire(bytes + HEADERS)
        + CABLE
        + bus_span(&to.bus, bytes + HEADERS)
        + to.adaptor.latency;
    let waits = if to.adaptor.coalesce_frames > 1 { to.adaptor.coalesce_time } else { Span::ZERO };
    let receiver = receives.interrupt
        + receives.receive_data(payload)
        + receives.wake_up
        + receives.copy_out(bytes, bytes);
    sender + way + waits + receiver
}

#[test]
fn so_it_does_on_any_host() {
    let plan = paper("gnic-ii");
    for number in 0..HOSTS {
        let profile = drawn(host(&mut plan.clone()), number);
        let mut lab = Lab::new(&with_host(plan.clone(), profile.clone()));
        for bytes in [1, 7, 300, 1448] {
            let expected = sum(&profile, &profile, bytes);
            assert_eq!(lab.times(Pattern::PingPong, bytes, 3), [expected; 3], "{bytes} B, host {number}");
        }
    }
}

/// Half a round trip between two hosts that differ: the mean of both ways.
#[test]
fn two_hosts_that_differ_take_the_mean_of_both_ways() {
    let mut plan = paper("gnic-ii");
    let [first, second] = [0, 1].map(|number| drawn(host(&mut plan), number));
    plan.host = Some(HostPlan(first.clone()));
    plan.peer = Some(HostPlan(second.clone()));
    let both = sum(&first, &second, 1) + sum(&second, &first, 1);
    assert_eq!(Lab::new(&plan).times(Pattern::PingPong, 1, 3), [both / 2; 3]);
}

#[test]
fn memory_as_a_bus_takes_no_time() {
    let mut profile = round_host();
    let with = Lab::new(&with_host(paper("gnic-ii"), profile.clone())).one_way(1);
    let span = bus_span(&profile.bus, 1 + HEADERS);
    profile.bus = Bus::Memory;
    assert_eq!(Lab::new(&with_host(paper("gnic-ii"), profile)).one_way(1), with - span * 2);
}
