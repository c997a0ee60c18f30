//! The processors of a thread, elsewhere than on Linux: the system does not say, and no thread is pinned.

use std::io;

use crate::sys::absent;

/// Always `None`.
#[must_use]
pub fn current_cpu() -> Option<u32> {
    None
}

/// Always refused.
///
/// # Errors
///
/// `Unsupported`.
pub fn pin_to(_cpu: u32) -> Result<(), io::Error> {
    Err(absent())
}

pub(crate) fn may_use(_cpu: u32) -> Result<(), io::Error> {
    Err(absent())
}

pub(crate) fn usable_cpus() -> Result<Vec<u32>, io::Error> {
    Err(absent())
}
