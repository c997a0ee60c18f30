//! The atoms that a rank holds: a structure of arrays.

use crate::atoms::Vector;

/// An array for each axis.
pub(super) type Axes = [Vec<f64>; 3];

/// Where a place is that is no atom's: further away than any cutoff, and its square is a number.
const NOWHERE: f64 = 1e15;

/// The atoms that a rank holds. Its own come first, or are a range of all; then those of others near to them, each as an
/// image of the atom at the place where this rank sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Particles {
    /// Numbers of the atoms.
    pub id: Vec<u32>,
    /// Where they are.
    pub place: Axes,
    /// How they move, as far as this rank moves them.
    pub velocity: Axes,
    /// What pulls them, as far as this rank moves them.
    pub force: Axes,
}

impl Particles {
    /// Atoms by number, from 0.
    pub(super) fn new(places: &[Vector], velocities: &[Vector]) -> Self {
        let ids = (0..places.len() as u32).collect();
        let axes = |of: &[Vector]| [0, 1, 2].map(|axis| of.iter().map(|vector| vector[axis]).collect());
        Self {
            id: ids,
            place: axes(places),
            velocity: axes(velocities),
            force: axes(&vec![[0.0; 3]; places.len()]),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.id.len()
    }

    pub(super) fn at(&self, index: usize) -> Vector {
        [0, 1, 2].map(|axis| self.place[axis][index])
    }

    pub(super) fn push_image(&mut self, id: u32, place: Vector) {
        self.id.push(id);
        for (axis, place) in self.place.iter_mut().zip(place) {
            axis.push(place);
        }
    }

    /// Only the first `count` atoms remain.
    pub(super) fn truncate(&mut self, count: usize) {
        self.id.truncate(count);
        for axis in self.place.iter_mut().chain(&mut self.velocity).chain(&mut self.force) {
            axis.truncate(count);
        }
    }

    /// Takes the atom at `index` out; the last one comes to its place. Only for atoms that this rank moves, without images.
    pub(super) fn take(&mut self, index: usize) -> (u32, Vector, Vector) {
        let out = |axes: &mut Axes| -> Vector {
            let [x, y, z] = axes;
            [x.swap_remove(index), y.swap_remove(index), z.swap_remove(index)]
        };
        let (place, velocity, _) = (out(&mut self.place), out(&mut self.velocity), out(&mut self.force));
        (self.id.swap_remove(index), place, velocity)
    }

    /// Adds an atom that this rank moves from now on.
    pub(super) fn put(&mut self, id: u32, place: Vector, velocity: Vector) {
        self.push_image(id, place);
        self.velocity.iter_mut().zip(velocity).for_each(|(axis, velocity)| axis.push(velocity));
        self.force.iter_mut().for_each(|axis| axis.push(0.0));
    }

    /// Puts the atoms into the order of `order`, which has every index once; forces are not kept.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        let sorted = |values: &Vec<f64>| order.iter().map(|index| values[*index as usize]).collect();
        self.place = self.place.each_ref().map(sorted);
        self.velocity = self.velocity.each_ref().map(sorted);
        self.id = order.iter().map(|index| self.id[*index as usize]).collect();
    }

    /// Brings every place back into the box.
    pub(super) fn wrap(&mut self, sides: Vector) {
        for (places, side) in self.place.iter_mut().zip(sides) {
            for place in places.iter_mut().filter(|place| !(0.0..side).contains(*place)) {
                *place -= side * (*place / side).floor();
                if *place >= side {
                    *place = 0.0;
                }
            }
        }
    }

    /// The index after the last atom is nowhere from now on, for lists that need an entry without effect.
    pub(super) fn add_nowhere(&mut self) {
        self.push_image(u32::MAX, [NOWHERE; 3]);
    }
}
