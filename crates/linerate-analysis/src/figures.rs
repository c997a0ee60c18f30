//! The figures by which runs are compared and followed over time: each a name, a value and which way is
//! better.

mod band;
mod ranks;
mod sheet;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use linerate_core::traffic::Direction;

pub use band::Band;
pub use sheet::{Sheet, SizeTimes};

/// One figure of one curve or load.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Key {
    /// The pattern of a curve, such as `ping-pong`; the name of a load, such as `stream` or `idle`.
    pub subject: String,
    /// Which figure of it.
    pub figure: Figure,
}

/// Which figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
pub enum Figure {
    /// One-way time of the smallest message below 64 B.
    Latency,
    /// Highest throughput of any size.
    Peak,
    /// The size from which throughput is half the peak.
    HalfPerformance,
    /// The size from which time grows with size.
    Saturation,
    /// Geometric mean of the one-way times of a band of sizes.
    Band(Band),
    /// Payload rate of the flows of a direction.
    Rate(Direction),
    /// Share of the datagrams of a direction that was lost or dropped.
    Loss(Direction),
    /// Segments that the senders of a direction sent again, for each 10^9 bytes.
    Retransmissions(Direction),
    /// Processor time of the senders of a direction, for each 10^9 bytes.
    SenderCpu(Direction),
    /// Processor time of the receivers of a direction, for each 10^9 bytes.
    ReceiverCpu(Direction),
    /// Transactions a second.
    Transactions,
    /// Median latency of requests.
    P50,
    /// 99th percentile of it.
    P99,
    /// 99.9th percentile of it.
    P999,
    /// Of many ranks: median over all pairs of the one-way time.
    PairTime,
    /// The one-way time of the slowest pair.
    WorstPairTime,
    /// Median over all pairs of the rate one way.
    PairRate,
    /// The rate of the slowest pair.
    WorstPairRate,
    /// Mean rate of a way while all are used.
    TogetherRate,
    /// Mean time of a collective until the last rank has its result.
    CallTime,
    /// Of an application on some ranks: its merit.
    Merit,
    /// How long it took.
    Took,
    /// The share of its ranks' time that was communication, and waiting.
    CommunicationShare,
}

/// What a value is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Microseconds.
    Microseconds,
    /// 10^6 bit/s of payload.
    Mbps,
    /// Bytes.
    Bytes,
    /// A share, 0 to 1.
    Share,
    /// For each second.
    PerSecond,
    /// Segments for each 10^9 bytes.
    PerGigabyte,
    /// Seconds for each 10^9 bytes.
    SecondsPerGigabyte,
    /// Seconds.
    Seconds,
    /// What an application counts its merit in.
    Merit,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// Neither: it tells where something lies.
    Neither,
}

/// A figure of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// Which figure.
    pub key: Key,
    /// Its value, in the [`Figure::unit`].
    pub value: f64,
    /// Its 95 % interval within the run, if there is one.
    pub interval: Option<[f64; 2]>,
}

impl Figure {
    /// What its values are counted in.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::Latency
            | Self::Band(_)
            | Self::P50
            | Self::P99
            | Self::P999
            | Self::PairTime
            | Self::WorstPairTime
            | Self::CallTime => Unit::Microseconds,
            Self::Peak | Self::Rate(_) | Self::PairRate | Self::WorstPairRate | Self::TogetherRate => {
                Unit::Mbps
            }
            Self::HalfPerformance | Self::Saturation => Unit::Bytes,
            Self::Loss(_) | Self::CommunicationShare => Unit::Share,
            Self::Merit => Unit::Merit,
            Self::Took => Unit::Seconds,
            Self::Retransmissions(_) => Unit::PerGigabyte,
            Self::SenderCpu(_) | Self::ReceiverCpu(_) => Unit::SecondsPerGigabyte,
            Self::Transactions => Unit::PerSecond,
        }
    }

    /// Which way is better.
    #[must_use]
    pub const fn better(self) -> Better {
        match self {
            Self::Peak
            | Self::Rate(_)
            | Self::Transactions
            | Self::PairRate
            | Self::WorstPairRate
            | Self::TogetherRate
            | Self::Merit => Better::More,
            Self::HalfPerformance | Self::Saturation => Better::Neither,
            _ => Better::Less,
        }
    }

    /// Whether values are compared by their ratio. Counts and shares that are often 0 are compared by
    /// their difference.
    #[must_use]
    pub const fn is_ratio(self) -> bool {
        !matches!(self, Self::Loss(_) | Self::Retransmissions(_) | Self::CommunicationShare)
    }

    /// Which way the bytes went that it is of, if that is said.
    #[must_use]
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Self::Rate(direction)
            | Self::Loss(direction)
            | Self::Retransmissions(direction)
            | Self::SenderCpu(direction)
            | Self::ReceiverCpu(direction) => Some(direction),
            _ => None,
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> String {
        let way = |what: &str, direction: Direction| format!("{what}, {}", direction.name());
        match self {
            Self::Latency => "latency".to_owned(),
            Self::Peak => "peak".to_owned(),
            Self::HalfPerformance => "N1/2".to_owned(),
            Self::Saturation => "saturation".to_owned(),
            Self::Band(band) => band.to_string(),
            Self::Rate(direction) => way("rate", direction),
            Self::Loss(direction) => way("loss", direction),
            Self::Retransmissions(direction) => way("retransmitted", direction),
            Self::SenderCpu(direction) => way("sender's CPU", direction),
            Self::ReceiverCpu(direction) => way("receiver's CPU", direction),
            Self::Transactions => "transactions".to_owned(),
            Self::P50 => "p50".to_owned(),
            Self::P99 => "p99".to_owned(),
            Self::P999 => "p99.9".to_owned(),
            Self::PairTime => "time, median pair".to_owned(),
            Self::WorstPairTime => "time, worst pair".to_owned(),
            Self::PairRate => "rate, median pair".to_owned(),
            Self::WorstPairRate => "rate, worst pair".to_owned(),
            Self::TogetherRate => "rate, all at once".to_owned(),
            Self::CallTime => "time of a call".to_owned(),
            Self::Merit => "merit".to_owned(),
            Self::Took => "time".to_owned(),
            Self::CommunicationShare => "communication".to_owned(),
        }
    }

    /// Every figure there is.
    pub fn all() -> impl Iterator<Item = Self> {
        let plain = [
            Self::Latency,
            Self::Peak,
            Self::HalfPerformance,
            Self::Saturation,
            Self::Transactions,
            Self::P50,
            Self::P99,
            Self::P999,
            Self::PairTime,
            Self::WorstPairTime,
            Self::PairRate,
            Self::WorstPairRate,
            Self::TogetherRate,
            Self::CallTime,
            Self::Merit,
            Self::Took,
            Self::CommunicationShare,
        ];
        let of_directions = Direction::ALL.into_iter().flat_map(|direction| {
            [
                Self::Rate(direction),
                Self::Loss(direction),
                Self::Retransmissions(direction),
                Self::SenderCpu(direction),
                Self::ReceiverCpu(direction),
            ]
        });
        plain.into_iter().chain(Band::ALL.map(Self::Band)).chain(of_directions)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = |out: &mut fmt::Formatter<'_>, what: &str, direction: &Direction| {
            write!(out, "{what}-{}", direction.name())
        };
        match self {
            Self::Latency => out.write_str("latency"),
            Self::Peak => out.write_str("peak"),
            Self::HalfPerformance => out.write_str("half-performance"),
            Self::Saturation => out.write_str("saturation"),
            Self::Band(band) => write!(out, "band-{}", band.name()),
            Self::Rate(direction) => way(out, "rate", direction),
            Self::Loss(direction) => way(out, "loss", direction),
            Self::Retransmissions(direction) => way(out, "retransmissions", direction),
            Self::SenderCpu(direction) => way(out, "sender-cpu", direction),
            Self::ReceiverCpu(direction) => way(out, "receiver-cpu", direction),
            Self::Transactions => out.write_str("transactions"),
            Self::P50 => out.write_str("p50"),
            Self::P99 => out.write_str("p99"),
            Self::P999 => out.write_str("p99.9"),
            Self::PairTime => out.write_str("pair-time"),
            Self::WorstPairTime => out.write_str("worst-pair-time"),
            Self::PairRate => out.write_str("pair-rate"),
            Self::WorstPairRate => out.write_str("worst-pair-rate"),
            Self::TogetherRate => out.write_str("together-rate"),
            Self::CallTime => out.write_str("call-time"),
            Self::Merit => out.write_str("merit"),
            Self::Took => out.write_str("took"),
            Self::CommunicationShare => out.write_str("communication-share"),
        }
    }
}

impl From<Figure> for String {
    fn from(figure: Figure) -> Self {
        figure.to_string()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.subject, self.figure)
    }
}

/// A text that names no figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no key figure; write the curve or load and the figure, such as ping-pong/latency or stream/rate-send"
)]
pub struct ParseKeyError(String);

impl FromStr for Key {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Self, ParseKeyError> {
        let wrong = || ParseKeyError(text.to_owned());
        let (subject, name) = text.rsplit_once('/').ok_or_else(wrong)?;
        let figure = Figure::all().find(|figure| figure.to_string() == name).ok_or_else(wrong)?;
        Ok(Self { subject: subject.to_owned(), figure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_found_by_its_name() {
        for figure in Figure::all() {
            let key = Key { subject: "a/b".to_owned(), figure };
            assert_eq!(key.to_string().parse(), Ok(key.clone()), "{key}");
        }
        for wrong in ["latency", "ping-pong/", "ping-pong/speed", ""] {
            assert!(wrong.parse::<Key>().is_err(), "{wrong}");
        }
    }
}
