//! The rounds of one rank: trace, exchange, count.

use std::ops::Range;

use linerate_core::comm::Comm;
use serde::{Deserialize, Serialize};

use super::bins::Bins;
use super::exchange::Exchange;
use super::outcome::{PatchOutcome, PhotonOutcome};
use super::running::Running;
use super::scene::Scene;
use super::stream::Streams;
use super::trace::{End, Tracer};
use super::{Photon, verify};
use crate::application::{AppError, AppWatch};
use crate::gather::gather;
use crate::work::{Work, per_second};

/// A rank between two rounds.
pub(crate) struct Rounds<'p> {
    plan: &'p Photon,
    scene: &'p Scene,
    tracer: &'p Tracer,
    owners: &'p [usize],
    rank: usize,
    exchange: Exchange,
    bins: Bins,
    traced: Traced,
    running: Running,
    /// Photons of all ranks until now.
    done: u64,
    rounds: u64,
}

/// What a rank knows of the photons that it traced.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Traced {
    photons: u64,
    absorbed: u64,
    /// By the patch that they left last.
    escaped: Vec<u64>,
    lost: u64,
    hits: u64,
}

/// What a rank tells at the end.
#[derive(Debug, Serialize, Deserialize)]
struct Part {
    traced: Traced,
    paths: Vec<u64>,
    patches: Vec<(usize, PatchOutcome)>,
}

impl<'p> Rounds<'p> {
    pub(crate) fn new(
        plan: &'p Photon,
        scene: &'p Scene,
        tracer: &'p Tracer,
        owners: &'p [usize],
        comm: &impl Comm,
    ) -> Self {
        let escaped = vec![0; scene.patches.len()];
        Self {
            plan,
            scene,
            tracer,
            owners,
            rank: comm.rank(),
            exchange: Exchange::new(comm.size()),
            bins: Bins::new(plan, owners, comm.rank()),
            traced: Traced { escaped, ..Traced::default() },
            running: Running::new(),
            done: 0,
            rounds: 0,
        }
    }

    /// All rounds, until all photons are traced or `watch` breaks: then one more round is traced, in which rank 0 tells the
    /// others.
    pub(crate) async fn run<C: Comm>(
        mut self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
    ) -> Result<PhotonOutcome, AppError> {
        let begin = work.now();
        let (mut wish, mut last) = (false, false);
        let (mut seconds, mut rate) = (0.0, 0.0);
        while self.done < self.plan.photons && !last {
            last = self.round(work, wish).await?;
            seconds = work.now().since(begin).as_seconds();
            rate = per_second(self.done as f64, seconds);
            if work.rank() == 0 {
                self.running.tell(seconds, rate);
                wish |= work.progress(watch, (self.done, self.plan.photons), rate).await?.is_break();
            }
        }
        let timed = PhotonOutcome { seconds, photons_per_second: rate, ..PhotonOutcome::default() };
        self.finish(work, timed).await
    }

    /// One round. Gives whether rank 0 said that it is the last.
    async fn round<C: Comm>(&mut self, work: &mut Work<'_, C>, wish: bool) -> Result<bool, AppError> {
        let photons = self.plan.round(self.done, work.size());
        let mine = share(self.done, photons, work.rank(), work.size());
        let middle = (self.done..self.done + photons).contains(&(self.plan.photons / 2));
        if middle {
            work.record_step();
        }
        work.compute("trace", mine.end - mine.start, || self.trace(mine)).await;
        let most = u64::from(self.plan.per_round) * (u64::from(self.plan.bounces) + 1);
        let last = self.exchange.run(work, wish, most).await?;
        self.done += photons;
        self.rounds += 1;
        // Counting is a part of what a photon costs.
        work.compute("count", 0, || self.count()).await?;
        if middle {
            work.end_step();
        }
        Ok(last)
    }

    fn trace(&mut self, mine: Range<u64>) {
        let Self { exchange, traced, tracer, owners, .. } = self;
        exchange.clear();
        let mut streams = Streams::from(self.plan.seed, mine.start);
        traced.photons += mine.end - mine.start;
        for _ in mine {
            let end = tracer.trace(&mut streams.next(), |record| {
                traced.hits += 1;
                exchange.out[owners[record.patch as usize]].extend_from_slice(&record.to_bytes());
            });
            match end {
                End::Absorbed => traced.absorbed += 1,
                End::Escaped(from) => traced.escaped[from] += 1,
                End::Lost => traced.lost += 1,
            }
        }
    }

    fn count(&mut self) -> Result<(), AppError> {
        let own = self.bins.add(&self.exchange.out[self.rank]);
        own.map_err(|reason| AppError::Calculation(format!("count a hit: {reason}")))?;
        let mut start = 0;
        for (rank, end) in &self.exchange.ends {
            let added = self.bins.add(&self.exchange.into[start..*end]);
            added.map_err(|reason| AppError::Nonsense { rank: *rank, reason: reason.to_owned() })?;
            start = *end;
        }
        if self.plan.adaptive && self.done.is_multiple_of(self.plan.split_every) {
            self.bins.split(self.done);
        }
        Ok(())
    }

    async fn finish<C: Comm>(
        self,
        work: &mut Work<'_, C>,
        timed: PhotonOutcome,
    ) -> Result<PhotonOutcome, AppError> {
        let paths = self.bins.paths.clone();
        let patches = self.bins.finish(self.scene, self.done);
        let part = Part { traced: self.traced, paths, patches };
        let own = PhotonOutcome { photons: part.traced.photons, ..timed };
        let Some(parts) = gather(work, part).await? else { return Ok(own) };
        let mut outcome = PhotonOutcome {
            running: self.running.points(),
            rounds: self.rounds,
            power: self.scene.power(),
            divisions: self.plan.bins,
            owners: self.owners.to_vec(),
            interrupted: self.done < self.plan.photons,
            ..own
        };
        let sent = put_together(&mut outcome, parts, self.scene.patches.len())?;
        outcome.verified = verify::verify(self.scene, &outcome, sent);
        Ok(outcome)
    }
}

/// The photons of `rank` among `photons` from `first` on: the first ranks have one more.
fn share(first: u64, photons: u64, rank: usize, ranks: usize) -> Range<u64> {
    let (rank, ranks) = (rank as u64, ranks as u64);
    let (each, more) = (photons / ranks, photons % ranks);
    let start = |rank: u64| first + rank * each + rank.min(more);
    start(rank)..start(rank + 1)
}

/// Adds what all ranks told; gives how many hits they sent.
fn put_together(outcome: &mut PhotonOutcome, parts: Vec<Part>, patches: usize) -> Result<u64, AppError> {
    let mut seen: Vec<Option<PatchOutcome>> = vec![None; patches];
    let (mut escaped, mut sent) = (vec![0; patches], 0);
    outcome.photons = 0;
    outcome.paths = vec![0; super::bins::PATHS];
    for (rank, part) in parts.into_iter().enumerate() {
        let nonsense = |reason: &str| AppError::Nonsense { rank, reason: reason.to_owned() };
        outcome.photons += part.traced.photons;
        outcome.absorbed += part.traced.absorbed;
        outcome.lost += part.traced.lost;
        sent += part.traced.hits;
        if part.traced.escaped.len() != patches || part.paths.len() != outcome.paths.len() {
            return Err(nonsense("its result is that of another scene"));
        }
        escaped.iter_mut().zip(&part.traced.escaped).for_each(|(sum, more)| *sum += more);
        outcome.paths.iter_mut().zip(&part.paths).for_each(|(sum, more)| *sum += more);
        for (patch, counted) in part.patches {
            let place = seen.get_mut(patch).filter(|place| place.is_none());
            *place.ok_or_else(|| nonsense("it has a patch of another rank"))? = Some(counted);
        }
    }
    outcome.patches = seen.into_iter().flatten().collect();
    for (patch, escaped) in outcome.patches.iter_mut().zip(escaped) {
        patch.escaped = escaped;
        outcome.escaped += escaped;
    }
    outcome.hits = outcome.patches.iter().map(|patch| patch.hits).sum();
    Ok(sent)
}
