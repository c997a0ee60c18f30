//! Published claims about networks, and how the model is compared with them.
//!
//! The claims are data (`claims/` in the repository): what was measured, its value and its unit,
//! and for each how it is checked. A check computes nothing by itself: it names runs of shipped
//! plans, the values to read from them ([`Quantity`]), and the tolerance. So the flow is `Claims ->
//! jobs -> Results -> Judged`, with [`carry_out`] in its middle.

mod carry;
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
mod fixture;
#[cfg(test)]
mod tests;

pub use carry::{answer, carry_out, result_name};
pub use check::{Check, Compare, Miss, Status};
pub use constant::Constant;
pub use curve::{Curve, Point};
pub use data::{Claim, Claims, Contradiction, Source};
pub use quantity::{At, Between, Grant, Quantity, Swept};
pub use results::{Answer, Job, PlanFacts, Results, jobs};
pub use runs::{Figure, Mark, Run, Runs, Sweep};
pub use select::{Unknown, select};
pub use verdict::{Judged, Modelled, Tally, Verdict, judge};
