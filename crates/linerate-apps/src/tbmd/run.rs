//! A run of tight-binding molecular dynamics. Every rank moves all atoms; what they share is the electrons.

use linerate_core::comm::Comm;

use super::force::{band_energy, forces, repulsive_energy};
use super::hamiltonian::{bounds, hamiltonian};
use super::links::Links;
use super::model::ORBITALS;
use super::outcome::{Observation, TbmdOutcome};
use super::plan::overlap;
use super::purify::{add_up, purify};
use super::share::Share;
use super::{Tbmd, outcome};
use crate::application::{AppError, AppWatch};
use crate::atoms::frame::Frame;
use crate::atoms::{Vector, velocity};
use crate::work::{Work, per_second};
use linerate_core::app::Check;

/// Mass of an atom of carbon: the mean of its isotopes as the model's authors used it. Unit: u.
const MASS: f64 = 12.011;

/// Acceleration by a force of 1 eV/angstrom on 1 u. Unit: angstrom/fs^2. Source: CODATA 2018.
const ACCELERATION: f64 = 9.648_533e-3;

/// Boltzmann's constant. Unit: eV/K. Source: SI, to the digits of the reference values.
const BOLTZMANN: f64 = 8.617_333e-5;

/// All atoms, and what was last found of them.
struct Atoms<'p> {
    plan: &'p Tbmd,
    share: Share,
    sides: Vector,
    places: Vec<Vector>,
    velocities: Vec<Vector>,
    found: Found,
}

/// Energies and forces of all atoms.
#[derive(Default)]
struct Found {
    forces: Vec<Vector>,
    band: f64,
    repulsive: f64,
    products: u32,
    trace: f64,
    /// Rank 0 wishes to end.
    ends: bool,
}

pub(super) async fn run<C: Comm>(
    plan: &Tbmd,
    work: &mut Work<'_, C>,
    watch: &mut dyn AppWatch,
) -> Result<TbmdOutcome, AppError> {
    let mut atoms = Atoms::new(plan, work.rank(), work.size());
    let mut course =
        TbmdOutcome { atoms: plan.count(), order: atoms.share.order as u64, ..TbmdOutcome::default() };
    let mut began = work.elapsed();
    if plan.steps == 0 {
        work.record_step();
    }
    atoms.find(work, false).await?;
    work.end_step();
    course.observations.push(atoms.observation(0));
    course.products = u64::from(atoms.found.products);
    let mut ends = false;
    for step in 1..=plan.steps {
        if step == 1 {
            (began, course.products) = (work.elapsed(), 0);
        }
        if step == plan.steps / 2 + 1 {
            work.record_step();
        }
        work.compute("motion", 0, || atoms.drift()).await;
        atoms.find(work, ends).await?;
        work.compute("motion", 0, || atoms.kick()).await;
        work.end_step();
        course.steps = step;
        course.products += u64::from(atoms.found.products);
        let is_last = step == plan.steps || atoms.found.ends;
        if step.is_multiple_of(plan.every) || is_last {
            course.observations.push(atoms.observation(step));
            let seconds = work.elapsed().saturating_sub(began).as_seconds();
            if work.rank() == 0 {
                let merit = per_second(step as f64, seconds);
                ends |= work.progress(watch, (step, plan.steps), merit).await?.is_break();
            }
        }
        if plan.frame_every.is_some_and(|every| step.is_multiple_of(every)) && work.rank() == 0 {
            course.frames.push(atoms.frame(step));
        }
        if is_last {
            break;
        }
    }
    course.seconds = work.elapsed().saturating_sub(began).as_seconds();
    Ok(atoms.conclude(course))
}

impl<'p> Atoms<'p> {
    fn new(plan: &'p Tbmd, rank: usize, ranks: usize) -> Self {
        let (places, sides) = plan.start();
        let mut velocities = velocity::random(places.len(), plan.seed);
        velocity::settle(&mut velocities, BOLTZMANN * plan.temperature * ACCELERATION / MASS);
        let share = Share::of(plan.distribution, ORBITALS * places.len(), rank, ranks);
        Self { plan, share, sides, places, velocities, found: Found::default() }
    }

    /// Energies and forces at the present places. Messages: those of the electrons, and a sum of 3 N + 2 numbers over all ranks.
    async fn find<C: Comm>(&mut self, work: &mut Work<'_, C>, ends: bool) -> Result<(), AppError> {
        let share = self.share;
        let links = work.compute("neighbours", 0, || Links::of(&self.places, self.sides)).await;
        // Every rank has the same places, so all end here together.
        let links = links.map_err(|close| AppError::Calculation(overlap(close)))?;
        let build = || (hamiltonian(&links, &share), bounds(&links), links.repulsions());
        let (elements, bounds, repulsions) = work.compute("hamiltonian", 0, build).await;
        let occupied = self.plan.electrons() as f64 / 2.0;
        let how = (self.plan.distribution, share);
        let purified = purify(work, how, &elements, occupied, bounds).await?;
        let purified = purified.ok_or_else(|| {
            AppError::Calculation(
                "separate full levels from empty ones: the gap is too small; ask for another structure, charge or temperature"
                    .to_owned(),
            )
        })?;
        let mut sums = work
            .compute("forces", 0, || {
                let mut sums = forces(&links, &repulsions, &share, &purified.elements).into_flattened();
                sums.extend([band_energy(&purified.elements, &elements), f64::from(u8::from(ends))]);
                sums
            })
            .await;
        add_up(work, &mut sums).await?;
        let (forces, rest) = sums.split_at(3 * self.places.len());
        self.found = Found {
            forces: forces.as_chunks().0.to_vec(),
            band: rest[0],
            repulsive: repulsive_energy(&repulsions),
            products: purified.products,
            trace: purified.trace,
            ends: rest[1] > 0.0,
        };
        Ok(())
    }

    /// Half a step of velocities, and a step of places.
    fn drift(&mut self) {
        let (step, factor) = (self.plan.time_step, 0.5 * self.plan.time_step * ACCELERATION / MASS);
        let forces = self.found.forces.as_flattened();
        let moved = self.places.as_flattened_mut().iter_mut().zip(self.velocities.as_flattened_mut());
        for ((place, velocity), force) in moved.zip(forces) {
            *velocity += factor * force;
            *place += step * *velocity;
        }
    }

    /// The other half step of velocities.
    fn kick(&mut self) {
        let factor = 0.5 * self.plan.time_step * ACCELERATION / MASS;
        let forces = self.found.forces.as_flattened();
        for (velocity, force) in self.velocities.as_flattened_mut().iter_mut().zip(forces) {
            *velocity += factor * force;
        }
    }

    fn observation(&self, step: u64) -> outcome::Observation {
        let count = self.places.len() as f64;
        let squares: f64 = self.velocities.as_flattened().iter().map(|v| v * v).sum();
        let motion = 0.5 * MASS / ACCELERATION * squares;
        let [band, repulsive] = [self.found.band / count, self.found.repulsive / count];
        let net = |axis: usize| self.found.forces.iter().map(|force| force[axis]).sum::<f64>().abs();
        Observation {
            step,
            // One atom rests.
            temperature: 2.0 * motion / (3.0 * (count - 1.0).max(1.0) * BOLTZMANN),
            band,
            repulsive,
            potential: band + repulsive,
            energy: band + repulsive + motion / count,
            products: self.found.products,
            trace_error: (self.found.trace - self.plan.electrons() as f64 / 2.0).abs(),
            net_force: net(0).max(net(1)).max(net(2)),
        }
    }

    fn frame(&self, step: u64) -> Frame {
        Frame {
            step,
            time: step as f64 * self.plan.time_step,
            species: "C".to_owned(),
            sides: self.sides,
            places: self.places.clone(),
            velocities: self.velocities.clone(),
        }
    }

    fn conclude(self, mut course: TbmdOutcome) -> TbmdOutcome {
        let first = course.observations[0].energy;
        let drifts = || course.observations.iter().map(|at| at.energy - first);
        course.largest_drift = drifts().map(f64::abs).fold(0.0, f64::max);
        course.drift = drifts().next_back().unwrap_or(0.0);
        course.complete = course.steps == self.plan.steps;
        course.steps_per_second = per_second(course.steps as f64, course.seconds);
        let operations = 2.0 * (course.order as f64).powi(3) * course.products as f64;
        course.gflops = per_second(operations, course.seconds) * 1e-9;
        let worst = |of: fn(&Observation) -> f64| course.observations.iter().map(of).fold(0.0, f64::max);
        course.verified = vec![
            Check::at_most(
                "as many levels are full as there are pairs of electrons",
                worst(|at| at.trace_error),
                1e-6,
            ),
            Check::at_most(
                "the forces on all atoms add up to 0 (eV/angstrom)",
                worst(|at| at.net_force),
                1e-6,
            ),
        ];
        if self.plan.steps > 0 {
            // 1e-3 eV was seen at 1000 K and 1 fs; it grows with the square of the step and with the temperature.
            let heat = (self.plan.temperature / 1000.0).max(1.0);
            let bound = 5e-3 * self.plan.time_step * self.plan.time_step * heat;
            course.verified.push(Check::at_most(
                "energy is conserved (eV per atom)",
                course.largest_drift,
                bound,
            ));
        }
        course.forces = self.found.forces;
        course
    }
}
