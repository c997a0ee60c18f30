//! The small texts of `/proc` and `/sys`: reading them, and finding a field.

use std::path::Path;

use super::Unread;

/// The whole text of a file.
pub(crate) fn read(path: impl AsRef<Path>) -> Result<String, Unread> {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(Unread::file)
}

/// A file that holds one value: its words, one space between each.
pub(crate) fn read_value(path: impl AsRef<Path>) -> Result<String, Unread> {
    Ok(words(&read(path)?))
}

/// The words of a text, one space between each.
pub(super) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What follows `name:` on the first line that starts so, trimmed.
pub(super) fn field<'a>(text: &'a str, name: &str) -> Result<&'a str, Unread> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(left, _)| left.trim() == name)
        .map(|(_, right)| right.trim())
        .ok_or_else(|| Unread::Field(name.to_owned()))
}

/// The first word as a number.
pub(crate) fn number(text: &str) -> Result<u64, Unread> {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.parse().map_err(|_| Unread::Number(word.to_owned()))
}

/// The field `name`, which is in units of 1024 bytes, as of `/proc/meminfo`.  Unit: bytes.
pub(crate) fn bytes_field(text: &str, name: &str) -> Result<u64, Unread> {
    let kib = number(field(text, name)?)?;
    kib.checked_mul(1_024).ok_or_else(|| Unread::Number(kib.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str =
        "Name:\tlinerate\nVmPeak:\t    3060 kB\nVmHWM:\t    1728 kB\nnonvoluntary_ctxt_switches:\t7\n";

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        assert_eq!(field(STATUS, "Name").expect("name"), "linerate");
        assert_eq!(bytes_field(STATUS, "VmHWM").expect("bytes"), 1_728 * 1_024);
        assert_eq!(field(STATUS, "Vm").expect_err("half a name").to_string(), "no `Vm` in it");
    }

    #[test]
    fn what_is_no_number_is_said() {
        for (text, why) in [
            ("VmHWM:", "`` is not a number"),
            ("VmHWM: many kB", "`many` is not a number"),
            ("VmHWM: 18446744073709551615 kB", "`18446744073709551615` is not a number"),
            ("VmHWM: -4 kB", "`-4` is not a number"),
        ] {
            assert_eq!(bytes_field(text, "VmHWM").expect_err(text).to_string(), why);
        }
    }

    #[test]
    fn tabs_between_values_become_spaces() {
        assert_eq!(words("4096\t131072\t6291456\n"), "4096 131072 6291456");
    }
}
