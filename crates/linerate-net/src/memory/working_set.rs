//! Working sets by name.

use linerate_core::environment::Fact;
use linerate_core::units::{ParseSizeError, Size};

use crate::observe::Caches;

/// Text that is not a working set. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkingSetError {
    /// It is neither a size nor a name.
    #[error("read the working set: {0}; or one of l2, llc, memory")]
    Size(#[from] ParseSizeError),
    /// It is the name of a cache, whose size the host does not say.
    #[error("find the size of `{name}`: {reason}; give the working set in bytes")]
    Unknown {
        /// What was given.
        name: String,
        /// Why the size is unknown.
        reason: String,
    },
}

/// Reads a size, or `l2` or `llc` (half of that cache, which leaves room for the program's other
/// data), or `memory` (twice the last level, so that each message has left the cache when its turn
/// comes again).
///
/// # Errors
///
/// When it is neither, or the host does not report the size of its caches.
pub fn working_set(text: &str, caches: &Fact<Caches>) -> Result<Size, WorkingSetError> {
    let of: fn(&Caches) -> u64 = match text.trim() {
        "l2" => |caches| caches.l2 / 2,
        "llc" => |caches| caches.last / 2,
        "memory" => |caches| caches.last.saturating_mul(2),
        size => return Ok(size.parse()?),
    };
    match caches {
        Fact::Known(caches) => Ok(Size(of(caches))),
        Fact::Unknown { unknown } => {
            Err(WorkingSetError::Unknown { name: text.trim().to_owned(), reason: unknown.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_set_is_a_size_or_a_name() {
        let caches = Fact::Known(Caches { l2: 2 << 20, last: 32 << 20 });
        for (text, bytes) in
            [("l2", 1 << 20), ("llc", 16 << 20), ("memory", 64 << 20), ("3MiB", 3 << 20), (" 4096 ", 4096)]
        {
            assert_eq!(working_set(text, &caches).expect(text), Size(bytes), "{text}");
        }
        let error = working_set("l4", &caches).expect_err("no such cache").to_string();
        assert!(error.contains("`l4`") && error.contains("llc"), "{error}");
    }

    #[test]
    fn a_cache_of_unknown_size_is_said_so() {
        let unknown = Fact::unknown("no such file");
        let error = working_set("llc", &unknown).expect_err("unknown").to_string();
        assert_eq!(error, "find the size of `llc`: no such file; give the working set in bytes");
        assert_eq!(working_set("1MiB", &unknown).expect("a size"), Size(1 << 20));
    }
}
