//! The control groups of this process: which folders they are, of either version.

use std::path::PathBuf;

use super::Unread;
use super::proc_text::read;

/// The groups of the calling thread under one controller.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Groups {
    /// Whether they are of version 2.
    pub(super) unified: bool,
    /// Where the hierarchy is mounted.
    pub(super) mount: String,
    /// The paths below it, deepest first: `/a/b`, `/a`, and the empty path of the root.
    pub(super) levels: Vec<String>,
}

impl Groups {
    /// Those of `controller`, such as `cpu`.
    pub(super) fn of(controller: &str) -> Result<Self, Unread> {
        let (own, mounts) = (read("/proc/thread-self/cgroup")?, read("/proc/thread-self/mountinfo")?);
        Self::found(controller, &own, &mounts).ok_or_else(|| Unread::Field(format!("cgroup of {controller}")))
    }

    /// A controller that an old hierarchy has is not in the unified one. A path that is not below the root of the
    /// mount is that of the host, seen from a container: its own group is then where the hierarchy is mounted.
    ///
    /// Source: cgroups(7), proc_pid_mountinfo(5).
    pub(super) fn found(controller: &str, own: &str, mounts: &str) -> Option<Self> {
        let lines = || own.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
        let old = lines().find(|(names, _)| names.split(',').any(|name| name == controller));
        let unified = old.is_none();
        let (_, path) = old.or_else(|| lines().find(|(names, _)| names.is_empty()))?;
        let (root, mount) = mounts.lines().find_map(|line| {
            let (left, right) = line.split_once(" - ")?;
            let (mut left, mut right) = (left.split(' ').skip(3), right.split(' '));
            let kind = right.next()?;
            let mut has =
                || right.nth(1).is_some_and(|options| options.split(',').any(|name| name == controller));
            let wanted = if unified { kind == "cgroup2" } else { kind == "cgroup" && has() };
            wanted.then_some((left.next()?, left.next()?))
        })?;
        let below = path.strip_prefix(root.trim_end_matches('/'));
        let below = below.filter(|below| below.starts_with('/') && !below.starts_with("/..")).unwrap_or("");
        Some(Self { unified, mount: mount.to_owned(), levels: levels(below).collect() })
    }

    /// The folder of a level.
    pub(super) fn folder(&self, level: &str) -> PathBuf {
        PathBuf::from(format!("{}{level}", self.mount))
    }
}

/// A group and all above it, deepest first.
fn levels(path: &str) -> impl Iterator<Item = String> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    (0..=names.len()).rev().map(move |depth| names[..depth].iter().map(|name| format!("/{name}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n";
    const NEW: &str = "31 25 0:27 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    fn levels_of(own: &str, mounts: &str) -> Option<(bool, String, Vec<String>)> {
        Groups::found("cpu", own, mounts).map(|groups| (groups.unified, groups.mount, groups.levels))
    }

    #[test]
    fn each_version_is_found_where_it_is_mounted() {
        let both = [OLD, NEW].concat();
        let texts = |levels: &[&str]| levels.iter().map(|level| (*level).to_owned()).collect::<Vec<_>>();
        let old = Some((false, "/sys/fs/cgroup/cpu".to_owned(), texts(&["/a/b", "/a", ""])));
        assert_eq!(levels_of("4:memory:/m\n1:cpu,cpuacct:/a/b\n0::/c\n", &both), old);
        let new = Some((true, "/sys/fs/cgroup".to_owned(), texts(&["/c", ""])));
        assert_eq!(levels_of("4:memory:/m\n0::/c\n", &both), new);
        assert_eq!(levels_of("0::/c\n", OLD), None, "it is not mounted");
        assert_eq!(levels_of("4:memory:/m\n", &both), None);
    }

    #[test]
    fn a_container_has_its_own_root() {
        let bound = "31 25 0:27 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        for (own, levels) in [
            ("0::/docker/ab\n", &[""][..]),
            ("0::/docker/ab/x\n", &["/x", ""]),
            ("0::/docker/abc\n", &[""]),
            ("0::/\n", &[""]),
            ("0::/../else\n", &[""]),
        ] {
            let found = levels_of(own, bound).expect("it is mounted").2;
            assert_eq!(found, levels, "{own}");
        }
    }
}
