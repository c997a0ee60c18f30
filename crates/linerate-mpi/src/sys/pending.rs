//! Messages on their way: `MPI_Isend` and `MPI_Irecv`.

use std::os::raw::c_void;
use std::rc::Rc;

use mpi::ffi;
use mpi::traits::AsRaw as _;

use super::{Group, MpiError, blank, byte, checked, count, length, peer};

/// A message that is being sent. It holds a count on its memory, so that nobody can change it.
#[derive(Debug)]
pub struct Sending {
    request: Request,
    _data: Rc<[u8]>,
}

/// Memory in which a message will arrive. It cannot be looked at before.
#[derive(Debug)]
pub struct Receiving {
    request: Request,
    into: Option<Box<[u8]>>,
}

/// Waited for when it is dropped: no memory of a message is freed before the MPI is done with it.
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

impl Drop for Request {
    fn drop(&mut self) {
        if self.0 != Self::none() {
            // After an error nothing is on its way any more.
            let _ = self.wait();
        }
    }
}

impl Group {
    /// `MPI_Isend` of the first `length` bytes of `data`.
    ///
    /// # Errors
    ///
    /// What the library says.
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
        // SAFETY: the bytes stay where they are, unchanged, as long as the request is on its way: `Sending` holds a count
        // on them, and is waited for when it is dropped. If it is leaked, so are they.
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
        Ok(Sending { request, _data: Rc::clone(data) })
    }

    /// `MPI_Irecv` into the first `length` bytes of `into`.
    ///
    /// # Errors
    ///
    /// What the library says.
    ///
    /// # Panics
    ///
    /// If `into` is shorter.
    pub fn start_receive(
        &self,
        from: usize,
        tag: i32,
        mut into: Box<[u8]>,
        length: usize,
    ) -> Result<Receiving, MpiError> {
        let place = into[..length].as_mut_ptr();
        let count = count(length)?;
        let mut request = Request(Request::none());
        // SAFETY: `Receiving` owns the memory and gives it to nobody before the request is done; it is waited for when it
        // is dropped. If it is leaked, so is the memory.
        let code = unsafe {
            ffi::MPI_Irecv(
                place.cast::<c_void>(),
                count,
                byte(),
                peer(from),
                tag,
                self.communicator().as_raw(),
                &raw mut request.0,
            )
        };
        checked("MPI_Irecv", code)?;
        Ok(Receiving { request, into: Some(into) })
    }
}

impl Sending {
    /// Waits until the memory may be changed.
    ///
    /// # Errors
    ///
    /// What the library says.
    pub fn wait(mut self) -> Result<(), MpiError> {
        self.request.wait().map(drop)
    }
}

impl Receiving {
    /// Waits for the message: the memory, and how many bytes of it arrived.
    ///
    /// # Errors
    ///
    /// What the library says, and the memory is lost.
    ///
    /// # Panics
    ///
    /// Never: the memory is there until it is given back here.
    pub fn wait(mut self) -> Result<(Box<[u8]>, usize), MpiError> {
        let length = self.request.wait()?;
        Ok((self.into.take().expect("nothing took it before"), length))
    }
}
