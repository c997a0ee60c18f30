//! Constants of the simulator and of the method, so that a check compares what the model really
//! uses and not a second copy.

use linerate_core::schedule::{Bounds, NETPIPE_PERTURBATION, Schedule};
use linerate_core::units::{Size, Span};
use linerate_sim::ethernet::parameters::{GAP_BITS, MIN_FRAME_BYTES, PREAMBLE_BITS};
use linerate_sim::ethernet::pause;
use linerate_sim::ethernet::phy::{Coding, Phy};
use linerate_sim::tcp::Segment;
use serde::Deserialize;

/// A number of the code, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constant {
    /// Shortest frame. Unit: bytes.
    LeastFrameBytes,
    /// What goes with each frame. Unit: bytes.
    PreambleAndGapBytes,
    /// What a PAUSE frame says so that the other end goes on. Unit: quanta.
    PauseResumeQuanta,
    /// The largest value of a segment's window field. Unit: bytes, without scaling.
    LargestWindowField,
    /// Unit: bytes.
    NetpipePerturbationBytes,
    /// Sizes that NetPIPE's schedule has for each base size, itself included.
    NetpipeSizesAroundABase,
}

impl Constant {
    /// Its value.
    pub fn value(self) -> f64 {
        match self {
            Self::LeastFrameBytes => MIN_FRAME_BYTES as f64,
            Self::PreambleAndGapBytes => ((PREAMBLE_BITS + GAP_BITS) / 8) as f64,
            Self::PauseResumeQuanta => resume_quanta(),
            Self::LargestWindowField => f64::from(largest_of(|segment| segment.window)),
            Self::NetpipePerturbationBytes => NETPIPE_PERTURBATION as f64,
            Self::NetpipeSizesAroundABase => sizes_around_a_base(),
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LeastFrameBytes => "shortest frame",
            Self::PreambleAndGapBytes => "preamble and gap",
            Self::PauseResumeQuanta => "quanta of a PAUSE that lets go on",
            Self::LargestWindowField => "largest value of the window field",
            Self::NetpipePerturbationBytes => "distance of the extra sizes",
            Self::NetpipeSizesAroundABase => "sizes around a base",
        }
    }
}

/// The quanta that stop nobody.
fn resume_quanta() -> f64 {
    let pace = Phy::BASE_1000_X.pace;
    let quanta = (0..=pause::MAX_QUANTA).find(|quanta| pause::span(*quanta, pace) == Span::ZERO);
    quanta.map_or(f64::NAN, f64::from)
}

/// The largest value of a field of a segment: of its type.
const fn largest_of(_field: fn(&Segment) -> u16) -> u16 {
    u16::MAX
}

fn sizes_around_a_base() -> f64 {
    let base = Some(Size(1 << 20));
    let bounds = Bounds { from: base, to: base, perturb: None };
    Schedule::Netpipe.sizes(bounds).map_or(f64::NAN, |sizes| sizes.len() as f64)
}

/// A physical layer by its name.
pub(super) fn phy(name: &str) -> Result<&'static Phy, String> {
    Phy::find(name).ok_or_else(|| format!("there is no physical layer {name}"))
}

/// Symbols a second, all lanes together. Unit: Mbaud.
pub(super) fn mega_baud(phy: &Phy) -> f64 {
    (phy.baud * phy.lanes) as f64 / 1e6
}

/// Bits of data for each symbol.
pub(super) fn bits_per_symbol(coding: Coding) -> f64 {
    let [bits, symbols] = coding.bits_per_symbol();
    bits as f64 / symbols as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shortest frame of 64 B, 8 B of preamble and 12 of gap (IEEE 802.3, table 4-2), a PAUSE of 0
    /// quanta (annex 31B), a window of 16 bits (RFC 9293, 3.1), and NetPIPE's sizes 3 B below and above.
    #[test]
    fn constants_are_those_of_the_standards() {
        for (constant, value, name) in [
            (Constant::LeastFrameBytes, 64.0, "shortest frame"),
            (Constant::PreambleAndGapBytes, 20.0, "preamble and gap"),
            (Constant::PauseResumeQuanta, 0.0, "quanta of a PAUSE that lets go on"),
            (Constant::LargestWindowField, 65_535.0, "largest value of the window field"),
            (Constant::NetpipePerturbationBytes, 3.0, "distance of the extra sizes"),
            (Constant::NetpipeSizesAroundABase, 3.0, "sizes around a base"),
        ] {
            assert_eq!((constant.value(), constant.name()), (value, name), "{constant:?}");
        }
    }
}
