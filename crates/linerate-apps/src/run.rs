//! An application on some of the ranks, then on others: rank 0 conducts, all others follow.
//!
//! Rank 0 gives orders of 24 B: on how many ranks, the first of those that are measured; whether what the application
//! shows is wanted. The ranks that take part wait for each other, run, and report what came of it. The clock and the
//! counts begin after they have met. Where rank 0 is not measured itself, the first of those that are asks it now and then
//! whether to go on: 32 B, and 8 B back, at most ten times a second.

use std::ops::ControlFlow;

use linerate_core::app::{AppCase, AppRun, Cost};
use linerate_core::comm::collective::barrier;
use linerate_core::comm::group::Group;
use linerate_core::comm::{Comm, CommError};
use linerate_core::mesh::Rank;
use linerate_core::units::Span;
use serde::{Deserialize, Serialize};

use crate::application::{AppError, AppWatch, Told, Unwatched};
use crate::catalogue::{App, Ended};
use crate::report::{self, Report};
use crate::work::{UnitCost, Work};

/// How long a rank may be silent once the application has ended on it.
const REPORTS: Span = Span::from_ms(20_000);
/// The length of an order. Unit: bytes.
const ORDER: usize = 24;

/// What every rank knows.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What is run.
    pub app: &'a App,
    /// What a unit of its work takes, on a model.
    pub cost: Option<UnitCost>,
    /// The first rank that is measured: 0, or 1 if rank 0 only conducts.
    pub first: usize,
    /// A rank that does not move a byte for so long while another waits for it is lost.
    pub patience: Span,
}

/// One run that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// On how many ranks.
    pub ranks: u32,
    /// How often the same was run before.
    pub repetition: u32,
}

/// Sees a whole run, at rank 0.
pub trait RunWatch {
    /// Case `number` of `all` begins, from 0.
    fn begins(&mut self, case: Case, number: usize, all: usize) -> ControlFlow<()>;
    /// How far it is. `Break` ends it early.
    fn progress(&mut self, done: u64, all: u64, merit: f64) -> ControlFlow<()>;
    /// A case is over: all so far.
    fn case_done(&mut self, run: &AppRun);
}

/// Why a run ended.
#[derive(Debug)]
pub enum Stop {
    /// All of it is done.
    Done,
    /// Its watch ended it. What was done until then is there.
    Interrupted,
    /// It failed; the cases before are there. A sentence, after "failed to".
    Failed(String),
}

/// What a rank reports.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    /// Why it failed. Absent if it did not.
    failed: Option<String>,
    told: Told,
    account: linerate_core::app::Account,
}

/// An application as a run keeps it, before it was run.
#[must_use]
pub fn begun(app: &App, cost: Option<Cost>, ranks: Vec<Rank>) -> AppRun {
    let [name, title, merit, unit] = [app.name(), app.title(), app.merit(), app.unit()].map(str::to_owned);
    AppRun { name, title, merit, unit, cost, ranks, cases: Vec::new() }
}

/// Runs `cases` on ranks of `comm`, of which this is rank 0; the others [follow]. Every case is added to `run`. Gives why
/// it ended, and what the application shows of the last case, if it `wants` that.
pub async fn conduct<C: Comm>(
    comm: &mut C,
    asked: Asked<'_>,
    run: &mut AppRun,
    cases: &[Case],
    wants: bool,
    watch: &mut dyn RunWatch,
) -> (Stop, Vec<u8>) {
    let mut shown = Vec::new();
    let mut stop = Stop::Done;
    for (number, case) in cases.iter().enumerate() {
        if watch.begins(*case, number, cases.len()).is_break() {
            stop = Stop::Interrupted;
            break;
        }
        let wants = wants && number + 1 == cases.len();
        match one(comm, asked, *case, wants, watch).await {
            Ok((done, file)) => {
                let interrupted = done.interrupted;
                run.cases.push(done);
                shown = file;
                watch.case_done(run);
                if interrupted {
                    stop = Stop::Interrupted;
                    break;
                }
            }
            Err(failed) => {
                stop = Stop::Failed(named(&failed, &run.ranks));
                break;
            }
        }
    }
    for rank in 1..comm.size() {
        // One that is gone needs no order.
        let _ = comm.send_to(rank, &[0; ORDER]).await;
    }
    (stop, shown)
}

/// Why a case failed.
struct Failed {
    /// The rank that says so, or that says nothing any more, of those that are measured.
    rank: usize,
    reason: String,
    /// Whether it is gone itself.
    gone: bool,
}

/// The name of the rank, and what is known.
fn named(Failed { rank, reason, .. }: &Failed, ranks: &[Rank]) -> String {
    let name = ranks.get(*rank).map_or_else(|| format!("rank {rank}"), |rank| rank.name.clone());
    if ranks.len() < 2 { reason.clone() } else { format!("{reason} ({name})") }
}

async fn one<C: Comm>(
    comm: &mut C,
    asked: Asked<'_>,
    case: Case,
    wants: bool,
    watch: &mut dyn RunWatch,
) -> Result<(AppCase, Vec<u8>), Failed> {
    let Asked { first, .. } = asked;
    let count = case.ranks as usize;
    let gone = |rank: usize, error: &CommError| Failed { rank, reason: error.to_string(), gone: true };
    let order = encoded(count, wants);
    for rank in 0..count {
        if rank + first > 0 {
            comm.send_to(rank + first, &order).await.map_err(|error| gone(rank, &error))?;
        }
    }
    let mut failed: Option<Failed> = None;
    let mut note = |one: Failed| {
        // Who is gone is why others wait in vain.
        if failed.as_ref().is_none_or(|before| one.gone && !before.gone) {
            failed = Some(one);
        }
    };
    let mut said = Vec::with_capacity(count);
    let mut shown = Vec::new();
    for rank in 0..count {
        let heard = if rank + first == 0 {
            let ended = take_part(comm, asked, count, wants, &mut Watched(watch)).await;
            Ok(said_of(ended))
        } else {
            comm.patience(if rank == 0 { Span::MAX } else { REPORTS.max(asked.patience) });
            hear(comm, rank + first, watch).await.map_err(|error| gone(rank, &error))
        };
        match heard {
            Ok((Said { failed: Some(reason), .. }, _)) => note(Failed { rank, reason, gone: false }),
            Ok((said_by, file)) => {
                said.push(said_by);
                shown.extend(file);
            }
            Err(failed) => note(failed),
        }
    }
    if let Some(failed) = failed {
        return Err(failed);
    }
    let mut said = said.into_iter();
    let Some(Said { told, account, .. }) = said.next() else {
        return Err(Failed {
            rank: 0,
            reason: "run it on no ranks; ask for at least one".to_owned(),
            gone: false,
        });
    };
    let Told { merit, interrupted, figures, courses, checks } = told;
    let accounts = std::iter::once(account).chain(said.map(|said| said.account)).collect();
    let Case { ranks, repetition } = case;
    Ok((AppCase { ranks, repetition, merit, interrupted, figures, courses, checks, accounts }, shown))
}

/// What rank `from` reports, while `watch` is told how far it is.
async fn hear<C: Comm>(
    comm: &mut C,
    from: usize,
    watch: &mut dyn RunWatch,
) -> Result<(Said, Vec<u8>), CommError> {
    loop {
        match report::hear(comm, from).await? {
            Report::Progress { done, all, merit } => {
                report::answer(comm, from, watch.progress(done, all, merit)).await?;
            }
            Report::Done { result, kept } => return Ok((result, kept)),
        }
    }
}

fn encoded(count: usize, wants: bool) -> [u8; ORDER] {
    let mut order = [0; ORDER];
    order[..8].copy_from_slice(&(count as u64).to_le_bytes());
    order[8..16].copy_from_slice(&u64::from(wants).to_le_bytes());
    order
}

fn said_of(ended: Result<Ended, AppError>) -> (Said, Vec<u8>) {
    match ended {
        Ok(Ended { told, shown, account }) => (Said { failed: None, told, account }, shown),
        Err(error) => {
            let (told, account) = <(Told, linerate_core::app::Account)>::default();
            (Said { failed: Some(error.to_string()), told, account }, Vec::new())
        }
    }
}

/// This rank's part of a case of `count` ranks.
async fn take_part<C: Comm>(
    comm: &mut C,
    asked: Asked<'_>,
    count: usize,
    wants: bool,
    watch: &mut dyn AppWatch,
) -> Result<Ended, AppError> {
    comm.patience(asked.patience);
    let mut group = Group::some(comm, asked.first, count);
    asked.app.agree(&mut group).await?;
    barrier(&mut group).await?;
    let mut work = Work::of(group, asked.cost);
    if asked.first > 0 {
        work.report_to(0);
    }
    asked.app.run(&mut work, watch, wants).await
}

/// Takes part in what rank 0 [conducts](conduct), until that ends it.
///
/// # Errors
///
/// When rank 0 is gone. What fails of the application is told to rank 0.
pub async fn follow<C: Comm>(comm: &mut C, asked: Asked<'_>) -> Result<(), CommError> {
    loop {
        // Others may run for as long as it takes.
        comm.patience(Span::MAX);
        let mut order = [0; ORDER];
        comm.recv_from(0, &mut order).await?;
        let number =
            |nth: usize| u64::from_le_bytes(order[nth * 8..][..8].try_into().expect("it has eight bytes"));
        let [count, wants] = [number(0), number(1)];
        if count == 0 {
            return Ok(());
        }
        let (rank, size) = (comm.rank(), comm.size());
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if count > size - asked.first || rank >= asked.first + count {
            let reason = format!("it asked for {count} ranks of {}", size - asked.first);
            return Err(CommError::Lost { peer: 0, reason });
        }
        let ended = take_part(comm, asked, count, wants > 0, &mut Unwatched).await;
        comm.patience(Span::MAX);
        let (said, shown) = said_of(ended);
        report::done(comm, 0, &said, &shown).await?;
    }
}

/// A whole run's watch as that of one case.
struct Watched<'w>(&'w mut dyn RunWatch);

impl AppWatch for Watched<'_> {
    fn progress(&mut self, done: u64, all: u64, merit: f64) -> ControlFlow<()> {
        self.0.progress(done, all, merit)
    }
}

/// The cases on these numbers of ranks, each as often as `repeat` says: all numbers, then all again, so that what changes
/// meanwhile touches all of them.
#[must_use]
pub fn cases(ranks: &[u32], repeat: u32) -> Vec<Case> {
    (0..repeat)
        .flat_map(|repetition| ranks.iter().map(move |ranks| Case { ranks: *ranks, repetition }))
        .collect()
}
