//! What theory leaves of a line under load, beside what the model finds.

use super::{Built, loaded::Offered, medium};
use crate::ethernet::phy::Phy;
use crate::plan::{EthernetPlan, ModelError, ModelPlan, Network, Offer, Shape, To};

/// What theory says of the efficiency of a plan's load, as a share of one line's rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// What framing leaves of as many lines as can work at once: nothing is above it.
    pub framing: f64,
    /// What Metcalfe and Boggs (1976) expect of saturated stations that share a collision domain,
    /// with frames sent alone: slotted and with the best backoff. No bound: binary exponential
    /// backoff may do better.
    pub contention: Option<f64>,
}

/// What theory says of the plan's load. Absent for a graph, whose lines have rates of their own, and where nobody sends.
///
/// # Errors
///
/// When the plan cannot be built or its load not be offered.
pub fn ceiling(plan: &ModelPlan) -> Result<Option<Ceiling>, ModelError> {
    let built = medium::build(&plan.network, plan.seed)?;
    let offered = Offered::of(plan, &built);
    offered.check(plan)?;
    let offers = plan.load.offers(plan.network.stations());
    let Some(first) = offers.first() else { return Ok(None) };
    let lengths = Lengths::of(first, &built, &offered)?;
    let lines = if built.shares_line { 1.0 } else { lines(&offers) };
    let mut contention = f64::NAN;
    if let Network::Ethernet(ethernet) = &plan.network {
        if ethernet.topology == Shape::Graph {
            return Ok(None);
        }
        if shared(ethernet, &built)
            && let Some(phy) = Phy::find(&ethernet.phy)
        {
            contention = lengths.metcalfe_boggs(phy, ethernet.extension, offers.len());
        }
    }
    let framing = lines * lengths.frame / lengths.line;
    Ok(Some(Ceiling { framing, contention: contention.is_finite().then_some(contention) }))
}

/// Whether all stations share one collision domain.
fn shared(plan: &EthernetPlan, built: &Built) -> bool {
    built.half_duplex
        && matches!(plan.topology, Shape::Hub | Shape::Direct)
        && plan.ends()[0] == plan.ends()[1]
}

/// How many lines can be busy at once: those of the senders, and no more than those of the
/// receivers.
fn lines(offers: &[Offer<'_>]) -> f64 {
    let one = offers.iter().all(|offer| matches!(offer.to, To::Station(_)));
    if one { 1.0 } else { offers.len() as f64 }
}

/// Means over the frames of the first sender. Unit: bytes.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    frame: f64,
    line: f64,
}

impl Lengths {
    fn of(offer: &Offer<'_>, built: &Built, offered: &Offered) -> Result<Self, ModelError> {
        let mix = offered.mix(offer)?;
        Ok(Self {
            frame: mix.mean(|packet| built.framing.frame_bytes(packet) as f64),
            line: mix.mean(|packet| built.framing.line_bytes(packet) as f64),
        })
    }

    /// Source: Metcalfe and Boggs 1976: A = (1 - 1/Q)^(Q-1), W = (1 - A)/A slots, E = P / (P + W
    /// slot). Not a number without a rival or a slot.
    fn metcalfe_boggs(self, phy: &Phy, extension: bool, senders: usize) -> f64 {
        let Some(slot) = phy.slot_bits.filter(|_| senders > 1) else { return f64::NAN };
        let stations = senders as f64;
        let acquires = (1.0 - 1.0 / stations).powf(stations - 1.0);
        let slots = (1.0 - acquires) / acquires;
        let bits = self.frame * 8.0;
        let extended = if extension && phy.carrier_extension { bits.max(slot as f64) } else { bits };
        bits / (extended + slots * slot as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Ceiling {
        let plan = ModelPlan::from_toml(text).expect("a plan");
        ceiling(&plan).expect("it can be built").expect("no graph")
    }

    #[test]
    fn framing_leaves_of_each_line_what_it_does() {
        for (network, lines) in
            [("", 2.0), ("topology = 'switch'\nstations = 8", 8.0), ("topology = 'hub'", 1.0)]
        {
            let found = of(&format!("[network]\nmedium = 'ethernet'\n{network}")).framing;
            assert!((found - lines * 1518.0 / 1538.0).abs() < 1e-12, "{network}: {found}");
        }
        let ring = of("[network]\nmedium = 'fddi'\n[load]\npacket = 4352");
        assert!((ring.framing - 4377.0 / 4388.0).abs() < 1e-12 && ring.contention.is_none(), "{ring:?}");
        let one =
            "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 8\n[load]\nto = 'station 1'";
        assert!((of(one).framing - 1518.0 / 1538.0).abs() < 1e-12, "they share the last line");
    }

    /// 12,144 bits, and 1.7183 slots of 512 for very many stations: .9324 as published.
    #[test]
    fn contention_is_that_of_metcalfe_and_boggs() {
        let of = |stations: u32, phy: &str, frame: u32| {
            let network =
                format!("medium = 'ethernet'\ntopology = 'hub'\nphy = '{phy}'\nstations = {stations}");
            of(&format!("[network]\n{network}\n[load]\nframe = {frame}\nto = 'next'")).contention
        };
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.expect("a domain") - expected).abs() < 2e-4, "{found:?} instead of {expected}");
        };
        near(of(5000, "10BASE-T", 1518), 0.9324);
        near(of(2, "10BASE-T", 1518), 12_144.0 / 12_656.0);
        near(of(2, "1000BASE-T", 64), 512.0 / 8192.0);
    }
}
