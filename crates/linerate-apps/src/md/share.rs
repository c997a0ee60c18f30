//! A rank's share of the atoms.

use std::ops::Range;

use super::borders::Borders;
use super::fault::Fault;
use super::force::Packed;
use super::grid::Part;
use super::neighbours::{Lists, Neighbours};
use super::pair::Pair;
use super::particles::{Axes, Particles};
use super::{Decomposition, Md};
use crate::atoms::Vector;

/// A rank's share of the atoms, and what it knows of those of others.
pub(super) struct Share<'p> {
    pub plan: &'p Md,
    pub pair: Pair,
    pub sides: Vector,
    /// The part of the box whose images it makes or receives: all of it if atoms are shared by number.
    pub part: Part,
    /// Its own atoms first if the box is cut; else all, by number; then images.
    pub atoms: Particles,
    /// Atoms that are no images.
    pub real: usize,
    /// Whose forces it calculates.
    pub own: Range<usize>,
    pub borders: Borders,
    pub lists: Neighbours,
    /// Places as the forces read them.
    pub packed: Vec<Packed>,
    /// Where the real atoms were when the lists were made.
    pub before: Axes,
    /// Steps since then.
    pub since: u32,
    /// How often lists were made.
    pub rebuilds: u64,
    /// The square of the furthest way of an atom since lists were made, over all of the run.
    pub furthest: f64,
    pub fault: Option<Fault>,
}

impl<'p> Share<'p> {
    /// The share of `rank` among `ranks`.
    pub(super) fn new(plan: &'p Md, rank: usize, ranks: usize) -> Self {
        let sides = plan.sides();
        let (places, velocities) = plan.start();
        let mut atoms = Particles::new(&places, &velocities);
        atoms.wrap(sides);
        let parts = plan.parts(ranks);
        let cut = plan.decomposition == Decomposition::Spatial;
        let part = Part::of(parts, if cut { rank } else { 0 }, sides);
        let own = if cut {
            let is_mine = |index: &u32| {
                let place = atoms.at(*index as usize);
                (0..3).all(|axis| part.owner(axis, place[axis], sides) == part.at[axis])
            };
            let mine: Vec<u32> = (0..atoms.len() as u32).filter(is_mine).collect();
            atoms.reorder(&mine);
            atoms.truncate(mine.len());
            0..mine.len()
        } else {
            let block = atoms.len().div_ceil(ranks);
            (rank * block).min(atoms.len())..((rank + 1) * block).min(atoms.len())
        };
        Self {
            plan,
            pair: Pair::new(plan.truncation, plan.cutoff),
            sides,
            part,
            real: atoms.len(),
            atoms,
            own,
            borders: Borders::default(),
            lists: Neighbours::default(),
            packed: Vec::new(),
            before: Axes::default(),
            since: 0,
            rebuilds: 0,
            furthest: 0.0,
            fault: None,
        }
    }

    /// Which atoms this rank moves itself: all if every rank knows all forces.
    pub(super) const fn moved(&self) -> Range<usize> {
        match self.plan.decomposition {
            Decomposition::Spatial | Decomposition::Replicated => self.own.start..self.own.end,
            Decomposition::ReplicatedHalf => 0..self.real,
        }
    }

    pub(super) const fn kind(&self) -> Lists {
        match self.plan.decomposition {
            Decomposition::Spatial | Decomposition::Replicated => Lists::Full,
            Decomposition::ReplicatedHalf => Lists::Half,
        }
    }

    /// Images that this rank has.
    pub(super) const fn images(&self) -> usize {
        // One more entry is nowhere.
        self.atoms.len().saturating_sub(self.real + 1)
    }
}
