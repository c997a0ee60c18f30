//! Lists of hosts as people write them: `head,n[1-3,7]` is `head`, `n1`, `n2`, `n3` and `n7`, as in Slurm and pdsh.

/// What is wrong with a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostListError {
    /// A bracket does not hold numbers, or is never closed.
    #[error("`{0}` is no list of names; write several names as h[1-3], h[01-12] or h[1,4-6]")]
    Form(String),
    /// There are more names than may be.
    #[error("`{text}` stands for more than {most} names")]
    TooMany {
        /// As it was written.
        text: String,
        /// The most.
        most: usize,
    },
}

/// The names that one word stands for, at most so many.
///
/// # Errors
///
/// [`HostListError`].
pub fn expand(text: &str, most: usize) -> Result<Vec<String>, HostListError> {
    let Some((before, rest)) = text.split_once('[') else { return Ok(vec![text.to_owned()]) };
    let wrong = || HostListError::Form(text.to_owned());
    let (inside, after) = rest.split_once(']').ok_or_else(wrong)?;
    if after.contains(['[', ']']) {
        return Err(wrong());
    }
    let mut names = Vec::new();
    for part in inside.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number =
            |text: &str| text.parse::<usize>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        let (from, to) = number(first).zip(number(last)).ok_or_else(wrong)?;
        if from > to {
            return Err(wrong());
        }
        if to - from >= most.saturating_sub(names.len()) {
            return Err(HostListError::TooMany { text: text.to_owned(), most });
        }
        let width = if first.starts_with('0') { first.len() } else { 0 };
        names.extend((from..=to).map(|number| format!("{before}{number:0width$}{after}")));
    }
    Ok(names)
}

/// The names of a whole list, whose words are parted by commas outside of brackets.
///
/// ```
/// let names = linerate_core::host_list::parse("head,n[08-10]", 1_024)?;
/// assert_eq!(names, ["head", "n08", "n09", "n10"]);
/// # Ok::<(), linerate_core::host_list::HostListError>(())
/// ```
///
/// # Errors
///
/// [`HostListError`].
pub fn parse(text: &str, most: usize) -> Result<Vec<String>, HostListError> {
    let mut names = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let ends = text.char_indices().filter_map(|(place, letter)| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (letter == ',' && depth == 0).then_some(place)
    });
    for end in ends.chain([text.len()]) {
        let word = text[start..end].trim();
        start = end + 1;
        if !word.is_empty() {
            names.extend(expand(word, most.saturating_sub(names.len()))?);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<String, String> {
        parse(text, 100).map(|names| names.join(" ")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_is_read_as_slurm_writes_it() {
        for (text, expected) in [
            ("a", "a"),
            ("a, b,,c", "a b c"),
            ("n[1-3,7]", "n1 n2 n3 n7"),
            ("head,n[08-11].lan,user@m[1-2]", "head n08.lan n09.lan n10.lan n11.lan user@m1 user@m2"),
            ("", ""),
        ] {
            assert_eq!(names(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["n[1", "n[a-b]", "n[3-1]", "n[1][2]", "n[-1]", "n[+1]", "n[1-]"] {
            let said = names(text).expect_err(text);
            assert!(said.contains("write several names as h[1-3]"), "{said}");
        }
        for text in ["n[1-101]", "a,n[1-100]", "n[0-99999999999999999]", "n[1-60],m[1-60]"] {
            let said = names(text).expect_err(text);
            assert!(said.contains("stands for more than"), "{said}");
        }
    }
}
