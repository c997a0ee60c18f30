//! Files as they are read: to their end, which a device may not have.

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::os::fd::AsFd as _;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};

/// The name of standard input, and of standard output.
const STREAM: &str = "-";
/// No run, plan, key, host or configuration file is longer. Unit: bytes.
pub(crate) const LONGEST: u64 = 1 << 28;

/// Whether `path` is a stream rather than a file: `-`.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new(STREAM)
}

/// Reads all of a file, or of standard input. A signal that this process hears ends it while it waits for a pipe.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = if is_stream(path) {
        io::stdin().as_fd().try_clone_to_owned()?
    } else {
        // A pipe that nobody has opened to write is waited for below, where a signal is heard.
        rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?
    };
    let (mut file, longest) = (fs::File::from(file), longest(path));
    let mut bytes = Vec::new();
    loop {
        if let Err(error) = poll(&mut [PollFd::new(&file, PollFlags::IN)], None) {
            return Err(match error.kind() {
                ErrorKind::Interrupted => io::Error::other("interrupted while it was waited for"),
                _ => error.into(),
            });
        }
        match (&mut file).take(longest + 1 - bytes.len() as u64).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > longest => {
                return Err(io::Error::new(
                    ErrorKind::FileTooLarge,
                    "it does not end, or is longer than 256 MiB",
                ));
            }
            Ok(_) => return Ok(bytes),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// A device may never end: what it gives is cut much earlier than a file.
fn longest(path: &Path) -> u64 {
    let file = is_stream(path) || fs::metadata(path).is_ok_and(|there| there.is_file());
    if file { LONGEST } else { LONGEST >> 4 }
}

/// Reads all of a file of text.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not text (UTF-8)"))
}
