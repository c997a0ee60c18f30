//! Watermark x cable length: what a full-duplex repeater loses, and how often it says PAUSE.

use std::fmt::Write as _;

use linerate_core::units::Span;
use linerate_sim::ethernet::pause::Headroom;
use linerate_sim::ethernet::phy::Phy;
use linerate_sim::model;

use crate::support::plans;

const CAPACITY: u64 = 64 << 10;
const METRES: [u64; 4] = [2, 100, 550, 5_000];

/// Room above the high watermark that loses nothing.
fn headroom(phy: &Phy, metres: u64) -> u64 {
    let delay: Span = phy.cable.delay(metres);
    Headroom::at_reaction_limit(1518, phy.pace, delay).bytes_by_frame()
}

/// Frames delivered, frames lost, PAUSE frames sent.
fn counts(metres: u64, high: u64) -> [u64; 3] {
    let text = format!(
        "network = {{ medium = 'ethernet', topology = 'distributor', stations = 4, phy = '1000BASE-X',
         length-m = {metres}, pause = 'asymmetric', queue = {CAPACITY}, high-watermark = {high} }}
         load = {{ frame = 1518, time = '50ms', to = 'next' }}"
    );
    let outcome = model::load(&plans::plan(&text), None).expect("a full-duplex repeater").outcome;
    let pauses = outcome.stations.iter().map(|station| station.mac.pause_received).sum();
    [outcome.delivered, outcome.lost.values().sum(), pauses]
}

/// Four saturated stations share 1 Gb/s: 4063 frames in 50 ms, whatever the watermark. The exact
/// headroom loses nothing. With less it depends on the phase of the frames in progress, and what the
/// repeater sends on meanwhile helps: most on a long cable. The closed form's own test
/// (`tests/full_duplex/headroom.rs`) has the phases and no drain, and loses with a frame less.
#[test]
fn losses_and_pauses_of_a_full_duplex_repeater_by_watermark_and_length() {
    let phy = Phy::find("1000BASE-X").expect("a physical layer");
    let mut table = format!(
        "{:>24} {:>8} {:>8} {:>10} {:>8} {:>8}",
        "headroom", "metres", "bytes", "delivered", "lost", "PAUSE"
    );
    for (name, of) in [
        ("twice", (|room| 2 * room) as fn(u64) -> u64),
        ("exact", |room| room),
        ("one frame less", |room| room - 1518),
        ("two frames less", |room| room - 2 * 1518),
    ] {
        for metres in METRES {
            let room = of(headroom(phy, metres));
            let [delivered, lost, pauses] = counts(metres, CAPACITY - room);
            write!(table, "\n{name:>24} {metres:>8} {room:>8} {delivered:>10} {lost:>8} {pauses:>8}")
                .expect("a String takes all");
        }
    }
    insta::assert_snapshot!(table, @r"
           headroom   metres    bytes  delivered     lost    PAUSE
              twice        2     9616       4059        0      316
              twice      100     9860       4056        0      300
              twice      550    10986       4054        0      300
              twice     5000    22110       4054        0      308
              exact        2     4808       4062        0      276
              exact      100     4930       4062        0      276
              exact      550     5493       4062        0      276
              exact     5000    11055       4051        0      256
     one frame less        2     3290       4059       33      272
     one frame less      100     3412       4062        0      276
     one frame less      550     3975       4062        0      276
     one frame less     5000     9537       4052        0      256
    two frames less        2     1772       4059      104      276
    two frames less      100     1894       4056       99      268
    two frames less      550     2457       4054      132      268
    two frames less     5000     8019       4058        0      244
    ");
}
