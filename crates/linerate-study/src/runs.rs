//! Many models at once: each runs on one thread, and the results have the order of the plans.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use linerate_sim::load::Delays;
use linerate_sim::model::{Loaded, load};
use linerate_sim::plan::{ModelError, ModelPlan};

/// How often `stop` is asked.
const GLANCE: Duration = Duration::from_millis(100);

/// What is to be run.
#[derive(Debug)]
pub struct Orders {
    /// One a run.
    pub plans: Vec<ModelPlan>,
    /// Passages of frames that each run keeps.
    pub trace: Option<usize>,
    /// How many runs at the same time.
    pub jobs: NonZeroUsize,
    /// Whether the whole distribution of delays is kept. It is shown of a single run only, and ten thousand of
    /// them would fill the memory.
    pub delays: bool,
}

/// A run's number and its result.
type Answer = (usize, Result<Loaded, ModelError>);

/// Runs every plan. Returns the finished runs in the order of the plans, with gaps where `stop`
/// ended them. `progress` receives how many runs are done, and of how many.
///
/// # Errors
///
/// The number of the first plan that cannot be built, and why.
pub fn run_all(
    orders: Orders,
    stop: impl Fn() -> bool,
    progress: impl Fn(usize, usize),
) -> Result<Vec<Option<Loaded>>, (usize, ModelError)> {
    let all = orders.plans.len();
    progress(0, all);
    let mut done: Vec<Option<Loaded>> = std::iter::repeat_with(|| None).take(all).collect();
    let mut count = 0;
    run_each(orders, stop, |number, loaded| {
        done[number] = Some(loaded);
        count += 1;
        progress(count, all);
    })?;
    Ok(done)
}

/// Runs every plan and hands each result over as soon as it is there, with its plan's number, until `stop`.
///
/// # Errors
///
/// The number of the first plan that cannot be built, and why.
pub fn run_each(
    orders: Orders,
    stop: impl Fn() -> bool,
    mut take: impl FnMut(usize, Loaded),
) -> Result<(), (usize, ModelError)> {
    let (threads, results, ended) = start(orders);
    let mut failed: Option<(usize, ModelError)> = None;
    loop {
        match results.recv_timeout(GLANCE) {
            Ok((number, Ok(loaded))) => take(number, loaded),
            Ok((number, Err(error))) => {
                // Those before it are under way: the first of all that fail is the one to name.
                ended.store(true, Ordering::Relaxed);
                if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                    failed = Some((number, error));
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if stop() {
            // A run cannot be stopped, but it ends with the process: nobody waits for it.
            ended.store(true, Ordering::Relaxed);
            return failed.map_or(Ok(()), Err);
        }
    }
    for thread in threads {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Starts the threads; they end when nothing is left, or after their run when told to stop.
fn start(orders: Orders) -> (Vec<JoinHandle<()>>, Receiver<Answer>, Arc<AtomicBool>) {
    let (sender, results) = channel();
    let (next, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let threads = orders.jobs.get().min(orders.plans.len());
    let orders = Arc::new(orders);
    let work = |sender: Sender<Answer>| {
        let (orders, next, stop) = (Arc::clone(&orders), Arc::clone(&next), Arc::clone(&stop));
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = orders.plans.get(number) else { return };
                let result = load(plan, orders.trace).map(|loaded| lighter(loaded, orders.delays));
                if sender.send((number, result)).is_err() {
                    return;
                }
            }
        })
    };
    let threads = (0..threads).map(|_| work(sender.clone())).collect();
    (threads, results, stop)
}

/// The run without what is not kept of it.
fn lighter(mut loaded: Loaded, delays: bool) -> Loaded {
    if !delays {
        loaded.outcome.delays = Delays::default();
    }
    loaded
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::changed;

    /// Plans whose load takes a millisecond, each with a seed of its own and these settings.
    fn orders(settings: &[&str], jobs: usize) -> Orders {
        let plan = |(seed, setting): (usize, &&str)| {
            let settings = ["load.time=1ms".to_owned(), "load.warm-up=0s".to_owned(), format!("seed={seed}")];
            let settings = [settings.to_vec(), vec![(*setting).to_owned()]].concat();
            changed(&ModelPlan::default(), &settings).expect("a plan")
        };
        let plans = settings.iter().enumerate().map(plan).collect();
        Orders { plans, trace: None, jobs: NonZeroUsize::new(jobs).expect("it is not 0"), delays: false }
    }

    const SOUND: &str = "load.frame=1518";
    /// More than a frame can have.
    const WRONG: &str = "load.frame=70000";

    #[test]
    fn results_have_the_order_of_the_plans_and_progress_counts_them() {
        for jobs in [1, 3, 10] {
            let told = Mutex::new(Vec::new());
            let progress = |done, all| told.lock().expect("nobody panics").push((done, all));
            let done = run_all(orders(&[SOUND; 5], jobs), || false, progress).expect("all can be built");
            let seeds: Vec<u64> = done.iter().flatten().map(|loaded| loaded.outcome.seed).collect();
            assert_eq!(seeds, [0, 1, 2, 3, 4], "{jobs} at once");
            let expected: Vec<_> = (0..=5).map(|done| (done, 5)).collect();
            assert_eq!(told.into_inner().expect("nobody panics"), expected);
        }
        assert!(run_all(orders(&[], 2), || false, |_, _| {}).expect("nothing to do").is_empty());
    }

    #[test]
    fn the_distribution_of_delays_is_kept_where_it_is_asked_for() {
        let kept = |delays: bool| {
            let orders = Orders { delays, ..orders(&[SOUND; 2], 2) };
            let done = run_all(orders, || false, |_, _| {}).expect("all can be built");
            let counts = done.iter().flatten().map(|loaded| loaded.outcome.delays.count() > 0);
            counts.collect::<Vec<_>>()
        };
        assert_eq!((kept(true), kept(false)), (vec![true; 2], vec![false; 2]));
    }

    #[test]
    fn a_trace_has_as_many_passages_as_were_asked_for() {
        for asked in [None, Some(0), Some(3), Some(7)] {
            let orders = Orders { trace: asked, ..orders(&[SOUND], 1) };
            let done = run_all(orders, || false, |_, _| {}).expect("it can be built");
            let [Some(loaded)] = &done[..] else { panic!("one plan was ordered") };
            assert_eq!(loaded.trace.as_ref().map(|trace| trace.passages().len()), asked);
        }
    }

    #[test]
    fn the_first_plan_that_cannot_be_built_is_named() {
        for jobs in [1, 4] {
            let plans = [SOUND, WRONG, WRONG, SOUND];
            let (number, error) =
                run_all(orders(&plans, jobs), || false, |_, _| {}).expect_err("two are wrong");
            assert_eq!(number, 1, "{jobs} at once: {error}");
        }
    }

    #[test]
    fn what_was_not_done_when_it_was_stopped_is_a_gap() {
        let done = run_all(orders(&[SOUND; 4], 1), || true, |_, _| {}).expect("none is wrong");
        assert_eq!(done.len(), 4);
        assert!(done.iter().flatten().count() <= 1, "it is asked after each");
    }
}
