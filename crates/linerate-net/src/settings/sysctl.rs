//! Values below `/proc/sys/net` and `/proc/sys/vm`. Those of `net` are of the calling thread's network namespace.
//!
//! Source: sysctl(8), proc_sys_net(5); kernel documentation, networking/ip-sysctl and admin-guide/sysctl/vm.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::error::Cause;
use super::{Allowed, Value};

/// Where they are.
const ROOT: &str = "/proc/sys";
/// Below it, TCP's congestion control, and those that the kernel has at hand.
pub(super) const CONGESTION: &str = "net/ipv4/tcp_congestion_control";
const AVAILABLE: &str = "net/ipv4/tcp_available_congestion_control";
/// Below it, files that make the kernel do something and keep no value.
const ACTIONS: [&str; 3] = ["vm/compact_memory", "vm/drop_caches", "vm/stat_refresh"];

/// The path below `/proc/sys` of the sysctl `name`, which has dots or slashes between its parts: whichever comes first
/// is the separator, and after a dot a slash stands for a dot, as in sysctl(8).
///
/// Errors: in words, what a name is.
pub(super) fn path(name: &str) -> Result<String, String> {
    let dotted = name.find(['.', '/']).is_some_and(|at| name[at..].starts_with('.'));
    let parts: Vec<String> = if dotted {
        name.split('.').map(|part| part.replace('/', ".")).collect()
    } else {
        name.split('/').map(str::to_owned).collect()
    };
    let good = |part: &String| !["", ".", ".."].contains(&part.as_str()) && !part.contains(['\0', '/', '\n']);
    if parts.len() < 2 || !["net", "vm"].contains(&parts[0].as_str()) || !parts.iter().all(good) {
        return Err("a sysctl is net.NAME or vm.NAME".to_owned());
    }
    Ok(parts.join("/"))
}

/// The name with dots of a path.
pub(super) fn dotted(path: &str) -> String {
    path.split('/').map(|part| part.replace('.', "/")).collect::<Vec<_>>().join(".")
}

/// Reads the one at this path.
pub(super) fn read(path: &str) -> Result<Value, Cause> {
    let file = file(path)?;
    let mode = fs::metadata(&file)?.permissions().mode();
    if ACTIONS.contains(&path) || mode & 0o444 == 0 {
        return Err(Cause::Lacking("it makes the kernel do something and has no value".to_owned()));
    }
    Ok(Value::from(fs::read_to_string(&file)?))
}

/// Sets the one at this path.
pub(super) fn write(path: &str, value: &Value) -> Result<(), Cause> {
    let file = file(path)?;
    if fs::metadata(&file)?.permissions().mode() & 0o222 == 0 {
        return Err(Cause::ReadOnly("it can only be read in this network namespace".to_owned()));
    }
    fs::write(file, format!("{}\n", value.as_str())).map_err(|error| match error.raw_os_error() {
        Some(libc::EINVAL) => Cause::Value("the kernel does not take it".to_owned()),
        // Who may not open the file hears EACCES; this the kernel says of the value.
        Some(libc::EPERM) => {
            Cause::Value("the kernel does not permit it in this network namespace".to_owned())
        }
        _ => Cause::System(error),
    })
}

/// What the one at this path takes.
pub(super) fn allowed(path: &str) -> Option<Allowed> {
    let list = (path == CONGESTION).then(|| read(AVAILABLE).ok()).flatten()?;
    Some(Allowed::Choices(list.as_str().split(' ').map(str::to_owned).collect()))
}

/// The file, which is there.
fn file(path: &str) -> Result<PathBuf, Cause> {
    let file = Path::new(ROOT).join(path);
    match fs::metadata(&file) {
        Ok(about) if about.is_file() => Ok(file),
        Ok(_) => Err(Cause::Lacking("it is a folder of sysctls".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Cause::Lacking(format!("there is no {} in this network namespace", file.display())))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_slashes_both_separate() {
        let same = "net/ipv4/tcp_rmem".to_owned();
        assert_eq!([path("net.ipv4.tcp_rmem"), path("net/ipv4/tcp_rmem")], [Ok(same.clone()), Ok(same)]);
        let vlan = "net/ipv4/conf/eth0.100/rp_filter".to_owned();
        for text in ["net.ipv4.conf.eth0/100.rp_filter", "net/ipv4/conf/eth0.100/rp_filter"] {
            assert_eq!(path(text), Ok(vlan.clone()), "{text}");
        }
        assert_eq!(dotted(&vlan), "net.ipv4.conf.eth0/100.rp_filter");
    }

    #[test]
    fn nothing_outside_the_two_trees_has_a_path() {
        for text in [
            "kernel.panic",
            "net",
            "",
            "net.",
            "net..x",
            "net/../kernel/panic",
            "net.//.kernel.panic",
            "/net/core",
            "vm/./x",
            "net.ipv4.a\0b",
            "../vm/x",
            "netx.y",
            "net./.kernel",
            "net.//",
        ] {
            let path = path(text);
            assert!(path.is_err(), "{text:?} is {path:?}");
        }
    }

    #[test]
    fn what_is_no_value_is_not_read() {
        for path in ["vm/drop_caches", "net/ipv4", "net/no_such"] {
            assert!(matches!(read(path), Err(Cause::Lacking(_))), "{path}");
        }
    }
}
