//! A network namespace.

use std::fs::File;
use std::io;
use std::path::Path;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use rustix::fs::{FsWord, fstatfs};

use super::LabError;

/// The file system of namespaces.  Source: `linux/magic.h`, `NSFS_MAGIC`.
const NAMESPACES: FsWord = 0x6e73_6673;

/// That of a thread.
const OWN: &str = "/proc/thread-self/ns/net";

/// A network namespace; it is there as long as this is, or a thread is in it.
#[derive(Debug)]
pub(super) struct Namespace(File);

impl Namespace {
    /// Makes one.
    pub(super) fn new() -> Result<Self, LabError> {
        let made = in_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            File::open(OWN)
        });
        made.map(Self).map_err(refused)
    }

    /// The one that this thread is in.
    pub(super) fn of_this_thread() -> Result<Self, LabError> {
        File::open(OWN).map(Self).map_err(refused)
    }

    /// The one that a file holds. A file that holds none is an error.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let holds = fstatfs(&file)?.f_type == NAMESPACES;
        if holds {
            Ok(Self(file))
        } else {
            Err(io::Error::new(io::ErrorKind::NotFound, "it holds no namespace"))
        }
    }

    /// Does `work` in it, in a thread of its own.
    pub(super) fn enter<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        in_a_thread(|| {
            setns(&self.0, CloneFlags::CLONE_NEWNET)?;
            Ok(work())
        })
        .map_err(refused)
    }

    /// Puts this thread into it, and every thread and process that it starts from now on.
    pub(super) fn stay(&self) -> Result<(), LabError> {
        setns(&self.0, CloneFlags::CLONE_NEWNET).map_err(|errno| refused(errno.into()))
    }

    /// What holds it.
    pub(super) const fn file(&self) -> &File {
        &self.0
    }
}

fn refused(error: io::Error) -> LabError {
    match Errno::try_from(error) {
        Ok(Errno::EPERM) => LabError::Privilege,
        Ok(errno) => LabError::Namespace(errno.into()),
        Err(error) => LabError::Namespace(error),
    }
}

/// A thread's namespace is its own, so whoever changes it does it in one that ends after.
fn in_a_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        scope.spawn(work).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
