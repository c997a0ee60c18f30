use std::collections::BTreeSet;

use super::*;

#[test]
fn the_line_coding_of_every_phy_gives_its_mac_rate_exactly() {
    for phy in Phy::ALL.iter().filter(|phy| phy.name != "10GBASE-W") {
        assert_eq!(phy.line_pace(), phy.pace, "{phy}: {} Mb/s", phy.line_pace().bits_per_second() / 1e6);
    }
}

#[test]
fn the_mac_of_10gbase_w_stretches_its_gaps_to_what_its_line_has_room_for() {
    let phy = Phy::BASE_10G_W;
    // A byte more for every 104 bits.
    assert_eq!(phy.pace, Pace::new(112 * 1_000_000_000_000, 104 * 10_000_000_000));
    assert!((phy.pace.bits_per_second() / 1e9 - 9.285_714).abs() < 5e-7, "{}", phy.pace.bits_per_second());
    // 104 bits at 10 Gb/s and 8 of stretch take 11.2 ns.
    assert_eq!(phy.pace.span(104), Span::from_ps(11_200));
    // 9 rows of 192 x 87 columns less the path overhead and its stuff, 8000 times a second.
    let payload_bits_per_second = 9 * (192 * 87 - 64) * 8 * 8_000;
    assert_eq!(payload_bits_per_second, 9_584_640_000_u64);
    assert_eq!(phy.line_pace(), Pace::new(1_000_000_000_000 * 66, payload_bits_per_second * 64));
    let idle = 1.0 - phy.pace.bits_per_second() / phy.line_pace().bits_per_second();
    assert!((0.0009..0.0010).contains(&idle), "{idle}");
}

/// 9 rows of 48 x 87 columns less the path overhead and its stuff, 8000 times a second (ANSI T1.105).
#[test]
fn oc_48c_carries_the_payload_of_an_sts_48c() {
    let payload_bits_per_second = 9 * (48 * 87 - 16) * 8 * 8_000;
    assert_eq!(payload_bits_per_second, 2_396_160_000_u64);
    assert_eq!(Phy::OC_48C.pace, Pace::of_bits_per_second(payload_bits_per_second));
}

#[test]
fn every_name_and_alias_finds_its_phy_and_no_other() {
    let mut seen = BTreeSet::new();
    for phy in Phy::ALL {
        for name in std::iter::once(&phy.name).chain(phy.aliases) {
            assert!(seen.insert(name.to_ascii_lowercase()), "{name} is named twice");
            assert_eq!(Phy::find(&format!(" {} ", name.to_ascii_lowercase())), Some(phy));
        }
    }
    assert_eq!(Phy::find("gigabit").map(ToString::to_string).as_deref(), Some("1000BASE-T"));
    assert_eq!((Phy::find("token ring"), Phy::find("")), (None, None));
}

#[test]
fn half_duplex_ends_at_1_gigabit_and_only_there_frames_are_extended() {
    for phy in Phy::ALL {
        let rate = phy.pace.bits_per_second();
        assert_eq!(phy.allows(Duplex::Half), rate <= 1e9, "{phy}");
        assert_eq!(phy.allows(Duplex::Full), phy.name != "100BASE-T4", "{phy}");
        let slot = if rate < 1e9 { Some(512) } else { phy.allows(Duplex::Half).then_some(4_096) };
        assert_eq!(phy.slot_bits, slot, "{phy}");
        assert_eq!(phy.carrier_extension, rate == 1e9, "{phy}");
    }
}

#[test]
fn a_hundred_metres_of_category_5_there_and_back_are_111_bit_times_at_100_megabit() {
    let round_trip = Cable::CATEGORY_5.delay(100) * 2;
    // 111.2 bit times of 10 ns, which is 1112 of 1 ns (clause 42).
    assert_eq!(round_trip, Span::from_ns(1_112));
    assert_eq!(Cable::FIBRE.delay(412) * 2, Phy::BASE_100_FX.pace.span(412));
    assert_eq!(Cable::CATEGORY_3.delay(100) * 2, Phy::BASE_100_T4.pace.span(114));
}
