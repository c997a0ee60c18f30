//! The key under which a conversation begins: always the same, or what a file has at that moment.

use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::log::Log;
use crate::control::Key;

/// Reads the key again, or says why it cannot.
pub type ReadKey = Box<dyn Fn() -> Result<Key, String> + Send + Sync>;

/// The key of a server, if it asks for one.
pub(super) struct KeySource {
    last: Mutex<Option<Key>>,
    read: OnceLock<ReadKey>,
}

impl KeySource {
    pub(super) const fn new(key: Option<Key>) -> Self {
        Self { last: Mutex::new(key), read: OnceLock::new() }
    }

    /// Reads the key again at every conversation. Only the first call counts.
    pub(super) fn read_again(&self, read: ReadKey) {
        let _ = self.read.set(read);
    }

    /// Whether everyone may measure. It stays so, or not, as long as the server lives.
    pub(super) fn is_open(&self) -> bool {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// The key of a conversation that begins now. Where it cannot be read, the last one stays.
    pub(super) fn now(&self, log: &Log) -> Option<Key> {
        // Outside of the lock: a file may be slow.
        let read = self.read.get().map(|read| read());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(known), Some(read)) = (last.as_mut(), read) {
            match read {
                Ok(key) if key == *known => {}
                Ok(key) => {
                    log.info(format_args!("the key has changed; what runs goes on"));
                    *known = key;
                }
                Err(why) => log.warn(format_args!("the last key stays in force: {why}")),
            }
        }
        last.clone()
    }
}

/// Without the key.
impl fmt::Debug for KeySource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KeySource").field("open", &self.is_open()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn key(text: &str) -> Key {
        text.parse().expect("a key")
    }

    #[test]
    fn the_key_is_read_again_and_a_fault_leaves_the_last() {
        let (log, source) = (Log::default(), KeySource::new(Some(key("abcd-efgh-jkmn"))));
        assert!(source.now(&log) == Some(key("abcd-efgh-jkmn")));
        let nth = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&nth);
        source.read_again(Box::new(move || match counted.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(key("pqrs-tuvw-xyz2")),
            _ => Err("it is gone".to_owned()),
        }));
        for _ in 0..2 {
            assert!(source.now(&log) == Some(key("pqrs-tuvw-xyz2")));
        }
        assert_eq!(nth.load(Ordering::Relaxed), 2);
        assert!(!format!("{source:?}").contains("pqrs"));
    }

    #[test]
    fn an_open_server_stays_open() {
        let source = KeySource::new(None);
        source.read_again(Box::new(|| Ok(key("pqrs-tuvw-xyz2"))));
        assert!(source.is_open() && source.now(&Log::default()).is_none());
    }
}
