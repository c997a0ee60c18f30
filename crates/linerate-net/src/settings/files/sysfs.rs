//! A view of `/sys` that shows the interfaces of the calling thread's network namespace.
//!
//! What `/sys` shows below `class/net` is the namespace of whoever mounted it. So one more is mounted, which no path
//! leads to and which ends with the descriptor that holds it.
//!
//! Source: sysfs(5), fsopen(2), fsmount(2).

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

/// A sysfs, there as long as this is.
pub(super) struct View {
    path: PathBuf,
    /// Kept open: `path` leads through it.
    _mount: Option<OwnedFd>,
}

impl View {
    /// The one at `/sys`.
    pub(super) fn of_host() -> Self {
        Self { path: PathBuf::from("/sys"), _mount: None }
    }

    /// One of this thread's network namespace. Without the right to mount one, `/sys` where the thread is in the
    /// namespace that its process began in.
    pub(super) fn of_this_namespace() -> io::Result<Self> {
        match mounted() {
            Ok(mount) => {
                let path = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
                Ok(Self { path, _mount: Some(mount) })
            }
            Err(Errno::PERM | Errno::NOSYS) if is_of_process() => Ok(Self::of_host()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Its root.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn mounted() -> rustix::io::Result<OwnedFd> {
    let configured = fsopen("sysfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&configured)?;
    fsmount(&configured, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
}

/// Whether this thread is in the network namespace of the process' first.
fn is_of_process() -> bool {
    let namespace = |path| std::fs::read_link(path).ok();
    let own = namespace("/proc/thread-self/ns/net");
    own.is_some() && own == namespace("/proc/self/ns/net")
}
