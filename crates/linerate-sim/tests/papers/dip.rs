//! The dip after two segments (F045, F046, F066; D1 and D6 of the reference): from there on a message has an
//! acknowledgement of its own and, a byte later, a third segment. Where it lies follows from TCP's rules and is held; how deep it
//! is depends on the host and is not.

use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::units::{Size, Span};
use linerate_sim::machine::Times;
use rstest::rstest;

use super::lab::{Lab, host, paper, with_mtu};

#[rstest]
fn throughput_dips_after_two_segments(#[values(1500, 2500, 3500, 4500, 5500, 6500, 9000)] mtu: u32) {
    let mut lab = Lab::new(&with_mtu(paper("gnic-ii"), mtu));
    let two = 2 * u64::from(mtu - 52);
    let bounds = Bounds { to: Some(Size(1 << 16)), ..Bounds::default() };
    let schedule = Schedule::Netpipe.sizes(bounds).expect("a schedule");
    let next = *schedule.iter().find(|size| **size > two).expect("a size above two segments");
    // NetPIPE's own sizes up to twice as far, and those around the boundary.
    let later = schedule.into_iter().filter(|size| *size > two && *size <= 2 * two);
    let mut sizes: Vec<u64> = [two, two + 1].into_iter().chain(later).collect();
    sizes.dedup();
    let before = lab.mbps(two - 1);
    let curve: Vec<(u64, f64)> = sizes.into_iter().map(|size| (size, lab.mbps(size))).collect();
    let lowest = *curve.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("some sizes");
    println!("MTU {mtu}: {before:.2} Mb/s at {}, then {curve:.2?}", two - 1);
    assert!(lowest.1 < before, "no fall after {} B", two - 1);
    assert!((two..=next).contains(&lowest.0), "the lowest is at {} B, not {two} to {next}", lowest.0);
    let recovered = curve.iter().any(|(size, rate)| *size > lowest.0 && *rate > before);
    assert!(recovered, "not above {before} Mb/s up to {} B", 2 * two);
}

/// Each further segment costs the receiver something, so that there is a fall after one and after three as well. What is
/// first at two is the acknowledgement: their last byte takes longer by what the receiver makes it for. That makes theirs the
/// deepest fall of the three, but not with an MTU of 9000: there a window is three segments, and seen is 3.3 % after
/// two and 9.8 % after three.
#[rstest]
fn two_segments_bring_the_first_acknowledgement(#[values(1500, 2500, 3500, 4500, 5500, 6500)] mtu: u32) {
    let plan = with_mtu(paper("gnic-ii"), mtu);
    let mut lab = Lab::new(&plan);
    let acknowledgement = Times::of(host(&mut plan.clone()), mtu).transmit_acknowledgement;
    let mut around = |segments: u64| {
        let size = segments * u64::from(mtu - 52);
        [size - 1, size, size + 1].map(|size| lab.one_way(size))
    };
    let [one, two, three] = [1, 2, 3].map(&mut around);
    let last_byte = |times: [Span; 3]| times[1] - times[0];
    println!("MTU {mtu}: {one:?}, {two:?}, {three:?}");
    // A byte alone takes tens of nanoseconds.
    let brought = last_byte(two).saturating_sub(acknowledgement);
    assert!(last_byte(two) >= acknowledgement && brought < Span::from_ns(50), "{:?}", last_byte(two));
    assert!(last_byte(one) < Span::from_ns(50), "one segment brings none: {:?}", last_byte(one));
    let fall = |times: [Span; 3]| 1.0 - times[0].as_seconds() / times[2].as_seconds();
    assert!(fall(two) > fall(one).max(fall(three)), "{} {} {}", fall(one), fall(two), fall(three));
}
