//! Where all atoms are at one moment, and as other programs read it.

use std::fmt::Write as _;

use linerate_core::generator::GENERATOR;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Vector;

/// All atoms at one moment, by number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// After how many steps.
    pub step: u64,
    /// Time of the moment. Unit: the application's.
    pub time: f64,
    /// What the atoms are, such as `C`.
    pub species: String,
    /// The sides of the periodic box; 0 along an axis where nothing repeats. Unit: the application's.
    pub sides: Vector,
    /// Where they are. The liquid brings atoms back into the box when it makes lists, carbon never. Unit: the application's.
    pub places: Vec<Vector>,
    /// How they move, as many. Unit: the application's.
    pub velocities: Vec<Vector>,
}

impl Frame {
    /// The frame in extended XYZ, as ASE and OVITO read it: a line with the count, a line of properties, a line for each
    /// atom. Frames one after another are a trajectory. Numbers have as many digits as they need to be read back exactly.
    #[must_use]
    pub fn to_extended_xyz(&self) -> String {
        let mut text = format!("{}\n", self.places.len());
        let [x, y, z] = self.sides;
        if self.sides != [0.0; 3] {
            let _ = write!(text, "Lattice=\"{x} 0 0 0 {y} 0 0 0 {z}\" ");
        }
        let periodic = self.sides.map(|side| if side > 0.0 { "T" } else { "F" }).join(" ");
        let _ = writeln!(
            text,
            "generator=\"{GENERATOR}\" Properties=species:S:1:pos:R:3:vel:R:3 Time={} Step={} pbc=\"{periodic}\"",
            self.time, self.step
        );
        for (place, velocity) in self.places.iter().zip(&self.velocities) {
            text.push_str(&self.species);
            for number in place.iter().chain(velocity) {
                let _ = write!(text, " {number}");
            }
            text.push('\n');
        }
        text
    }
}
