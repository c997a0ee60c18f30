//! Which processes are in a network namespace.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// The most processes that are named.
const NAMED: usize = 8;

/// The numbers of the processes in the namespaces that these files hold.
pub(super) fn within(files: &[PathBuf]) -> Vec<u32> {
    let inode = |path: PathBuf| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    let wanted: BTreeSet<_> = files.iter().cloned().filter_map(inode).collect();
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(number);
    let is_in = |process: &u32| {
        let namespace = inode(PathBuf::from(format!("/proc/{process}/ns/net")));
        namespace.is_some_and(|namespace| wanted.contains(&namespace))
    };
    all.filter(is_in).collect()
}

/// Their numbers and commands, for people.
pub(super) fn named(processes: &[u32]) -> String {
    let name = |process: &u32| {
        let command = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        format!("{process} ({})", linerate_core::foreign::plain(command.trim()))
    };
    let mut names: Vec<String> = processes.iter().take(NAMED).map(name).collect();
    if processes.len() > NAMED {
        names.push(format!("and {} more", processes.len() - NAMED));
    }
    names.join(", ")
}
