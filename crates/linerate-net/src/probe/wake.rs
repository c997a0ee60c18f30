//! What it takes to wake a thread.

use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _, pipe};

use super::{Probe, ProbeError, Sampler, failed};
use crate::observe::{pin_to, usable_cpus};

/// Turns in a sample.
const BATCH: u32 = 20;

/// A byte into a pipe and out of it, by one thread: the calls without a wake-up.
pub(super) fn turn(sampler: &Sampler<'_>) -> Result<Probe, ProbeError> {
    let what = failed("a turn through a pipe");
    let (reader, writer) = pipe().map_err(&what)?;
    let mut sample = || {
        let batch = sampler.nanoseconds(|| {
            (0..BATCH).try_for_each(|_| {
                say(&writer)?;
                hear(&reader)
            })
        })?;
        Ok(batch / f64::from(BATCH))
    };
    let samples = sampler.sample(&mut sample).map_err(&what)?;
    Ok(Probe { name: "a byte through a pipe, one thread", unit: "ns", samples })
}

/// Half of a round trip of a byte between two threads that sleep for it in turns, each pinned to a
/// processor of its own if there are two: both calls and a wake-up.
pub(super) fn trip(sampler: &Sampler<'_>) -> Result<Probe, ProbeError> {
    let what = failed("a wake-up");
    let (there, ask) = pipe().map_err(&what)?;
    let (here, answer) = pipe().map_err(&what)?;
    let samples = std::thread::scope(|scope| {
        scope.spawn(move || {
            tie(1);
            // It ends when nobody is left to ask.
            while hear(&there).is_ok() && say(&answer).is_ok() {}
        });
        let asker = scope.spawn(move || {
            tie(0);
            sampler.sample(|| {
                let batch = sampler.nanoseconds(|| {
                    (0..BATCH).try_for_each(|_| {
                        say(&ask)?;
                        hear(&here)
                    })
                })?;
                Ok(batch / f64::from(2 * BATCH))
            })
        });
        asker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    Ok(Probe { name: "a byte through a pipe to a sleeper", unit: "ns", samples: samples.map_err(what)? })
}

/// Pins this thread to the `nth` of the processors it may use, if there are several. One that it
/// is not given is no error: then the scheduler places it.
fn tie(nth: usize) {
    let cpus = usable_cpus().unwrap_or_default();
    if cpus.len() > 1 {
        pin_to(cpus[nth % cpus.len()]).unwrap_or(());
    }
}

pub(crate) fn say(mut pipe: &PipeWriter) -> io::Result<()> {
    pipe.write_all(&[1])
}

pub(crate) fn hear(mut pipe: &PipeReader) -> io::Result<()> {
    pipe.read_exact(&mut [0])
}
