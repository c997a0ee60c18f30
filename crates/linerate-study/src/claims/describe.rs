//! Quantities in words: how a modelled value is computed.

use std::fmt;

use linerate_core::units::Size;

use super::quantity::{At, Between, Grant, Quantity, Swept};

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Claim(id) => out.write_str(id),
            Self::Value(name) => out.write_str(name),
            Self::Constant(constant) => out.write_str(constant.name()),
            Self::Rate(phy) => write!(out, "rate of {phy}"),
            Self::Baud(phy) => write!(out, "symbols of {phy}"),
            Self::Code(phy) => write!(out, "code of {phy}"),
            Self::Slot(phy) => write!(out, "slot of {phy}"),
            Self::Diameter { phy, slot } if phy == slot => write!(out, "diameter of {phy}"),
            Self::Diameter { phy, slot } => write!(out, "diameter of {phy} with the slot of {slot}"),
            Self::Mtu(run) => write!(out, "MTU of {run}"),
            Self::Link(run) => write!(out, "line rate of {run}"),
            Self::Ceiling(run) => write!(out, "ceiling of {run}"),
            Self::Granted { run, of: Grant::ReceiveBuffer } => write!(out, "buffer granted in {run}"),
            Self::Granted { run, of: Grant::UsableWindow } => write!(out, "window offered in {run}"),
            Self::Load { run, of } => write!(out, "{of} of {run}"),
            Self::Best(Swept { run, sweep }) => write!(out, "best {sweep} of {run}"),
            Self::Spread(Swept { run, sweep }) => write!(out, "spread over {sweep} of {run}"),
            Self::Ratio([one, other]) => write!(out, "{} / {}", Inner(one), Inner(other)),
            Self::Gain([one, other]) => write!(out, "gain of {} over {}", Inner(one), Inner(other)),
            Self::Difference([one, other]) => write!(out, "{} - {}", Inner(one), Inner(other)),
            Self::Sum(all) => joined(out, all, " + "),
            Self::Product(all) => joined(out, all, " x "),
            Self::MeanOf(all) => joined(out, all, ", ").and_then(|()| out.write_str(" (mean)")),
            Self::Least(all) => joined(out, all, ", ").and_then(|()| out.write_str(" (least)")),
            quantity => quantity.of_curve(out),
        }
    }
}

impl Quantity {
    fn of_curve(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peak(run) => write!(out, "peak of {run}"),
            Self::PeakSize(run) => write!(out, "size at the peak of {run}"),
            Self::Mean(run) => write!(out, "mean of {run}"),
            Self::Latency(run) => write!(out, "latency of {run}"),
            Self::Falls(run) => write!(out, "drops of {run}"),
            Self::Throughput(At { run, size }) => write!(out, "{run} at {}", Size(*size)),
            Self::Time(At { run, size }) => write!(out, "time of {} in {run}", Size(*size)),
            Self::LowestFrom(At { run, size }) => write!(out, "lowest of {run} from {} on", Size(*size)),
            Self::Fall(Between { run, from, to }) => {
                write!(out, "lost from {} to {} in {run}", Size(*from), Size(*to))
            }
            Self::Dip(Between { run, from, to }) => {
                write!(out, "dip of {run} between {} and {}", Size(*from), Size(*to))
            }
            Self::Change { runs: [one, other], below } => {
                write!(out, "most that {one} differs from {other} below {}", Size(*below))
            }
            Self::LeastRatio { runs: [one, other], from, to } => {
                write!(out, "least of {one} over {other} from {} to {}", Size(*from), Size(*to))
            }
            _ => Ok(()),
        }
    }

    /// Whether it is written with an operator.
    const fn is_compound(&self) -> bool {
        matches!(
            self,
            Self::Ratio(_)
                | Self::Gain(_)
                | Self::Difference(_)
                | Self::Sum(_)
                | Self::Product(_)
                | Self::MeanOf(_)
                | Self::Least(_)
        )
    }
}

/// A quantity within another: in brackets where it has an operator.
struct Inner<'a>(&'a Quantity);

impl fmt::Display for Inner<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_compound() { write!(out, "({})", self.0) } else { self.0.fmt(out) }
    }
}

fn joined(out: &mut fmt::Formatter<'_>, all: &[Quantity], between: &str) -> fmt::Result {
    for (nth, quantity) in all.iter().enumerate() {
        if nth > 0 {
            out.write_str(between)?;
        }
        write!(out, "{}", Inner(quantity))?;
    }
    Ok(())
}
