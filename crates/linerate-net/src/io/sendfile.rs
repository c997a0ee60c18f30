//! `sendfile` from a file in memory (`memfd_create`) that mirrors the messages.
//!
//! The kernel sends the file's own pages, so that the only copy is the one into the file. Held
//! bytes are copied once, by the first push of each: a trial's first message pays for that. Loose
//! bytes are copied at every push, into pages that nothing on its way refers to.

use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::MemfdFlags;
use rustix::io::Errno;

use super::{addresses, calls};
use crate::wait::{Wait, retry};

const PAGE: usize = 4096;
/// Most that one push copies of loose bytes: beyond that a copy is lost when the socket takes less.
const LOOSE: usize = 256 << 10;

/// A file whose content is that of the held memory, as far as it was sent.
#[derive(Debug)]
pub(super) struct Sendfile {
    file: OwnedFd,
    /// The address of the file's first byte.
    base: usize,
    /// Addresses whose bytes are in the file, in order, with gaps between.
    written: Vec<Range<usize>>,
}

impl Sendfile {
    pub(super) fn open() -> Result<Self, Errno> {
        let file = rustix::fs::memfd_create(c"linerate messages", MemfdFlags::CLOEXEC)?;
        Ok(Self { file, base: 0, written: Vec::new() })
    }

    pub(super) fn push(
        &mut self,
        socket: BorrowedFd<'_>,
        data: &[u8],
        wait: Wait,
        held: bool,
    ) -> Result<usize, Errno> {
        if wait == Wait::Never {
            return retry(|| calls::send(socket, data, wait));
        }
        let data = if held { data } else { &data[..data.len().min(LOOSE)] };
        if !held {
            self.forget()?;
        }
        self.write(data)?;
        let offset = (addresses(data).start - self.base) as u64;
        retry(|| rustix::fs::sendfile(socket, &self.file, Some(&mut offset.clone()), data.len()))
    }

    /// Empties the file. Pages that are on their way stay as they are: the file gets others.
    pub(super) fn forget(&mut self) -> Result<(), Errno> {
        self.written.clear();
        retry(|| rustix::fs::ftruncate(&self.file, 0))
    }

    /// Sees that `data` is in the file.
    fn write(&mut self, data: &[u8]) -> Result<(), Errno> {
        let wanted = addresses(data);
        let after = self.written.partition_point(|piece| piece.start <= wanted.start);
        if after.checked_sub(1).is_some_and(|at| wanted.end <= self.written[at].end) {
            return Ok(());
        }
        if self.written.is_empty() || wanted.start < self.base {
            self.forget()?;
            self.base = wanted.start - wanted.start % PAGE;
        }
        let mut rest = data;
        while !rest.is_empty() {
            let offset = (addresses(rest).start - self.base) as u64;
            let copied = retry(|| rustix::io::pwrite(&self.file, rest, offset))?;
            rest = &rest[copied..];
        }
        self.note(wanted);
        Ok(())
    }

    /// Adds addresses, and joins pieces that touch.
    fn note(&mut self, wanted: Range<usize>) {
        let first = self.written.partition_point(|piece| piece.end < wanted.start);
        let last = self.written.partition_point(|piece| piece.start <= wanted.end);
        let joined = self.written[first..last]
            .iter()
            .fold(wanted, |all, piece| all.start.min(piece.start)..all.end.max(piece.end));
        self.written.splice(first..last, [joined]);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn push(file: &mut Sendfile, socket: &UnixStream, data: &[u8], held: bool) {
        let sent = file.push(socket.as_fd(), data, Wait::Patiently, held).expect("it fits the socket");
        assert_eq!(sent, data.len());
    }

    fn arrived(mut socket: &UnixStream, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        socket.read_exact(&mut bytes).expect("it was sent");
        bytes
    }

    #[test]
    fn pieces_of_held_memory_are_written_once_and_found_again() {
        let mut file = Sendfile::open().expect("a memfd");
        let (here, there) = UnixStream::pair().expect("a pair");
        let mut memory: Vec<u8> = (0..20_000_u32).map(|place| ((place * 31) >> 3) as u8).collect();
        let expected = memory.clone();
        for piece in [5_000..9_000, 9_000..9_001, 12_000..13_000, 8_000..12_500, 5_000..13_000] {
            push(&mut file, &here, &memory[piece.clone()], true);
            assert!(arrived(&there, piece.len()) == expected[piece.clone()], "{piece:?}");
        }
        assert_eq!(file.written.len(), 1, "{:?}", file.written);
        // Nothing that is held changes; if it does all the same, the file shows that it was not
        // written again.
        memory[6_000] ^= 1;
        push(&mut file, &here, &memory[6_000..6_001], true);
        assert_eq!(arrived(&there, 1), expected[6_000..6_001]);
        push(&mut file, &here, &memory[..6_001], true);
        assert!(arrived(&there, 6_001) == memory[..6_001], "a push below the first begins anew");
    }

    #[test]
    fn loose_bytes_may_change_while_they_are_on_their_way() {
        let mut file = Sendfile::open().expect("a memfd");
        let (here, there) = UnixStream::pair().expect("a pair");
        let mut memory = vec![0_u8; 6_000];
        for value in 1..=9 {
            memory.fill(value);
            push(&mut file, &here, &memory, false);
        }
        for value in 1..=9 {
            assert!(arrived(&there, 6_000) == [value; 6_000], "message {value}");
        }
    }
}
