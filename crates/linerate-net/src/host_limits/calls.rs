//! What calls and wake-ups cost.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{self, pipe};
use std::sync::atomic::AtomicU32;

use linerate_core::environment::Fact;
use linerate_core::host_limits::{CallCosts, IdleState, Processor, TargetState, WakeUp};
use linerate_core::stats::Estimate;
use linerate_core::units::Span;
use rustix::thread::futex;

use super::context::Context;
use super::estimate;
use super::topology::number_in;
use super::wake::{Futex, Pipe, Sleeper, on_another, on_this};
use crate::observe::{CLOCK_READS, Unread, check_clock, pin_to, read_value};
use crate::probe::wake::{hear, say};
use crate::probe::{Sampler, call};

/// Calls in a sample: enough that reading the clock does not count.
const BATCH: u32 = 100;
/// Turns of a byte between two threads in a sample.
const TURNS: u32 = 20;
/// Of the time: each of the short calls, and each kind of wake-up.
const SHARES: [u64; 2] = [8, 17];
const ONE_PROCESSOR: &str = "this process may use one processor only";

/// All of them, which takes about `time`.
pub(super) fn all(context: &mut Context<'_>, time: Span) -> CallCosts {
    let [short, long] = SHARES.map(|share| context.sampler(time.scaled(share, 100)));
    let own = context.cpus[0];
    let mut costs = CallCosts {
        system_call_ns: estimate(&batches(&short, || {
            black_box(rustix::process::getppid());
        })),
        socket_call_ns: match call::system_call(&short) {
            Ok(probe) => Fact::Known(probe.estimate()),
            Err(error) => Fact::unknown(error.to_string()),
        },
        futex_call_ns: estimate(&batches(&short, {
            let nobody = AtomicU32::new(0);
            move || {
                black_box(futex::wake(&nobody, futex::Flags::PRIVATE, 1)).unwrap_or(0);
            }
        })),
        context_switch_ns: from(context_switch(&short, own)),
        clock: Fact::Known(check_clock(context.clock, CLOCK_READS)),
        idle_states: idle_states(own).into(),
        ..CallCosts::default()
    };
    let mut add = |processor, state, time_ns| costs.wake_ups.push(WakeUp { processor, state, time_ns });
    add(Processor::Same, TargetState::Busy, from(on_this(&long, own)));
    let another = context.two_processors();
    for state in [TargetState::Idle, TargetState::Busy] {
        let woken = match (another, context.is_ended()) {
            (Some(cpus), false) => {
                from(Pipe::new().and_then(|bell| on_another(&long, Sleeper { cpus, state }, &bell)))
            }
            (None, _) => Fact::unknown(ONE_PROCESSOR),
            (_, true) => Fact::unknown(linerate_core::host_limits::NOT_REACHED),
        };
        add(Processor::Other, state, woken);
    }
    costs.futex_wake_ns = match another {
        Some(cpus) => from(on_another(&long, Sleeper { cpus, state: TargetState::Idle }, &Futex::default())),
        None => Fact::unknown(ONE_PROCESSOR),
    };
    costs
}

fn from(samples: io::Result<Vec<f64>>) -> Fact<Estimate> {
    match samples {
        Ok(samples) => estimate(&samples),
        Err(error) => Fact::unknown(error.to_string()),
    }
}

/// Nanoseconds of one `call`, sample by sample.
fn batches(sampler: &Sampler<'_>, mut call: impl FnMut()) -> Vec<f64> {
    let samples = sampler.sample(|| {
        let batch = sampler.nanoseconds(|| {
            (0..BATCH).for_each(|_| call());
            Ok::<_, Infallible>(())
        })?;
        Ok::<_, Infallible>(batch / f64::from(BATCH))
    });
    match samples {
        Ok(samples) => samples,
        Err(never) => match never {},
    }
}

/// Half of a round trip of a byte between two threads on `cpu`, less what one thread takes to write and read it. Both in
/// every sample, so that they are of the same moment. Unit: nanoseconds.
///
/// Source: McVoy and Staelin, "lmbench: Portable Tools for Performance Analysis", USENIX 1996, section 6.6.
fn context_switch(sampler: &Sampler<'_>, cpu: u32) -> io::Result<Vec<f64>> {
    let (there, ask) = pipe()?;
    let (here, answer) = pipe()?;
    let (alone, own) = pipe()?;
    std::thread::scope(|scope| {
        let other = scope.spawn(move || {
            pin_to(cpu)?;
            // It ends when nobody is left to ask.
            while hear(&there).is_ok() && say(&answer).is_ok() {}
            Ok(())
        });
        let samples = sampler.sample(|| {
            let turns = |turn: &mut dyn FnMut() -> io::Result<()>| {
                sampler.nanoseconds(|| (0..TURNS).try_for_each(|_| turn())).map(|ns| ns / f64::from(TURNS))
            };
            let trip = turns(&mut || say(&ask).and_then(|()| hear(&here)))?;
            let calls = turns(&mut || say(&own).and_then(|()| hear(&alone)))?;
            Ok(trip / 2.0 - calls)
        });
        drop(ask);
        let tied: io::Result<()> = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        tied.and(samples)
    })
}

/// The idle states of `cpu`, from the lightest to the deepest.
///
/// Source: kernel documentation, admin-guide/pm/cpuidle.
fn idle_states(cpu: u32) -> Result<Vec<IdleState>, Unread> {
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle");
    let state = |number: u32| {
        let file = |name: &str| format!("{folder}/state{number}/{name}");
        Some(IdleState {
            name: read_value(file("name")).ok()?,
            exit_latency: Span::from_us(number_in(file("latency")).ok()?),
            target_residency: Span::from_us(number_in(file("residency")).unwrap_or(0)),
            disabled: number_in(file("disable")).is_ok_and(|disable| disable != 0),
        })
    };
    let states: Vec<IdleState> = (0..16).map_while(state).collect();
    if states.is_empty() {
        return Err(Unread::NoSign("the kernel lists no idle states, as in most virtual machines"));
    }
    Ok(states)
}
