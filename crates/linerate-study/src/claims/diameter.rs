//! How far apart two stations of a collision domain may be.

use linerate_sim::ethernet::phy::Phy;

/// The longest cable between two stations, with nothing else in between, whose round trip fits in
/// the slot of `slot`, at the rate and over the cable of `phy`; absent without a slot.
///
/// It is the model's own rule (`Caution::IllegalDiameter`) turned round. Real networks are
/// shorter: repeaters and adaptors delay too. Unit: metres.
pub(super) fn diameter(phy: &Phy, slot: &Phy) -> Option<f64> {
    let one_way_bits = slot.slot_bits? as f64 / 2.0;
    let seconds = one_way_bits / phy.pace.bits_per_second();
    Some(seconds * 1e12 / phy.cable.delay_per_metre_ps as f64)
}

#[cfg(test)]
mod tests {
    use linerate_core::caution::Caution;
    use linerate_sim::model::build;
    use linerate_sim::plan::ModelPlan;

    use super::*;

    /// Whether the model finds fault with a hub between two cables of `length_m`.
    fn too_wide(phy: &Phy, length_m: f64) -> bool {
        let plan = format!(
            "[network]\nmedium = 'ethernet'\ntopology = 'hub'\nphy = '{}'\nlength-m = {length_m:?}\n\
             station-delay-bits = 0.0\nrepeater-delay-bits = 0.0",
            phy.name
        );
        let built = build(&ModelPlan::from_toml(&plan).expect("a plan")).expect("a network");
        built.cautions.iter().any(|caution| matches!(caution, Caution::IllegalDiameter { .. }))
    }

    #[test]
    fn the_model_draws_the_line_where_the_form_does() {
        for phy in [Phy::BASE_10_T, Phy::BASE_100_TX, Phy::BASE_1000_T] {
            let half = diameter(phy, phy).expect("it has a slot") / 2.0;
            assert!(!too_wide(phy, half * 0.995) && too_wide(phy, half * 1.005), "{}: {half} m", phy.name);
        }
    }
}
