//! Interrupts that are held back (F068, F069, T021 to T024).

use linerate_core::pattern::Pattern;
use linerate_core::units::Span;
use rstest::rstest;

use super::lab::{Lab, host, paper};

/// The one-way times of bytes that pass one after the other, after the first ones: a new connection of Linux 2.4
/// acknowledges those at once, and then something else waits beside them.
fn bytes(plan: &str, time: Span, frames: u32) -> Vec<Span> {
    let mut plan = paper(plan);
    let adaptor = &mut host(&mut plan).adaptor;
    (adaptor.coalesce_time, adaptor.coalesce_frames) = (time, frames);
    Lab::new(&plan).times(Pattern::PingPong, 1, 10).split_off(4)
}

/// A lone frame waits for the whole timer, once each way.
#[rstest]
fn the_timer_adds_to_the_latency_of_a_byte(
    #[values("gnic-ii", "acenic", "pe2650")] plan: &str,
    #[values(5, 20, 100)] us: u64,
) {
    let plain = bytes(plan, Span::ZERO, 8);
    let later: Vec<Span> = plain.iter().map(|time| *time + Span::from_us(us)).collect();
    assert_eq!(bytes(plan, Span::from_us(us), 8), later);
}

#[rstest]
fn the_timer_does_not_matter_where_each_frame_interrupts(
    #[values("gnic-ii", "acenic", "pe2650")] plan: &str,
    #[values(5, 20, 100)] us: u64,
) {
    assert_eq!(bytes(plan, Span::from_us(us), 1), bytes(plan, Span::ZERO, 8));
}
