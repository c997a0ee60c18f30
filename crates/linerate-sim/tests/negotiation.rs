//! Auto-negotiation: what two ends come to, for every pair of configurations.

use linerate_core::units::Span;
use linerate_sim::ethernet::negotiation::{
    Abilities, Ability, BREAK_LINK, End, Linked, Means, NoLink, Outcome, clause_28_time, clause_37_time,
    negotiate,
};
use linerate_sim::ethernet::pause::{FlowControl, PauseAbility, resolve};
use linerate_sim::ethernet::phy::{Duplex, Phy};
use rstest::rstest;

fn offers(abilities: Abilities) -> End {
    End::Negotiates { abilities, pause: PauseAbility::NONE }
}

fn linked(outcome: &Outcome, end: usize) -> Linked {
    outcome.ends[end].unwrap_or_else(|why| panic!("end {end} has no link: {why:?}"))
}

/// Annex 28B.3 by its words, and not by the order of the enum.
const PRIORITY: [&str; 9] = [
    "1000BASE-T full duplex",
    "1000BASE-T half duplex",
    "100BASE-T2 full duplex",
    "100BASE-TX full duplex",
    "100BASE-T2 half duplex",
    "100BASE-T4 half duplex",
    "100BASE-TX half duplex",
    "10BASE-T full duplex",
    "10BASE-T half duplex",
];

fn named(name: &str) -> Ability {
    Ability::ALL.into_iter().find(|ability| ability.to_string() == name).expect("it is in the list")
}

/// Whether both ends are up, one in half and one in full duplex.
fn is_duplex_mismatch(outcome: &Outcome) -> bool {
    matches!(outcome.ends, [Ok(a), Ok(b)] if a.duplex() != b.duplex())
}

#[test]
fn of_any_two_sets_of_abilities_the_best_in_common_is_chosen() {
    let abilities = PRIORITY.map(named);
    let set = |bits: u32| (0..9).filter(|n| bits >> n & 1 == 1).map(|n| abilities[n]).collect::<Abilities>();
    for pair in 0..1_u32 << 18 {
        let (a, b) = (pair & 511, pair >> 9);
        let outcome = negotiate([offers(set(a)), offers(set(b))]);
        let Some(best) = abilities.get((a & b).trailing_zeros() as usize) else {
            assert_eq!(outcome.ends, [Err(NoLink::NothingInCommon); 2]);
            continue;
        };
        for end in 0..2 {
            let linked = linked(&outcome, end);
            assert_eq!((linked.ability, linked.means), (*best, Means::Negotiation));
        }
        assert!(outcome.is_up() && !is_duplex_mismatch(&outcome));
    }
}

#[test]
fn two_ends_that_negotiate_never_disagree_on_duplex() {
    for a in Ability::ALL {
        for b in Ability::ALL {
            let outcome = negotiate([offers(Abilities::NONE.with(a)), offers(Abilities::NONE.with(b))]);
            assert_eq!(outcome.is_up(), a == b);
            assert!(!is_duplex_mismatch(&outcome));
        }
    }
}

#[rstest]
#[case(Ability::Base100TxFull, Ability::Base100TxHalf, true)]
#[case(Ability::Base100TxHalf, Ability::Base100TxHalf, false)]
#[case(Ability::Base10TFull, Ability::Base10THalf, true)]
#[case(Ability::Base10THalf, Ability::Base10THalf, false)]
fn a_forced_partner_is_found_by_its_signal_and_always_in_half_duplex(
    #[case] forced: Ability,
    #[case] found: Ability,
    #[case] mismatch: bool,
) {
    let offer = End::Negotiates { abilities: Abilities::GIGABIT, pause: PauseAbility::SYMMETRIC_OR_OBEY };
    for (ends, negotiating) in [([offer, End::Forced(forced)], 0), ([End::Forced(forced), offer], 1)] {
        let outcome = negotiate(ends);
        let (heard, set) = (linked(&outcome, negotiating), linked(&outcome, 1 - negotiating));
        assert_eq!((heard.ability, heard.means), (found, Means::ParallelDetection));
        assert_eq!((set.ability, set.means), (forced, Means::Forced));
        assert_eq!((heard.flow, set.flow), (FlowControl::NONE, FlowControl::NONE));
        assert_eq!(is_duplex_mismatch(&outcome), mismatch);
    }
}

#[test]
fn what_is_detected_in_half_duplex_must_be_an_ability() {
    let full_only = Abilities::FAST.without(Ability::Base100TxHalf);
    let outcome = negotiate([offers(full_only), End::Forced(Ability::Base100TxFull)]);
    assert_eq!(outcome.ends, [Err(NoLink::NothingInCommon), Err(NoLink::NotHeard)]);
    let t4 = negotiate([offers(Abilities::NONE.with(Ability::Base100T4)), End::Forced(Ability::Base100T4)]);
    assert!(t4.is_up() && !is_duplex_mismatch(&t4));
}

#[test]
fn two_forced_ends_need_the_same_speed_and_may_differ_in_duplex() {
    let forced = |a, b| negotiate([End::Forced(a), End::Forced(b)]);
    let same = forced(Ability::Base100TxFull, Ability::Base100TxFull);
    assert!(same.is_up() && !is_duplex_mismatch(&same));
    assert_eq!(linked(&same, 0).flow, FlowControl::NONE, "nobody has said anything of PAUSE");
    let mismatch = forced(Ability::Base100TxFull, Ability::Base100TxHalf);
    assert!(is_duplex_mismatch(&mismatch));
    assert_eq!(linked(&mismatch, 0).duplex(), Duplex::Full);
    assert_eq!(linked(&mismatch, 1).duplex(), Duplex::Half);
    let speeds = forced(Ability::Base100TxFull, Ability::Base10TFull);
    assert_eq!(speeds.ends, [Err(NoLink::NotHeard); 2]);
}

#[test]
fn kinds_with_a_master_and_a_slave_cannot_be_forced() {
    for ability in Ability::ALL {
        let with_itself = negotiate([End::Forced(ability); 2]);
        let with_offer = negotiate([offers(Abilities::NONE.with(ability)), End::Forced(ability)]);
        let has_master = ability.phy().coding.name().contains("PAM");
        assert_eq!(with_itself.is_up(), !has_master, "{ability}");
        if has_master {
            assert_eq!(with_itself.ends, [Err(NoLink::NeedsNegotiation); 2]);
            assert_eq!(with_offer.ends, [Err(NoLink::NotHeard), Err(NoLink::NeedsNegotiation)]);
        }
    }
}

#[test]
fn a_forced_1000base_x_end_is_up_while_its_partner_waits_for_negotiation() {
    let fibre = Abilities::NONE.with(Ability::Base1000XFull).with(Ability::Base1000XHalf);
    let outcome = negotiate([offers(fibre), End::Forced(Ability::Base1000XFull)]);
    assert_eq!(outcome.ends[0], Err(NoLink::NotHeard));
    assert_eq!(linked(&outcome, 1).ability, Ability::Base1000XFull);
    assert!(!outcome.is_up() && !is_duplex_mismatch(&outcome));
    let copper = negotiate([offers(Abilities::GIGABIT), End::Forced(Ability::Base1000XFull)]);
    assert_eq!(copper.ends, [Err(NoLink::NotHeard); 2], "fibre and copper do not meet");
}

#[test]
fn clause_37_prefers_full_duplex_and_resolves_pause_by_the_same_table() {
    let both = Abilities::NONE.with(Ability::Base1000XFull).with(Ability::Base1000XHalf);
    let end = |abilities, pause| End::Negotiates { abilities, pause };
    let station = end(both, PauseAbility::SYMMETRIC_OR_OBEY);
    let repeater = end(both, PauseAbility::SEND_ONLY);
    let outcome = negotiate([station, repeater]);
    assert_eq!(linked(&outcome, 0).ability, Ability::Base1000XFull);
    assert_eq!(linked(&outcome, 0).flow, FlowControl::OBEYS);
    assert_eq!(linked(&outcome, 1).flow, FlowControl::SENDS);
    let half = end(Abilities::NONE.with(Ability::Base1000XHalf), PauseAbility::SEND_ONLY);
    let outcome = negotiate([station, half]);
    assert_eq!(linked(&outcome, 0).ability, Ability::Base1000XHalf);
    assert_eq!((linked(&outcome, 0).flow, linked(&outcome, 1).flow), (FlowControl::NONE, FlowControl::NONE));
}

#[test]
fn pause_is_resolved_only_where_full_duplex_was_negotiated() {
    for ability in Ability::ALL {
        for here in PauseAbility::ALL {
            for there in PauseAbility::ALL {
                let end = |pause| End::Negotiates { abilities: Abilities::NONE.with(ability), pause };
                let outcome = negotiate([end(here), end(there)]);
                let flow = [linked(&outcome, 0).flow, linked(&outcome, 1).flow];
                let full = ability.to_string().ends_with("full duplex");
                let expected = if full { resolve([here, there]) } else { [FlowControl::NONE; 2] };
                assert_eq!(flow, expected, "{ability}");
            }
        }
    }
}

#[test]
fn every_ability_is_one_that_its_phy_allows() {
    for ability in Ability::ALL {
        assert!(ability.phy().allows(ability.duplex()), "{ability}");
        assert!(Phy::ALL.contains(&ability.phy()), "{ability}");
    }
}

#[test]
fn what_is_faster_than_1_gigabit_comes_before_it_and_the_fastest_first() {
    let faster = [Ability::Base10GT, Ability::Base5GT, Ability::Base2500T];
    let mut partner = faster.into_iter().fold(Abilities::GIGABIT, Abilities::with);
    let offer = offers(partner);
    for ability in faster.into_iter().chain([Ability::Base1000TFull]) {
        assert_eq!(linked(&negotiate([offer, offers(partner)]), 0).ability, ability);
        partner = partner.without(ability);
    }
}

#[test]
fn a_link_is_agreed_within_the_sum_of_its_timers() {
    assert_eq!(clause_28_time(0), BREAK_LINK);
    assert_eq!(clause_28_time(1), [Span::from_ms(1_296), Span::from_ms(1_836)]);
    assert_eq!(clause_28_time(4), [Span::from_ms(1_584), Span::from_ms(2_844)]);
    assert_eq!(clause_37_time(), [Span::from_ms(30), Span::from_ms(60)]);
}
