//! Why a fact could not be read.

use std::io;
use std::net::IpAddr;

/// Why a fact could not be read, in a few words that fit "unknown (...)".
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// Looking for a file of the kernel that this host does not have.
    #[cfg(on_linux)]
    #[error("no such file")]
    NoFile,
    /// Looking for such a file on a system that has none.
    #[cfg(not(on_linux))]
    #[error("{}", crate::sys::ONLY_LINUX)]
    OnlyLinux,
    /// Reading what this user may not.
    #[error("not permitted")]
    NotPermitted,
    /// Reading a file or asking the system.
    #[error("{0}")]
    System(io::Error),
    /// Asking a driver that has no answer.
    #[error("the driver does not say{0}")]
    Driver(&'static str),
    /// Looking for a field that the text does not have.
    #[error("no `{0}` in it")]
    Field(String),
    /// Reading a number.
    #[error("`{0}` is not a number")]
    Number(String),
    /// Looking for the interface that owns an address.
    #[error("no interface has {0}")]
    Address(IpAddr),
    /// Looking for an interface by its name.
    #[error("no interface `{0}`")]
    Interface(String),
    /// Looking for signs, such as those of a hypervisor.
    #[error("{0}")]
    NoSign(&'static str),
}

impl Unread {
    /// A file that could not be read.
    pub(super) fn file(error: io::Error) -> Self {
        match error.kind() {
            #[cfg(not(on_linux))]
            io::ErrorKind::NotFound => Self::OnlyLinux,
            #[cfg(on_linux)]
            io::ErrorKind::NotFound => Self::NoFile,
            io::ErrorKind::PermissionDenied => Self::NotPermitted,
            _ => Self::System(error),
        }
    }

    /// A driver that did not answer.
    pub(super) fn driver(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::EOPNOTSUPP) => Self::Driver(" (EOPNOTSUPP)"),
            Some(libc::EPERM) => Self::NotPermitted,
            _ => Self::System(error),
        }
    }
}
