//! What an owner of patches counts: hits, what was absorbed, and where on the patch they were.

use super::outcome::PatchOutcome;
use super::record::{BYTES, Fate, Record};
use super::tree::Growing;
use super::{Photon, Scene};

/// Path lengths that are counted one by one; the last also counts all that are longer.
pub(crate) const PATHS: usize = 64;

/// One patch of this rank.
#[derive(Clone, Debug)]
struct Counted {
    patch: usize,
    hits: u64,
    absorbed: u64,
    bins: Vec<u64>,
    tree: Option<Growing>,
}

/// The patches of one rank.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    counted: Vec<Counted>,
    /// Where in `counted` a patch is. None: another rank has it.
    places: Vec<Option<usize>>,
    divisions: [u32; 4],
    /// Photons that were absorbed at their first hit, their second, ...
    pub(crate) paths: Vec<u64>,
}

impl Bins {
    /// Nothing counted yet on the patches of `rank`.
    pub(crate) fn new(plan: &Photon, owners: &[usize], rank: usize) -> Self {
        let all = plan.bins.iter().map(|number| *number as usize).product();
        let mut places = vec![None; owners.len()];
        let mut counted = Vec::new();
        for (patch, place) in places.iter_mut().enumerate().filter(|(patch, _)| owners[*patch] == rank) {
            *place = Some(counted.len());
            let tree = plan.adaptive.then(|| Growing::new(plan.leaves as usize));
            counted.push(Counted { patch, hits: 0, absorbed: 0, bins: vec![0; all], tree });
        }
        Self { counted, places, divisions: plan.bins, paths: vec![0; PATHS] }
    }

    /// Counts records. `Err` says what is wrong with one.
    pub(crate) fn add(&mut self, records: &[u8]) -> Result<(), &'static str> {
        let (records, rest) = records.as_chunks::<BYTES>();
        if !rest.is_empty() {
            return Err("a record is not whole");
        }
        for bytes in records {
            let record = Record::from_bytes(bytes).ok_or("it is no record of a hit")?;
            self.add_one(&record).ok_or("it is of a patch of another rank")?;
        }
        Ok(())
    }

    #[inline]
    fn add_one(&mut self, record: &Record) -> Option<()> {
        let place = (*self.places.get(record.patch as usize)?)?;
        let counted = self.counted.get_mut(place)?;
        counted.hits += 1;
        if record.fate == Fate::Absorbed {
            counted.absorbed += 1;
            self.paths[(record.bounce as usize).min(PATHS - 1)] += 1;
        }
        let of = |bin: usize, (at, number): (f32, u32)| bin * number as usize + cell(at, number);
        let bin = record.at.into_iter().zip(self.divisions).fold(0, of);
        counted.bins[bin] += 1;
        if let Some(tree) = &mut counted.tree {
            tree.add(record.at);
        }
        Some(())
    }

    /// Splits the trees, after `traced` photons of the scene.
    pub(crate) fn split(&mut self, traced: u64) {
        for tree in self.counted.iter_mut().filter_map(|counted| counted.tree.as_mut()) {
            tree.split(traced);
        }
    }

    /// What was counted, by patch, after `traced` photons of the scene.
    pub(crate) fn finish(self, scene: &Scene, traced: u64) -> Vec<(usize, PatchOutcome)> {
        let of = |counted: Counted| {
            let patch = &scene.patches[counted.patch];
            let outcome = PatchOutcome {
                name: patch.name.clone(),
                area: patch.area(),
                hits: counted.hits,
                absorbed: counted.absorbed,
                escaped: 0,
                bins: counted.bins,
                tree: counted.tree.map(|tree| tree.finish(traced)),
            };
            (counted.patch, outcome)
        };
        self.counted.into_iter().map(of).collect()
    }
}

/// In which of `number` equal parts a coordinate from 0 to below 1 is.
#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the number of parts")]
fn cell(at: f32, number: u32) -> usize {
    // In 64 bits: a product that is rounded up would be a part too many.
    (f64::from(at) * f64::from(number)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(patch: u32, at: [f32; 4], bounce: u32, fate: Fate) -> [u8; BYTES] {
        Record { patch, at, bounce, fate }.to_bytes()
    }

    /// Rank 1 of 2, in the furnace.
    fn bins() -> (Bins, Photon) {
        let plan = Photon { bins: [2, 3, 1, 2], ..Photon::default() };
        (Bins::new(&plan, &[0, 1, 0, 1, 0, 1], 1), plan)
    }

    #[test]
    fn a_hit_is_counted_in_its_bin() {
        let (mut bins, plan) = bins();
        let below_one = 1.0 - f32::EPSILON / 2.0;
        let hits = [
            record(3, [0.0; 4], 0, Fate::Scattered),
            record(3, [below_one; 4], 70, Fate::Absorbed),
            record(5, [0.4, 0.4, 0.9, 0.6], 2, Fate::Absorbed),
        ];
        bins.add(hits.as_flattened()).expect("they are hits");
        assert_eq!((bins.paths[2], bins.paths[PATHS - 1]), (1, 1));
        let found = bins.finish(&plan.lit(), 3);
        let patches: Vec<usize> = found.iter().map(|one| one.0).collect();
        assert_eq!(patches, [1, 3, 5]);
        assert_eq!(found[0].1.bins, [0; 12]);
        assert_eq!(found[1].1.bins, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        // u 0, v 1 of 3, s 0, phi 1 of 2.
        assert_eq!(found[2].1.bins, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((found[1].1.hits, found[1].1.absorbed), (2, 1));
    }

    #[test]
    fn what_another_rank_owns_or_no_record_is_refused() {
        let (mut bins, _) = bins();
        for patch in [0, 6, u32::MAX] {
            let error = bins.add(&record(patch, [0.5; 4], 0, Fate::Absorbed));
            assert_eq!(error, Err("it is of a patch of another rank"), "patch {patch}");
        }
        assert_eq!(bins.add(&[0; BYTES - 1]), Err("a record is not whole"));
        assert_eq!(bins.add(&[0xFF; BYTES]), Err("it is no record of a hit"));
    }
}
