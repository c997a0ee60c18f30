//! HINT: how well a machine bounds an area, from the first moment until its memory is full.
//!
//! The area under (1 - x)/(1 + x) for x from 0 to 1 is enclosed by whole numbers, knowing only that the function falls. One
//! more subinterval makes the answer better by about one unit of quality; the merit is quality per second (QUIPS), drawn
//! against time and memory. Ranks do not communicate while they refine; then all sum two numbers. So a network shows by its
//! latency only.  Source: Gustafson and Snell, "HINT: a new way to measure computer performance", 1995; the decompositions
//! are ours (docs/applications/hint.md).

mod conduct;
mod decomposition;
mod grid;
mod number;
mod outcome;
mod quality;
mod refine;
mod share;
mod sum;
mod told;
mod trial;
mod verify;

use linerate_core::comm::Comm;
use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::decomposition::Decomposition;
pub use self::number::DataType;
pub use self::outcome::{HintOutcome, HintPoint, HintStop};
pub use self::quality::{net_quips, quality};
pub use self::sum::GlobalSum;

use self::conduct::{Conductor, follow};
use self::decomposition::Cut;
use self::number::Number;
use self::share::Share;
use crate::application::{AppError, AppWatch, Application, Told};
use crate::work::Work;

/// The most subintervals: they are counted in 32 bits.
const MOST: u64 = 1 << 31;

/// Everything that can be asked of HINT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hint {
    /// In which numbers it calculates.
    pub data: DataType,
    /// How the work is shared.
    pub decomposition: Decomposition,
    /// Chunks that the range of x is cut into, a power of two. If absent: 64 fixed ones; of interleaved ones at least four for
    /// each rank, and one on one rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u32>,
    /// By which algorithm ranks sum their bounds.
    pub sum: GlobalSum,
    /// The first number of subintervals. If absent: the fewest that can be shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<u64>,
    /// The largest number of subintervals. If absent: as many as the memory holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<u64>,
    /// From one number of subintervals to the next.
    pub growth: f64,
    /// The most memory of one rank.
    pub memory: Size,
    /// How long one trial takes: evaluations are repeated to fill it.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub run_time: Span,
    /// How many trials a size has; the shortest time counts.
    pub trials: u32,
    /// How often a size is run again that took longer than a larger one.
    pub patience: u32,
    /// It stops when QUIPS are below this share of the peak.
    pub stop_ratio: f64,
    /// It stops when an evaluation takes longer.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub stop_time: Span,
}

impl Default for Hint {
    /// The rules of HINT's driver, with shorter trials.
    fn default() -> Self {
        Self {
            data: DataType::Double,
            decomposition: Decomposition::Interleaved,
            chunks: None,
            sum: GlobalSum::RecursiveDoubling,
            smallest: None,
            largest: None,
            // 1 dB.
            growth: 1.2589,
            // Beyond the caches of most processors.
            memory: Size(128 << 20),
            run_time: Span::from_ms(10),
            trials: 5,
            patience: 7,
            stop_ratio: 0.1,
            stop_time: Span::from_ms(100_000),
        }
    }
}

impl Hint {
    fn cut(&self, ranks: usize) -> Cut {
        Cut::new(self.decomposition, ranks, self.chunks)
    }

    /// The most subintervals of all ranks together, and what it means to have them.
    fn most(&self, cut: &Cut) -> (u64, HintStop) {
        let each = self.memory.bytes() / self.data.bytes_each();
        let memory = each.saturating_mul(cut.ranks as u64).min(MOST);
        match self.largest {
            Some(largest) if largest <= memory => (largest, HintStop::Largest),
            _ => (memory, HintStop::Memory),
        }
    }

    async fn run_in<D: Number, C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
    ) -> Result<HintOutcome, AppError> {
        let cut = self.cut(work.size());
        let mut share = Share::<D>::new(cut, work.rank());
        if work.rank() > 0 {
            follow(self, work, &mut share).await?;
            return Ok(HintOutcome::default());
        }
        Conductor { plan: self, cut, work, share }.run(watch).await
    }

    fn check_cut(&self, ranks: usize) -> Result<Cut, String> {
        if ranks == 0 {
            return Err("run HINT on no ranks; ask for at least one".to_owned());
        }
        let cut = self.cut(ranks);
        let chunks = cut.chunks;
        // Chunks as narrow as a cell could not be halved.
        let most = 1_u32 << (self.data.bits() / 2 - 1);
        if !chunks.is_power_of_two() || chunks > most {
            return Err(format!(
                "cut the range of x into {chunks} chunks; ask for a power of two up to {most}"
            ));
        }
        if ranks > chunks as usize {
            return Err(format!(
                "share {chunks} chunks among {ranks} ranks; ask for at most {chunks} ranks, or for more chunks"
            ));
        }
        let fewest = cut.fewest();
        for asked in [self.smallest, self.largest].into_iter().flatten() {
            if !(fewest..=MOST).contains(&asked) {
                return Err(format!(
                    "refine {asked} subintervals in {chunks} chunks; ask for {fewest} to {MOST}"
                ));
            }
        }
        if self.smallest > self.largest && self.largest.is_some() {
            return Err("grow from the smallest size to a smaller one; swap smallest and largest".to_owned());
        }
        let first = cut.nearest(self.smallest.unwrap_or(fewest) as f64);
        match self.most(&cut) {
            (most, HintStop::Largest) if most < first => Err(format!(
                "begin with {first} subintervals, the nearest number that can be shared, and end with {most}; ask for a larger size"
            )),
            (most, _) if most < first => Err(format!(
                "hold the smallest size in {} of memory; ask for at least {} B",
                self.memory,
                first.div_ceil(ranks as u64) * self.data.bytes_each()
            )),
            _ => Ok(cut),
        }
    }

    fn check_rules(&self) -> Result<(), String> {
        if !(self.growth > 1.0 && self.growth <= 1e3) {
            return Err(format!("grow by a factor of {}; ask for more than 1 and at most 1000", self.growth));
        }
        if !(0.0..1.0).contains(&self.stop_ratio) {
            return Err(format!("stop at {} of the peak; ask for 0 or more, below 1", self.stop_ratio));
        }
        if self.trials == 0 || self.trials > 1_000 {
            return Err(format!("run {} trials; ask for 1 to 1000", self.trials));
        }
        if self.run_time == Span::ZERO || self.stop_time == Span::ZERO {
            return Err("run HINT in no time; ask for a run time and a stop time above 0".to_owned());
        }
        Ok(())
    }
}

impl Application for Hint {
    type Outcome = HintOutcome;
    const NAME: &'static str = "hint";
    const UNIT: &'static str = "subinterval";
    const MERIT: &'static str = "Net QUIPS";
    const TITLE: &'static str = "HINT";

    fn check(&self, ranks: usize) -> Result<(), AppError> {
        self.check_cut(ranks).and_then(|_| self.check_rules()).map_err(AppError::Plan)
    }

    fn memory(&self, ranks: usize) -> u64 {
        let all = self.largest.unwrap_or(u64::MAX).saturating_mul(self.data.bytes_each());
        self.memory.bytes().min(all / ranks.max(1) as u64)
    }

    fn told(&self, outcome: &HintOutcome) -> Told {
        told::told(outcome)
    }

    fn shown(&self, _: &HintOutcome) -> Result<Vec<u8>, AppError> {
        Ok(Vec::new())
    }

    async fn run<C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
    ) -> Result<HintOutcome, AppError> {
        match self.data {
            DataType::Double => self.run_in::<f64, C>(work, watch).await,
            DataType::Int => self.run_in::<u32, C>(work, watch).await,
        }
    }
}
