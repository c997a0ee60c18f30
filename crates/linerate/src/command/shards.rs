//! Parts of the runs of a study, each by a process of its own, and what they leave for a merge.

mod folder;

pub(in crate::command) use folder::{Found, ResultFolder};

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use linerate_study::Shard;
use linerate_study::result_file::ResultName;
use serde::de::DeserializeOwned;

use crate::cli::ShardChoice;
use crate::screen::note;
use crate::trouble::Trouble;

/// Missing runs, and their parts, that are named one by one.
const NAMED: usize = 10;

/// The part that was chosen.
///
/// # Errors
///
/// This is no task of a Slurm job array, or one without a place.
pub(in crate::command) fn chosen(choice: ShardChoice) -> Result<Shard, Trouble> {
    match choice {
        ShardChoice::Given(shard) => Ok(shard),
        ShardChoice::Slurm => Shard::of_slurm(|name| std::env::var(name).ok()).map_err(|error| {
            Trouble::new(
                format!("failed to find this process's part: {error}"),
                "submit it with `sbatch --array=1-N`, without gaps, or give --shard I/N",
            )
        }),
    }
}

/// The number of each result; results of one name have the same, that of the first.
fn numbers(names: &[ResultName]) -> Vec<usize> {
    let mut known: BTreeMap<&ResultName, usize> = BTreeMap::new();
    let number = |name| {
        let next = known.len();
        *known.entry(name).or_insert(next)
    };
    names.iter().map(number).collect()
}

/// What one part has to do.
pub(in crate::command) struct Part {
    shard: Shard,
    /// Places in the list of results: those of the part that are not there yet.
    pub(in crate::command) missing: Vec<usize>,
    /// How many of the part were there before.
    there: usize,
}

impl Part {
    /// The part of the results with these names. What cannot be read is made again.
    pub(in crate::command) fn of<T: DeserializeOwned>(
        shard: Shard,
        names: &[ResultName],
        folder: &ResultFolder,
    ) -> Self {
        let (mut missing, mut there, mut next) = (Vec::new(), 0, 0);
        for (place, number) in numbers(names).into_iter().enumerate() {
            let first = number == next;
            next += usize::from(first);
            if first && shard.has(number) {
                match folder.get::<T>(&names[place]) {
                    Found::Whole(_) => there += 1,
                    Found::Absent => missing.push(place),
                    Found::Unusable(reason) => {
                        note(format_args!("! {}: {reason}; it is run again", names[place].file()));
                        missing.push(place);
                    }
                }
            }
        }
        Self { shard, missing, there }
    }

    /// Says what was done, `done` of the missing runs.
    ///
    /// # Errors
    ///
    /// Not all of them were.
    pub(in crate::command) fn conclude(&self, done: usize, folder: &Path) -> Result<(), Trouble> {
        let there = match self.there {
            0 => String::new(),
            before => format!(", {before} were there before"),
        };
        let (shard, missing, folder) = (self.shard, self.missing.len(), folder.display());
        note(format_args!(
            "shard {shard}: {done} of {missing} runs done{there}; the results are in {folder}"
        ));
        if done == missing {
            return Ok(());
        }
        Err(Trouble::new("interrupted", "the runs that finished are kept; the same command goes on"))
    }
}

/// Names the results that are missing, and the parts that have them. `names` are all, `what` says what one is of.
pub(in crate::command) fn name_missing(
    names: &[ResultName],
    missing: &[usize],
    folder: &ResultFolder,
    what: impl Fn(usize) -> String,
) {
    let numbers = numbers(names);
    let part = |place: usize| Shard::having(numbers[place], folder.shards());
    note(format_args!("{} of {} runs are missing:", missing.len(), names.len()));
    for place in missing.iter().take(NAMED) {
        note(format_args!("  {} (shard {})", what(*place), part(*place)));
    }
    if missing.len() > NAMED {
        note(format_args!("  and {} more", missing.len() - NAMED));
    }
    let parts: BTreeSet<Shard> = missing.iter().map(|place| part(*place)).collect();
    let named: Vec<String> = parts.iter().take(NAMED).map(Shard::to_string).collect();
    let more = if parts.len() > NAMED { format!(" and {} more", parts.len() - NAMED) } else { String::new() };
    let path = folder.path().display();
    note(format_args!(
        "run again --shard {}{more}; or run --shard 1/1 --folder {path}, which does only what is missing",
        named.join(", ")
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_one_name_have_one_number() {
        let name = |text: &str| ResultName::of("test", &[text]);
        let names = ["a", "b", "a", "c", "b"].map(name);
        assert_eq!(numbers(&names), [0, 1, 0, 2, 1]);
    }
}
