//! Every pair of many ranks: every option of `linerate mesh` that no other task has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Common, Level, PlanError};
use crate::comm::call::Call;
use crate::named::named;
use crate::pattern::Pattern;
use crate::transport::Transport;
use crate::units::{Size, Span, SpanText, span_text};

/// Default of [`MeshPlan::visit`].
pub const DEFAULT_VISIT: Span = Span::from_ms(20);
/// Default of [`MeshPlan::matchings`]: the fewest whose mean is taken for the effective bisection bandwidth.
pub const DEFAULT_MATCHINGS: u32 = 30;
/// The sizes of collectives if none are given. Unit: bytes.
const DEFAULT_COLLECTIVE_SIZES: [u64; 6] = [8, 64, 1 << 10, 8 << 10, 64 << 10, 1 << 20];
/// The most memory of a rank for a collective. Unit: bytes.
pub const LARGEST_CALL: u64 = 1 << 30;
/// The longest message of a pass, unless those of the plan are longer. Unit: bytes.
pub(crate) const LONGEST_PASS: u64 = 16 << 20;
/// The largest message of a mesh: every rank holds two of them. Unit: bytes.
pub(crate) const LARGEST: u64 = 1 << 28;

/// Every pair of many ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeshPlan {
    /// Who talks to whom at the same time, one after the other.
    pub schedules: Vec<MeshSchedule>,
    /// Sizes of messages that go there and back: half the round trip is their time. Unit: bytes.
    pub latency: Vec<Size>,
    /// Sizes of messages that go one way without a pause. Unit: bytes.
    pub throughput: Vec<Size>,
    /// How long one rank sends to another at one size.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub visit: Span,
    /// How often every schedule is gone through, each time in another order.
    pub repeat: u32,
    /// Of the schedule `bisection`: how many random matchings.
    pub matchings: u32,
    /// What all ranks call together, such as `allreduce:ring`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collectives: Vec<Call>,
    /// Sizes of the collectives: of the whole vector of a broadcast or a reduction, of the block of one rank or pair of the
    /// others. Unit: bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collective_sizes: Vec<Size>,
    /// How often each slow pair is measured alone afterwards. 0 leaves that out.
    pub recheck: u32,
    /// What is slower than this share above the usual is worth a name.
    pub tolerance: f64,
}

/// Who talks to whom at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeshSchedule {
    /// Every pair, in rounds in which every rank is in one pair.
    Pairs,
    /// Every pair, one at a time.
    Serial,
    /// Every rank to the rank that follows it by 1, then by 2, and so on: every port is loaded both ways.
    Shifts,
    /// Every rank to the next one, by number.
    Ring,
    /// Every rank to the next one of a random order.
    RandomRing,
    /// Random matchings: the mean over them is the effective bisection bandwidth.
    Bisection,
    /// All others to one rank, for each rank.
    FanIn,
    /// One rank to all others, for each rank.
    FanOut,
    /// A fifth of the ranks in pairs, alone and beside the others, which load the network.
    Victim,
    /// After the others: the pairs that were slow, and as many that were not, one at a time.
    Recheck,
}

impl MeshSchedule {
    /// Those that can be asked for.
    pub const ALL: [Self; 9] = [
        Self::Pairs,
        Self::Serial,
        Self::Shifts,
        Self::Ring,
        Self::RandomRing,
        Self::Bisection,
        Self::FanIn,
        Self::FanOut,
        Self::Victim,
    ];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Serial => "serial",
            Self::Shifts => "shifts",
            Self::Ring => "ring",
            Self::RandomRing => "random-ring",
            Self::Bisection => "bisection",
            Self::FanIn => "fan-in",
            Self::FanOut => "fan-out",
            Self::Victim => "victim",
            Self::Recheck => "recheck",
        }
    }

    /// Whether each of its pairs is measured by itself, at every size and both ways.
    #[must_use]
    pub const fn is_of_pairs(self) -> bool {
        matches!(self, Self::Pairs | Self::Serial | Self::Recheck)
    }
}

named!(MeshSchedule, "no schedule of a mesh is called {:?}: {}");

/// What is measured of a pair: a pattern and a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Probe {
    /// Ping-pong or one-way.
    pub pattern: Pattern,
    /// Size of a message. Unit: bytes.
    pub size: u64,
}

/// What a rank holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshMemory {
    /// The largest message. Unit: bytes.
    pub message: u64,
    /// Everything. Unit: bytes.
    pub all: u64,
}

impl MeshPlan {
    /// What is measured of each pair: first latencies, then throughputs, by size.
    #[must_use]
    pub fn probes(&self) -> Vec<Probe> {
        let of = |sizes: &[Size], pattern| {
            let mut sizes: Vec<u64> = sizes.iter().map(|size| size.0).collect();
            sizes.sort_unstable();
            sizes.dedup();
            sizes.into_iter().map(move |size| Probe { pattern, size })
        };
        of(&self.latency, Pattern::PingPong).chain(of(&self.throughput, Pattern::OneWay)).collect()
    }

    /// Every collective at every size that is defined for so many ranks: algorithms for powers of two are left out for other
    /// numbers. A barrier has no size, and is called once.
    #[must_use]
    pub fn calls(&self, ranks: usize) -> Vec<(Call, u64)> {
        let sizes: Vec<u64> = if self.collective_sizes.is_empty() {
            DEFAULT_COLLECTIVE_SIZES.to_vec()
        } else {
            self.collective_sizes.iter().map(|size| size.0).collect()
        };
        let of = |call: &Call| match call {
            Call::Barrier => vec![(Call::Barrier, 0)],
            call => sizes.iter().map(|bytes| (*call, *bytes)).collect(),
        };
        self.collectives.iter().filter(|call| call.takes(ranks)).flat_map(of).collect()
    }

    /// What a rank holds, if there are so many: a message each way of the longest kind, and a collective beside them.
    #[must_use]
    pub fn memory(&self, ranks: usize) -> MeshMemory {
        let message = self.largest();
        let calls = self.calls(ranks);
        let collective = calls.iter().map(|(call, bytes)| call.memory(ranks, *bytes)).max().unwrap_or(0);
        MeshMemory { message, all: 2 * message.max(LONGEST_PASS) + collective }
    }

    /// Refuses what so many ranks cannot do.
    ///
    /// # Errors
    ///
    /// When a collective needs more memory than a rank takes for it, or none is defined for so many ranks.
    pub fn check_for(&self, ranks: usize) -> Result<(), PlanError> {
        let calls = self.calls(ranks);
        let large = calls.iter().find(|(call, bytes)| call.memory(ranks, *bytes) > LARGEST_CALL);
        let value = large.map(|(call, bytes)| format!("{bytes} B of {call} on {ranks} ranks"));
        PlanError::range(
            large.is_none(),
            "collective-sizes",
            value.unwrap_or_default(),
            "at most what a rank can hold in 1 GiB",
        )?;
        PlanError::range(
            self.collectives.is_empty() || !calls.is_empty(),
            "collectives",
            format!("{} on {ranks} ranks", self.collectives.first().map_or("", |call| call.name())),
            "another, or on a power of two: it is not defined for other numbers of ranks",
        )
    }

    /// The probe of the schedules that load many paths at once: the largest throughput, or else the last.
    #[must_use]
    pub fn loading(&self) -> usize {
        self.probes().len().saturating_sub(1)
    }

    /// Checks every option together with those of `common`.
    pub(super) fn check(&self, common: &Common) -> Result<(), PlanError> {
        let range = PlanError::range;
        let none = String::from("empty");
        let asks = !self.schedules.is_empty() || !self.collectives.is_empty();
        range(
            asks,
            "schedules",
            none.clone(),
            "at least one, such as pairs, or collectives must be asked for",
        )?;
        let asked = self.schedules.iter().find(|schedule| **schedule == MeshSchedule::Recheck);
        range(
            asked.is_none(),
            "schedules",
            "recheck".to_owned(),
            "others: recheck = 5 measures slow pairs alone",
        )?;
        let sized = !self.latency.is_empty() || !self.throughput.is_empty();
        range(sized, "latency", none, "a size, or throughput must be")?;
        for (field, sizes) in [("latency", &self.latency), ("throughput", &self.throughput)] {
            let wrong = sizes.iter().find(|size| !(1..=LARGEST).contains(&size.0));
            let value = wrong.map(ToString::to_string).unwrap_or_default();
            range(wrong.is_none(), field, value, "from 1 byte to 256 MiB")?;
            range(sizes.len() <= 512, field, format!("{} sizes", sizes.len()), "at most 512 sizes")?;
        }
        let wrong = self.collective_sizes.iter().find(|size| !(1..=LARGEST).contains(&size.0));
        let value = wrong.map(ToString::to_string).unwrap_or_default();
        range(wrong.is_none(), "collective-sizes", value, "from 1 byte to 256 MiB")?;
        let visit = Span::from_us(10)..=Span::from_ms(60_000);
        range(visit.contains(&self.visit), "visit", self.visit.exact(), "from 10us to 60s")?;
        range((1..=1000).contains(&self.repeat), "repeat", self.repeat.to_string(), "from 1 to 1000")?;
        range(
            (1..=100_000).contains(&self.matchings),
            "matchings",
            self.matchings.to_string(),
            "from 1 to 100000",
        )?;
        range(self.recheck <= 1000, "recheck", self.recheck.to_string(), "at most 1000")?;
        range(
            (0.01..=10.0).contains(&self.tolerance),
            "tolerance",
            format!("{:?}", self.tolerance),
            "from 0.01 to 10",
        )?;
        let between_ranks = matches!(common.transport, Transport::Tcp | Transport::Mpi);
        let allowed = "tcp, or mpi in linerate-mpi: ranks talk over nothing else yet";
        range(between_ranks, "transport", common.transport.to_string(), allowed)?;
        common.check_places()?;
        common.check_level(Level::Round, "point: pairs of ranks have no rounds of their own")?;
        common.check_level(Level::Interval, "point: pairs of ranks have no intervals")
    }

    /// The largest message. Unit: bytes.
    pub(super) fn largest(&self) -> u64 {
        self.probes().iter().map(|probe| probe.size).max().unwrap_or(0)
    }
}

impl Default for MeshPlan {
    fn default() -> Self {
        Self {
            schedules: vec![MeshSchedule::Pairs],
            latency: vec![Size(1)],
            throughput: vec![Size(1 << 20)],
            visit: DEFAULT_VISIT,
            repeat: 3,
            matchings: DEFAULT_MATCHINGS,
            collectives: Vec::new(),
            collective_sizes: Vec::new(),
            recheck: 5,
            tolerance: 0.1,
        }
    }
}
