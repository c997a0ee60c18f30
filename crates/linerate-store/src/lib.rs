//! The history of runs: an index of run files, in SQLite (one file) or, with the feature `postgres`, in
//! PostgreSQL (for a team).
//!
//! The run files stay the truth. The store keeps of each run what lists, charts and the search for
//! changes need: its path, what may vary, its tags, its figures, and its curve as bytes that only the
//! caller understands. It can be rebuilt from the run files.
//!
//! [`store::Store`] is the whole interface. Every statement is written once and runs on both databases,
//! so that they cannot differ in meaning; `database` is the seam between the two.

mod alias;
mod check;
mod curves;
mod database;
pub mod error;
mod export;
pub mod filter;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "file systems are numbered so on Linux only")
)]
mod journal;
pub mod location;
mod marks;
mod notes;
mod path;
mod paths;
mod prune;
pub mod record;
mod recording;
mod removal;
mod runs;
mod series;
pub mod store;
#[cfg(feature = "postgres")]
mod tls;

pub use alias::Alias;
pub use error::StoreError;
pub use filter::{FigureRange, Filter};
pub use location::Location;
pub use marks::ChangeState;
pub use notes::Notes;
pub use paths::{PathSummary, Recent};
pub use prune::{Pruned, Thinning};
pub use record::{Better, FigureRow, Fingerprint, PathId, Record};
pub use recording::{Existing, Recorded};
pub use removal::Removed;
pub use runs::StoredRun;
pub use series::{PathSeries, Point, RunMark, Series};
pub use store::{Access, Store};
