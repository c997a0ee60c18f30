//! `send_zc`: like `MSG_ZEROCOPY`, with the kernel's word on each send as a second answer.
//!
//! A held message may be sent again at once; a push of loose bytes returns when the kernel has done
//! with them.  Source: io_uring_prep_send_zc(3).

use std::io;
use std::os::fd::BorrowedFd;

use io_uring::{cqueue, opcode};
use linerate_core::units::Span;
use rustix::io::Errno;

use super::{Answer, Ring, Waiting, descriptor, length, outcome, plain, send_flags};
use crate::wait::{Wait, retry};

/// `IORING_SEND_ZC_REPORT_USAGE`: the second answer says whether the kernel copied.
const REPORT: u16 = 1 << 3;
/// `IORING_NOTIF_USAGE_ZC_COPIED`, the sign bit of the second answer's result.
const COPIED: i32 = i32::MIN;
/// Second answers that are waited for at most, so that they all find room.
const MANY: u32 = super::ANSWERS / 2;

/// The sending direction of a socket.
#[derive(Debug)]
pub(crate) struct Zerocopy {
    ring: Ring,
    /// Sends of which the kernel has not said that it has done with them.
    under_way: u32,
    asked: u64,
    copied: u64,
    /// Sends that failed, whose second answers count for nothing.
    failed: Vec<u64>,
}

impl Zerocopy {
    pub(crate) fn open(patience: Span) -> io::Result<Self> {
        let ring = Ring::open(patience)?;
        ring.need(opcode::SendZc::CODE, "its io_uring has no `send_zc`, which came with Linux 6.0")?;
        Ok(Self { ring, under_way: 0, asked: 0, copied: 0, failed: Vec::new() })
    }

    pub(crate) fn send(
        &mut self,
        socket: BorrowedFd<'_>,
        data: &[u8],
        wait: Wait,
        held: bool,
    ) -> Result<usize, Errno> {
        if self.under_way >= MANY {
            self.settle(Wait::Patiently)?;
        }
        if !held && wait == Wait::Never {
            self.settle(Wait::Never)?;
            return match self.under_way {
                0 => plain::send(&mut self.ring, socket, data, wait),
                // Answers of two kinds are never awaited at once.
                _ => Err(Errno::AGAIN),
            };
        }
        let sent = retry(|| self.send_once(socket, data, wait))?;
        self.asked += 1;
        if !held {
            self.settle(Wait::Patiently)?;
        }
        Ok(sent)
    }

    fn send_once(&mut self, socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
        let request = opcode::SendZc::new(descriptor(socket), data.as_ptr(), length(data.len()));
        let request = request.flags(send_flags(wait)).zc_flags(REPORT).build();
        // SAFETY: `data` is borrowed until the first answer has come or `withdraw` has returned; for
        // what comes after it the kernel has references to the pages, which it only reads.
        let number = unsafe { self.ring.queue(request)? };
        let waiting = Waiting::begin(self.ring.patience);
        let mut left = self.ring.patience;
        loop {
            if let Err(error) = self.ring.enter(left) {
                self.ring.withdraw(number);
                return Err(error);
            }
            let mut first = None;
            while let Some(answer) = self.ring.answer() {
                if answer.request == number && !cqueue::notif(answer.flags) {
                    self.under_way += u32::from(cqueue::more(answer.flags));
                    first = Some(answer.result);
                    if answer.result < 0 && cqueue::more(answer.flags) {
                        self.failed.push(number);
                    }
                } else {
                    self.note(answer);
                }
            }
            if let Some(result) = first {
                return outcome(result);
            }
            left = self.ring.left_or_cancel(number, &waiting);
        }
    }

    /// Notes a second answer.
    fn note(&mut self, answer: Answer) {
        if !cqueue::notif(answer.flags) {
            return;
        }
        self.under_way = self.under_way.saturating_sub(1);
        match self.failed.iter().position(|number| *number == answer.request) {
            Some(at) => drop(self.failed.swap_remove(at)),
            None => self.copied += u64::from(answer.result & COPIED != 0),
        }
    }

    /// Waits until the kernel has done with every send, or just looks.
    pub(crate) fn settle(&mut self, wait: Wait) -> Result<(), Errno> {
        let waiting = Waiting::begin(self.ring.patience);
        loop {
            while let Some(answer) = self.ring.answer() {
                self.note(answer);
            }
            if self.under_way == 0 || wait == Wait::Never {
                return Ok(());
            }
            self.ring.enter(waiting.left().ok_or(Errno::AGAIN)?)?;
        }
    }

    /// Sends asked to be without a copy, and those that were copied.
    pub(crate) const fn counts(&self) -> [u64; 2] {
        [self.asked, self.copied]
    }
}
