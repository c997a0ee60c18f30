//! `io_uring`: a ring of requests and one of answers, both shared with the kernel.
//!
//! Each direction of a socket has a ring of its own. Requests that may not wait carry
//! `MSG_DONTWAIT`; the others wait for the ring's patience, because the socket's own time-outs do
//! not bind `io_uring`.
//!
//! Source: `io_uring(7)`, `io_uring_enter(2)`.
#![expect(unsafe_code, reason = "requests refer to memory by bare pointers")]

mod fixed;
mod multishot;
mod plain;
mod zerocopy;

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use io_uring::squeue::Entry;
use io_uring::types::{CancelBuilder, Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, cqueue, opcode};
use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::time::ClockId;

use crate::wait::Wait;

pub(crate) use fixed::Fixed;
pub(crate) use multishot::Multishot;
pub(crate) use plain::Plain;
pub(crate) use zerocopy::Zerocopy;

/// Requests that may be submitted at once: one, and one that cancels it.
const REQUESTS: u32 = 4;
/// Answers that may wait to be read.
const ANSWERS: u32 = 256;
/// The answer to a cancellation, which nobody wants.
const CANCELLATION: u64 = u64::MAX;
/// Left of the patience, it counts as spent: the clock is coarse.
const ROUNDING: Span = Span::from_ms(5);
/// How long the answer to a request of a broken ring is waited for, and the time between two looks. The request has been
/// cancelled by then.
const LAST_WAIT: [Span; 2] = [Span::from_ms(10_000), Span::from_ms(1)];

/// A ring of requests. Whoever queues one keeps the memory that it names until its last answer has come.
struct Ring {
    ring: IoUring,
    patience: Span,
    /// Entries pushed so far, which is the number of the last.
    pushed: u64,
    /// The kernel refused to be entered. It is never entered again, so it takes nothing more of what is queued.
    broken: bool,
}

/// An answer of the kernel's.
#[derive(Clone, Copy)]
struct Answer {
    request: u64,
    result: i32,
    flags: u32,
}

impl Ring {
    fn open(patience: Span) -> io::Result<Self> {
        let build = |cooperative: bool| {
            let mut builder = IoUring::builder();
            builder.setup_cqsize(ANSWERS);
            if cooperative {
                // Answers are made when this thread calls anyway, without an interrupt.
                builder.setup_coop_taskrun();
            }
            builder.build(REQUESTS)
        };
        // Kernels before 5.19 do not know the flag.
        let ring = build(true).or_else(|error| match error.kind() {
            io::ErrorKind::InvalidInput => build(false),
            _ => Err(error),
        })?;
        if !ring.params().is_feature_ext_arg() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "its io_uring is older than Linux 5.11's",
            ));
        }
        Ok(Self { ring, patience, pushed: 0, broken: false })
    }

    /// Refuses a kernel whose `io_uring` does not know the operation `code`.
    fn need(&self, code: u8, since: &'static str) -> io::Result<()> {
        let mut probe = Probe::new();
        self.ring.submitter().register_probe(&mut probe)?;
        if probe.is_supported(code) { Ok(()) } else { Err(io::Error::new(io::ErrorKind::Unsupported, since)) }
    }

    /// Hands a request over at the next [`enter`](Self::enter); its number.
    ///
    /// # Errors
    ///
    /// The ring is broken or full. The request is not queued.
    ///
    /// # Safety
    ///
    /// The memory that the request names stays valid until its last answer has come, or for ever if the ring breaks
    /// ([`withdraw`](Self::withdraw) shortens that).
    unsafe fn queue(&mut self, request: Entry) -> Result<u64, Errno> {
        let number = self.pushed + 1;
        // SAFETY: the caller keeps the memory.
        unsafe { self.push(&request.user_data(number))? };
        Ok(number)
    }

    /// # Safety
    ///
    /// As of [`queue`](Self::queue).
    unsafe fn push(&mut self, entry: &Entry) -> Result<(), Errno> {
        if self.broken {
            return Err(Errno::IO);
        }
        // SAFETY: the caller keeps the memory.
        unsafe { self.ring.submission().push(entry) }.map_err(|_| Errno::BUSY)?;
        self.pushed += 1;
        Ok(())
    }

    /// Hands over what is queued, and waits for an answer until `within` has passed.
    ///
    /// # Errors
    ///
    /// The kernel refuses: the ring is broken from then on.
    fn enter(&mut self, within: Span) -> Result<(), Errno> {
        if self.broken {
            return Err(Errno::IO);
        }
        let whole = within.to_duration();
        let timeout = Timespec::new().sec(whole.as_secs()).nsec(whole.subsec_nanos());
        let entered = self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&timeout));
        match entered.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO)) {
            Ok(_) | Err(Errno::INTR | Errno::TIME | Errno::BUSY) => Ok(()),
            Err(error) => {
                self.broken = true;
                Err(error)
            }
        }
    }

    /// Whether the kernel has taken the entry of this number from the queue.
    fn was_taken(&mut self, number: u64) -> bool {
        number + self.ring.submission().len() as u64 <= self.pushed
    }

    /// The next answer that somebody wants.
    fn answer(&mut self) -> Option<Answer> {
        let of = |entry: cqueue::Entry| Answer {
            request: entry.user_data(),
            result: entry.result(),
            flags: entry.flags(),
        };
        self.ring.completion().map(of).find(|answer| answer.request != CANCELLATION)
    }

    /// Hands a request over and waits for its answer. One that does not come in time is cancelled
    /// and is `EAGAIN`.
    ///
    /// # Safety
    ///
    /// The memory that the request names is valid during this call. The request has one answer.
    unsafe fn perform(&mut self, request: Entry) -> Result<usize, Errno> {
        // SAFETY: this function returns in two places below: with the answer, and after `withdraw`.
        let number = unsafe { self.queue(request)? };
        let waiting = Waiting::begin(self.patience);
        let mut left = self.patience;
        loop {
            if let Err(error) = self.enter(left) {
                self.withdraw(number);
                return Err(error);
            }
            while let Some(answer) = self.answer() {
                if answer.request == number {
                    return outcome(answer.result);
                }
            }
            left = self.left_or_cancel(number, &waiting);
        }
    }

    /// How much longer to wait for the answer to a request. Once the patience is spent, the request is cancelled: it then
    /// answers `ECANCELED`, unless it is just done.
    fn left_or_cancel(&mut self, number: u64, waiting: &Waiting) -> Span {
        waiting.left().unwrap_or_else(|| {
            // A queue that is full has the cancellations of the rounds before, which the kernel has yet to take.
            let _queued_already = self.cancel(number);
            self.patience
        })
    }

    /// Queues the cancellation of a request.
    fn cancel(&mut self, number: u64) -> Result<(), Errno> {
        let cancel = opcode::AsyncCancel::new(number).build().user_data(CANCELLATION);
        // SAFETY: this entry names no memory.
        unsafe { self.push(&cancel) }
    }

    /// Takes a request back from a ring that is broken. When this returns, the kernel does not use the memory of the
    /// request and never will: it has not taken the request, or has answered it.
    ///
    /// # Aborts
    ///
    /// If the kernel keeps a request that it was told to cancel. The memory is borrowed from the caller, so that it can
    /// neither be leaked nor be given back while the kernel may write to it.
    fn withdraw(&mut self, number: u64) {
        debug_assert!(self.broken, "the kernel may still take the request");
        let [whole, step] = LAST_WAIT;
        let waiting = Waiting::begin(whole);
        while self.was_taken(number) {
            while let Some(answer) = self.answer() {
                if answer.request == number {
                    return;
                }
            }
            if waiting.left().is_none() {
                std::process::abort();
            }
            // What the kernel says to it counts for nothing: only the answer does. Kernels before 6.0 do not know it.
            let limit = Timespec::new().sec(1);
            self.ring
                .submitter()
                .register_sync_cancel(Some(limit), CancelBuilder::user_data(number))
                .unwrap_or(());
            // Answers are made when this thread calls the kernel, which this does too.
            std::thread::sleep(step.to_duration());
        }
    }
}

impl fmt::Debug for Ring {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Ring").field("descriptor", &self.ring.as_raw_fd()).finish_non_exhaustive()
    }
}

/// How long something is waited for.
struct Waiting {
    began: Span,
    patience: Span,
}

impl Waiting {
    fn begin(patience: Span) -> Self {
        Self { began: coarse_now(), patience }
    }

    /// What is left of the patience, or `None` if it is spent.
    fn left(&self) -> Option<Span> {
        let left = self.patience.saturating_sub(coarse_now().saturating_sub(self.began));
        (left > ROUNDING.min(self.patience / 4)).then_some(left)
    }
}

/// A clock that is read in a few nanoseconds and goes in steps of some milliseconds.
fn coarse_now() -> Span {
    let now = rustix::time::clock_gettime(ClockId::MonotonicCoarse);
    Span::from_ns(now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned())
}

/// What an answer says: bytes, or an error.
fn outcome(result: i32) -> Result<usize, Errno> {
    match usize::try_from(result) {
        Ok(bytes) => Ok(bytes),
        Err(_) => match Errno::from_raw_os_error(-result) {
            Errno::CANCELED => Err(Errno::AGAIN),
            errno => Err(errno),
        },
    }
}

fn descriptor(socket: BorrowedFd<'_>) -> Fd {
    Fd(socket.as_raw_fd())
}

/// Lengths are 32 bits; a longer piece moves in part.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(1 << 30)
}

const fn send_flags(wait: Wait) -> i32 {
    match wait {
        Wait::Patiently => libc::MSG_NOSIGNAL,
        Wait::Never => libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT,
    }
}

const fn recv_flags(wait: Wait) -> i32 {
    match wait {
        Wait::Patiently => 0,
        Wait::Never => libc::MSG_DONTWAIT,
    }
}
