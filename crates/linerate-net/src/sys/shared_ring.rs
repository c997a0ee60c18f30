//! Memory that two processes share: a ring of bytes each way, and the counts that guard them.
//!
//! The file behind it is sealed, so that no peer can shrink it under the other's feet. The counts
//! are atomics, and whoever uses them must not believe them: positions are masked here, so that a
//! lying peer garbles bytes and nothing else.
#![expect(unsafe_code, reason = "memory that another process maps too is reached by raw pointers")]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use super::foreign;

/// Space before the bytes. Unit: bytes, a page.
const HEADER: usize = 4096;
/// The smallest and the largest ring: a peer asks for it, and every page is there. Unit: bytes.
pub(crate) const CAPACITIES: std::ops::RangeInclusive<usize> = 4096..=16 << 20;
/// What keeps the file as long as it is.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// What the two ends tell each other; all zero at the start.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header {
    /// Each direction: what the responder sends, then what the initiator sends.
    pub(crate) ways: [Way; 2],
    /// Each end: the responder, then the initiator.
    pub(crate) seats: [Seat; 2],
}

/// One direction. Each part is written by one end only and has its own cache lines: 128 bytes,
/// because x86-64 prefetches lines in pairs.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Way {
    /// What the sender says.
    pub(crate) sender: Sender,
    /// What the receiver says.
    pub(crate) receiver: Receiver,
}

/// What the sender of one direction says.
#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct Sender {
    /// Bytes written so far.
    pub(crate) written: AtomicU64,
    /// Not zero once nothing more will be written.
    pub(crate) finished: AtomicU32,
}

/// What the receiver of one direction says.
#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct Receiver {
    /// Bytes read so far.
    pub(crate) read: AtomicU64,
}

/// How an end sleeps and is woken.
#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct Seat {
    /// The futex that the end sleeps on; whoever wakes it adds one.
    pub(crate) bell: AtomicU32,
    /// Not zero while the end is about to sleep.
    pub(crate) sleeps: AtomicU32,
    /// Not zero once the end has left.
    pub(crate) gone: AtomicU32,
}

/// One process's view of the memory.
#[derive(Debug)]
pub(crate) struct SharedRing {
    base: NonNull<u8>,
    capacity: usize,
}

// SAFETY: the mapping belongs to no thread, and the pointer is used through `self` only.
unsafe impl Send for SharedRing {}

impl SharedRing {
    /// Makes the memory, with rings of `capacity` bytes, a power of two of [`CAPACITIES`]; the
    /// descriptor is for the peer.
    pub(crate) fn create(capacity: usize) -> io::Result<(OwnedFd, Self)> {
        let file = memfd_create("linerate", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, (HEADER + 2 * capacity) as u64)?;
        fcntl_add_seals(&file, SEALS)?;
        let ring = Self::open(file.as_fd())?;
        Ok((file, ring))
    }

    /// Maps memory that [`create`](Self::create) made in this or another process.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidData`] for a file that is not sealed, or of another length.
    pub(crate) fn open(file: BorrowedFd<'_>) -> io::Result<Self> {
        let unfit = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        if !fcntl_get_seals(file)?.contains(SEALS) {
            return Err(unfit("the shared memory is not sealed"));
        }
        let len = usize::try_from(fstat(file)?.st_size).unwrap_or(0);
        let capacity = len.saturating_sub(HEADER) / 2;
        if !is_capacity(capacity) || len != HEADER + 2 * capacity {
            return Err(unfit("the shared memory has a strange length"));
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // Every page is there before a byte is timed.
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: the kernel chooses the address, so no other mapping is touched.
        let base = unsafe { mmap(std::ptr::null_mut(), len, protection, flags, file, 0)? };
        let base = NonNull::new(base.cast()).ok_or_else(|| unfit("the shared memory has no address"))?;
        Ok(Self { base, capacity })
    }

    /// Bytes of each ring.
    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// What the ends tell each other.
    pub(crate) const fn header(&self) -> &Header {
        const { assert!(size_of::<Header>() <= HEADER && align_of::<Header>() <= HEADER) };
        // SAFETY: the mapping begins on a page and is longer than the header; it lives as long as
        // `self`. The header is atomics, whose every value is valid and which others may change.
        unsafe { self.base.cast::<Header>().as_ref() }
    }

    /// Writes `data` into the ring of direction `way`, whose sender this end is, where the byte of
    /// number `at` belongs.
    ///
    /// # Panics
    ///
    /// If `data` is longer than the ring.
    pub(crate) fn write(&mut self, way: usize, at: u64, data: &[u8]) {
        let [(first, first_len), (rest, _)] = self.parts(way, at, data.len());
        let (to_end, from_begin) = data.split_at(first_len);
        // SAFETY: both parts lie in the mapping, which only this has, and no reference to the ring's
        // bytes is ever made.
        unsafe {
            foreign::store(first.as_ptr(), to_end);
            foreign::store(rest.as_ptr(), from_begin);
        }
    }

    /// Reads the bytes from number `at` on from the ring of direction `way`, whose receiver this
    /// end is.
    ///
    /// # Panics
    ///
    /// If `into` is longer than the ring.
    pub(crate) fn read(&mut self, way: usize, at: u64, into: &mut [u8]) {
        let [(first, first_len), (rest, _)] = self.parts(way, at, into.len());
        let (to_end, from_begin) = into.split_at_mut(first_len);
        // SAFETY: as in `write`; every value is a byte, whoever wrote it.
        unsafe {
            foreign::load(first.as_ptr(), to_end);
            foreign::load(rest.as_ptr(), from_begin);
        }
    }

    /// Where `len` bytes from number `at` on are: up to the end of the ring, and from its begin.
    fn parts(&self, way: usize, at: u64, len: usize) -> [(NonNull<u8>, usize); 2] {
        assert!(len <= self.capacity && way < 2, "{len} bytes of way {way} are more than there is");
        let offset = (at & (self.capacity as u64 - 1)) as usize;
        let first = len.min(self.capacity - offset);
        let begin = HEADER + way * self.capacity;
        // SAFETY: the mapping is HEADER + 2 * capacity bytes long, way is 0 or 1 and offset below
        // the capacity.
        let [here, start] = unsafe { [self.base.add(begin + offset), self.base.add(begin)] };
        [(here, first), (start, len - first)]
    }
}

impl Drop for SharedRing {
    fn drop(&mut self) {
        // SAFETY: `open` mapped exactly this, and every borrow of it has ended with `self`.
        let unmapped = unsafe { munmap(self.base.as_ptr().cast(), HEADER + 2 * self.capacity) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}

/// Whether a ring may have this many bytes.
pub(crate) fn is_capacity(bytes: usize) -> bool {
    bytes.is_power_of_two() && CAPACITIES.contains(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_views_see_the_same_bytes_across_the_end_of_the_ring() {
        let (file, mut one) = SharedRing::create(4096).expect("memory");
        let mut other = SharedRing::open(file.as_fd()).expect("the same memory");
        let data: Vec<u8> = (0..=255).cycle().take(4096).collect();
        for at in [0, 1, 4095, 4096, u64::MAX - 3, u64::MAX] {
            for way in 0..2 {
                one.write(way, at, &data);
                let mut into = vec![0; data.len()];
                other.read(way, at, &mut into);
                assert!(into == data, "from byte {at} of way {way}");
            }
        }
        one.write(0, 4000, &data[..100]);
        one.write(1, 4000, &[9; 100]);
        let mut into = [0; 100];
        other.read(0, 4000, &mut into);
        assert_eq!(into, data[..100]);
    }

    #[test]
    fn memory_that_its_maker_could_shrink_or_that_has_a_strange_length_is_refused() {
        let file = memfd_create("test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("a file");
        ftruncate(&file, (HEADER + 2 * 4096) as u64).expect("it may be long");
        let error = SharedRing::open(file.as_fd()).expect_err("not sealed").to_string();
        assert!(error.contains("not sealed"), "{error}");
        for len in
            [0, 1, HEADER, HEADER + 4096, HEADER + 2 * 4096 + 1, HEADER + 2 * 5000, HEADER + (256 << 20)]
        {
            let file = memfd_create("test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("a file");
            ftruncate(&file, len as u64).expect("it may be long");
            fcntl_add_seals(&file, SEALS).expect("it may be sealed");
            let error = SharedRing::open(file.as_fd()).expect_err("a strange length").to_string();
            assert!(error.contains("strange length"), "{len}: {error}");
        }
    }

    #[test]
    #[should_panic(expected = "more than there is")]
    fn more_than_the_ring_holds_is_never_touched() {
        let (_file, mut ring) = SharedRing::create(4096).expect("memory");
        ring.read(0, 0, &mut [0; 4097]);
    }
}
