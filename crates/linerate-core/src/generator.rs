//! Which program wrote a file.

/// What files say that wrote them; also how a file is known to be one of linerate.
pub const GENERATOR: &str = concat!("linerate ", env!("CARGO_PKG_VERSION"));
