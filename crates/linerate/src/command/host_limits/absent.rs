//! Measuring the limits of this host, elsewhere than on Linux: they are not measured.

use linerate_core::host_limits::HostLimits;

use crate::command::conduct::Surroundings;
use crate::command::only_linux;
use crate::trouble::Trouble;

/// None, unless `is_asked`.
pub(in crate::command) fn before_run(
    is_asked: bool,
    _around: Surroundings<'_>,
) -> Result<Option<HostLimits>, Trouble> {
    if is_asked { Err(only_linux("measure this host")) } else { Ok(None) }
}
