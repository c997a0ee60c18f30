//! The calls of an MPI that move bytes between two ranks, as safe functions.
//!
//! rsmpi has them too, but its requests borrow their buffers for a whole scope, so a window of messages that moves on
//! one by one cannot be written with it, and it does not look at what a call returns. Here a message on its way owns
//! its memory, or holds a count on it, until the MPI is done with it.
#![expect(unsafe_code, reason = "the C interface of MPI; each block says why it is right")]

mod pending;

use std::marker::PhantomData;
use std::os::raw::{c_int, c_void};

use linerate::Trouble;
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator};

pub use pending::{Receiving, Sending};

/// What one call may move: MPI counts with an `int`. Unit: bytes.
pub const LONGEST: usize = c_int::MAX as usize;

/// A call of the MPI that failed. Displayed after "failed to ...".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call}: {reason}")]
pub struct MpiError {
    /// Its name, such as `MPI_Send`.
    pub call: &'static str,
    /// What the library says.
    pub reason: String,
}

impl From<MpiError> for Trouble {
    fn from(error: MpiError) -> Self {
        let help = "another rank may have ended; its own error stands above, and what was measured is kept";
        Self::new(format!("failed to {error}"), help)
    }
}

/// Some ranks that send each other messages, apart from those of every other group.
///
/// It stays with its thread: nobody has asked the MPI for calls by several (`MPI_THREAD_MULTIPLE`).
pub struct Group {
    comm: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// A communicator is a plain number in some libraries, which any thread might use.
    of_one_thread: PhantomData<*const ()>,
}

impl std::fmt::Debug for Group {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "rank {} of {}", self.rank, self.size)
    }
}

impl Group {
    /// The ranks of `comm`, with messages of their own. All of them call it at once.
    #[must_use]
    pub fn of(comm: &impl Communicator) -> Self {
        let comm = comm.duplicate();
        // SAFETY: the communicator lives as long as `comm`; the handler is one of the standard's own.
        unsafe {
            ffi::MPI_Comm_set_errhandler(comm.as_raw(), ffi::RSMPI_ERRORS_RETURN);
        }
        let number = |of: c_int| usize::try_from(of).unwrap_or(0);
        Self { rank: number(comm.rank()), size: number(comm.size()), comm, of_one_thread: PhantomData }
    }

    /// Which rank this is, from 0.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// For the collectives of the library.
    #[must_use]
    pub const fn communicator(&self) -> &SimpleCommunicator {
        &self.comm
    }

    /// `MPI_Send`: done when `data` may be changed.
    ///
    /// # Errors
    ///
    /// What the library says. A message beyond [`LONGEST`] is refused.
    pub fn send(&self, to: usize, tag: i32, data: &[u8]) -> Result<(), MpiError> {
        let (count, to) = (count(data.len())?, peer(to));
        // SAFETY: the library reads `count` bytes of `data` and is done with them when it returns.
        let code = unsafe {
            ffi::MPI_Send(data.as_ptr().cast::<c_void>(), count, byte(), to, tag, self.comm.as_raw())
        };
        checked("MPI_Send", code)
    }

    /// `MPI_Recv`: the next message with this tag, and its length. One that is longer than `data` is an error.
    ///
    /// # Errors
    ///
    /// What the library says.
    pub fn recv(&self, from: usize, tag: i32, data: &mut [u8]) -> Result<usize, MpiError> {
        let (count, from) = (count(data.len())?, peer(from));
        let mut status = blank();
        // SAFETY: the library writes at most `count` bytes of `data`, and a status.
        let code = unsafe {
            ffi::MPI_Recv(
                data.as_mut_ptr().cast::<c_void>(),
                count,
                byte(),
                from,
                tag,
                self.comm.as_raw(),
                &raw mut status,
            )
        };
        checked("MPI_Recv", code)?;
        length(&status)
    }

    /// `MPI_Sendrecv`: both at once. The length of what arrived.
    ///
    /// # Errors
    ///
    /// What the library says.
    pub fn sendrecv(
        &self,
        [to, from]: [usize; 2],
        tag: i32,
        out: &[u8],
        into: &mut [u8],
    ) -> Result<usize, MpiError> {
        let counts = [count(out.len())?, count(into.len())?];
        let mut status = blank();
        // SAFETY: as in `send` and `recv`; the two slices are apart, because one of them is exclusive.
        let code = unsafe {
            ffi::MPI_Sendrecv(
                out.as_ptr().cast::<c_void>(),
                counts[0],
                byte(),
                peer(to),
                tag,
                into.as_mut_ptr().cast::<c_void>(),
                counts[1],
                byte(),
                peer(from),
                tag,
                self.comm.as_raw(),
                &raw mut status,
            )
        };
        checked("MPI_Sendrecv", code)?;
        length(&status)
    }

    /// `MPI_Probe`: waits until a message of `from` has arrived, and gives its length. It still has to be received.
    ///
    /// # Errors
    ///
    /// What the library says.
    pub fn probe(&self, from: usize, tag: i32) -> Result<usize, MpiError> {
        let mut status = blank();
        // SAFETY: the library writes a status.
        let code = unsafe { ffi::MPI_Probe(peer(from), tag, self.comm.as_raw(), &raw mut status) };
        checked("MPI_Probe", code)?;
        length(&status)
    }
}

/// Ranks are numbered by an `int`, so what was given by the library fits.
fn peer(rank: usize) -> c_int {
    c_int::try_from(rank).unwrap_or(c_int::MAX)
}

fn count(length: usize) -> Result<c_int, MpiError> {
    c_int::try_from(length).map_err(|_| MpiError {
        call: "pass a message to the MPI",
        reason: format!("it has {length} B, and {LONGEST} B are the most of one call"),
    })
}

fn byte() -> ffi::MPI_Datatype {
    // SAFETY: a constant of the library, which is linked.
    unsafe { ffi::RSMPI_UINT8_T }
}

fn blank() -> ffi::MPI_Status {
    // SAFETY: a status has only numbers, for all of which 0 is a value.
    unsafe { std::mem::zeroed() }
}

/// How long the message of `status` is. Unit: bytes.
fn length(status: &ffi::MPI_Status) -> Result<usize, MpiError> {
    let mut count: c_int = 0;
    // SAFETY: the status is one that the library has written.
    let code = unsafe { ffi::MPI_Get_count(status, byte(), &raw mut count) };
    checked("MPI_Get_count", code)?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// What `code`, which `call` returned, means.
fn checked(call: &'static str, code: c_int) -> Result<(), MpiError> {
    // Source: MPI 4.0, section 9.4: MPI_SUCCESS is 0.
    if code == 0 {
        return Ok(());
    }
    // Source: MPI_MAX_ERROR_STRING is 256 in Open MPI and 512 in MPICH; one that is longer would be cut by no library.
    let mut text = [0_u8; 4096];
    let mut written: c_int = 0;
    // SAFETY: the library writes at most MPI_MAX_ERROR_STRING characters of `text`, and how many.
    unsafe {
        ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &raw mut written);
    }
    let written = usize::try_from(written).unwrap_or(0).min(text.len());
    let reason = String::from_utf8_lossy(&text[..written]).trim().to_owned();
    Err(MpiError { call, reason })
}
