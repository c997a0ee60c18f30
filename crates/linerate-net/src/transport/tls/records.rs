//! TLS records between the caller's bytes and the socket's.

use std::io::{Read, Write};
use std::ops::Range;

use rustix::io::Errno;
use rustls::{Connection, Error};

/// The most plaintext that one call encrypts, and the most ciphertext that one call receives: a few
/// records, so that a system call is rarer than a record. More was not quicker. Unit: bytes.
const BATCH: usize = 64 << 10;

/// The state of both directions, and what has come from the socket and is not decrypted yet.
#[derive(Debug)]
pub(super) struct Records {
    tls: Connection,
    /// rustls takes 4 KiB from a socket at a time, so it takes them from here.
    arrived: Box<[u8]>,
    held: Range<usize>,
}

impl Records {
    /// A connection that has its keys.
    pub(super) fn new(mut tls: Connection) -> Self {
        tls.set_buffer_limit(Some(BATCH));
        Self { tls, arrived: vec![0; BATCH].into_boxed_slice(), held: 0..0 }
    }

    /// Encrypts the first of `data`; how much of it.
    pub(super) fn encrypt(&mut self, data: &[u8]) -> usize {
        self.tls.writer().write(data).expect("writing to memory does not fail")
    }

    /// Says to the peer that nothing more comes (`close_notify`).
    pub(super) fn close(&mut self) {
        self.tls.send_close_notify();
    }

    /// Whether something encrypted is not written yet.
    pub(super) fn wants_write(&self) -> bool {
        self.tls.wants_write()
    }

    /// Writes what is encrypted, in one call.
    pub(super) fn write_to(&mut self, out: &mut dyn Write) -> Result<usize, Errno> {
        self.tls.write_tls(out).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    /// Where the next bytes of the socket go. Only when all of the last ones were taken in.
    pub(super) fn space(&mut self) -> &mut [u8] {
        debug_assert!(self.held.is_empty(), "bytes of the socket would be lost");
        &mut self.arrived
    }

    /// Notes that the first `len` bytes of the space came from the socket.
    pub(super) fn filled(&mut self, len: usize) {
        self.held = 0..len;
    }

    /// Decrypts what is there into `into`, up to the whole of it; how many bytes that was, or
    /// nothing at the end of what the peer sent.
    pub(super) fn take(&mut self, into: &mut [u8]) -> Result<Option<usize>, Error> {
        let mut taken = 0;
        while taken < into.len() {
            match self.tls.reader().read(&mut into[taken..]) {
                Ok(0) if taken == 0 => return Ok(None),
                Ok(0) => break,
                Ok(more) => taken += more,
                // Nothing is decrypted now.
                Err(_) if self.open()? => {}
                Err(_) => break,
            }
        }
        Ok(Some(taken))
    }

    /// Whether there is plaintext, or the end of it.
    pub(super) fn has_plaintext(&mut self) -> Result<bool, Error> {
        loop {
            let state = self.tls.process_new_packets()?;
            if state.plaintext_bytes_to_read() > 0 || state.peer_has_closed() {
                return Ok(true);
            }
            if !self.open()? {
                return Ok(false);
            }
        }
    }

    /// Takes in some of what came from the socket; whether there was any.
    fn open(&mut self) -> Result<bool, Error> {
        let mut rest = &self.arrived[self.held.clone()];
        if rest.is_empty() {
            return Ok(false);
        }
        let taken = self.tls.read_tls(&mut rest).map_err(|error| Error::General(error.to_string()))?;
        self.held.start += taken;
        self.tls.process_new_packets()?;
        Ok(taken > 0)
    }

    /// The suite in force.
    pub(super) fn cipher(&self) -> Option<String> {
        self.tls.negotiated_cipher_suite().and_then(|suite| suite.suite().as_str()).map(str::to_owned)
    }
}
