//! Numbers that a check compares, described as data: a value read from a run, a constant of the
//! simulator, another claim, and arithmetic on those.

use serde::Deserialize;

use super::constant::Constant;
use super::data::Claims;
use crate::study::MEASURES;

/// A number and where it comes from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// For units and for arithmetic that a source does in words.
    Number(f64),
    /// The number of another claim.
    Claim(String),
    /// One that has a name, because several checks use it.
    Value(String),
    /// A number of the simulator's code.
    Constant(Constant),
    /// Rate of a physical layer's MAC data. Unit: Mb/s.
    Rate(String),
    /// Symbols a second of a physical layer, all its lanes together. Unit: Mbaud.
    Baud(String),
    /// Bits of data for each binary symbol of a physical layer.
    Code(String),
    /// Slot time of a physical layer. Unit: bytes.
    Slot(String),
    /// How far apart two stations of a collision domain may be. Unit: metres.
    Diameter {
        /// Whose rate and cable.
        phy: String,
        /// Whose slot.
        slot: String,
    },
    /// Largest IP packet of a plan's network. Unit: bytes.
    Mtu(String),
    /// Rate of a run's lines, line coding taken off. Unit: Mb/s.
    Link(String),
    /// The most payload that framing leaves of that. Unit: Mb/s.
    Ceiling(String),
    /// What a run's receiving end was granted. Unit: bytes.
    Granted {
        /// Which run.
        run: String,
        /// Which buffer.
        of: Grant,
    },
    /// Highest throughput of a run's curve. Unit: Mb/s.
    Peak(String),
    /// The size that has it. Unit: bytes.
    PeakSize(String),
    /// Mean throughput over all sizes. Unit: Mb/s.
    Mean(String),
    /// Time of the smallest message. Unit: us.
    Latency(String),
    /// How often throughput falls with size and recovers.
    Falls(String),
    /// Throughput at a size. Unit: Mb/s.
    Throughput(At),
    /// One-way time at a size. Unit: us.
    Time(At),
    /// Lowest throughput from a size on. Unit: Mb/s.
    LowestFrom(At),
    /// Share of throughput lost from one size to another, negative where it grows. Unit: %.
    Fall(Between),
    /// The first size between two at which throughput falls, to recover later. Unit: bytes.
    Dip(Between),
    /// Most that two runs differ at any size below one, of the second's throughput. Unit: %.
    Change {
        /// The two.
        runs: [String; 2],
        /// Unit: bytes.
        below: u64,
    },
    /// The least that one run's throughput is of another's at the same size, over a part of the
    /// curves. Unit: 1.
    LeastRatio {
        /// The one, and the other.
        runs: [String; 2],
        /// Unit: bytes.
        from: u64,
        /// Unit: bytes.
        to: u64,
    },
    /// A measure of a run under load, by the name that `linerate model load --format csv` has.
    Load {
        /// Which run.
        run: String,
        /// Which measure.
        of: String,
    },
    /// The value of a sweep at which the peak is highest.
    Best(Swept),
    /// By how much the highest peak of a sweep is above the lowest. Unit: %.
    Spread(Swept),
    /// The first over the second.
    Ratio([Box<Self>; 2]),
    /// By how much the first is above the second. Unit: %.
    Gain([Box<Self>; 2]),
    /// The first less the second.
    Difference([Box<Self>; 2]),
    /// All of them together.
    Sum(Vec<Self>),
    /// All of them multiplied.
    Product(Vec<Self>),
    /// Their arithmetic mean.
    MeanOf(Vec<Self>),
    /// The smallest.
    Least(Vec<Self>),
}

/// A size of a run's curve.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// Whose curve.
    pub run: String,
    /// Unit: bytes.
    pub size: u64,
}

/// A part of a run's curve. Unit: bytes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Between {
    /// Whose curve.
    pub run: String,
    /// Smaller message.
    pub from: u64,
    /// Larger message.
    pub to: u64,
}

/// A run at every value of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swept {
    /// Which run.
    pub run: String,
    /// Over which sweep.
    pub sweep: String,
}

/// What is granted to a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// Its receive buffer.
    ReceiveBuffer,
    /// The window that it can offer.
    UsableWindow,
}

/// What a quantity needs of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need<'a> {
    /// Its curve.
    Curve(&'a str),
    /// Its load.
    Load(&'a str),
    /// Its curve at every value of a sweep.
    Sweep(&'a Swept),
    /// The plan alone.
    Plan(&'a str),
}

impl Quantity {
    /// What it is computed from, itself last.
    pub fn parts(&self) -> Vec<&Self> {
        let within: Vec<&Self> = match self {
            Self::Ratio(pair) | Self::Gain(pair) | Self::Difference(pair) => {
                pair.iter().map(AsRef::as_ref).collect()
            }
            Self::Sum(all) | Self::Product(all) | Self::MeanOf(all) | Self::Least(all) => {
                all.iter().collect()
            }
            _ => Vec::new(),
        };
        within.into_iter().flat_map(Self::parts).chain([self]).collect()
    }

    /// Everything that it needs.
    pub fn needs(&self) -> impl Iterator<Item = Need<'_>> {
        self.parts().into_iter().flat_map(Self::own_needs)
    }

    fn own_needs(&self) -> Vec<Need<'_>> {
        match self {
            Self::Peak(run)
            | Self::PeakSize(run)
            | Self::Mean(run)
            | Self::Latency(run)
            | Self::Falls(run)
            | Self::Throughput(At { run, .. })
            | Self::Time(At { run, .. })
            | Self::LowestFrom(At { run, .. })
            | Self::Fall(Between { run, .. })
            | Self::Dip(Between { run, .. }) => vec![Need::Curve(run)],
            Self::Change { runs, .. } | Self::LeastRatio { runs, .. } => {
                runs.iter().map(|run| Need::Curve(run)).collect()
            }
            Self::Load { run, .. } => vec![Need::Load(run)],
            Self::Best(swept) | Self::Spread(swept) => vec![Need::Sweep(swept)],
            Self::Mtu(run) | Self::Link(run) | Self::Ceiling(run) | Self::Granted { run, .. } => {
                vec![Need::Plan(run)]
            }
            _ => Vec::new(),
        }
    }

    /// Names of claims, values and sweeps in it that there are not.
    pub(super) fn unknown(&self, claims: &Claims) -> Vec<String> {
        let missing = |part: &Self| match part {
            Self::Claim(id) if claims.claim(id).is_none() => Some(format!("claim {id}")),
            Self::Value(name) if !claims.runs.values.contains_key(name) => Some(format!("value {name}")),
            Self::Best(swept) | Self::Spread(swept) if !claims.runs.sweeps.contains_key(&swept.sweep) => {
                Some(format!("sweep {}", swept.sweep))
            }
            Self::Load { of, .. } if !MEASURES.iter().any(|measure| measure.name == of) => {
                Some(format!("measure {of}"))
            }
            _ => None,
        };
        self.parts().into_iter().filter_map(missing).collect()
    }
}
