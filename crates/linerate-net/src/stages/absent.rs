//! The kernel's stamps, elsewhere than on Linux: no socket has any.

use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;
use std::os::fd::BorrowedFd;

use linerate_core::endpoint::LinkError;

use super::rounds::{Received, Rounds, Sent};
use crate::sys::ONLY_LINUX;

/// One end, which never is one.
pub(super) struct Stamper<'a> {
    never: Infallible,
    socket: PhantomData<BorrowedFd<'a>>,
}

impl<'a> Stamper<'a> {
    pub(super) fn new(_: BorrowedFd<'a>, _datagrams: bool) -> Result<Self, LinkError> {
        let source = io::Error::new(io::ErrorKind::Unsupported, format!("it is there {ONLY_LINUX}"));
        Err(LinkError::System { operation: "have the socket stamp its messages", source })
    }

    pub(super) fn set_stamping(&mut self, _: bool) -> Result<(), LinkError> {
        match self.never {}
    }

    pub(super) fn resize(&mut self, _: usize) {
        match self.never {}
    }

    pub(super) fn drain(&mut self) -> Result<(), LinkError> {
        match self.never {}
    }

    pub(super) fn send(&mut self, _: u32) -> Result<Sent, LinkError> {
        match self.never {}
    }

    pub(super) fn receive_with_care(&mut self, _: u32) -> Result<Option<Received>, LinkError> {
        match self.never {}
    }

    pub(super) fn receive(&mut self, _: u32) -> Result<Option<Received>, LinkError> {
        match self.never {}
    }

    pub(super) fn reap(&mut self, _: &mut Rounds) -> Result<(), LinkError> {
        match self.never {}
    }

    pub(super) fn is_acknowledged(&self) -> bool {
        match self.never {}
    }

    pub(super) fn settle(&mut self, _: &mut Rounds, _: bool) -> Result<(), LinkError> {
        match self.never {}
    }
}
