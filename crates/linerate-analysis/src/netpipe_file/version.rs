//! The versions of NetPIPE and what their columns mean.

use linerate_core::units::Span;

use super::field::Field;
use super::{Flaw, NetpipeFileError, Row};

/// What NetPIPE up to 3.x calls a megabit.
const BINARY_MEGA: f64 = 1_048_576.0;
const MEGA: f64 = 1e6;
const GIGA: f64 = 1e9;
/// The longest time that is kept: just below the longest [`Span`]. Unit: seconds.
const LONGEST_SECONDS: f64 = 1.8e7;

/// A family of versions that write alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// Seconds, Mb/s of 2^20, bits, bytes, variance, and perhaps four columns of processor time.
    V2,
    /// Bytes, Mb/s of 2^20, seconds.
    V3,
    /// The columns of 3.x with Mb/s of 10^6, which 4.0 and 5.x show on a screen.
    V4Screen,
    /// Bytes, best, average and worst Mb/s of 10^6, least seconds, and up to two of load.
    V4,
    /// Bytes, average, least and most Gb/s of 10^9, average microseconds, and perhaps one of load.
    V5,
}

/// What a line says: times of one message one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Message size. Unit: bytes.
    pub(super) size: u64,
    /// Best trial.
    pub(super) min: Span,
    /// Average trial, or the best where nothing else is said.
    pub(super) mean: Span,
    /// Worst trial, or the average where nothing else is said.
    pub(super) max: Span,
}

/// A version, the readings of it and the flaws of other rows, each with the number of its line.
pub(super) type Recognised = (Version, Vec<(usize, Reading)>, Vec<(usize, Flaw)>);

impl Version {
    /// The name under which a run keeps it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::V2 => "NetPIPE 2.4",
            Self::V3 => "NetPIPE 3.x",
            Self::V4Screen => "NetPIPE 4.0 or 5.x",
            Self::V4 => "NetPIPE 4.0",
            Self::V5 => "NetPIPE 5.x",
        }
    }

    /// The versions that write this many columns. Where two fit a file, because every rate in it is
    /// printed as zero, the first is taken: only 5.x is so coarse.
    const fn writing(columns: usize) -> &'static [Self] {
        match columns {
            3 => &[Self::V3, Self::V4Screen],
            5 => &[Self::V5, Self::V4, Self::V2],
            6 => &[Self::V5, Self::V4],
            7 => &[Self::V4],
            9 => &[Self::V2],
            _ => &[],
        }
    }

    /// The version whose units fit the rows, what the rows say in them, and what is wrong with those that do not fit:
    /// at most half, and more fit no other version.
    pub(super) fn recognise(rows: &[Row]) -> Result<Recognised, NetpipeFileError> {
        let (line, columns) = rows.first().map_or((1, 0), |row| (row.line, row.fields.len()));
        let whole = |field: &Field| field.count().is_some();
        let counts = columns == 2 && rows.iter().all(|row| row.fields.iter().all(whole));
        let mut furthest = (line, if counts { Flaw::Integrity } else { Flaw::Columns(columns) });
        let of_screen = rows.first().is_some_and(|row| row.of_screen);
        let versions: Vec<Self> = Self::writing(columns)
            .iter()
            .copied()
            .filter(|version| of_screen || *version != Self::V4Screen)
            .collect();
        for (tried, version) in versions.iter().enumerate() {
            match version.read_all(rows) {
                Ok(readings) => return Ok((*version, readings, Vec::new())),
                // The version that gets furthest was meant. If several get equally far, no version
                // can be named.
                Err(stopped) if tried == 0 || stopped.0 > furthest.0 => furthest = stopped,
                Err((line, flaw)) if line == furthest.0 && flaw != furthest.1 => {
                    furthest.1 = Flaw::Disagree { columns };
                }
                Err(_) => {}
            }
        }
        let mut partly: Vec<Recognised> = versions.iter().map(|version| version.read_some(rows)).collect();
        partly.sort_by_key(|(_, readings, _)| std::cmp::Reverse(readings.len()));
        let fit = |at: usize| partly.get(at).map_or(0, |(_, readings, _)| readings.len());
        if fit(0) * 2 >= rows.len() && fit(0) > fit(1) && rows.len() > 1 {
            return Ok(partly.swap_remove(0));
        }
        let (line, flaw) = furthest;
        Err(NetpipeFileError::Line { line, flaw })
    }

    fn read_all(self, rows: &[Row]) -> Result<Vec<(usize, Reading)>, (usize, Flaw)> {
        let read = |row: &Row| Ok((row.line, self.read(&row.fields).map_err(|flaw| (row.line, flaw))?));
        rows.iter().map(read).collect()
    }

    fn read_some(self, rows: &[Row]) -> Recognised {
        let (mut readings, mut flawed) = (Vec::new(), Vec::new());
        for row in rows {
            match self.read(&row.fields) {
                Ok(reading) => readings.push((row.line, reading)),
                Err(flaw) => flawed.push((row.line, flaw)),
            }
        }
        (self, readings, flawed)
    }

    fn read(self, fields: &[Field]) -> Result<Reading, Flaw> {
        let size_at = if self == Self::V2 { 3 } else { 0 };
        let size = fields[size_at].count().ok_or(Flaw::Size { column: size_at + 1 })?;
        let disagree = Flaw::Disagree { columns: fields.len() };
        let bits = size as f64 * 8.0;
        let rate = |column: usize, unit| fields[column].times(unit);
        let (time, stated) = match self {
            Self::V2 => (fields[0], rate(1, BINARY_MEGA)),
            Self::V3 => (fields[2], rate(1, BINARY_MEGA)),
            Self::V4Screen => (fields[2], rate(1, MEGA)),
            Self::V4 => (fields[4], rate(1, MEGA)),
            Self::V5 => (fields[4].times(1e-6), rate(1, GIGA)),
        };
        if self == Self::V2 && !is_bits(fields[2], size) {
            return Err(disagree);
        }
        let stated = if stated.is_quotient(bits, time) {
            precise(bits, time, stated)?
        } else if wrapped(size).is_some_and(|wrapped| stated.is_quotient(wrapped, time)) {
            span(time.value)?
        } else {
            return Err(disagree);
        };
        let other = |rate: Field| {
            if rate.value > 0.0 { span(bits / rate.value) } else { Ok(stated) }
        };
        let (min, mean, max) = match self {
            Self::V2 | Self::V3 | Self::V4Screen => (stated, stated, stated),
            Self::V4 => (stated, other(rate(2, MEGA))?, other(rate(3, MEGA))?),
            Self::V5 => (other(rate(3, GIGA))?, stated, other(rate(2, GIGA))?),
        };
        // Rounding, and 5.x's best rate below a microsecond, may cross the order of the three.
        let (min, mean) = if self == Self::V4 { (min, mean.max(min)) } else { (min.min(mean), mean) };
        Ok(Reading { size, min, mean, max: max.max(mean) })
    }
}

/// Whether `field` is the number of bits of `size` bytes, as it is or as C's `int` had it.
fn is_bits(field: Field, size: u64) -> bool {
    let is = |bits: f64| (field.value - bits).abs() < 0.5;
    is(size as f64 * 8.0) || wrapped(size).is_some_and(is)
}

/// The bits of a message of 256 MiB or more as a 32-bit `int` has them, in which 2.4 and 3.x
/// compute their rate. Absent where that does not overflow.
#[expect(clippy::cast_possible_truncation, reason = "the truncation is what is modelled")]
fn wrapped(size: u64) -> Option<f64> {
    let bits = size.wrapping_mul(8);
    let seen = bits as i32;
    (i64::from(seen) != bits.cast_signed()).then(|| f64::from(seen))
}

/// The time, from whichever of `time` and `rate` lost less to rounding.
fn precise(bits: f64, time: Field, rate: Field) -> Result<Span, Flaw> {
    span(if rate.doubt() < time.doubt() { bits / rate.value } else { time.value })
}

fn span(seconds: f64) -> Result<Span, Flaw> {
    let span = Span::from_seconds(seconds);
    if seconds <= LONGEST_SECONDS && span > Span::ZERO { Ok(span) } else { Err(Flaw::Time) }
}
