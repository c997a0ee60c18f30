//! Reading the result files of NetPIPE 2.4, 3.x, 4.0 and 5.x.
//!
//! No version writes a header. The version follows from the number of columns, and from which
//! column is the quotient of which. What the file does not say stays unknown, above all:
//!
//! - the hosts, the link, the date and every option;
//! - the mode: one-way (`-s`) and bidirectional (`-2`) files have the columns of a ping-pong, and
//!   `-2` doubles the bytes as well as the rate, so every file is taken for a ping-pong;
//! - the spread: 2.4 and 3.x keep only the best of a few means, 4.0 and 5.x the best, the average
//!   and the worst of them.

mod field;
mod version;

use crate::assessment::assess;
use linerate_core::pattern::Pattern;
use linerate_core::plan::Plan;
use linerate_core::run::{Run, Source, State};
use linerate_core::series::{Point, Round, Series};
use linerate_core::stats::Histogram;
use linerate_core::trial::Tally;
use linerate_core::units::Span;

use field::Field;
use version::{Reading, Version};

/// NetPIPE never writes more lines. Source: NSAMP of every version.
const MOST_LINES: usize = 8000;

/// Why a text is not a NetPIPE result file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetpipeFileError {
    /// There is nothing in it.
    #[error("the file has no line; NetPIPE writes one for each message size")]
    Empty,
    /// It has more lines than NetPIPE writes.
    #[error("line {}: NetPIPE writes no more than {MOST_LINES} lines", MOST_LINES + 1)]
    TooLong,
    /// One line of it is not what NetPIPE writes.
    #[error("line {line}: {flaw}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// No version writes this many columns.
    #[error("{0} columns; NetPIPE writes 3, 5, 6, 7 or 9")]
    Columns(usize),
    /// It was made by `NPtcp -i`.
    #[error(
        "bytes and a repeat count are what NetPIPE writes of an integrity check (-i), which times nothing"
    )]
    Integrity,
    /// The lines differ in their columns.
    #[error("{found} columns, where the first line has {expected}")]
    Ragged {
        /// Columns of this line.
        found: usize,
        /// Columns of the first.
        expected: usize,
    },
    /// A column is not a decimal number.
    #[error("column {column} is `{text}`, which is not a decimal number")]
    Number {
        /// Which, from 1.
        column: usize,
        /// Its text, or the beginning of it.
        text: String,
    },
    /// The column of the message size does not hold one.
    #[error("column {column} is not a message size, which is a whole number of bytes above 0")]
    Size {
        /// Which, from 1.
        column: usize,
    },
    /// The size over the time is not the rate in the units of any version.
    #[error("size, time and rate contradict each other in the units of every NetPIPE with {columns} columns")]
    Disagree {
        /// Columns of the line.
        columns: usize,
    },
    /// The time cannot be kept.
    #[error("the time is not between a picosecond and 213 days")]
    Time,
}

/// A line of numbers.
struct Row {
    /// Number of the line, from 1.
    line: usize,
    fields: Vec<Field>,
}

/// Reads a NetPIPE result file.
///
/// Times are taken from the column, time or rate, that lost less to rounding: a rate with six
/// decimals says more of a microsecond than a time with six. The sizes keep the order of the file.
/// Each gives one round of one sample:
///
/// | version | min | mean and median | max |
/// |---|---|---|---|
/// | 2.4, 3.x | the best trial | the best trial | the best trial |
/// | 4.0, 5.x | the best trial | the average trial | the worst trial |
///
/// A rate that was printed as `0.000` does not give the time; the printed time is used instead. 2.4
/// and 3.x print a wrong, often negative rate from 256 MiB, where their count of bits overflows an
/// `int`; linerate recognises it and uses only the time.
///
/// # Errors
///
/// What is wrong, and in which line.
pub fn read(text: &str) -> Result<Run, NetpipeFileError> {
    let rows = rows(text)?;
    let (version, readings) = Version::recognise(&rows)?;
    let points = readings.into_iter().map(point).collect();
    let mut run = Run {
        state: State::Complete,
        series: vec![Series { points, ..Series::new(Pattern::PingPong, &[]) }],
        ..Run::new(Source::Imported(version.name().to_owned()), Plan::default())
    };
    run.cautions = assess(&run);
    Ok(run)
}

/// The lines that are not blank, all with the same number of columns.
fn rows(text: &str) -> Result<Vec<Row>, NetpipeFileError> {
    let mut rows: Vec<Row> = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let flawed = |flaw| NetpipeFileError::Line { line, flaw };
        let fields = fields(text).map_err(flawed)?;
        let expected = rows.first().map_or(fields.len(), |first| first.fields.len());
        if fields.len() != expected {
            return Err(flawed(Flaw::Ragged { found: fields.len(), expected }));
        }
        if rows.len() == MOST_LINES {
            return Err(NetpipeFileError::TooLong);
        }
        rows.push(Row { line, fields });
    }
    if rows.is_empty() { Err(NetpipeFileError::Empty) } else { Ok(rows) }
}

fn fields(text: &str) -> Result<Vec<Field>, Flaw> {
    let field = |(column, text): (usize, &str)| {
        Field::parse(text).ok_or_else(|| Flaw::Number { column, text: text.chars().take(20).collect() })
    };
    (1..).zip(text.split_whitespace()).map(field).collect()
}

fn point(reading: Reading) -> Point {
    let Reading { size, min, mean, max } = reading;
    let mut histogram = Histogram::default();
    histogram.record(mean);
    let round = Round {
        pass: 0,
        round: 0,
        samples: 1,
        batch: 1,
        median: mean,
        mean,
        min,
        max,
        warmup: 0,
        warmup_span: Span::ZERO,
        tally: Tally::default(),
        sustained: true,
    };
    Point { size, verified: false, rounds: vec![round], histogram, stop: None, effort: None }
}
