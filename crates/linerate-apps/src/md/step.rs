//! One time step: velocity Verlet (Swope et al. 1982).

use linerate_core::comm::algorithm::{Allgather, Allreduce};
use linerate_core::comm::collective::{SumOfDoubles, allgather, allreduce};
use linerate_core::comm::{Comm, CommError};

use super::Decomposition;
use super::fault::Fault;
use super::force::{self, Sums};
use super::share::Share;
use crate::atoms::doubles;
use crate::work::Work;

impl Share<'_> {
    /// Half a step of velocities, and a step of places.
    fn drift(&mut self) {
        let (step, moved) = (self.plan.time_step, self.moved());
        for axis in 0..3 {
            let places = &mut self.atoms.place[axis][moved.clone()];
            let velocities = &mut self.atoms.velocity[axis][moved.clone()];
            let forces = &self.atoms.force[axis][moved.clone()];
            for ((place, velocity), force) in places.iter_mut().zip(velocities).zip(forces) {
                *velocity += 0.5 * step * force;
                *place += step * *velocity;
            }
        }
        self.look_for_runaways();
    }

    /// The other half step of velocities.
    fn kick(&mut self) {
        let (step, moved) = (self.plan.time_step, self.moved());
        for axis in 0..3 {
            let velocities = &mut self.atoms.velocity[axis][moved.clone()];
            for (velocity, force) in velocities.iter_mut().zip(&self.atoms.force[axis][moved.clone()]) {
                *velocity += 0.5 * step * force;
            }
        }
    }

    /// An atom that goes further than half the skin at once may have met others unseen; one whose place is no number too.
    fn look_for_runaways(&mut self) {
        let most = 0.5 * self.plan.skin / self.plan.time_step;
        let moved = self.moved();
        let [x, y, z] = self.atoms.velocity.each_ref().map(|axis| &axis[moved.clone()]);
        let squared = x.iter().zip(y).zip(z).map(|((x, y), z)| x * x + y * y + z * z);
        let runaway = squared.enumerate().find(|(_, squared)| squared.is_nan() || *squared > most * most);
        if let Some((index, squared)) = runaway {
            let way = squared.sqrt() * self.plan.time_step;
            let found =
                Fault::TooFast { id: self.atoms.id[moved.start + index], way, most: 0.5 * self.plan.skin };
            self.fault = self.fault.or(Some(found));
        }
    }

    /// All ranks learn the places of all atoms.
    async fn tell_places<C: Comm>(&mut self, work: &mut Work<'_, C>) -> Result<(), CommError> {
        let block = 24 * self.real.div_ceil(work.size());
        let mut mine = Vec::with_capacity(block);
        for index in self.own.clone() {
            doubles::append(&mut mine, &self.atoms.at(index));
        }
        mine.resize(block, 0);
        let mut places = vec![0; block * work.size()];
        allgather(work, Allgather::Ring, &mine, &mut places).await?;
        for (index, bytes) in places.as_chunks::<24>().0.iter().enumerate().take(self.real) {
            let mut place = [0.0; 3];
            doubles::read(&mut place, bytes);
            (0..3).for_each(|axis| self.atoms.place[axis][index] = place[axis]);
        }
        Ok(())
    }

    /// All ranks add up the forces on all atoms.
    async fn add_forces<C: Comm>(&mut self, work: &mut Work<'_, C>) -> Result<(), CommError> {
        let mut bytes = Vec::with_capacity(24 * self.real);
        for axis in &self.atoms.force {
            doubles::append(&mut bytes, axis);
        }
        allreduce(work, Allreduce::Ring, &mut bytes, &SumOfDoubles).await?;
        for (axis, bytes) in self.atoms.force.iter_mut().zip(bytes.chunks(8 * self.real)) {
            doubles::read(axis, bytes);
        }
        Ok(())
    }

    /// Forces at the present places; sums only if `measured`.
    pub(super) async fn forces<C: Comm>(
        &mut self,
        work: &mut Work<'_, C>,
        measured: bool,
    ) -> Result<Sums, CommError> {
        let units = self.own.len() as u64;
        let half = self.plan.decomposition == Decomposition::ReplicatedHalf;
        let sums = work
            .compute("forces", units, || {
                force::pack(&mut self.packed, &self.atoms);
                let (own, packed) = (self.own.clone(), &self.packed[..]);
                if half {
                    force::half(&mut self.atoms, own, &self.lists, &self.pair, (packed, measured))
                } else {
                    force::full(&mut self.atoms, own, &self.lists, &self.pair, (packed, measured))
                }
            })
            .await;
        if half {
            self.add_forces(work).await?;
        }
        Ok(sums)
    }

    /// One step. The inner error is a fault that some rank has.
    pub(super) async fn step<C: Comm>(
        &mut self,
        work: &mut Work<'_, C>,
        measured: bool,
    ) -> Result<Result<Sums, ()>, CommError> {
        work.compute("motion", 0, || self.drift()).await;
        self.since += 1;
        if self.plan.decomposition == Decomposition::Replicated {
            self.tell_places(work).await?;
        }
        match self.are_lists_old(work).await? {
            Err(()) => return Ok(Err(())),
            Ok(true) => self.rebuild(work).await?,
            Ok(false) => self.borders.refresh(work, &mut self.atoms, self.real).await?,
        }
        let sums = self.forces(work, measured).await?;
        work.compute("motion", 0, || self.kick()).await;
        Ok(Ok(sums))
    }
}
