//! A line of NetPIPE's on a screen: `  0:       1 bytes   4999 times -->    0.03 Mbps in     250.03 usec`.

use super::Flaw;
use super::field::Field;

/// What every such line has.
pub(super) const ARROW: &str = "-->";

/// Its numbers as the columns of a file of 3.x: bytes, Mb/s and seconds.
pub(super) fn fields(text: &str) -> Result<Vec<Field>, Flaw> {
    read(text).ok_or(Flaw::Screen)
}

fn read(text: &str) -> Option<Vec<Field>> {
    let (left, right) = text.split_once(ARROW)?;
    let left = left.split_once(':').map_or(left, |(_, left)| left);
    let [size, "bytes" | "byte" | "B", _, "times"] = left.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    let [rate, rate_unit, "in", time, time_unit] = right.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    let mega = match rate_unit {
        "Mbps" => 1.0,
        "Gbps" => 1e3,
        _ => return None,
    };
    let seconds = match time_unit {
        "usec" | "usecs" => 1e-6,
        "sec" | "secs" => 1.0,
        _ => return None,
    };
    Some(vec![Field::parse(size)?, Field::parse(rate)?.times(mega), Field::parse(time)?.times(seconds)])
}
