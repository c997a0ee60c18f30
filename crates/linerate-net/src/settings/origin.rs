//! Where and when changes were made: the process, the start of the host, and the network namespace.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, setns};
use serde::{Deserialize, Serialize};

use crate::sys::netns;

/// The namespace of the calling thread, and that of the first process.
const OWN: &str = "/proc/thread-self/ns/net";
const FIRST: &str = "/proc/1/ns/net";
/// Where namespaces have names.  Source: ip-netns(8).
const NAMES: &str = "/run/netns";

/// A process, told apart from a later one of the same number by when it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Process {
    pub(super) pid: u32,
    /// Unit: clock ticks after the host started.  Source: proc_pid_stat(5), field 22.
    pub(super) started: u64,
}

impl Process {
    /// This one.
    pub(super) fn own() -> io::Result<Self> {
        let pid = std::process::id();
        let started = started(pid).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { pid, started })
    }

    /// Whether it runs. One that has ended and that its parent has not heard of does not.
    pub(super) fn is_alive(&self) -> bool {
        started(self.pid) == Some(self.started)
    }
}

/// When a process began, unless it has ended.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may have anything in it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if ["Z", "X"].contains(&state) {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// A number that is new each time the host starts.  Source: random(4).
pub(super) fn boot_id() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

/// A network namespace, as a later process finds it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Namespace {
    /// The inode of the namespace; after the namespace has gone it may be given again.
    pub(super) inode: u64,
    /// The cookie, which is never given again while the host runs; absent before Linux 5.14.
    pub(super) cookie: Option<u64>,
    /// Whether it is that of the host's first process.
    pub(super) host: bool,
    /// A file that it is mounted on.
    pub(super) path: Option<PathBuf>,
}

impl Namespace {
    /// The calling thread's.
    pub(super) fn own() -> io::Result<Self> {
        let inode = fs::metadata(OWN)?.ino();
        let host = fs::metadata(FIRST).is_ok_and(|first| first.ino() == inode);
        Ok(Self { inode, cookie: netns::cookie().ok(), host, path: mounted(inode) })
    }

    /// That of the host's first process.
    pub(super) fn of_host() -> io::Result<Self> {
        Ok(Self { inode: fs::metadata(FIRST)?.ino(), cookie: None, host: true, path: None })
    }

    /// Whether the calling thread is in it.
    pub(super) fn is_own(&self) -> bool {
        let same_cookie = || match self.cookie {
            Some(cookie) => netns::cookie().is_ok_and(|own| own == cookie),
            None => true,
        };
        fs::metadata(OWN).is_ok_and(|own| own.ino() == self.inode) && same_cookie()
    }

    /// Does `work` in it: here if the calling thread is in it, else in a thread that enters it. `None` when it has
    /// gone, or cannot be found.
    pub(super) fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<Option<T>> {
        if self.is_own() {
            return Ok(Some(work()));
        }
        let Some(file) = self.candidates().into_iter().find_map(|path| self.open(&path)) else {
            return Ok(None);
        };
        let entered = || -> io::Result<Option<T>> {
            setns(file, CloneFlags::CLONE_NEWNET)?;
            Ok(self.is_own().then(work))
        };
        std::thread::scope(|scope| {
            scope.spawn(entered).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Files that may hold it: the path, the host's, and those of all processes.
    fn candidates(&self) -> Vec<PathBuf> {
        let first = self.host.then(|| PathBuf::from(FIRST));
        let process = |entry: fs::DirEntry| {
            let is_number = entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok());
            is_number.then(|| entry.path().join("ns/net"))
        };
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(process);
        self.path.clone().into_iter().chain(first).chain(processes).collect()
    }

    fn open(&self, path: &Path) -> Option<File> {
        // The inode first: to open a pipe or a device may wait.
        let is_it = |about: io::Result<fs::Metadata>| about.is_ok_and(|about| about.ino() == self.inode);
        let file = is_it(fs::metadata(path)).then(|| File::open(path).ok())??;
        is_it(file.metadata()).then_some(file)
    }
}

/// A file on which the namespace of this inode is mounted.
fn mounted(inode: u64) -> Option<PathBuf> {
    let named = fs::read_dir(NAMES).into_iter().flatten().flatten().map(|entry| entry.path());
    let holds = |path: &PathBuf| fs::metadata(path).is_ok_and(|about| about.ino() == inode);
    named.into_iter().find(holds).or_else(|| {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let root = format!("net:[{inode}]");
        // Fields: number, parent, device, root, mount point.
        let line = mounts.lines().find(|line| line.split(' ').nth(3) == Some(&root))?;
        line.split(' ').nth(4).map(PathBuf::from).filter(holds)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_one_that_began_at_another_time_is_not() {
        let own = Process::own().expect("it runs");
        assert!(own.is_alive());
        assert!(!Process { started: own.started + 1, ..own }.is_alive());
    }

    #[test]
    fn a_namespace_is_found_from_outside_while_a_thread_is_in_it() {
        let Some(lab) = crate::lab::of_a_test(1500) else { return };
        let there = lab.there(Namespace::own).expect("entered").expect("readable");
        assert!(!there.is_own());
        // No file holds it, and no process of its own is in it: it cannot be found, and is not mistaken for another.
        assert_eq!(there.within(|| ()).expect("no failure"), None);
        let inside = lab.there(|| there.within(Namespace::own)).expect("entered").expect("no failure");
        assert_eq!(inside.expect("here").expect("readable"), there);
    }
}
