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

#[cfg(test)]
mod tests {
    use super::super::fixture::quantity;

    #[test]
    fn a_quantity_says_in_words_how_it_is_computed() {
        for (text, words) in [
            ("{ number = 2.5 }", "2.5"),
            ("{ claim = 'F001' }", "F001"),
            ("{ value = 'half' }", "half"),
            ("{ constant = 'least-frame-bytes' }", "shortest frame"),
            ("{ rate = '1G' }", "rate of 1G"),
            ("{ baud = '1G' }", "symbols of 1G"),
            ("{ code = '1G' }", "code of 1G"),
            ("{ slot = '1G' }", "slot of 1G"),
            ("{ diameter = { phy = '1G', slot = '1G' } }", "diameter of 1G"),
            ("{ diameter = { phy = '1G', slot = 'FX' } }", "diameter of 1G with the slot of FX"),
            ("{ mtu = 'a' }", "MTU of a"),
            ("{ link = 'a' }", "line rate of a"),
            ("{ ceiling = 'a' }", "ceiling of a"),
            ("{ granted = { run = 'a', of = 'receive-buffer' } }", "buffer granted in a"),
            ("{ granted = { run = 'a', of = 'usable-window' } }", "window offered in a"),
            ("{ load = { run = 'a', of = 'jain' } }", "jain of a"),
            ("{ best = { run = 'a', sweep = 'mtu' } }", "best mtu of a"),
            ("{ spread = { run = 'a', sweep = 'mtu' } }", "spread over mtu of a"),
            ("{ peak = 'a' }", "peak of a"),
            ("{ peak-size = 'a' }", "size at the peak of a"),
            ("{ mean = 'a' }", "mean of a"),
            ("{ latency = 'a' }", "latency of a"),
            ("{ falls = 'a' }", "drops of a"),
            ("{ throughput = { run = 'a', size = 1024 } }", "a at 1 KiB"),
            ("{ time = { run = 'a', size = 1024 } }", "time of 1 KiB in a"),
            ("{ lowest-from = { run = 'a', size = 1024 } }", "lowest of a from 1 KiB on"),
            ("{ fall = { run = 'a', from = 1, to = 1024 } }", "lost from 1 B to 1 KiB in a"),
            ("{ dip = { run = 'a', from = 1, to = 1024 } }", "dip of a between 1 B and 1 KiB"),
            ("{ change = { runs = ['a', 'b'], below = 1024 } }", "most that a differs from b below 1 KiB"),
            (
                "{ least-ratio = { runs = ['a', 'b'], from = 1, to = 1024 } }",
                "least of a over b from 1 B to 1 KiB",
            ),
        ] {
            assert_eq!(quantity(text).to_string(), words, "{text}");
        }
    }

    #[test]
    fn what_has_an_operator_is_in_brackets_within_another() {
        let (peak, sum) = ("{ peak = 'a' }", "{ sum = [{ number = 1 }, { number = 2 }, { number = 3 }] }");
        for (operator, words) in [
            ("ratio", "peak of a / (1 + 2 + 3)"),
            ("gain", "gain of peak of a over (1 + 2 + 3)"),
            ("difference", "peak of a - (1 + 2 + 3)"),
            ("sum", "peak of a + (1 + 2 + 3)"),
            ("product", "peak of a x (1 + 2 + 3)"),
            ("mean-of", "peak of a, (1 + 2 + 3) (mean)"),
            ("least", "peak of a, (1 + 2 + 3) (least)"),
        ] {
            assert_eq!(quantity(&format!("{{ {operator} = [{peak}, {sum}] }}")).to_string(), words);
        }
    }
}
