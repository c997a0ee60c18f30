//! Quantities as types: instants, spans, sizes and rates, and how people write them.
//!
//! Inside, time is a whole number of picoseconds and size a whole number of bytes, so that a
//! modelled run is exact. Outside, times are shown in us, rates in Mb/s (10^6 bit/s), and sizes
//! in bytes, KiB or MiB (1024).

mod digits;
pub mod optional_span;
mod rate;
mod size;
pub mod span_text;
mod time;
mod written;

pub use digits::digits;
pub use rate::{ParseRateError, Rate};
pub use size::{ParseSizeError, Size};
pub use span_text::SpanText;
pub use time::{ParseSpanError, Span, Time};
