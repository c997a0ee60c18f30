//! The calls, elsewhere than on Linux: others number and fill what they tell of TCP in ways of their own.

use std::io;
use std::os::fd::AsFd;

use super::{Answer, Queues};
use crate::sys::absent;

pub(crate) fn tcp_info(_: impl AsFd) -> io::Result<Answer> {
    Err(absent())
}

pub(crate) fn window_clamp(_: impl AsFd) -> io::Result<u64> {
    Err(absent())
}

pub(crate) fn queues(_: impl AsFd) -> io::Result<Queues> {
    Err(absent())
}
