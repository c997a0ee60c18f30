//! Files that hold a namespace, as ip-netns(8) makes them: the namespace is mounted on each.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::sched::{CloneFlags, unshare};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    unmount,
};

/// Makes the folder of the files such that other mount namespaces see what is mounted there.
pub(super) fn prepare(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let share = || mount_change(folder, MountPropagationFlags::SHARED | MountPropagationFlags::REC);
    match share() {
        // Not a mount point yet.
        Err(Errno::INVAL) => {
            mount_bind_recursive(folder, folder)?;
            Ok(share()?)
        }
        other => Ok(other?),
    }
}

/// Lets `file` hold the network namespace of this thread.
pub(super) fn keep(file: &Path) -> io::Result<()> {
    fs::OpenOptions::new().write(true).create_new(true).mode(0o444).open(file)?;
    let mounted = mount_bind("/proc/thread-self/ns/net", file);
    mounted.map_err(|errno| {
        fs::remove_file(file).unwrap_or(());
        errno.into()
    })
}

/// Lets go of the namespace that `file` holds, if it holds one.
pub(super) fn release(file: &Path) -> io::Result<()> {
    match unmount(file, UnmountFlags::DETACH) {
        // Not mounted, or not there.
        Ok(()) | Err(Errno::INVAL | Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Gives this process a view of its own of `/sys`, which shows the network namespace that it is in, and puts `hosts`
/// in the place of `/etc/hosts`.
pub(super) fn view(hosts: &Path) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    unmount("/sys", UnmountFlags::DETACH)?;
    let sysfs = |flags| mount("sysfs", "/sys", "sysfs", flags, None::<&CStr>);
    // In a container it may only be read.
    sysfs(MountFlags::empty()).or_else(|_| sysfs(MountFlags::RDONLY))?;
    Ok(mount_bind(hosts, "/etc/hosts")?)
}
