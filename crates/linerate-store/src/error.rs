//! What can go wrong with a history.

use thiserror::Error;

/// What went wrong with a history. The text fits after "failed to"; [`StoreError::advice`] says what to
/// do. No text holds a password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the texts say what the fields are")]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be opened or reached.
    #[error("open the history {location}: {reason}")]
    Open { location: String, reason: String },
    /// It was only to be read, and is not there.
    #[error("find the history {location}: nothing is recorded there yet")]
    Missing { location: String },
    /// It is on a server, and the feature `postgres` is not built in.
    #[error(
        "open the history {location}: this linerate was built without PostgreSQL (the feature `postgres`)"
    )]
    Unsupported { location: String },
    /// A later linerate wrote it.
    #[error(
        "open the history {location}: it has format {found}, and this linerate knows formats up to {known}"
    )]
    Newer { location: String, found: i64, known: i64 },
    /// It is a database, but of something else.
    #[error("open the history {location}: it is the database of another program")]
    Foreign { location: String },
    /// Its content makes no sense.
    #[error("read the history {location}: it is damaged ({finding})")]
    Damaged { location: String, finding: String },
    /// Somebody else is writing.
    #[error("write the history {location}: another program kept it locked for {seconds} s")]
    Busy { location: String, seconds: u64 },
    /// No space is left.
    #[error("write the history {location}: no space is left for it")]
    Full { location: String },
    /// It may only be read.
    #[error("write the history {location}: it is read-only")]
    ReadOnly { location: String },
    /// The server does not allow it.
    #[error("use the history {location}: the server refuses ({reason})")]
    Refused { location: String, reason: String },
    /// The connection to the server broke, and so did the next.
    #[error("reach the history {location}: {reason}")]
    Lost { location: String, reason: String },
    /// Writers hindered each other again and again.
    #[error("write the history {location}: other writers interfered again and again ({reason})")]
    Contended { location: String, reason: String },
    /// Anything else that the database says.
    #[error("use the history {location}: {reason}")]
    Database { location: String, reason: String },
    /// Another run has the same id.
    #[error("record {file}: its id {id} is already that of another run, {known}")]
    Conflict { id: String, file: String, known: String },
    /// A record that cannot be kept.
    #[error("record {file}: {reason}")]
    Invalid { file: String, reason: String },
    /// A word that cannot be kept.
    #[error("keep {word:?}: it {reason}")]
    Word { word: String, reason: String },
    /// No run has this id.
    #[error("find the run {0}")]
    NoRun(String),
    /// No path has this name.
    #[error("find the path {0}")]
    NoPath(String),
    /// Several have.
    #[error("choose by {text:?}: it fits {}", .candidates.join(", "))]
    Ambiguous { text: String, candidates: Vec<String> },
    /// The run belongs to another path.
    #[error("use the run {run} as a baseline of {path}: it is not of this path")]
    OtherPath { run: String, path: String },
    /// A merge that would go round.
    #[error("merge {from} into {into}: {into} is already shown as part of {from}")]
    Circle { from: String, into: String },
}

impl StoreError {
    /// What the user can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Open { .. } => "check the path or the address, and that you may write there",
            Self::Missing { .. } => "record runs first: `linerate history import FILES`",
            Self::Unsupported { .. } => {
                "build it with `cargo install --locked --features postgres --path crates/linerate`, or name a file with --history"
            }
            Self::Newer { .. } => "use that linerate, or another history with --history",
            Self::Foreign { .. } => "name another file with --history",
            Self::Damaged { .. } => {
                "move the file away, then rebuild the history from the run files: `linerate history import FILES`"
            }
            Self::Busy { .. } | Self::Contended { .. } => {
                "run the command again; the run file is complete, and `linerate history import` records it later"
            }
            Self::Full { .. } => {
                "free space, or drop old curves with `linerate history prune`; the run file stays, and `linerate \
                 history import` records it later"
            }
            Self::ReadOnly { .. } => "name a history that you may write with --history",
            Self::Refused { .. } => "check user, password and rights on the server",
            Self::Lost { .. } => {
                "check the server; nothing is half recorded, the run file stays, and `linerate history import` \
                 records it later"
            }
            Self::Database { .. } => "check the history with `linerate history check`",
            Self::Conflict { .. } => {
                "compare the two files; remove the recorded run with `linerate history rm` if it is wrong"
            }
            Self::Invalid { .. } => "give a run file that `linerate` wrote",
            Self::Word { .. } => "use a shorter word of ordinary characters",
            Self::NoRun(_) => "`linerate history show PATH` lists runs",
            Self::NoPath(_) => "`linerate history` lists paths",
            Self::Ambiguous { .. } => "write more of it",
            Self::OtherPath { .. } => "choose runs of one path, or merge the paths first",
            Self::Circle { .. } => "undo the earlier merge first",
        }
    }
}
