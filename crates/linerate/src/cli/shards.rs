//! The flags by which several processes share the runs of a study.

use std::path::PathBuf;
use std::str::FromStr;

use linerate_study::{Shard, ShardError};

/// The word for the part that Slurm's variables name.
const SLURM: &str = "slurm";

/// Which part of the runs is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShardChoice {
    /// This one.
    Given(Shard),
    /// That of this task of a Slurm job array.
    Slurm,
}

impl FromStr for ShardChoice {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        if text == SLURM { Ok(Self::Slurm) } else { text.parse().map(Self::Given) }
    }
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Shards")]
pub(crate) struct ShardArgs {
    /// Run only part I of N (from 1) and keep the results in --folder
    ///
    /// Every process computes by itself which runs are its own. What is in the folder is not run again. With `slurm`, I and N are those
    /// of the task of a job array. See docs/sweeps.md.
    #[arg(
        long,
        value_name = "I/N|slurm",
        requires = "folder",
        conflicts_with_all = ["format", "report"],
        hide_short_help = true
    )]
    pub(crate) shard: Option<ShardChoice>,
    /// Folder for the results of a part; all parts may share it
    #[arg(long, value_name = "FOLDER", requires = "shard", hide_short_help = true)]
    pub(crate) folder: Option<PathBuf>,
    /// Show the results that all parts left in a folder; run nothing
    ///
    /// The output is that of the command without shards. If runs are missing, they are named, and the exit code is 1.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["shard", "folder"], hide_short_help = true)]
    pub(crate) merge: Option<PathBuf>,
}
