//! The modes of the two ends of a cable, set or negotiated.

use linerate_core::caution::Caution;
use linerate_core::units::Span;

use super::Draft;
use crate::ethernet::negotiation::{Abilities, Ability, End as Negotiator, negotiate};
use crate::ethernet::pause::{FlowControl, PauseAbility};
use crate::ethernet::phy::{Duplex, Phy};
use crate::ethernet::topology::{Side, Wire};
use crate::plan::{End, ModelError, Pause, require};

/// Between what a cable lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The second end is a relay and the first is not.
    pub(super) relayed: bool,
    /// How many of its ends have a MAC: all but those at a repeater.
    pub(super) stations: u64,
}

impl Draft<'_> {
    /// A cable with these ends.
    pub(super) fn wire(
        &mut self,
        name: &str,
        phy: &'static Phy,
        delay: Span,
        ends: [End; 2],
        place: Place,
    ) -> Result<Wire, ModelError> {
        let [first, second] = self.settle(phy, ends, place.relayed)?;
        if first.duplex != second.duplex {
            self.cautions.push(Caution::DuplexMismatch { cable: name.to_owned() });
        }
        let shared = [first, second].iter().any(|side| side.duplex == Duplex::Half);
        self.half_duplex |= shared;
        let stations = if shared { self.station_delay(phy) * place.stations } else { Span::ZERO };
        Ok(Wire { pace: phy.pace, delay: delay + stations, sides: [first, second] })
    }

    /// The modes that the two ends of a cable reach.
    pub(super) fn settle(
        &self,
        phy: &'static Phy,
        ends: [End; 2],
        relayed: bool,
    ) -> Result<[Side; 2], ModelError> {
        if ends.contains(&End::Auto) {
            return self.negotiated(phy, ends, relayed);
        }
        let duplexes = ends.map(|end| if end == End::Half { Duplex::Half } else { Duplex::Full });
        for duplex in duplexes {
            let (name, other) = match duplex {
                Duplex::Half => ("half", "it is full duplex only"),
                Duplex::Full => ("full", "it is half duplex only"),
            };
            let reason = format!("{} cannot: {other}", phy.name);
            require(phy.allows(duplex), "network.duplex", name, &reason)?;
        }
        if duplexes != [Duplex::Full; 2] {
            let pause = self.plan.pause;
            let reason = "PAUSE is for full duplex only (IEEE 802.3, annex 31B); set it to \"off\"";
            require(pause == Pause::Off, "network.pause", pause.name(), reason)?;
            return Ok(duplexes.map(Side::new));
        }
        let flows = match self.plan.pause {
            Pause::Off => [FlowControl::NONE; 2],
            Pause::Symmetric => [FlowControl::BOTH; 2],
            Pause::Asymmetric if relayed => [FlowControl::OBEYS, FlowControl::SENDS],
            // Between equals each obeys and neither sends: nothing to resolve.
            Pause::Asymmetric => [FlowControl::NONE; 2],
        };
        Ok([0, 1].map(|side| Side { duplex: Duplex::Full, flow: flows[side] }))
    }

    pub(super) fn negotiated(
        &self,
        phy: &'static Phy,
        ends: [End; 2],
        relayed: bool,
    ) -> Result<[Side; 2], ModelError> {
        let ability = |duplex| {
            Ability::ALL.into_iter().find(|one| one.phy().name == phy.name && one.duplex() == duplex)
        };
        let all = [Duplex::Full, Duplex::Half].into_iter().filter_map(ability);
        let abilities = all.fold(Abilities::NONE, Abilities::with);
        let said = |second: bool| match self.plan.pause {
            Pause::Off => PauseAbility::NONE,
            Pause::Symmetric => PauseAbility::SYMMETRIC,
            Pause::Asymmetric if second && relayed => PauseAbility::SEND_ONLY,
            Pause::Asymmetric => PauseAbility::SYMMETRIC_OR_OBEY,
        };
        let end = |end: End, second: bool| {
            let forced = |duplex, name| {
                let reason = format!("{} cannot be set to it", phy.name);
                ability(duplex)
                    .map(Negotiator::Forced)
                    .ok_or_else(|| ModelError::value("network.duplex", name, reason))
            };
            match end {
                End::Auto => Ok(Negotiator::Negotiates { abilities, pause: said(second) }),
                End::Full => forced(Duplex::Full, "full"),
                End::Half => forced(Duplex::Half, "half"),
            }
        };
        if abilities == Abilities::NONE {
            let reason = format!("{} does not negotiate; set full", phy.name);
            return Err(ModelError::value("network.duplex", "auto", reason));
        }
        let outcome = negotiate([end(ends[0], false)?, end(ends[1], true)?]);
        match outcome.ends {
            [Ok(first), Ok(second)] => {
                Ok([first, second].map(|linked| Side { duplex: linked.duplex(), flow: linked.flow }))
            }
            _ => Err(ModelError::value(
                "network.duplex",
                "auto",
                format!("the two ends cannot establish a link ({outcome:?}); set both to auto"),
            )),
        }
    }
}
