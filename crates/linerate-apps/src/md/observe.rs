//! What all ranks together know of the liquid.

use linerate_core::comm::algorithm::Allreduce;
use linerate_core::comm::collective::{SumOfDoubles, allreduce, gather};
use linerate_core::comm::{Comm, CommError};

use super::force::Sums;
use super::outcome::{MdOutcome, Observation};
use super::share::Share;
use crate::application::AppError;
use crate::atoms::frame::Frame;
use crate::atoms::{Vector, doubles};
use crate::work::Work;
use linerate_core::app::Check;

/// Sums over all ranks: an allreduce of 40 B by recursive doubling.
async fn add_up(comm: &mut impl Comm, mine: [f64; 5]) -> Result<[f64; 5], CommError> {
    let mut bytes = Vec::new();
    doubles::append(&mut bytes, &mine);
    allreduce(comm, Allreduce::RecursiveDoubling, &mut bytes, &SumOfDoubles).await?;
    let mut all = [0.0; 5];
    doubles::read(&mut all, &bytes);
    Ok(all)
}

/// What an observation said besides.
pub(super) enum Verdict {
    Continue,
    /// Rank 0 wishes to end.
    End,
    /// A rank has a fault.
    Fault,
}

/// What each rank tells rank 0 at the end: its atoms, its images, entries of its lists, and the furthest way of an atom while
/// lists were in use.
pub(super) type Told = [f64; 4];

impl Share<'_> {
    /// The liquid after `step`. Whoever has a fault, or wishes to end, says so here.
    pub(super) async fn observe<C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        at: (u64, Sums),
        ends: bool,
    ) -> Result<(Observation, Verdict), CommError> {
        let (step, sums) = at;
        let squares = |axis: &Vec<f64>| axis[self.own.clone()].iter().map(|v| v * v).sum::<f64>();
        let squares: f64 = self.atoms.velocity.iter().map(squares).sum();
        let flag = if self.fault.is_some() { f64::INFINITY } else { f64::from(u8::from(ends)) };
        let mine = [sums.energy, sums.virial, squares, sums.pairs, flag];
        let [energy, virial, squares, pairs, flag] = add_up(work, mine).await?;
        let count = self.plan.atoms() as f64;
        let volume: f64 = self.sides.iter().product();
        let temperature = squares / (3.0 * (count - 1.0));
        let density = count / volume;
        let observation = Observation {
            step,
            temperature,
            potential: energy / count,
            energy: (energy + 0.5 * squares) / count,
            pressure: density * temperature * (count - 1.0) / count + virial / (3.0 * volume),
            virial: virial / count,
            pairs,
        };
        let is_number = observation.energy.is_finite() && flag.is_finite();
        let verdict = match flag {
            _ if !is_number => Verdict::Fault,
            flag if flag > 0.0 => Verdict::End,
            _ => Verdict::Continue,
        };
        Ok((observation, verdict))
    }

    /// The sum of all velocities and the number of atoms.
    pub(super) async fn momentum(&self, comm: &mut impl Comm) -> Result<(Vector, u64), CommError> {
        let sum = |axis: usize| self.atoms.velocity[axis][self.own.clone()].iter().sum::<f64>();
        let [x, y, z, count, _] = add_up(comm, [sum(0), sum(1), sum(2), self.own.len() as f64, 0.0]).await?;
        Ok(([x, y, z], count as u64))
    }

    /// All atoms at rank 0. Messages from every other rank: a count in 8 B, and 56 B for each atom.
    pub(super) async fn frame(&self, comm: &mut impl Comm, step: u64) -> Result<Option<Frame>, AppError> {
        let mut mine = Vec::new();
        for index in self.own.clone() {
            let [x, y, z] = self.atoms.at(index);
            let [vx, vy, vz] = self.atoms.velocity.each_ref().map(|axis| axis[index]);
            doubles::append(&mut mine, &[f64::from(self.atoms.id[index]), x, y, z, vx, vy, vz]);
        }
        if comm.rank() > 0 {
            comm.send_to(0, &(mine.len() as u64).to_le_bytes()).await?;
            comm.send_to(0, &mine).await?;
            return Ok(None);
        }
        let count = self.plan.atoms() as usize;
        let (mut places, mut velocities) = (vec![[0.0; 3]; count], vec![[0.0; 3]; count]);
        for rank in 0..comm.size() {
            let theirs =
                if rank == 0 { std::mem::take(&mut mine) } else { atoms_of(comm, rank, count).await? };
            for atom in doubles::all(&theirs).as_chunks::<7>().0 {
                let [id, x, y, z, vx, vy, vz] = *atom;
                // A number that no atom has came from a rank that runs another program.
                if let (Some(place), Some(velocity)) =
                    (places.get_mut(id as usize), velocities.get_mut(id as usize))
                {
                    (*place, *velocity) = ([x, y, z], [vx, vy, vz]);
                }
            }
        }
        let time = step as f64 * self.plan.time_step;
        Ok(Some(Frame { step, time, species: "Ar".to_owned(), sides: self.sides, places, velocities }))
    }

    /// What every rank tells at the end, by number at rank 0; elsewhere what this one tells. Messages: up a binomial tree.
    pub(super) async fn tell(&self, comm: &mut impl Comm) -> Result<Vec<Told>, CommError> {
        let [own, images] = [self.own.len(), self.images()].map(|count| count as f64);
        let mine = [own, images, self.lists.entries as f64, self.furthest.sqrt()];
        let mut block = Vec::new();
        doubles::append(&mut block, &mine);
        let mut all = vec![0; if comm.rank() == 0 { block.len() * comm.size() } else { 0 }];
        gather(comm, 0, &block, &mut all).await?;
        Ok(if comm.rank() == 0 { doubles::all(&all).as_chunks().0.to_vec() } else { vec![mine] })
    }

    /// What must be true at the end.
    pub(super) fn verified(
        &self,
        outcome: &MdOutcome,
        momentum: Vector,
        count: u64,
        furthest: f64,
    ) -> Vec<Check> {
        use super::pair::Truncation;
        let largest = momentum.into_iter().map(f64::abs).fold(0.0, f64::max);
        let mut checks = vec![
            Check::equal("no atom is lost", count, self.plan.atoms()),
            Check::at_most("the momentum of all atoms stays 0 (per atom)", largest / count as f64, 1e-12),
            Check::at_most("no atom moves more than half the skin unseen", furthest, 0.5 * self.plan.skin),
        ];
        // What the integrator does to the energy grows with the square of the step: 1.2e-3 at 0.005 from a crystal. A potential that
        // ends with a step does more.
        let step = self.plan.time_step / 0.005;
        if self.plan.truncation != Truncation::Cut {
            let bound = 5e-3 * step * step;
            checks.push(Check::at_most("energy is conserved (per atom)", outcome.largest_drift, bound));
        }
        checks
    }
}

/// The atoms of another rank.
async fn atoms_of(comm: &mut impl Comm, rank: usize, most: usize) -> Result<Vec<u8>, AppError> {
    let mut length = [0; 8];
    comm.recv_from(rank, &mut length).await?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > 56 * most {
        return Err(AppError::Nonsense { rank, reason: format!("it says that it has {length} B of atoms") });
    }
    let mut atoms = vec![0; length];
    comm.recv_from(rank, &mut atoms).await?;
    Ok(atoms)
}
