//! Names of nodes, and several at once: `h[1-3,7]` is `h1`, `h2`, `h3` and `h7`, as in the host lists of Slurm and
//! pdsh.

use super::{LabPlanError, require};
use crate::host_list::{self, HostListError};

/// The most nodes of a laboratory: its networks have 254 addresses each.
pub(super) const MOST_NODES: usize = 250;
/// The most bytes of a name: it is that of the interfaces that lead there.  Source: `IFNAMSIZ`, less the final zero.
const LONGEST: usize = 15;
/// What has a meaning of its own below `/proc/sys/net/ipv4/conf`, and the loopback.
const RESERVED: [&str; 3] = ["all", "default", "lo"];

/// The names that `text` stands for.
pub(super) fn expand(key: &'static str, text: &str) -> Result<Vec<String>, LabPlanError> {
    host_list::expand(text, MOST_NODES).map_err(|error| match error {
        HostListError::Form(_) => {
            LabPlanError::value(key, text, "write several names as h[1-3], h[01-12] or h[1,4-6]")
        }
        HostListError::TooMany { .. } => {
            let reason = format!("these are more than the {MOST_NODES} nodes that a laboratory can have");
            LabPlanError::value(key, text, reason)
        }
    })
}

/// Refuses a name that an interface or a namespace cannot have.
pub(super) fn check(key: &'static str, name: &str) -> Result<(), LabPlanError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let good =
        name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()) && name.chars().all(plain);
    let reason = format!("a name is 1 to {LONGEST} of a to z, 0 to 9 and -, and does not begin with -");
    require(good && name.len() <= LONGEST, key, name, reason)?;
    require(!RESERVED.contains(&name), key, name, "that name has a meaning of its own; choose another")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_brackets_is_every_name_in_it() {
        let names = |text| expand("hosts", text).expect("it is a list");
        assert_eq!(names("a"), ["a"]);
        assert_eq!(names("h[1-3,7]x"), ["h1x", "h2x", "h3x", "h7x"]);
        assert_eq!(names("h[08-11]"), ["h08", "h09", "h10", "h11"]);
    }

    #[test]
    fn a_list_that_is_none_is_refused() {
        for text in ["h[1-", "h[]", "h[3-1]", "h[a-c]", "h[1][2]", "h[+1-2]", "h[1-251]", "h[1-200,201-400]"]
        {
            let error = expand("hosts", text).expect_err(text).to_string();
            assert!(error.starts_with(&format!("hosts is {text}; ")), "{error}");
        }
        let huge = "h[0-18446744073709551615]";
        assert!(expand("hosts", huge).is_err());
    }

    #[test]
    fn a_name_is_one_that_an_interface_can_have() {
        for name in ["a", "host-12", "0", "abcdefghijklmno"] {
            check("hosts", name).expect(name);
        }
        for name in ["", "-a", "A", "a.b", "a/b", "ä", "abcdefghijklmnop", "lo", "all"] {
            check("hosts", name).expect_err(name);
        }
    }
}
