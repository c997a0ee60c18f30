//! One experiment at a time on a host and in a network namespace.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::journal::{JournalError, make_folder};
use super::origin::Namespace;

/// The most bytes of what the holder says.
const LONGEST: u64 = 16 << 10;

/// The right to change settings in a network namespace, as long as this is. The kernel takes it back when the process
/// ends.
#[derive(Debug)]
pub struct HostLock(File);

/// What the holder says of itself in the file.
#[derive(Default, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    what: String,
}

impl HostLock {
    /// Takes the lock of the calling thread's network namespace, by a file in `folder`. The file stays.
    ///
    /// # Errors
    ///
    /// [`JournalError::Locked`] when another process, or another part of this one, has it.
    pub fn take(folder: &Path, what: &str) -> Result<Self, JournalError> {
        make_folder(folder)?;
        let namespace = Namespace::own().map_err(JournalError::Origin)?;
        let name =
            if namespace.host { "host.lock".to_owned() } else { format!("net-{}.lock", namespace.inode) };
        let path = folder.join(name);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(JournalError::file("open the lock", &path))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let Holder { pid, what } = holder(&file);
                return Err(JournalError::Locked { pid, what });
            }
            Err(errno) => return Err(JournalError::file("take the lock", &path)(errno.into())),
        }
        let holder = Holder { pid: std::process::id(), what: what.chars().take(500).collect() };
        write(&file, &holder).map_err(JournalError::file("write the lock", &path))?;
        Ok(Self(file))
    }
}

impl Drop for HostLock {
    fn drop(&mut self) {
        // An error leaves the lock to the end of the descriptor.
        flock(&self.0, FlockOperation::Unlock).unwrap_or(());
    }
}

/// Who has it; nobody by name in the moment between the lock and the writing.
fn holder(mut file: &File) -> Holder {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(LONGEST).read_to_string(&mut text));
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn write(mut file: &File, holder: &Holder) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&serde_json::to_vec(holder)?)
}
