//! Files as they are read: to their end, which a device may not have.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

/// The name of standard input, and of standard output.
const STREAM: &str = "-";
/// No run, plan, key, host or configuration file is longer. Unit: bytes.
pub(crate) const LONGEST: u64 = 1 << 30;

/// Whether `path` is a stream rather than a file: `-`.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new(STREAM)
}

/// Reads all of a file, or of standard input.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if is_stream(path) {
        io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(path)?.take(longest(path) + 1).read_to_end(&mut bytes)
    };
    if read? as u64 > longest(path) {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it does not end, or is longer than any such file",
        ));
    }
    Ok(bytes)
}

/// A device may never end: what it gives is cut much earlier than a file.
fn longest(path: &Path) -> u64 {
    let file = is_stream(path) || fs::metadata(path).is_ok_and(|there| there.is_file());
    if file { LONGEST } else { LONGEST >> 6 }
}

/// Reads all of a file of text.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text (UTF-8)"))
}
