//! Bins that divide where light is uneven: a binary tree over position and direction.
//!
//! Under the same light from everywhere all four coordinates of a hit are uniform, so the halves of a bin have equal counts
//! but for chance. A bin whose halves differ by more than that is split.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bin with fewer hits is not split.
const FEWEST: u64 = 64;
/// How many standard deviations the halves of a bin may differ by.
const DEVIATIONS: f64 = 3.0;
/// How often an axis is halved at most: coordinates have 24 bits.
const DEEPEST: u8 = 16;

/// The axes of bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Along the patch's first edge.
    U,
    /// Along its second edge.
    V,
    /// The sine squared of the angle from its normal.
    S,
    /// The direction around the normal, in turns from the first edge.
    Phi,
}

impl Axis {
    /// All of them, in the order of a hit's coordinates.
    pub const ALL: [Self; 4] = [Self::U, Self::V, Self::S, Self::Phi];
}

/// A bin, or one that was split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bin {
    /// If it was split: along which axis, and the number of its lower half in the tree; the upper half is the next one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub split: Option<(Axis, u32)>,
    /// Hits that were counted in it, before it was split.
    pub count: u64,
    /// How many photons of the scene had been traced when counting began.
    pub since: u64,
    /// How many when it was split, or when tracing ended.
    pub until: u64,
}

/// The bins of one patch. The first is the whole patch with all directions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Tree {
    /// Halves stand behind what they are halves of.
    pub bins: Vec<Bin>,
}

/// What a leaf counts besides.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Hits since it is a leaf.
    all: u64,
    /// Those in the lower half of each axis.
    low: [u64; 4],
    /// Photons traced when it became a leaf.
    since: u64,
    /// How often each axis was halved.
    depth: [u8; 4],
}

/// A tree that grows.
#[derive(Clone, Debug)]
pub(crate) struct Growing {
    bins: Vec<Bin>,
    seen: Vec<Seen>,
    most: usize,
}

impl Growing {
    /// One bin, that may become `most` bins of which none is split.
    pub(crate) fn new(most: usize) -> Self {
        let bin = Bin { split: None, count: 0, since: 0, until: 0 };
        Self { bins: vec![bin], seen: vec![Seen::default()], most }
    }

    /// Counts a hit.
    #[inline]
    pub(crate) fn add(&mut self, mut at: [f32; 4]) {
        let mut place = 0;
        while let Some((axis, low)) = self.bins[place].split {
            let coordinate = &mut at[axis as usize];
            // Exact, so what is in which half is the same everywhere.
            *coordinate *= 2.0;
            let upper = *coordinate >= 1.0;
            *coordinate -= f32::from(u8::from(upper));
            place = low as usize + usize::from(upper);
        }
        let seen = &mut self.seen[place];
        seen.all += 1;
        for (low, coordinate) in seen.low.iter_mut().zip(at) {
            *low += u64::from(coordinate < 0.5);
        }
        self.bins[place].count += 1;
    }

    /// Splits the bins whose halves differ by more than chance, after `traced` photons of the scene.
    pub(crate) fn split(&mut self, traced: u64) {
        for place in 0..self.bins.len() {
            // Every split adds two bins and one leaf.
            if self.bins.len() / 2 + 1 >= self.most {
                return;
            }
            if self.bins[place].split.is_none()
                && let Some(axis) = self.seen[place].uneven()
            {
                self.halve(place, axis, traced);
            }
        }
    }

    fn halve(&mut self, place: usize, axis: Axis, traced: u64) {
        let parent = self.seen[place];
        let mut depth = parent.depth;
        depth[axis as usize] += 1;
        let low = parent.low[axis as usize];
        // At most 2^32 bins: a plan limits them.
        self.bins[place].split = Some((axis, self.bins.len() as u32));
        self.bins[place].until = traced;
        for count in [low, parent.all - low] {
            self.bins.push(Bin { split: None, count, since: parent.since, until: 0 });
            self.seen.push(Seen { since: traced, depth, ..Seen::default() });
        }
    }

    /// The tree after `traced` photons of the scene.
    pub(crate) fn finish(mut self, traced: u64) -> Tree {
        for bin in &mut self.bins {
            bin.until = if bin.split.is_some() { bin.until } else { traced };
        }
        Tree { bins: self.bins }
    }
}

impl Seen {
    /// The axis along which the halves differ the most, if that is more than chance.
    fn uneven(&self) -> Option<Axis> {
        if self.all < FEWEST {
            return None;
        }
        let difference = |axis: Axis| (2 * self.low[axis as usize]).abs_diff(self.all);
        let shallow = |axis: &Axis| self.depth[*axis as usize] < DEEPEST;
        // Of equal ones the last, as everywhere: whole numbers decide.
        let most = Axis::ALL.into_iter().filter(shallow).max_by_key(|axis| difference(*axis))?;
        (difference(most) as f64 > DEVIATIONS * (self.all as f64).sqrt()).then_some(most)
    }
}

impl Tree {
    /// How many bins are not split.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.bins.len() / 2 + 1
    }

    /// Hits per photon of the scene and share of the patch's area, at a place on the patch and from all directions.
    #[must_use]
    pub fn density(&self, u: f64, v: f64) -> f64 {
        self.density_in(0, [u, v], 1.0, 4 * u32::from(DEEPEST))
    }

    /// `area` is the share of the patch that the bin has. A tree from a file may be deeper than any that grows: what is below
    /// `depth` splits is not seen.
    fn density_in(&self, place: usize, at: [f64; 2], area: f64, depth: u32) -> f64 {
        let Some(bin) = self.bins.get(place) else { return 0.0 };
        let Some((axis, low)) = bin.split else {
            let photons = bin.until.saturating_sub(bin.since);
            return if photons == 0 { 0.0 } else { bin.count as f64 / photons as f64 / area };
        };
        let Some(depth) = depth.checked_sub(1) else { return 0.0 };
        let low = low as usize;
        let along = match axis {
            Axis::U => 0,
            Axis::V => 1,
            Axis::S | Axis::Phi => {
                return self.density_in(low, at, area, depth) + self.density_in(low + 1, at, area, depth);
            }
        };
        let twice = 2.0 * at[along];
        let upper = twice >= 1.0;
        let mut at = at;
        at[along] = if upper { twice - 1.0 } else { twice };
        self.density_in(low + usize::from(upper), at, area / 2.0, depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts so many hits on one place.
    fn counted(tree: &mut Growing, hits: u32, at: [f32; 4]) {
        for _ in 0..hits {
            tree.add(at);
        }
    }

    #[test]
    fn a_half_begins_with_what_its_parent_counted_in_it() {
        let mut tree = Growing::new(10);
        counted(&mut tree, 90, [0.1, 0.2, 0.6, 0.6]);
        counted(&mut tree, 80, [0.1, 0.2, 0.2, 0.2]);
        counted(&mut tree, 30, [0.1, 0.7, 0.6, 0.2]);
        counted(&mut tree, 20, [0.9, 0.7, 0.2, 0.6]);
        // u: 200 and 20; v: 170 and 50.
        tree.split(1_000);
        assert_eq!(tree.bins[0].split, Some((Axis::U, 1)));
        assert_eq!([tree.bins[1].count, tree.bins[2].count], [200, 20]);
        counted(&mut tree, 60, [0.1, 0.7, 0.6, 0.6]);
        counted(&mut tree, 10, [0.1, 0.2, 0.6, 0.2]);
        counted(&mut tree, 5, [0.5, 0.2, 0.6, 0.6]);
        // Of the lower half only what came since decides. v: 10 and 60; u, at 0.2 of the half, and s: 70 on one side.
        tree.split(1_500);
        assert_eq!(tree.bins[1].split, Some((Axis::S, 3)), "of equal differences the last axis");
        let tree = tree.finish(2_000);
        let found: Vec<_> = tree.bins.iter().map(|bin| (bin.count, bin.since, bin.until)).collect();
        assert_eq!(
            found,
            [(220, 0, 1_000), (270, 0, 1_500), (25, 0, 2_000), (0, 1_000, 2_000), (70, 1_000, 2_000)]
        );
        assert_eq!(tree.leaves(), 3);
        // Hits per photon and share of the area, from all directions.
        assert!((tree.density(0.3, 0.9) - 70.0 / 1_000.0 / 0.5).abs() < 1e-12);
        assert!((tree.density(0.7, 0.9) - 25.0 / 2_000.0 / 0.5).abs() < 1e-12);
    }

    #[test]
    fn few_hits_and_even_halves_are_left_alone() {
        let mut tree = Growing::new(10);
        counted(&mut tree, 63, [0.1, 0.1, 0.1, 0.1]);
        tree.split(100);
        assert_eq!(tree.bins.len(), 1, "63 hits");
        counted(&mut tree, 37, [0.9, 0.9, 0.9, 0.9]);
        tree.split(200);
        assert_eq!(tree.bins.len(), 1, "26 is not more than three times the root of 100");
        counted(&mut tree, 15, [0.1, 0.9, 0.1, 0.9]);
        tree.split(300);
        assert_eq!(tree.bins[0].split, Some((Axis::S, 1)), "78 and 37: 41, of u and of s");
    }

    #[test]
    fn halves_of_halves_are_found() {
        let mut tree = Growing::new(100);
        for round in 1..=6 {
            counted(&mut tree, 70, [0.4, 0.0, 0.0, 0.0]);
            tree.split(round * 100);
        }
        let place = |tree: &mut Growing, at| {
            let before: Vec<u64> = tree.bins.iter().map(|bin| bin.count).collect();
            tree.add(at);
            tree.bins.iter().zip(before).position(|(bin, before)| bin.count != before).expect("it is counted")
        };
        // The last axis is halved again and again towards 0.
        let splits: Vec<Axis> = tree.bins.iter().filter_map(|bin| bin.split).map(|split| split.0).collect();
        assert_eq!(splits, [Axis::Phi; 6]);
        assert_eq!(place(&mut tree, [0.4, 0.0, 0.0, 1.0 / 64.0 - 1e-6]), 11);
        assert_eq!(place(&mut tree, [0.4, 0.0, 0.0, 1.0 / 64.0]), 12);
        assert_eq!(place(&mut tree, [0.4, 0.0, 0.0, 1.0 / 32.0]), 10);
        assert_eq!(place(&mut tree, [0.4, 0.0, 0.0, 0.5]), 2);
    }
}
