//! The journal of an experiment: what each setting was before its first change, and what it was set to since.
//!
//! A file of JSON, a record a line; the first says who changes what, and where. A line that has no end was being
//! written when the process or the host was stopped: what it says was not done, because a change is made only when its
//! line is whole and on disk.

mod record;

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::{Setting, SettingError, Value};
pub use record::About;
pub(super) use record::{Entry, Record, entries};

/// The version of the format that is written.
pub(super) const FORMAT: u32 = 2;
/// How the names of journals end.
pub(super) const ENDING: &str = "journal";
/// The most bytes of one that are read.
const LARGEST: u64 = 16 << 20;

/// Why a journal cannot be kept or used. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error("{doing} {path}: {source}")]
    File {
        /// Such as "write the journal".
        doing: &'static str,
        /// Which.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is none, or not whole.
    #[error("understand the journal {path}: {why}")]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A later linerate wrote it.
    #[error(
        "understand the journal {path}: it has format {format}, and this linerate knows those up to {FORMAT}"
    )]
    Later {
        /// Which.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// This host does not say who and where this process is.
    #[error("find out which process and network namespace this is: {0}")]
    Origin(io::Error),
    /// The setting cannot be read or set.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The thread is no longer in the namespace that the journal is of.
    #[error("set {0}: this thread is in another network namespace than when the changes began")]
    Elsewhere(Setting),
    /// Another process has put everything back.
    #[error("set {0}: another process has restored the settings of this journal")]
    Restored(Setting),
    /// The guardian has ended.
    #[error("set {setting}: the guardian, process {pid}, has ended: {how}")]
    Unguarded {
        /// Which.
        setting: Setting,
        /// The guardian.
        pid: u32,
        /// How it ended.
        how: String,
    },
    /// The guardian cannot be started.
    #[error("start the guardian: {0}")]
    Guardian(io::Error),
    /// The process that makes the changes runs.
    #[error("restore {path}: process {pid}, which makes these changes, is running: {what}")]
    Living {
        /// Which.
        path: PathBuf,
        /// The process.
        pid: u32,
        /// What for.
        what: String,
    },
    /// Somebody else changes settings here.
    #[error("change settings: process {pid} does so in this network namespace: {what}")]
    Locked {
        /// The process; 0 if it does not say.
        pid: u32,
        /// What for.
        what: String,
    },
}

impl JournalError {
    /// That something could not be done to a file.
    pub(super) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { doing, path: path.to_owned(), source }
    }
}

/// A journal that is open.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

/// The right to change what a journal is about, as long as this is.
pub(super) struct Turn<'a>(&'a Journal);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // An error leaves the lock to the end of the descriptor.
        flock(&self.0.file, FlockOperation::Unlock).unwrap_or(());
    }
}

impl Journal {
    /// Makes one in `folder`, and lets it be on disk before it returns.
    pub(super) fn create(folder: &Path, about: &About) -> Result<Self, JournalError> {
        make_folder(folder)?;
        let name = |number: u32| format!("{}-{}-{number}.{ENDING}", about.process.pid, about.process.started);
        for number in 0.. {
            let path = folder.join(name(number));
            let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(&path);
            match file {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(JournalError::file("make the journal", &path)(source)),
                Ok(file) => {
                    let journal = Self { file, path };
                    journal.append(&[Record::Begin(about.clone())], true)?;
                    let synced = File::open(folder).and_then(|folder| folder.sync_all());
                    synced.map_err(JournalError::file("write the folder", folder))?;
                    return Ok(journal);
                }
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// Opens one that is there.
    pub(super) fn open(path: &Path) -> Result<Self, JournalError> {
        let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let file = File::options().read(true).append(true).custom_flags(flags).open(path);
        let file = file.map_err(JournalError::file("open the journal", path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until nobody else changes what it is about. `None` if it has been removed: all is put back.
    pub(super) fn turn(&self) -> Result<Option<Turn<'_>>, JournalError> {
        loop {
            match flock(&self.file, FlockOperation::LockExclusive) {
                Ok(()) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(JournalError::file("lock the journal", &self.path)(errno.into())),
            }
        }
        let turn = Turn(self);
        let about = self.file.metadata().map_err(JournalError::file("read the journal", &self.path))?;
        Ok((about.nlink() > 0).then_some(turn))
    }

    /// Adds records in one write; `sync` waits until they are on disk.
    pub(super) fn append(&self, records: &[Record], sync: bool) -> Result<(), JournalError> {
        let mut text = String::new();
        for record in records {
            text.push_str(&record.line());
        }
        let written = (&self.file).write_all(text.as_bytes());
        let written = written.and_then(|()| if sync { self.file.sync_data() } else { Ok(()) });
        written.map_err(JournalError::file("write the journal", &self.path))
    }

    /// Every record that is whole; what follows the last line end is cut off, so that the next record begins a line.
    pub(super) fn records(&self) -> Result<Vec<Record>, JournalError> {
        let bytes = content(&self.file, &self.path)?;
        let whole = whole_lines(&bytes);
        if whole.len() < bytes.len() {
            let cut = self.file.set_len(whole.len() as u64);
            cut.map_err(JournalError::file("write the journal", &self.path))?;
        }
        record::read(whole, &self.path)
    }

    /// Removes it: everything is put back.
    pub(super) fn remove(&self) -> Result<(), JournalError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(JournalError::file("remove the journal", &self.path)(error))
            }
            _ => Ok(()),
        }
    }
}

/// The records of the journal at `path`, which stays as it is.
pub(super) fn peek(path: &Path) -> Result<Vec<Record>, JournalError> {
    let file = File::open(path).map_err(JournalError::file("open the journal", path))?;
    record::read(whole_lines(&content(&file, path)?), path)
}

/// Makes the folder of journals, which only its owner can look into.
pub(super) fn make_folder(folder: &Path) -> Result<(), JournalError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(JournalError::file("make the folder", folder))
}

fn content(mut file: &File, path: &Path) -> Result<Vec<u8>, JournalError> {
    use std::io::Seek as _;
    let failed = || JournalError::file("read the journal", path);
    file.rewind().map_err(failed())?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(failed())?;
    Ok(bytes)
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    &bytes[..end]
}
