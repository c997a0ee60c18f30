//! Reading the result files of NetPIPE 2.4, 3.x, 4.0 and 5.x, and what it shows on a screen.
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
mod screen;
mod version;

use std::collections::BTreeMap;

use crate::assessment::assess;
use linerate_core::caution::Caution;
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
/// So many of the lines that were skipped are named.
const MOST_NAMED: usize = 8;

/// Why a text is not a NetPIPE result file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetpipeFileError {
    /// There is nothing in it.
    #[error("the file has no line; NetPIPE writes one for each message size")]
    Empty,
    /// A run of it has more lines than NetPIPE writes.
    #[error("line {line}: NetPIPE writes no more than {MOST_LINES} lines")]
    TooLong {
        /// The first beyond, from 1.
        line: usize,
    },
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
    /// It has other columns than most lines.
    #[error("{found} columns, where most lines have {expected}")]
    Ragged {
        /// Columns of this line.
        found: usize,
        /// Columns of most.
        expected: usize,
    },
    /// It was cut or damaged.
    #[error("not `N bytes N times --> N Mbps in N usec`, as NetPIPE shows it")]
    Screen,
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
    of_screen: bool,
}

/// Reads a NetPIPE result file, or what NetPIPE showed on a screen; a run for each time that the sizes begin anew.
///
/// Times are taken from the column, time or rate, that lost less to rounding: a rate with six
/// decimals says more of a microsecond than a time with six. The sizes keep the order of the file.
/// Each gives one round of one sample:
///
/// | version | min | mean and median | max |
/// |---|---|---|---|
/// | 2.4, 3.x, a screen | the best trial | the best trial | the best trial |
/// | 4.0, 5.x | the best trial | the average trial | the worst trial |
///
/// A rate that was printed as `0.000` does not give the time; the printed time is used instead. 2.4
/// and 3.x print a wrong, often negative rate from 256 MiB, where their count of bits overflows an
/// `int`; linerate recognises it and uses only the time.
///
/// Lines that cannot be read are skipped and named in a caution. Comments and the rest of a screen are skipped without
/// a word.
///
/// # Errors
///
/// What is wrong, and in which line, if fewer than half of the lines can be read.
pub fn read(text: &str) -> Result<Vec<Run>, NetpipeFileError> {
    let Lines { rows, mut skipped } = lines(text)?;
    let (version, readings, contradicting) = Version::recognise(&rows)?;
    skipped.extend(contradicting);
    let mut runs: Vec<Vec<(usize, Reading)>> = Vec::new();
    for (line, reading) in readings {
        match runs.last_mut() {
            Some(run) if !begins_anew(run, reading.size) => run.push((line, reading)),
            _ => runs.push(vec![(line, reading)]),
        }
    }
    if let Some(long) = runs.iter().find(|run| run.len() > MOST_LINES) {
        return Err(NetpipeFileError::TooLong { line: long[MOST_LINES].0 });
    }
    let ends: Vec<usize> = runs.iter().skip(1).map(|run| run[0].0).chain([usize::MAX]).collect();
    let run = |(readings, end): (Vec<(usize, Reading)>, usize)| {
        let here = skipped.extract_if(.., |(line, _)| *line < end).collect();
        imported(version, readings.into_iter().map(|(_, reading)| point(reading)).collect(), here)
    };
    Ok(runs.into_iter().zip(ends).map(run).collect())
}

/// Perturbed sizes may go back a little, and never to half of the last or to the first.
fn begins_anew(run: &[(usize, Reading)], size: u64) -> bool {
    let of = |at: Option<&(usize, Reading)>| at.map_or(0, |(_, reading)| reading.size);
    let (first, last) = (of(run.first()), of(run.last()));
    size < last && (size <= first || size < last / 2)
}

fn imported(version: Version, points: Vec<Point>, mut skipped: Vec<(usize, Flaw)>) -> Run {
    let mut run = Run {
        state: State::Complete,
        series: vec![Series { points, ..Series::new(Pattern::PingPong, &[]) }],
        ..Run::new(Source::Imported(version.name().to_owned()), Plan::default())
    };
    run.cautions = assess(&run);
    skipped.sort_by_key(|(line, _)| *line);
    if !skipped.is_empty() {
        let named = skipped.iter().take(MOST_NAMED).map(|(line, flaw)| format!("line {line}: {flaw}"));
        let (lines, which) = (skipped.len() as u64, named.collect());
        run.cautions.push(Caution::LinesSkipped { lines, which });
    }
    run
}

/// The lines of numbers, and what is wrong with those that are not.
struct Lines {
    rows: Vec<Row>,
    skipped: Vec<(usize, Flaw)>,
}

/// The lines that are neither blank nor comments, all with the number of columns that most have.
fn lines(text: &str) -> Result<Lines, NetpipeFileError> {
    let comment = |text: &str| text.is_empty() || text.starts_with(['#', '%', ';', '!']);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let said = (1..).zip(text.lines().map(str::trim)).filter(|(_, text)| !comment(text));
    let is_screen = |text: &str| text.contains(screen::ARROW);
    let of_screen = text.lines().any(is_screen);
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    for (line, text) in said.filter(|(_, text)| !of_screen || is_screen(text)) {
        match if of_screen { screen::fields(text) } else { fields(text) } {
            Ok(fields) => rows.push(Row { line, fields, of_screen }),
            Err(flaw) => skipped.push((line, flaw)),
        }
    }
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(row.fields.len()).or_default() += 1);
    // Of as many, the wider: a cut line is narrower.
    let expected = counts.into_iter().max_by_key(|(columns, count)| (*count, *columns));
    let expected = expected.map_or(0, |(columns, _)| columns);
    for row in rows.extract_if(.., |row| row.fields.len() != expected) {
        skipped.push((row.line, Flaw::Ragged { found: row.fields.len(), expected }));
    }
    skipped.sort_by_key(|(line, _)| *line);
    match skipped.first() {
        Some((line, flaw)) if rows.len() < skipped.len() || rows.is_empty() => {
            Err(NetpipeFileError::Line { line: *line, flaw: flaw.clone() })
        }
        None if rows.is_empty() => Err(NetpipeFileError::Empty),
        _ => Ok(Lines { rows, skipped }),
    }
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
