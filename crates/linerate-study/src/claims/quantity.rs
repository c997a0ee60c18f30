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

#[cfg(test)]
mod tests {
    use super::super::fixture::{made, quantity};
    use super::*;

    #[test]
    fn what_is_needed_is_found_however_deep_it_lies() {
        let text = "{ ratio = [{ sum = [{ peak = 'a' }, { mtu = 'b' }] }, \
             { least = [{ load = { run = 'c', of = 'jain' } }, { change = { runs = ['d', 'e'], below = 9 } }] }] }";
        let quantity = quantity(text);
        let needs: Vec<Need<'_>> = quantity.needs().collect();
        let expected =
            [Need::Curve("a"), Need::Plan("b"), Need::Load("c"), Need::Curve("d"), Need::Curve("e")];
        assert_eq!(needs, expected);
        assert_eq!(quantity.parts().last(), Some(&&quantity), "itself last");
        assert_eq!(quantity.parts().len(), 7);
    }

    #[test]
    fn each_quantity_needs_a_curve_a_load_a_sweep_a_plan_or_nothing() {
        for (text, need) in [
            ("{ peak-size = 'a' }", Some(Need::Curve("a"))),
            ("{ mean = 'a' }", Some(Need::Curve("a"))),
            ("{ latency = 'a' }", Some(Need::Curve("a"))),
            ("{ falls = 'a' }", Some(Need::Curve("a"))),
            ("{ throughput = { run = 'a', size = 1 } }", Some(Need::Curve("a"))),
            ("{ time = { run = 'a', size = 1 } }", Some(Need::Curve("a"))),
            ("{ lowest-from = { run = 'a', size = 1 } }", Some(Need::Curve("a"))),
            ("{ fall = { run = 'a', from = 1, to = 2 } }", Some(Need::Curve("a"))),
            ("{ dip = { run = 'a', from = 1, to = 2 } }", Some(Need::Curve("a"))),
            ("{ link = 'a' }", Some(Need::Plan("a"))),
            ("{ ceiling = 'a' }", Some(Need::Plan("a"))),
            ("{ granted = { run = 'a', of = 'usable-window' } }", Some(Need::Plan("a"))),
            ("{ number = 1 }", None),
            ("{ claim = 'Q001' }", None),
            ("{ rate = '1G' }", None),
        ] {
            assert_eq!(quantity(text).needs().next(), need, "{text}");
        }
        let swept = quantity("{ spread = { run = 'a', sweep = 'mtu' } }");
        let expected = Swept { run: "a".to_owned(), sweep: "mtu".to_owned() };
        assert_eq!(swept.needs().next(), Some(Need::Sweep(&expected)));
    }

    #[test]
    fn names_that_do_not_exist_are_found() {
        let claims = made(
            "[claims.Q001]\nstatus = 'definition'\nmodel = { number = 1 }\n\
             [claims.Q002]\nstatus = 'not-testable'\nreason = 'no'",
        );
        let text = "{ sum = [{ claim = 'Q009' }, { claim = 'Q001' }, { value = 'half' }, \
             { best = { run = 'a', sweep = 'size' } }, { spread = { run = 'a', sweep = 'mtu' } }, \
             { load = { run = 'a', of = 'speed' } }, { load = { run = 'a', of = 'jain' } }] }";
        let expected = ["claim Q009", "value half", "sweep size", "measure speed"];
        assert_eq!(quantity(text).unknown(&claims), expected);
    }
}
