//! What it takes to wake a thread: from before the call that wakes it to when it runs.
//!
//! Both threads read one clock, so a wake-up is timed by itself and not as half of a round trip, in which the thread that
//! wakes would sleep too.

use std::io::{self, PipeReader, PipeWriter, pipe};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use linerate_core::host_limits::TargetState;
use linerate_core::units::{Span, Time};
use rustix::io::Errno;
use rustix::thread::futex;

use crate::observe::pin_to;
use crate::probe::Sampler;
use crate::probe::wake::{hear, say};
use crate::sys::scheduling_class;

/// How long the sleeper sleeps before it is woken, so that its processor goes as deep asleep as it will: idle states of
/// today's processors are worth it from less than this on.
const ASLEEP: Span = Span::from_ms(1);
/// How long where its processor runs another thread: enough that the sleeper is off it.
const OFF: Span = Span::from_us(50);
/// A sleeper that has not come for so long never will.
const LOST: Span = Span::from_ms(2_000);
/// Times that a thread gives the processor away to one that is about to sleep on it.
const YIELDS: u32 = 3;

/// What a thread waits for, and another rings.
pub(super) trait Bell: Sync {
    fn ring(&self) -> io::Result<()>;
    fn wait(&self) -> io::Result<()>;
}

/// A byte in a pipe.
pub(super) struct Pipe {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Pipe {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = pipe()?;
        Ok(Self { reader, writer })
    }
}

impl Bell for Pipe {
    fn ring(&self) -> io::Result<()> {
        say(&self.writer)
    }

    fn wait(&self) -> io::Result<()> {
        hear(&self.reader)
    }
}

/// A word that a futex waits on.
#[derive(Default)]
pub(super) struct Futex(AtomicU32);

impl Bell for Futex {
    fn ring(&self) -> io::Result<()> {
        self.0.store(1, Ordering::Release);
        futex::wake(&self.0, futex::Flags::PRIVATE, 1).map(|_| ()).map_err(io::Error::from)
    }

    fn wait(&self) -> io::Result<()> {
        // Rung when it was 1; whoever waits takes it back.
        while self.0.swap(0, Ordering::Acquire) == 0 {
            match futex::wait(&self.0, futex::Flags::PRIVATE, 0, None) {
                Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }
}

/// A sleeper, and what goes on where it sleeps.
#[derive(Clone, Copy)]
pub(super) struct Sleeper {
    /// The processor of the thread that wakes, and the sleeper's.
    pub(super) cpus: [u32; 2],
    pub(super) state: TargetState,
}

/// What both threads see of each other.
#[derive(Default)]
struct Shared {
    /// How often the sleeper was about to sleep.
    ready: AtomicU64,
    /// When it last woke. Unit: ps of the clock.
    woke_ps: AtomicU64,
    ended: AtomicBool,
}

impl Shared {
    /// Sleeps until the bell rings, again and again, and notes when it woke.
    fn sleep(
        &self,
        sampler: &Sampler<'_>,
        bell: &impl Bell,
        mut woken: impl FnMut() -> io::Result<()>,
    ) -> io::Result<()> {
        loop {
            self.ready.fetch_add(1, Ordering::Release);
            bell.wait()?;
            let now = sampler.clock.now();
            if self.ended.load(Ordering::Acquire) {
                return Ok(());
            }
            self.woke_ps.store(now.as_ps(), Ordering::Release);
            woken()?;
        }
    }

    fn end(&self, bell: &impl Bell) {
        self.ended.store(true, Ordering::Release);
        // A sleeper that is gone needs no waking.
        bell.ring().unwrap_or(());
    }

    /// Waits without sleeping until `come` says so.
    fn spin(&self, sampler: &Sampler<'_>, come: impl Fn(&Self) -> bool) -> io::Result<()> {
        let start = sampler.clock.now();
        while !come(self) {
            if sampler.clock.now().since(start) > LOST {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::hint::spin_loop();
        }
        Ok(())
    }
}

/// Nanoseconds to wake a thread on another processor, sample by sample. The thread that wakes does not sleep meanwhile.
///
/// # Errors
///
/// When a thread may not be pinned, or not be put in the class that gives way, or does not come.
pub(super) fn on_another(sampler: &Sampler<'_>, sleeper: Sleeper, bell: &impl Bell) -> io::Result<Vec<f64>> {
    let shared = Shared::default();
    let Sleeper { cpus: [here, there], state } = sleeper;
    pin_to(here)?;
    std::thread::scope(|scope| {
        let beside = (state == TargetState::Busy).then(|| scope.spawn(|| keep_busy(there, &shared.ended)));
        let asleep = scope.spawn(|| {
            pin_to(there)?;
            shared.sleep(sampler, bell, || Ok(()))
        });
        let samples = wakes(sampler, bell, (&shared, if beside.is_some() { OFF } else { ASLEEP }));
        shared.end(bell);
        let joined = |thread: std::thread::ScopedJoinHandle<'_, io::Result<()>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        // Why a thread ended explains best why it did not come.
        joined(asleep).and(beside.map_or(Ok(()), joined)).and(samples)
    })
}

/// Wakes the sleeper again and again, each time after it has slept for `pause`.
fn wakes(sampler: &Sampler<'_>, bell: &impl Bell, (shared, pause): (&Shared, Span)) -> io::Result<Vec<f64>> {
    let mut turn = 0;
    sampler.sample(|| {
        turn += 1;
        shared.spin(sampler, |shared| shared.ready.load(Ordering::Acquire) >= turn)?;
        let since = sampler.clock.now();
        while sampler.clock.now().since(since) < pause {
            std::hint::spin_loop();
        }
        let rung = sampler.clock.now();
        bell.ring()?;
        shared.spin(sampler, |shared| shared.ready.load(Ordering::Acquire) > turn)?;
        Ok(nanoseconds(shared, rung))
    })
}

/// From `rung` to when the sleeper woke.
fn nanoseconds(shared: &Shared, rung: Time) -> f64 {
    Time::from_ps(shared.woke_ps.load(Ordering::Acquire)).since(rung).as_ps() as f64 / 1e3
}

/// Spins on `cpu` wherever nobody else wants to run there.
fn keep_busy(cpu: u32, ended: &AtomicBool) -> io::Result<()> {
    pin_to(cpu)?;
    scheduling_class::enter_idle()?;
    while !ended.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
    Ok(())
}

/// Nanoseconds to wake a thread on the processor of the one that wakes it, which then sleeps: sample by sample.
///
/// # Errors
///
/// When a thread may not be pinned.
pub(super) fn on_this(sampler: &Sampler<'_>, cpu: u32) -> io::Result<Vec<f64>> {
    let shared = Shared::default();
    let [bell, answer] = [Pipe::new()?, Pipe::new()?];
    pin_to(cpu)?;
    std::thread::scope(|scope| {
        // It is on the same processor as this thread, which starts it.
        let asleep = scope.spawn(|| shared.sleep(sampler, &bell, || answer.ring()));
        let samples = sampler.sample(|| {
            // The sleeper was answering: let it go to sleep.
            (0..YIELDS).for_each(|_| std::thread::yield_now());
            let rung = sampler.clock.now();
            bell.ring()?;
            answer.wait()?;
            Ok(nanoseconds(&shared, rung))
        });
        shared.end(&bell);
        let slept: io::Result<()> = asleep.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        slept.and(samples)
    })
}
