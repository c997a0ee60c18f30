//! When lists of neighbours are too old, and how they are made again.

use linerate_core::comm::algorithm::Allreduce;
use linerate_core::comm::collective::allreduce;
use linerate_core::comm::{Comm, CommError};

use super::Decomposition;
use super::cells::Cells;
use super::migrate::migrate;
use super::share::Share;
use crate::atoms::doubles::{LargestOfDoubles, all, append};
use crate::work::Work;

impl Share<'_> {
    /// Whether the lists are too old, by the plan and by how far atoms have moved: the same at every rank.
    ///
    /// # Errors
    ///
    /// The carrier's. The inner error is a fault that some rank has.
    pub(super) async fn are_lists_old<C: Comm>(
        &mut self,
        work: &mut Work<'_, C>,
    ) -> Result<Result<bool, ()>, CommError> {
        let squared = work.compute("lists", 0, || self.moved_squared()).await;
        self.furthest = self.furthest.max(squared);
        if !self.plan.check_moved {
            return Ok(Ok(self.since >= self.plan.rebuild));
        }
        let mut squared = squared;
        // Who is told all places needs no message for it; a fault is then told with the next observation.
        if self.plan.decomposition == Decomposition::Spatial {
            let mut message = Vec::new();
            append(&mut message, &[if self.fault.is_some() { f64::INFINITY } else { squared }]);
            allreduce(work, Allreduce::RecursiveDoubling, &mut message, &LargestOfDoubles).await?;
            squared = all(&message)[0];
        }
        if squared.is_infinite() {
            return Ok(Err(()));
        }
        let far = 4.0 * squared > self.plan.skin * self.plan.skin;
        // How far atoms were when lists were made in time is of no interest.
        if far {
            self.furthest = self.furthest.min(0.25 * self.plan.skin * self.plan.skin);
        }
        Ok(Ok(far || self.since >= self.plan.rebuild))
    }

    /// The square of the furthest way of an atom that this rank knows of.
    fn moved_squared(&self) -> f64 {
        let [x, y, z] = self.atoms.place.each_ref().map(|axis| &axis[..self.real]);
        let [old_x, old_y, old_z] = &self.before;
        let ways = x.iter().zip(y).zip(z).zip(old_x.iter().zip(old_y).zip(old_z));
        let squared = ways.map(|(((x, y), z), ((old_x, old_y), old_z))| {
            let [x, y, z] = [x - old_x, y - old_y, z - old_z];
            x * x + y * y + z * z
        });
        squared.fold(0.0, f64::max)
    }

    /// Atoms go to where they belong, images are found, lists are made.
    pub(super) async fn rebuild<C: Comm>(&mut self, work: &mut Work<'_, C>) -> Result<(), CommError> {
        let reach = self.plan.reach();
        self.atoms.truncate(self.real);
        let mut cells = Cells::new(self.sides, &self.part, reach);
        if self.plan.decomposition == Decomposition::Spatial {
            migrate(work, &mut self.atoms, &self.part, self.sides).await?;
            self.real = self.atoms.len();
            self.own = 0..self.real;
            // Neighbours in space are neighbours in memory.
            work.compute("lists", 0, || {
                cells.fill(&self.atoms);
                self.atoms.reorder(&cells.index);
            })
            .await;
        } else {
            self.atoms.wrap(self.sides);
        }
        self.borders.make(work, &mut self.atoms, (&self.part, self.sides), reach).await?;
        let kind = self.kind();
        work.compute("lists", 0, || {
            cells.fill(&self.atoms);
            self.lists.make(&self.atoms, self.own.clone(), &cells, (reach, kind));
            self.before = self.atoms.place.each_ref().map(|axis| axis[..self.real].to_vec());
        })
        .await;
        self.atoms.add_nowhere();
        self.fault = self.fault.or(self.lists.too_close.map(Into::into));
        self.since = 0;
        self.rebuilds += 1;
        Ok(())
    }
}
