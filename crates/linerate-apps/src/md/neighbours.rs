//! Which atoms are near enough to pull each other until the lists are made again.

use std::ops::Range;

use super::cells::Cells;
use super::particles::Particles;

/// How many neighbours are calculated at a time. Every list is filled up to a multiple of it.
pub(super) const LANES: usize = 8;

/// Two atoms closer than this have no place in a liquid: something is wrong with what was asked. Unit: sigma.
pub(super) const CLOSEST: f64 = 0.5;

/// Whose list a pair is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lists {
    /// In those of both atoms.
    Full,
    /// In that of one of the two: of the smaller number if their sum is odd, else of the larger one.
    Half,
}

impl Lists {
    /// Whether the atom `one` has the atom `two` in its list.
    const fn has(self, one: u32, two: u32) -> bool {
        match self {
            Self::Full => true,
            Self::Half => ((one ^ two) & 1 == 1) == (one < two),
        }
    }
}

/// Two atoms that are too close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TooClose {
    /// Their numbers.
    pub ids: [u32; 2],
    /// Square of their distance.
    pub squared: f64,
}

/// For each atom of a range, the indexes of its neighbours.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    /// Where each list begins; one more than there are.
    starts: Vec<u32>,
    lists: Vec<u32>,
    /// Squares of distances, while lists are made.
    squares: Vec<f64>,
    /// Entries without those that fill lists up.
    pub entries: u64,
    /// The closest pair, if it is too close.
    pub too_close: Option<TooClose>,
}

impl Neighbours {
    /// The list of the atom with this place in the range, in pieces of [`LANES`].
    pub(super) fn of(&self, place: usize) -> &[[u32; LANES]] {
        let list = self.starts[place] as usize..self.starts[place + 1] as usize;
        self.lists[list].as_chunks().0
    }

    /// Lists for the atoms of `own`; those that fill lists up are the index after the last atom.
    pub(super) fn make(&mut self, atoms: &Particles, own: Range<usize>, cells: &Cells, how: (f64, Lists)) {
        let (reach, kind) = how;
        let squared_reach = reach * reach;
        let nowhere = atoms.len() as u32;
        self.starts.clear();
        self.starts.push(0);
        self.lists.clear();
        self.entries = 0;
        self.too_close = None;
        let mut closest = CLOSEST * CLOSEST;
        for one in own {
            let (place, id, start) = (atoms.at(one), atoms.id[one], self.lists.len());
            for stretch in cells.around(cells.at(place)) {
                let [x, y, z] = cells.place.each_ref().map(|axis| &axis[stretch.clone()]);
                self.squares.clear();
                self.squares.extend(x.iter().zip(y).zip(z).map(|((x, y), z)| {
                    let [dx, dy, dz] = [place[0] - x, place[1] - y, place[2] - z];
                    dx * dx + dy * dy + dz * dz
                }));
                // As if all were near; only those that are move the end on.
                let mut end = self.lists.len();
                self.lists.resize(end + stretch.len(), 0);
                for (squared, two) in self.squares.iter().zip(&cells.index[stretch]) {
                    let is_near = *squared < squared_reach && *two as usize != one;
                    self.lists[end] = *two;
                    end += usize::from(is_near);
                    if is_near && *squared < closest {
                        closest = *squared;
                        self.too_close =
                            Some(TooClose { ids: [id, atoms.id[*two as usize]], squared: *squared });
                    }
                }
                self.lists.truncate(end);
            }
            if kind == Lists::Half {
                let mut end = start;
                for place in start..self.lists.len() {
                    let two = self.lists[place];
                    self.lists[end] = two;
                    end += usize::from(kind.has(id, atoms.id[two as usize]));
                }
                self.lists.truncate(end);
            }
            self.entries += (self.lists.len() - start) as u64;
            let full = start + (self.lists.len() - start).next_multiple_of(LANES);
            self.lists.resize(full, nowhere);
            self.starts.push(full as u32);
        }
    }
}
