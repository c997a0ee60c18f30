//! Where a measurement runs on a host: its processor, how soon processors are awake, and how many files may be open.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};

use linerate_core::environment::Fact;
use linerate_core::options::Granted;
use linerate_core::plan::{Asked, Plan};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::observe::{may_use, pin_to};

/// Where a process asks for a bound on the time that processors take to wake, for as long as it
/// keeps the file open.
/// Source: Linux, Documentation/power/pm_qos_interface.rst.
const CPU_LATENCY: &str = "/dev/cpu_dma_latency";

/// Where one end of a measurement runs, until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Place {
    pinned: Option<u32>,
    /// The bound that is held, in us, or why it is not.
    cpu_latency: Option<Fact<u32>>,
    _held: Option<File>,
}

impl Place {
    /// Ties this thread to processor `pin`, and asks that no processor takes longer than
    /// `cpu_latency_us` to wake.
    ///
    /// # Errors
    ///
    /// When the thread cannot be tied to the processor. A host that does not let its processors be
    /// kept awake is no error: [`granted`](Self::granted) says so.
    pub(crate) fn take(pin: Pin, cpu_latency_us: Option<u32>) -> io::Result<Self> {
        if let Some(cpu) = pin.cpu {
            if pin.whole_process { may_use(cpu)? } else { pin_to(cpu)? }
        }
        let held = cpu_latency_us.map(|us| hold(us).map_err(|error| format!("{CPU_LATENCY}: {error}")));
        let (cpu_latency, held) = match held {
            None => (None, None),
            Some(Ok(file)) => (cpu_latency_us.map(Fact::Known), Some(file)),
            Some(Err(reason)) => (Some(Fact::unknown(reason)), None),
        };
        Ok(Self { pinned: pin.cpu, cpu_latency, _held: held })
    }

    /// What a channel was granted, with the place beside it.
    pub(crate) fn granted(&self, of_channel: Granted) -> Granted {
        Granted { pinned: self.pinned, cpu_latency_us: self.cpu_latency.clone(), ..of_channel }
    }
}

/// What a channel takes of the files that a process may have open: its socket, its handles and those of its library.
const FILES_OF_A_CHANNEL: u64 = 4;
/// What a measurement takes besides.
const FILES: u64 = 24;

/// The process may not have as many files open as a measurement needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "too many open files: the limit is {limit}, and this run needs about {needed} (`ulimit -n {needed}`)"
)]
pub struct TooFewFiles {
    /// The limit.
    pub limit: u64,
    /// What the measurement needs, with all that are open.
    pub needed: u64,
}

/// Makes room for the files that `plan` needs at an end: raises the soft limit as far as the hard one allows.
///
/// Source: getrlimit(2), `RLIMIT_NOFILE`.
pub(crate) fn make_room_for_files(plan: &Plan) -> Result<(), TooFewFiles> {
    let loads = plan.loads().unwrap_or_default();
    let channels = loads.iter().map(|Asked { load, .. }| {
        let flows =
            load.stream.as_ref().map_or(0, |it| u64::from(it.flows) * it.direction.parts().len() as u64);
        flows + load.rr.as_ref().map_or(0, |it| u64::from(it.flows))
    });
    // Where nobody says what is open, the least is.
    let open = std::fs::read_dir("/dev/fd").map_or(3, |files| files.count() as u64);
    let needed = open + FILES + channels.max().unwrap_or(1) * FILES_OF_A_CHANNEL;
    let limit = getrlimit(Resource::Nofile);
    let allowed = |limit: Option<u64>| limit.is_none_or(|limit| limit >= needed);
    if allowed(limit.current) {
        return Ok(());
    }
    let raised = Rlimit { current: limit.maximum, ..limit };
    if allowed(limit.maximum) && setrlimit(Resource::Nofile, raised).is_ok() {
        return Ok(());
    }
    Err(TooFewFiles { limit: limit.maximum.or(limit.current).unwrap_or_default(), needed })
}

/// The processor that an end shall run on, if any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pin {
    /// Which.
    pub(crate) cpu: Option<u32>,
    /// Threads follow that are pinned one by one, starting there.
    pub(crate) whole_process: bool,
}

fn hold(us: u32) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).open(CPU_LATENCY)?;
    let us = i32::try_from(us).unwrap_or(i32::MAX);
    file.write_all(&us.to_ne_bytes())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_is_granted_or_has_a_reason() {
        let nothing = Pin { cpu: None, whole_process: false };
        let place = Place::take(nothing, None).expect("nothing is asked");
        assert_eq!(place.granted(Granted::default()), Granted::default());
        let place = Place::take(nothing, Some(0)).expect("a refusal is no error");
        match place.granted(Granted::default()).cpu_latency_us {
            Some(Fact::Known(0)) => {}
            Some(Fact::Unknown { unknown }) => assert!(unknown.contains(CPU_LATENCY), "{unknown}"),
            other => panic!("{other:?}"),
        }
    }
}
