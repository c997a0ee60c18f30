//! What was published about networks, and how the model is held against it.
//!
//! The claims are data (`claims/` in the repository): what was measured, its value and its unit,
//! and for each how it is checked. A check computes nothing by itself: it names runs of shipped
//! plans and what is read off them (`quantity::Quantity`), and says how near that must be. So the flow is
//! `Claims -> runs -> Results -> Judged`, and all of it but the running is here.

mod check;
mod constant;
mod curve;
mod data;
mod describe;
mod diameter;
mod evaluate;
mod quantity;
mod results;
mod runs;
mod select;
mod verdict;

#[cfg(test)]
mod tests;

pub(crate) use check::Status;
pub(crate) use curve::{Curve, Point};
pub(crate) use data::{Claim, Claims, Contradiction, Source};
pub(crate) use results::{Answer, Job, PlanFacts, Results, jobs};
pub(crate) use runs::{Figure, Mark, Run, Sweep};
pub(crate) use select::{Unknown, select};
pub(crate) use verdict::{Judged, Modelled, Tally, Verdict, judge};
