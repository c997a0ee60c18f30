//! The box cut into as many parts as there are ranks.

use crate::atoms::Vector;

/// One rank's part of the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Parts along each axis.
    pub grid: [usize; 3],
    /// Where this one is among them.
    pub at: [usize; 3],
    /// Its corner with the smallest coordinates.
    pub low: Vector,
    /// The opposite corner.
    pub high: Vector,
}

impl Part {
    /// The part of `rank`; ranks are counted along z first.
    #[must_use]
    pub fn of(grid: [usize; 3], rank: usize, sides: Vector) -> Self {
        let at = [rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]];
        let corner =
            |more: usize| [0, 1, 2].map(|axis| (at[axis] + more) as f64 * sides[axis] / grid[axis] as f64);
        Self { grid, at, low: corner(0), high: corner(1) }
    }

    /// The rank beside this one along `axis`, in the direction of smaller or larger coordinates.
    #[must_use]
    pub const fn beside(&self, axis: usize, up: bool) -> usize {
        let mut at = self.at;
        let parts = self.grid[axis];
        at[axis] = if up { (at[axis] + 1) % parts } else { (at[axis] + parts - 1) % parts };
        (at[0] * self.grid[1] + at[1]) * self.grid[2] + at[2]
    }

    /// Whether this part is the last one in that direction, so that what crosses comes out at the other side of the box.
    #[must_use]
    pub const fn is_last(&self, axis: usize, up: bool) -> bool {
        if up { self.at[axis] + 1 == self.grid[axis] } else { self.at[axis] == 0 }
    }

    /// Which part along `axis` has the coordinate `place`, which is in the box.
    #[must_use]
    pub fn owner(&self, axis: usize, place: f64, sides: Vector) -> usize {
        let part = (place * self.grid[axis] as f64 / sides[axis]) as usize;
        part.min(self.grid[axis] - 1)
    }
}

/// The grid of `ranks` parts with the least surface; of equal ones that with the fewest parts along x.
#[must_use]
pub fn best(ranks: usize, sides: Vector) -> [usize; 3] {
    let mut found = ([1, 1, ranks], f64::INFINITY);
    for px in (1..=ranks).filter(|px| ranks.is_multiple_of(*px)) {
        let rest = ranks / px;
        for py in (1..=rest).filter(|py| rest.is_multiple_of(*py)) {
            let grid = [px, py, rest / py];
            let [x, y, z] = [0, 1, 2].map(|axis| sides[axis] / grid[axis] as f64);
            let surface = x * y + y * z + z * x;
            // Equal surfaces may differ in the last digit.
            if surface < found.1 * (1.0 - 1e-12) {
                found = (grid, surface);
            }
        }
    }
    found.0
}
