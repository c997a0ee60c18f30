//! Auto-negotiation: what the two ends of a link agree on, and what happens when one of them does
//! not negotiate. Source: IEEE 802.3, clause 28 with annex 28B for twisted pair, and clause 37 for
//! 1000BASE-X.

mod ability;
mod timing;

pub use ability::{Abilities, Ability};
pub use timing::{BREAK_LINK, CLAUSE_37_LINK_TIMER, FLP_BURST_INTERVAL, clause_28_time, clause_37_time};

use super::pause::{FlowControl, PauseAbility, resolve};
use super::phy::{Duplex, Phy};

/// How one end of a link is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It negotiates: it advertises its abilities.
    Negotiates {
        /// Kinds of link that it can be an end of.
        abilities: Abilities,
        /// Its PAUSE ability.
        pause: PauseAbility,
    },
    /// It does not negotiate: speed and duplex are set by hand.
    Forced(Ability),
}

/// How an end came to its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Both ends negotiated.
    Negotiation,
    /// The partner did not negotiate; its signal gave the speed. Always half duplex (28.2.3.1).
    ParallelDetection,
    /// Set by hand.
    Forced,
}

/// An end whose link is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked {
    /// Speed and duplex as this end sees them; its partner may see the duplex otherwise.
    pub ability: Ability,
    /// What this end does about PAUSE: no PAUSE unless both ends negotiated full duplex.
    pub flow: FlowControl,
    /// How it came to that.
    pub means: Means,
}

impl Linked {
    /// The physical layer.
    #[must_use]
    pub const fn phy(&self) -> &'static Phy {
        self.ability.phy()
    }

    /// Whether this end sends and hears at once.
    #[must_use]
    pub const fn duplex(&self) -> Duplex {
        self.ability.duplex()
    }
}

/// Why an end has no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLink {
    /// The two ends have no common mode.
    NothingInCommon,
    /// The partner's signal is of another kind.
    NotHeard,
    /// The kind of link cannot be set by hand: 100BASE-T2, 1000BASE-T and the faster twisted-pair
    /// kinds settle by negotiation which end is the master of the clock.
    NeedsNegotiation,
}

/// What became of one end.
pub type Resolution = Result<Linked, NoLink>;

/// What became of a link, end by end in the order in which they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The two ends.
    pub ends: [Resolution; 2],
}

impl Outcome {
    /// Whether frames can pass: both ends are up. A forced 1000BASE-X end comes up although its
    /// partner waits for negotiation; nothing passes then.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        matches!(self.ends, [Ok(_), Ok(_)])
    }
}

/// The result of negotiation between the two ends of a cable.
#[must_use]
pub fn negotiate(ends: [End; 2]) -> Outcome {
    let ends = match ends {
        [End::Negotiates { abilities: a, pause: p }, End::Negotiates { abilities: b, pause: q }] => {
            both_negotiate(a.and(b), [p, q])
        }
        [End::Negotiates { abilities, .. }, End::Forced(ability)] => one_is_forced(abilities, ability),
        [End::Forced(ability), End::Negotiates { abilities, .. }] => {
            let [heard, forced] = one_is_forced(abilities, ability);
            [forced, heard]
        }
        [End::Forced(a), End::Forced(b)] => both_are_forced([a, b]),
    };
    Outcome { ends }
}

/// The best of what both can do. Source: annex 28B.3, and 37.2.4.2 for 1000BASE-X.
fn both_negotiate(common: Abilities, pause: [PauseAbility; 2]) -> [Resolution; 2] {
    let Some(ability) = common.best() else { return [Err(NoLink::NothingInCommon); 2] };
    let flow = match ability.duplex() {
        Duplex::Full => resolve(pause),
        Duplex::Half => [FlowControl::NONE; 2],
    };
    flow.map(|flow| Ok(Linked { ability, flow, means: Means::Negotiation }))
}

/// The end that negotiates comes first in the result. Source: 28.2.3.1 (parallel detection).
fn one_is_forced(abilities: Abilities, forced: Ability) -> [Resolution; 2] {
    let forced_end = Ok(by_hand(forced, Means::Forced));
    if forced.needs_negotiation() {
        return [Err(NoLink::NotHeard), Err(NoLink::NeedsNegotiation)];
    }
    match forced.detected_as() {
        Some(half) if abilities.has(half) => [Ok(by_hand(half, Means::ParallelDetection)), forced_end],
        Some(_) => [Err(NoLink::NothingInCommon), Err(NoLink::NotHeard)],
        // 1000BASE-X has no parallel detection; the forced end needs only valid code groups.
        None if abilities.iter().any(|ability| ability.phy() == forced.phy()) => {
            [Err(NoLink::NotHeard), forced_end]
        }
        None => [Err(NoLink::NotHeard); 2],
    }
}

fn both_are_forced(abilities: [Ability; 2]) -> [Resolution; 2] {
    let alike = abilities[0].phy() == abilities[1].phy();
    abilities.map(|ability| match ability {
        _ if ability.needs_negotiation() => Err(NoLink::NeedsNegotiation),
        _ if alike => Ok(by_hand(ability, Means::Forced)),
        _ => Err(NoLink::NotHeard),
    })
}

/// Without negotiation the partner's PAUSE ability is unknown, so PAUSE is off.
const fn by_hand(ability: Ability, means: Means) -> Linked {
    Linked { ability, flow: FlowControl::NONE, means }
}
