//! Statistics of measurement: the median and its interval, the histogram, warm-up, and the fit
//! of time against size.

mod fit;
mod histogram;
mod order;
mod passes;
mod warmup;

pub use fit::{Affine, fit_affine};
pub use histogram::{Histogram, HistogramError, PERCENTILES};
pub use order::{Estimate, median, median_in_place, median_interval};
pub use passes::over_passes;
pub use warmup::{warm_up, warm_up_of_stream};
