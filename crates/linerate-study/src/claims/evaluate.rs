//! From a description of a number to the number.

use super::constant::{bits_per_symbol, mega_baud, phy};
use super::curve::Curve;
use super::data::Claims;
use super::diameter::diameter;
use super::quantity::{At, Between, Grant, Quantity, Swept};
use super::results::{Answer, Job, PlanFacts, Results};
use crate::study::MEASURES;

/// Why there is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// It could not be computed.
    Computing(String),
    /// It was computed, and the model does not show it, such as a drop that does not happen.
    InModel(String),
}

impl From<String> for Lack {
    fn from(reason: String) -> Self {
        Self::Computing(reason)
    }
}

/// Where numbers come from.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'a> {
    pub(super) claims: &'a Claims,
    pub(super) results: &'a Results,
}

impl<'a> Evaluator<'a> {
    /// The number that `quantity` describes, or why there is none.
    pub(super) fn value(self, quantity: &Quantity) -> Result<f64, Lack> {
        let value = match quantity {
            Quantity::Ratio([one, other]) => self.value(one)? / self.value(other)?,
            Quantity::Gain([one, other]) => (self.value(one)? / self.value(other)? - 1.0) * 100.0,
            Quantity::Difference([one, other]) => self.value(one)? - self.value(other)?,
            Quantity::Sum(all) => self.all(all)?.iter().sum(),
            Quantity::Product(all) => self.all(all)?.iter().product(),
            Quantity::MeanOf(all) => self.all(all)?.iter().sum::<f64>() / all.len() as f64,
            Quantity::Least(all) => self.all(all)?.into_iter().fold(f64::INFINITY, f64::min),
            quantity => self.leaf(quantity)?,
        };
        if value.is_finite() { Ok(value) } else { Err("it is not a number".to_owned().into()) }
    }

    fn all(self, quantities: &[Quantity]) -> Result<Vec<f64>, Lack> {
        quantities.iter().map(|quantity| self.value(quantity)).collect()
    }

    /// Quantities that are not made of others.
    fn leaf(self, quantity: &Quantity) -> Result<f64, Lack> {
        match quantity {
            Quantity::Number(number) => Ok(*number),
            Quantity::Claim(id) => Ok(self.claim(id)?),
            Quantity::Value(name) => {
                let value = self.claims.runs.values.get(name);
                self.value(value.ok_or_else(|| format!("there is no value {name}"))?)
            }
            Quantity::Constant(constant) => Ok(constant.value()),
            Quantity::Rate(name) => Ok(phy(name)?.pace.bits_per_second() / 1e6),
            Quantity::Baud(name) => Ok(mega_baud(phy(name)?)),
            Quantity::Code(name) => Ok(bits_per_symbol(phy(name)?.coding)),
            Quantity::Slot(name) => {
                let bits = phy(name)?.slot_bits.ok_or_else(|| format!("{name} has no slot"))?;
                Ok(bits as f64 / 8.0)
            }
            Quantity::Diameter { phy: of, slot } => {
                Ok(diameter(phy(of)?, phy(slot)?).ok_or_else(|| format!("{slot} has no slot"))?)
            }
            Quantity::Mtu(run) => Ok(f64::from(self.plan(run)?.mtu)),
            Quantity::Link(run) => Ok(self.plan(run)?.link),
            Quantity::Ceiling(run) => Ok(self.plan(run)?.ceiling),
            Quantity::Granted { run, of } => Ok(self.granted(run, *of)?),
            Quantity::Load { run, of } => Ok(self.load(run, of)?),
            Quantity::Best(swept) => Ok(self.best(swept)?),
            Quantity::Spread(swept) => Ok(self.spread(swept)?),
            quantity => self.of_curve(quantity),
        }
    }

    /// Values read from a curve.
    fn of_curve(self, quantity: &Quantity) -> Result<f64, Lack> {
        match quantity {
            Quantity::Peak(run) => Ok(self.curve(run)?.peak().mbps),
            Quantity::PeakSize(run) => Ok(self.curve(run)?.peak().size as f64),
            Quantity::Mean(run) => Ok(self.curve(run)?.mean()),
            Quantity::Latency(run) => Ok(self.curve(run)?.latency()?),
            Quantity::Falls(run) => Ok(self.curve(run)?.falls() as f64),
            Quantity::Throughput(At { run, size }) => Ok(self.curve(run)?.at(*size)?.mbps),
            Quantity::Time(At { run, size }) => Ok(self.curve(run)?.at(*size)?.us),
            Quantity::LowestFrom(At { run, size }) => Ok(self.curve(run)?.lowest_from(*size)?),
            Quantity::Fall(Between { run, from, to }) => {
                let curve = self.curve(run)?;
                Ok((1.0 - curve.at(*to)?.mbps / curve.at(*from)?.mbps) * 100.0)
            }
            Quantity::Dip(Between { run, from, to }) => {
                let none = || format!("throughput does not fall and recover between {from} and {to} B");
                self.curve(run)?.dip(*from, *to).ok_or_else(|| Lack::InModel(none()))
            }
            Quantity::Change { runs: [one, other], below } => {
                Ok(self.curve(one)?.change(self.curve(other)?, *below)?)
            }
            Quantity::LeastRatio { runs: [one, other], from, to } => {
                Ok(self.curve(one)?.least_ratio(self.curve(other)?, *from, *to)?)
            }
            _ => Err("it is not read off a curve".to_owned().into()),
        }
    }

    fn claim(self, id: &str) -> Result<f64, String> {
        let claim = self.claims.claim(id).ok_or_else(|| format!("there is no claim {id}"))?;
        self.claims.check(claim).number(claim).ok_or_else(|| format!("claim {id} has no number"))
    }

    fn curve(self, run: &str) -> Result<&'a Curve, String> {
        self.results.curve(self.claims.runs.run(run))
    }

    fn plan(self, run: &str) -> Result<&'a PlanFacts, String> {
        match self.results.of(&Job::Plan(self.claims.runs.run(run)))? {
            Answer::Plan(facts) => Ok(facts),
            _ => Err("it gave no facts".to_owned()),
        }
    }

    fn granted(self, run: &str, of: Grant) -> Result<f64, String> {
        let facts = self.plan(run)?;
        let (bytes, what) = match of {
            Grant::ReceiveBuffer => (facts.receive_buffer, "receive buffer"),
            Grant::UsableWindow => (facts.usable_window, "window"),
        };
        bytes.map(|bytes| bytes as f64).ok_or_else(|| format!("the plan's transport has no {what}"))
    }

    fn load(self, run: &str, of: &str) -> Result<f64, String> {
        let measure = MEASURES.iter().find(|measure| measure.name == of);
        let measure = measure.ok_or_else(|| format!("there is no measure {of}"))?;
        match self.results.of(&Job::Load(self.claims.runs.run(run)))? {
            Answer::Load(outcome) => {
                (measure.of)(outcome).ok_or_else(|| format!("there is nothing to take {of} of"))
            }
            _ => Err("it gave no load".to_owned()),
        }
    }

    /// The values of a sweep with the peak at each.
    fn peaks(self, swept: &Swept) -> Result<Vec<(f64, f64)>, String> {
        let sweep = self.claims.runs.sweeps.get(&swept.sweep);
        let sweep = sweep.ok_or_else(|| format!("there is no sweep {}", swept.sweep))?;
        let peak = |(value, run): (&str, _)| {
            let at = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
            Ok((at, self.results.curve(run)?.peak().mbps))
        };
        self.claims.runs.swept(&swept.run, sweep).map(peak).collect()
    }

    fn best(self, swept: &Swept) -> Result<f64, String> {
        let peaks = self.peaks(swept)?;
        let best = peaks.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
        best.map(|(at, _)| *at).ok_or_else(|| "the sweep has no values".to_owned())
    }

    fn spread(self, swept: &Swept) -> Result<f64, String> {
        let peaks = self.peaks(swept)?;
        let ends = peaks
            .iter()
            .fold([f64::INFINITY, 0.0_f64], |[low, high], (_, peak)| [low.min(*peak), high.max(*peak)]);
        Ok((ends[1] / ends[0] - 1.0) * 100.0)
    }
}

#[cfg(test)]
mod tests;
