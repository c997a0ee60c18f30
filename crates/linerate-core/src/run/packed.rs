//! A compact run as text of two lines.

use serde::{Deserialize, Serialize};

use super::{Run, RunFileError};
use crate::series::{Point, Round};
use crate::units::Span;

/// The rounds of all points of a run, one after the other, by column: of a compact run they are nearly
/// everything, and compress to a third of what they take as objects.
#[derive(Default, Serialize, Deserialize)]
struct Rounds {
    /// How many each point has.
    of_point: Vec<usize>,
    pass: Vec<u32>,
    round: Vec<u32>,
    samples: Vec<u32>,
    batch: Vec<u32>,
    median_ps: Vec<Span>,
    sustained: Vec<bool>,
}

impl Rounds {
    /// Takes the rounds from all points.
    fn taken<'a>(points: impl Iterator<Item = &'a mut Point>) -> Self {
        let mut columns = Self::default();
        for rounds in points.map(|point| std::mem::take(&mut point.rounds)) {
            columns.of_point.push(rounds.len());
            for round in rounds {
                columns.pass.push(round.pass);
                columns.round.push(round.round);
                columns.samples.push(round.samples);
                columns.batch.push(round.batch);
                columns.median_ps.push(round.median);
                columns.sustained.push(round.sustained);
            }
        }
        columns
    }

    /// Gives all points their rounds again; not if there are more or fewer of either.
    fn given<'a>(&self, points: impl Iterator<Item = &'a mut Point>) -> bool {
        let mut rows = self.rows();
        let mut of_point = self.of_point.iter();
        for point in points {
            let Some(count) = of_point.next() else { return false };
            point.rounds = rows.by_ref().take(*count).collect();
            if point.rounds.len() != *count {
                return false;
            }
        }
        of_point.next().is_none() && rows.next().is_none()
    }

    fn rows(&self) -> impl Iterator<Item = Round> {
        let Self { pass, round, samples, batch, median_ps, sustained, .. } = self;
        let counts = pass.iter().zip(round).zip(samples.iter().zip(batch));
        counts.zip(median_ps.iter().zip(sustained)).map(
            |(((pass, round), (samples, batch)), (median, sustained))| {
                Round::compact(*pass, *round, (*samples, *batch), *median, *sustained)
            },
        )
    }
}

fn points(run: &mut Run) -> impl Iterator<Item = &mut Point> {
    run.series.iter_mut().flat_map(|series| &mut series.points)
}

impl Run {
    /// Its compact form as text that compresses well: a line of JSON without the rounds, and one with
    /// those.
    #[must_use]
    pub fn packed(&self) -> String {
        let mut run = self.compact();
        let rounds = Rounds::taken(points(&mut run));
        let run = serde_json::to_string(&run).expect("every field of a run has a JSON form");
        let rounds = serde_json::to_string(&rounds).expect("so have numbers");
        format!("{run}\n{rounds}")
    }

    /// The compact run that was packed.
    ///
    /// # Errors
    ///
    /// When the text is cut, foreign, from a later version, or not what its version promises.
    pub fn from_packed(text: &str) -> Result<Self, RunFileError> {
        let (run, rounds) = text.split_once('\n').ok_or(RunFileError::Cut)?;
        let mut run = Self::from_json(run)?;
        let foreign = |reason: String| RunFileError::Foreign(reason);
        let rounds: Rounds = serde_json::from_str(rounds).map_err(|error| foreign(error.to_string()))?;
        if !rounds.given(points(&mut run)) {
            return Err(foreign("its rounds are not those of its points".to_owned()));
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;
    use crate::plan::Plan;
    use crate::run::Source;
    use crate::series::Series;

    fn run() -> Run {
        let rounds = |count: u32| {
            let round = |nth: u32| {
                let median = Span::from_ns(u64::from(10 + nth * 7));
                Round::compact(nth / 2, nth % 2, (3 + nth, 1 << nth), median, nth != 1)
            };
            (0..count).map(round).collect()
        };
        let point = |(size, count): (u64, u32)| Point { rounds: rounds(count), ..Point::new(size) };
        let series = |counts: &[(u64, u32)]| Series {
            points: counts.iter().copied().map(point).collect(),
            ..Series::new(Pattern::PingPong, &[])
        };
        let mut run = Run::new(Source::Loopback, Plan::default());
        run.series = vec![series(&[(1, 3), (2, 0), (4, 2)]), series(&[]), series(&[(1, 1)])];
        run
    }

    #[test]
    fn what_is_packed_comes_back() {
        assert_eq!(Run::from_packed(&run().packed()).expect("it is whole"), run().compact());
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let packed = run().packed();
        for (from, to) in [
            ("\"of_point\":[3,", "\"of_point\":[2,"),
            ("\"of_point\":[3,", "\"of_point\":[4,"),
            ("\"of_point\":[3,", "\"of_point\":["),
            ("\"of_point\":[3,", "\"of_point\":[3,0,"),
            ("\"samples\":[3,", "\"samples\":["),
            ("\n", ""),
        ] {
            assert!(packed.contains(from), "{from}");
            assert!(Run::from_packed(&packed.replacen(from, to, 1)).is_err(), "{to}");
        }
    }
}
