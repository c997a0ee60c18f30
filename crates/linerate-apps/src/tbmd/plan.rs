//! What a plan of tight-binding molecular dynamics comes to, and what is impossible in it.

use super::links::{Links, TooClose};
use super::model::{CLOSEST, ORBITALS};
use super::share::Distribution;
use super::{Structure, Tbmd};
use crate::application::AppError;
use crate::atoms::{Vector, lattice};

/// The most atoms: the matrices of one rank alone take 3 x 2 GiB then.
const MOST_ATOMS: u64 = 4096;

/// What a plan of steps may count up to.
const MOST_STEPS: u64 = 1 << 31;

impl Tbmd {
    /// Where the atoms are at first, and the sides of the box. Unit: angstrom.
    #[must_use]
    pub fn start(&self) -> (Vec<Vector>, Vector) {
        let (cell, sites): (Vector, &[Vector]) = match self.structure {
            Structure::Diamond => ([self.lattice.unwrap_or(3.567); 3], &lattice::DIAMOND),
            Structure::Graphene => {
                let bond = self.lattice.unwrap_or(1.42);
                ([3.0 * bond, 3.0_f64.sqrt() * bond, 0.0], &lattice::GRAPHENE)
            }
            Structure::Given => ([0.0; 3], &[]),
        };
        let (mut places, sides) = match self.structure {
            Structure::Given => (self.atoms.clone(), self.sides),
            Structure::Diamond | Structure::Graphene => {
                let sides = [0, 1, 2].map(|axis| cell[axis] * f64::from(self.cells[axis]));
                (lattice::crystal(self.cells, cell, sites), sides)
            }
        };
        if self.disturbed {
            lattice::disturb(&mut places);
        }
        (places, sides)
    }

    /// Atoms.
    #[must_use]
    pub fn count(&self) -> u64 {
        let cells = || self.cells.iter().fold(1_u64, |all, count| all.saturating_mul(u64::from(*count)));
        match self.structure {
            Structure::Diamond => cells().saturating_mul(8),
            Structure::Graphene => cells().saturating_mul(4),
            Structure::Given => self.atoms.len() as u64,
        }
    }

    /// Electrons: four of each atom.
    #[must_use]
    pub fn electrons(&self) -> i64 {
        4 * i64::try_from(self.count()).unwrap_or(i64::MAX / 4) - i64::from(self.charge)
    }
}

/// The sentence for two atoms that are too close.
pub(super) fn overlap(TooClose(one, two, distance): TooClose) -> String {
    if distance.is_nan() {
        return format!(
            "calculate the energy: the place of atom {one} or {two} is not a number; take a shorter time step"
        );
    }
    format!(
        "calculate the energy: atoms {one} and {two} are {distance:.3} angstrom apart, and the model begins at {CLOSEST}; move \
         them apart, or take a shorter time step"
    )
}

/// Refuses what is impossible, with one sentence.
pub(super) fn check(plan: &Tbmd, ranks: usize) -> Result<(), AppError> {
    let refusal =
        atoms(plan).or_else(|| numbers(plan)).or_else(|| electrons(plan)).or_else(|| shares(plan, ranks));
    let refusal = refusal.or_else(|| {
        let (places, sides) = plan.start();
        Links::of(&places, sides).err().map(overlap)
    });
    refusal.map_or(Ok(()), |sentence| Err(AppError::Plan(sentence)))
}

fn atoms(plan: &Tbmd) -> Option<String> {
    if plan.structure == Structure::Given {
        let is_side = |side: &f64| side.is_finite() && *side >= 0.0;
        if plan.atoms.as_flattened().iter().any(|place| !place.is_finite()) || !plan.sides.iter().all(is_side)
        {
            return Some("place the atoms: places and sides must be numbers, and sides 0 or more".to_owned());
        }
        // Thinner boxes have hundreds of images of each atom.
        if plan.sides.iter().any(|side| *side > 0.0 && *side < CLOSEST) {
            return Some(format!("repeat the box: a side must be 0 or at least {CLOSEST} angstrom"));
        }
    } else if !plan.atoms.is_empty() || plan.sides != [0.0; 3] {
        return Some(
            "place the atoms: atoms and sides belong to structure = \"given\"; leave them out".to_owned(),
        );
    }
    if plan.structure == Structure::Graphene && plan.cells[2] != 1 {
        return Some("stack graphene: ask for one cell along z".to_owned());
    }
    match plan.count() {
        0 => Some("move no atoms: ask for at least one".to_owned()),
        count if count > MOST_ATOMS => {
            Some(format!("hold the matrices of {count} atoms: the most is {MOST_ATOMS}"))
        }
        _ => None,
    }
}

fn numbers(plan: &Tbmd) -> Option<String> {
    let positive = [("time-step", Some(plan.time_step)), ("lattice", plan.lattice)];
    for (name, value) in positive {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            return Some(format!("calculate with {name} = {value}: ask for a number above 0"));
        }
    }
    if !(plan.temperature.is_finite() && plan.temperature >= 0.0) {
        return Some(format!("calculate with temperature = {}: ask for 0 or more", plan.temperature));
    }
    if plan.every == 0 || plan.frame_every == Some(0) {
        return Some("go on by 0 steps: ask for every and frame-every of 1 or more".to_owned());
    }
    (plan.steps > MOST_STEPS).then(|| format!("make {} steps: the most is {MOST_STEPS}", plan.steps))
}

fn electrons(plan: &Tbmd) -> Option<String> {
    let (electrons, room) = (plan.electrons(), 8 * plan.count() as i64);
    if electrons % 2 != 0 {
        return Some(format!("put {electrons} electrons into levels of two: ask for an even charge"));
    }
    (electrons <= 0 || electrons >= room)
        .then(|| format!("put {electrons} electrons into levels for {room}: ask for a smaller charge"))
}

fn shares(plan: &Tbmd, ranks: usize) -> Option<String> {
    let order = ORBITALS as u64 * plan.count();
    if ranks == 0 {
        return Some("calculate on no ranks: ask for at least one".to_owned());
    }
    let parts = match plan.distribution {
        Distribution::Ring => ranks,
        Distribution::Summa => {
            let side = ranks.isqrt();
            if side * side != ranks {
                return Some(format!(
                    "stand {ranks} ranks in a square: summa takes 1, 4, 9, .. ranks; ask for {} or for the ring",
                    side * side
                ));
            }
            side
        }
    };
    (parts as u64 > order).then(|| format!("share {order} rows among {parts} ranks: ask for fewer ranks"))
}
