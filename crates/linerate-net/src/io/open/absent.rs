//! The engines of Linux, elsewhere: none of them opens.

use linerate_core::options::Io;
use linerate_core::units::Span;
use socket2::Socket;

use crate::io::{In, Out};
use crate::sys::ONLY_LINUX;

/// What an engine is opened for.
pub(super) struct Opening<'a>(#[expect(dead_code, reason = "none is opened for it")] &'a Socket);

impl<'a> Opening<'a> {
    pub(super) fn of(socket: &'a Socket, _largest: usize) -> Self {
        Self(socket)
    }

    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(super) fn outgoing(&self, _: Io, _: Span) -> Result<Out, String> {
        Err(only_linux())
    }

    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(super) fn incoming(&self, _: Io, _: Span) -> Result<In, String> {
        Err(only_linux())
    }
}

fn only_linux() -> String {
    format!("it is there {ONLY_LINUX}; take send-recv here")
}
