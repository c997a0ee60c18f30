//! What is searched: the runs of one path in order of time, and their key figures.

use crate::figures::Key;
use crate::identity::Field;

/// One run of a path, as far as its history needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The run's own name, which it keeps for ever.
    pub id: String,
    /// When it began. Unit: microseconds since 1970-01-01 UTC. May repeat.
    pub started_us: i64,
    /// What is known of its surroundings: kernel, driver, settings, tags. What was not read is absent.
    pub facts: Vec<Field>,
}

/// One key figure of every run of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureValues {
    /// Which figure.
    pub key: Key,
    /// A value for each run, in the order of the runs. Absent if the run has none.
    ///
    /// Only finite values above zero can be searched, for a figure that is no ratio
    /// ([`crate::figures::Figure::is_ratio`]) also zero. The others are told in
    /// [`super::FigureHistory::unusable`].
    pub values: Vec<Option<f64>>,
}

/// A figure of a path that has more or fewer values than the path has runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{figure} of the path {path} has {values} values for {runs} runs")]
pub struct LengthError {
    /// The path.
    pub path: String,
    /// The figure.
    pub figure: Key,
    /// How many values it has.
    pub values: usize,
    /// How many runs the path has.
    pub runs: usize,
}

/// The runs of a path in order of time, and their figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    id: String,
    runs: Vec<Run>,
    figures: Vec<FigureValues>,
}

impl Path {
    /// Puts runs and values into order of time. Runs that began at the same time stay in the order
    /// given. Every place in a result is an index into [`Path::runs`].
    ///
    /// `id` is what the path is known by for ever, such as version and hash of its fingerprint.
    ///
    /// # Errors
    ///
    /// A figure whose number of values is not that of the runs.
    pub fn new(id: &str, runs: Vec<Run>, figures: Vec<FigureValues>) -> Result<Self, LengthError> {
        if let Some(wrong) = figures.iter().find(|figure| figure.values.len() != runs.len()) {
            return Err(LengthError {
                path: id.to_owned(),
                figure: wrong.key.clone(),
                values: wrong.values.len(),
                runs: runs.len(),
            });
        }
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|index| runs[*index].started_us);
        let in_order = |FigureValues { key, values }: FigureValues| FigureValues {
            key,
            values: order.iter().map(|index| values[*index]).collect(),
        };
        let figures = figures.into_iter().map(in_order).collect();
        let mut runs = runs;
        runs.sort_by_key(|run| run.started_us);
        Ok(Self { id: id.to_owned(), runs, figures })
    }

    /// What the path is known by.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its runs in order of time.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Its figures as given, with their values in order of time.
    #[must_use]
    pub fn figures(&self) -> &[FigureValues] {
        &self.figures
    }
}
