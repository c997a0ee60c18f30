//! A curve over one collision domain.

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_core::units::Span;
use linerate_sim::ethernet::phy::Cable;
use linerate_sim::model;
use rstest::rstest;

use crate::support::plans;

/// Preamble, slot time and the gap that whoever answers leaves: a frame of 122 B is extended.
const EXTENDED_BITS: u64 = 64 + 4096 + 96;
/// The same without extension.
const BARE_BITS: u64 = 64 + 122 * 8 + 96;
/// One way through two stations and a repeater: half of 864 and half of 976.
const EQUIPMENT_BITS: u64 = 432 + 488;

#[rstest]
fn a_small_ping_pong_over_a_gigabit_hub_takes_the_slot_time(
    #[values((true, EXTENDED_BITS), (false, BARE_BITS))] (extension, bits): (bool, u64),
    #[values(false, true)] bursting: bool,
) {
    let text = format!(
        "network = {{ medium = 'ethernet', topology = 'hub', length-m = 50,
         extension = {extension}, bursting = {bursting} }}"
    );
    let mut curve = model::curve(&plans::plan(&text), None).expect("a hub");
    assert!(curve.exact.is_none(), "a hub can collide");
    let trial = Trial {
        pattern: Pattern::PingPong,
        size: 64,
        samples: 1_001,
        batch: 1,
        lead: 0,
        seed: 1,
        check: Check::Full,
    };
    let mut times = curve.bench.run(&trial).expect("it passes").times;
    times.sort_unstable();
    assert_eq!(times[500], Span::from_ns(bits + EQUIPMENT_BITS) + Cable::CATEGORY_5.delay(100));
}
