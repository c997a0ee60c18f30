//! What a plan of molecular dynamics comes to, and what is impossible in it.

use super::{Decomposition, Md, Start, grid};
use crate::application::AppError;
use crate::atoms::{Vector, lattice, velocity};

/// The most atoms: their numbers, and the indexes of their images, are kept in 32 bits.
const MOST_ATOMS: u64 = 1 << 28;

/// What a plan of steps may count up to.
const MOST_STEPS: u64 = 1 << 31;

impl Md {
    /// Atoms.
    #[must_use]
    pub fn atoms(&self) -> u64 {
        4 * self.cells.iter().map(|count| u64::from(*count)).product::<u64>()
    }

    /// Sides of the box. Unit: sigma.
    #[must_use]
    pub fn sides(&self) -> Vector {
        // Four atoms in a cell.
        let cell = libm::cbrt(4.0 / self.density);
        self.cells.map(|count| f64::from(count) * cell)
    }

    /// How far lists of neighbours reach.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.cutoff + self.skin
    }

    /// Parts of the box along each axis: one if atoms are shared by number.
    #[must_use]
    pub fn parts(&self, ranks: usize) -> [usize; 3] {
        match self.decomposition {
            Decomposition::Spatial => self.grid.unwrap_or_else(|| grid::best(ranks, self.sides())),
            Decomposition::Replicated | Decomposition::ReplicatedHalf => [1; 3],
        }
    }

    /// Where the atoms are and how they move at first.
    pub(super) fn start(&self) -> (Vec<Vector>, Vec<Vector>) {
        let sides = self.sides();
        let cell = [0, 1, 2].map(|axis| sides[axis] / f64::from(self.cells[axis]));
        let mut places = lattice::crystal(self.cells, cell, &lattice::FCC);
        let mut velocities = match self.start {
            Start::Crystal => velocity::random(places.len(), self.seed),
            Start::Waves => {
                lattice::disturb(&mut places);
                velocity::waves(places.len())
            }
        };
        velocity::settle(&mut velocities, self.temperature);
        (places, velocities)
    }
}

/// Refuses what is impossible, with one sentence.
pub(super) fn check(plan: &Md, ranks: usize) -> Result<(), AppError> {
    let refusal = numbers(plan).or_else(|| size(plan)).or_else(|| shares(plan, ranks));
    refusal.map_or(Ok(()), |sentence| Err(AppError::Plan(sentence)))
}

/// Numbers that mean nothing.
fn numbers(plan: &Md) -> Option<String> {
    let positive = [
        ("density", plan.density),
        ("time-step", plan.time_step),
        ("cutoff", plan.cutoff),
        ("skin", plan.skin),
    ];
    let wrong = positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0));
    if let Some((name, value)) = wrong {
        return Some(format!("calculate with {name} = {value}: ask for a number above 0"));
    }
    if !(plan.temperature.is_finite() && plan.temperature >= 0.0) {
        return Some(format!("calculate with temperature = {}: ask for 0 or more", plan.temperature));
    }
    let counts = [("every", plan.every), ("rebuild", u64::from(plan.rebuild))];
    if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
        return Some(format!("go on by {name} = 0 steps: ask for 1 or more"));
    }
    if plan.frame_every == Some(0) {
        return Some("keep a frame every 0 steps: leave frame-every out, or ask for 1 or more".to_owned());
    }
    (plan.steps > MOST_STEPS).then(|| format!("make {} steps: the most is {MOST_STEPS}", plan.steps))
}

/// Boxes that are empty, too large or too small.
fn size(plan: &Md) -> Option<String> {
    let cells = plan.cells.iter().try_fold(4_u64, |atoms, count| atoms.checked_mul(u64::from(*count)));
    match cells {
        Some(0) => return Some("move no atoms: ask for at least one cell along each axis".to_owned()),
        Some(atoms) if atoms <= MOST_ATOMS => {}
        _ => return Some(format!("hold so many cells: the most is {MOST_ATOMS} atoms, four in each cell")),
    }
    let shortest = plan.sides().into_iter().fold(f64::INFINITY, f64::min);
    if shortest < 2.0 * plan.cutoff {
        return Some(format!(
            "calculate in a box with a side of {shortest:.3}: it must be at least twice the cutoff, {:.3}, or an atom meets \
             another one twice; ask for more cells",
            2.0 * plan.cutoff
        ));
    }
    None
}

/// Ranks that would have nothing, or too little.
fn shares(plan: &Md, ranks: usize) -> Option<String> {
    if ranks == 0 {
        return Some("calculate on no ranks: ask for at least one".to_owned());
    }
    let (parts, atoms) = (plan.parts(ranks), plan.atoms());
    let [x, y, z] = parts;
    if plan.decomposition != Decomposition::Spatial {
        if plan.grid.is_some() {
            return Some("cut the box: grid belongs to the spatial decomposition; leave it out".to_owned());
        }
        if ranks as u64 > atoms {
            return Some(format!("share {atoms} atoms among {ranks} ranks: ask for fewer ranks"));
        }
    } else if parts.iter().try_fold(1_usize, |all, count| all.checked_mul(*count)) != Some(ranks) {
        // A grid of a plan may hold any numbers.
        return Some(format!(
            "cut the box into {x} x {y} x {z} parts: there are {ranks} ranks; each has one part"
        ));
    }
    let sides = plan.sides();
    let thinnest = (0..3).map(|axis| sides[axis] / parts[axis] as f64).fold(f64::INFINITY, f64::min);
    (thinnest < plan.reach()).then(|| {
        format!(
            "cut the box into {x} x {y} x {z} parts, with a side of {thinnest:.3}: cutoff and skin reach {:.3}, beyond the \
             next part; ask for more cells or fewer ranks",
            plan.reach()
        )
    })
}
