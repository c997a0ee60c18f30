//! Messages on their way: `MPI_Isend` and `MPI_Irecv`.

use std::mem::ManuallyDrop;
use std::os::raw::c_void;
use std::ptr::NonNull;
use std::rc::Rc;

use mpi::ffi;
use mpi::traits::AsRaw as _;

use super::{Group, MpiError, blank, byte, checked, count, length, peer};

/// A message that is being sent. It holds a count on its memory, so that nobody can change it.
///
/// It is waited for when it is dropped. Memory that the MPI may still use, because it says that waiting failed, is leaked.
#[derive(Debug)]
pub struct Sending {
    request: Request,
    data: ManuallyDrop<Rc<[u8]>>,
}

/// Memory in which a message will arrive. It cannot be looked at before.
///
/// It is waited for when it is dropped. Memory that the MPI may still use, because it says that waiting failed, is leaked.
#[derive(Debug)]
pub struct Receiving {
    request: Request,
    /// Of `Box::into_raw`. As long as the MPI holds a pointer to it, it may not be a box: a box that is moved ends the
    /// right of every other pointer to use its memory.
    into: NonNull<[u8]>,
}

/// A request of the library's, or its null once it is done.
#[derive(Debug)]
struct Request(ffi::MPI_Request);

impl Request {
    fn none() -> ffi::MPI_Request {
        // SAFETY: a constant of the library, which is linked.
        unsafe { ffi::RSMPI_REQUEST_NULL }
    }

    /// Waits until it is done. The length of what was received.
    fn wait(&mut self) -> Result<usize, MpiError> {
        let mut status = blank();
        // SAFETY: the request is one of the library's, or its null, and both are written.
        let code = unsafe { ffi::MPI_Wait(&raw mut self.0, &raw mut status) };
        checked("MPI_Wait", code)?;
        length(&status)
    }
}

impl Group {
    /// `MPI_Isend` of the first `length` bytes of `data`.
    ///
    /// # Errors
    ///
    /// What the library says, and a count on the memory is lost if it has begun.
    ///
    /// # Panics
    ///
    /// If `data` is shorter.
    pub fn start_send(
        &self,
        to: usize,
        tag: i32,
        data: &Rc<[u8]>,
        length: usize,
    ) -> Result<Sending, MpiError> {
        let out = &data[..length];
        let count = count(length)?;
        let mut request = Request(Request::none());
        // Held from here on: the MPI that says that it failed may have begun.
        let data = ManuallyDrop::new(Rc::clone(data));
        // SAFETY: the bytes stay where they are, unchanged, until the MPI says that it is done: `Sending` gives up its
        // count on them only then.
        let code = unsafe {
            ffi::MPI_Isend(
                out.as_ptr().cast::<c_void>(),
                count,
                byte(),
                peer(to),
                tag,
                self.communicator().as_raw(),
                &raw mut request.0,
            )
        };
        checked("MPI_Isend", code)?;
        Ok(Sending { request, data })
    }

    /// `MPI_Irecv` into the first `length` bytes of `into`.
    ///
    /// # Errors
    ///
    /// What the library says, and the memory is lost if it has begun.
    ///
    /// # Panics
    ///
    /// If `into` is shorter.
    pub fn start_receive(
        &self,
        from: usize,
        tag: i32,
        into: Box<[u8]>,
        length: usize,
    ) -> Result<Receiving, MpiError> {
        assert!(length <= into.len(), "{length} B are more than {} B", into.len());
        let count = count(length)?;
        let mut request = Request(Request::none());
        // From here on it is no box: the MPI that says that it failed may have begun.
        let into = NonNull::from(Box::leak(into));
        // SAFETY: there are `length` bytes, and only the MPI uses them until it says that it is done: `Receiving` makes a
        // box of them only then.
        let code = unsafe {
            ffi::MPI_Irecv(
                into.as_ptr().cast::<c_void>(),
                count,
                byte(),
                peer(from),
                tag,
                self.communicator().as_raw(),
                &raw mut request.0,
            )
        };
        checked("MPI_Irecv", code)?;
        Ok(Receiving { request, into })
    }
}

impl Sending {
    /// Waits until the memory may be changed.
    ///
    /// # Errors
    ///
    /// What the library says, and a count on the memory is lost.
    pub fn wait(self) -> Result<(), MpiError> {
        // What follows does what `drop` would.
        ManuallyDrop::new(self).finish()
    }

    /// Waits, and gives up the count on the memory. Nothing is done with this afterwards.
    fn finish(&mut self) -> Result<(), MpiError> {
        self.request.wait()?;
        // SAFETY: the MPI is done with the memory, and `data` is not used again.
        unsafe { ManuallyDrop::drop(&mut self.data) };
        Ok(())
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        // What the library says of a message that nobody waits for is of no use to anyone.
        self.finish().unwrap_or(());
    }
}

impl Receiving {
    /// Waits for the message: the memory, and how many bytes of it arrived.
    ///
    /// # Errors
    ///
    /// What the library says, and the memory is lost.
    pub fn wait(self) -> Result<(Box<[u8]>, usize), MpiError> {
        // What follows does what `drop` would.
        ManuallyDrop::new(self).finish()
    }

    /// Waits, and makes a box of the memory again. Nothing is done with this afterwards.
    fn finish(&mut self) -> Result<(Box<[u8]>, usize), MpiError> {
        let length = self.request.wait()?;
        // SAFETY: this was a box, and the MPI is done with it. `into` is not used again.
        Ok((unsafe { Box::from_raw(self.into.as_ptr()) }, length))
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        // What the library says of a message that nobody waits for is of no use to anyone.
        drop(self.finish());
    }
}
