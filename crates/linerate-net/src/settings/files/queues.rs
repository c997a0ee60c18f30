//! The queues of an interface.
//!
//! Source: kernel documentation, networking/scaling.

use std::path::Path;

use super::super::error::Cause;
use super::{Part, numbered};

/// The file `file` of every queue whose name begins with `prefix`.
pub(super) fn parts(sys: &Path, interface: &str, prefix: &str, file: &str) -> Result<Vec<Part>, Cause> {
    let interface_folder = sys.join("class/net").join(interface);
    if !interface_folder.exists() {
        return Err(std::io::Error::from_raw_os_error(libc::ENODEV).into());
    }
    let queues = numbered(&interface_folder.join("queues"), prefix);
    let part = |(number, path): (u32, std::path::PathBuf)| Part {
        name: format!("{prefix}{number}"),
        path: path.join(file),
    };
    let parts: Vec<Part> = queues.into_iter().map(part).filter(|part| part.path.exists()).collect();
    if parts.is_empty() {
        return Err(Cause::Lacking(format!("the kernel has no {file} for the queues of {interface}")));
    }
    Ok(parts)
}
