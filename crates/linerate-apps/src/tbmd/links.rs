//! Who is near whom.

use super::model::{CLOSEST, CUTOFF, hopping_falloff, length, repulsion};
use crate::atoms::Vector;

/// From an atom to another one, or to an image of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The other atom.
    pub to: usize,
    /// From the one to the other. Unit: angstrom.
    pub apart: Vector,
    /// The length of it.
    pub distance: f64,
    /// By how much hopping falls off at it, and the slope.
    pub hopping: [f64; 2],
    /// The repulsion at it, and the slope.
    pub repulsion: [f64; 2],
}

/// Two atoms that are too close: their numbers, and how far they are apart. Unit: angstrom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooClose(pub usize, pub usize, pub f64);

/// Every atom's links.
#[derive(Clone, Debug, Default)]
pub struct Links {
    starts: Vec<usize>,
    all: Vec<Link>,
}

impl Links {
    /// Links of all atoms to all that are nearer than the cutoff, in a box with these sides; 0 where nothing repeats.
    ///
    /// # Errors
    ///
    /// Atoms that are too close, or whose distance is not a number.
    pub fn of(places: &[Vector], sides: Vector) -> Result<Self, TooClose> {
        let mut links = Self { starts: vec![0], all: Vec::new() };
        // Of each atom the first link to an atom that has not been come to yet.
        let mut next: Vec<usize> = Vec::with_capacity(places.len());
        for one in 0..places.len() {
            for (two, next) in next.iter_mut().enumerate() {
                links.back([one, two], next);
            }
            let mut ahead = links.all.len();
            for two in one..places.len() {
                links.between(places, sides, [one, two])?;
                if two == one {
                    ahead = links.all.len();
                }
            }
            next.push(ahead);
            links.starts.push(links.all.len());
        }
        Ok(links)
    }

    /// From one atom back to all images of one before it, whose links to it begin at `next`: the same, in the other order.
    fn back(&mut self, [one, two]: [usize; 2], next: &mut usize) {
        let end = self.starts[two + 1];
        let there = self.all[*next..end].iter().take_while(|link| link.to == one).count();
        let first = std::mem::replace(next, *next + there);
        for place in (first..first + there).rev() {
            let link = self.all[place];
            // Not with a sign: 0 stays as it is.
            self.all.push(Link { to: two, apart: link.apart.map(|axis| 0.0 - axis), ..link });
        }
    }

    /// From one atom to all images of another one.
    fn between(&mut self, places: &[Vector], sides: Vector, [one, two]: [usize; 2]) -> Result<(), TooClose> {
        let direct = [0, 1, 2].map(|axis| places[two][axis] - places[one][axis]);
        if direct.iter().any(|axis| !axis.is_finite()) {
            return Err(TooClose(one, two, f64::NAN));
        }
        let images = |axis: usize| {
            let bounds = [-CUTOFF, CUTOFF]
                .map(|end| if sides[axis] > 0.0 { (end - direct[axis]) / sides[axis] } else { 0.0 });
            bounds[0].ceil() as i64..=bounds[1].floor() as i64
        };
        let along_x = images(0);
        let along_y = if along_x.is_empty() { return Ok(()) } else { images(1) };
        let along_z = if along_y.is_empty() { return Ok(()) } else { images(2) };
        for i in along_x {
            for j in along_y.clone() {
                for k in along_z.clone() {
                    let image = [i, j, k].map(|image| image as f64);
                    let apart = [0, 1, 2].map(|axis| direct[axis] + image[axis] * sides[axis]);
                    let distance = length(apart);
                    if distance >= CUTOFF || (one == two && image == [0.0; 3]) {
                        continue;
                    }
                    if distance < CLOSEST {
                        return Err(TooClose(one, two, distance));
                    }
                    let (hopping, repulsion) = (hopping_falloff(distance), repulsion(distance));
                    self.all.push(Link { to: two, apart, distance, hopping, repulsion });
                }
            }
        }
        Ok(())
    }

    /// The links of an atom.
    #[must_use]
    pub fn of_atom(&self, atom: usize) -> &[Link] {
        &self.all[self.starts[atom]..self.starts[atom + 1]]
    }

    /// Atoms.
    #[must_use]
    pub const fn atoms(&self) -> usize {
        self.starts.len() - 1
    }

    /// For each atom the sum of its neighbours' repulsions.
    #[must_use]
    pub fn repulsions(&self) -> Vec<f64> {
        let sum = |atom| self.of_atom(atom).iter().map(|link| link.repulsion[0]).sum();
        (0..self.atoms()).map(sum).collect()
    }
}
