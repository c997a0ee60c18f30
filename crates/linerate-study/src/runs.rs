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
    let (threads, results, ended) = start(orders);
    let mut done: Vec<Option<Loaded>> = std::iter::repeat_with(|| None).take(all).collect();
    let mut failed: Option<(usize, ModelError)> = None;
    loop {
        match results.recv_timeout(GLANCE) {
            Ok((number, Ok(loaded))) => {
                done[number] = Some(loaded);
                progress(done.iter().flatten().count(), all);
            }
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
            return failed.map_or(Ok(done), Err);
        }
    }
    for thread in threads {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
    failed.map_or(Ok(done), Err)
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
                let result = load(plan, orders.trace).map(|loaded| lighter(loaded, orders.plans.len()));
                if sender.send((number, result)).is_err() {
                    return;
                }
            }
        })
    };
    let threads = (0..threads).map(|_| work(sender.clone())).collect();
    (threads, results, stop)
}

/// Of many runs the whole distribution of delays is not kept: it is shown of a single one only,
/// and ten thousand of them would fill the memory.
fn lighter(mut loaded: Loaded, runs: usize) -> Loaded {
    if runs > 1 {
        loaded.outcome.delays = Delays::default();
    }
    loaded
}
