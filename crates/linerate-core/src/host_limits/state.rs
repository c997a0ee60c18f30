//! How busy and how quiet a host was while it was measured.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::observation::{Activity, Noise};

/// How busy and how quiet a host was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostState {
    /// Runnable threads over the last 1, 5 and 15 minutes, before the measurement.
    pub load_average: Fact<[f64; 3]>,
    /// Time that tasks waited, before the measurement.
    pub pressure: Fact<Pressure>,
    /// What others took during the measurement.
    pub activity: Activity,
    /// How often a loop that only reads the clock lost the processor.
    pub noise: Fact<Noise>,
    /// Interrupts during the measurement, over all processors.
    pub interrupts: Fact<EventRates>,
    /// Softirqs during the measurement, over all processors, by their names.
    pub softirqs: Fact<EventRates>,
}

/// The share of the last 10 seconds in which at least one task waited, from 0 to 1.
///
/// Source: kernel documentation, accounting/psi.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pressure {
    /// For a processor.
    pub cpu: Fact<f64>,
    /// For memory.
    pub memory: Fact<f64>,
    /// For a disk.
    pub io: Fact<f64>,
}

/// How often something happened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EventRates {
    /// Of all kinds.
    pub all_per_second: f64,
    /// Of each kind that happened at all.
    pub by_kind_per_second: BTreeMap<String, f64>,
}
