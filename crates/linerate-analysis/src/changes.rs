//! Changes over time: steps and slow drifts of a path's key figures, told from outliers and from a
//! change of spread, with what changed beside them.
//!
//! Values are searched on a logarithmic scale, so that a change is a ratio; shares and counts that are
//! often 0 by their square roots. The rule, with the rates of false alarms and of misses that were
//! measured, is in `docs/tracking.md`, "How changes are found". The search is deterministic: sums have
//! a fixed order, and the first of equal maxima wins.
//!
//! [`changes`] does all of it; [`Searched`] and [`conclude`] are its two halves, of which the first may
//! run in parallel.

mod account;
mod candidates;
mod change_id;
mod drift;
mod edivisive;
mod event;
mod excursion;
mod figure_history;
mod kept;
mod neighbours;
mod noise;
mod path;
mod path_changes;
mod pieces;
mod scale;
mod search;
mod settle;
mod significance;
mod spread;
mod sums;
mod take_back;

pub use change_id::{ChangeId, ParseChangeIdError, match_changes};
pub use event::{Event, Kind, Member};
pub use figure_history::{
    Drift, FigureHistory, Outlier, Shift, SpreadChange, Standing, Step, Stretch, Verdict,
};
pub use path::{FigureValues, LengthError, Path, Run};
pub use path_changes::{PathChanges, Searched, changes, conclude};
