//! What cells cost, and which give most for it.

use serde::Serialize;

use super::prices::Bill;

/// What the cells of an experiment cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Costs {
    /// Of all amounts.
    pub currency: String,
    /// Of when the prices are.
    pub date: String,
    /// Where they come from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The title of the merit: the goal.
    pub merit: String,
    /// Its unit.
    pub unit: String,
    /// The cells with a price and a merit, the cheapest first.
    pub offers: Vec<Offer>,
}

/// A cell as something that can be bought.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offer {
    /// Its index in the findings' cells.
    pub cell: usize,
    /// What is bought.
    pub bill: Bill,
    /// All of it. Unit: the currency.
    pub cost: f64,
    /// The merit.
    pub merit: f64,
    /// Its interval over runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Merit for each unit of the currency.
    pub merit_per_cost: f64,
    /// Offers that give more for less, by their cells. Empty: it is on the front.
    pub beaten_by: Vec<usize>,
    /// Whether it is beaten by values only, and the intervals overlap.
    pub uncertain: bool,
}
