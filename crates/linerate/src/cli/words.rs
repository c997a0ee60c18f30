//! The words of a command line before clap reads them: which verb is meant.

use std::ffi::OsString;

use crate::trouble::Trouble;

/// The verb of a command line that has none.
const USUAL: &str = "measure";
/// Flags that are about linerate itself if they come first.
const ABOUT: [&str; 4] = ["-h", "--help", "-V", "--version"];
/// Shorter verbs differ from too many names of hosts by one letter.
const SHORTEST_MISTYPED: usize = 4;

/// The `words` with their verb first: flags may stand before it, and without one it is `measure`.
///
/// # Errors
///
/// When the word in the place of a verb is neither a verb nor a host.
pub(super) fn with_verb(mut words: Vec<OsString>, command: &clap::Command) -> Result<Vec<OsString>, Trouble> {
    if words.get(1).and_then(|word| word.to_str()).is_some_and(|word| ABOUT.contains(&word)) {
        return Ok(words);
    }
    let at = first_operand(&words, command);
    let word = at.and_then(|at| words[at].to_str().map(str::to_owned));
    if let (Some(at), Some(word)) = (at, &word) {
        let depth = depth(&words[at..], command);
        if depth > 0 {
            words[1..at + depth].rotate_right(depth);
            return Ok(words);
        }
        check_host(word, command)?;
    }
    words.insert(1.min(words.len()), USUAL.into());
    Ok(words)
}

/// How many of the first `words` are a verb and the verbs below it.
fn depth(words: &[OsString], command: &clap::Command) -> usize {
    let verb = words.first().and_then(|word| command.find_subcommand(word));
    verb.map_or(0, |verb| 1 + depth(&words[1..], verb))
}

/// Where the first word is that is neither a flag nor the value of one.
fn first_operand(words: &[OsString], command: &clap::Command) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.to_str() {
            Some("--") => return None,
            Some(flag) if flag.len() > 1 && flag.starts_with('-') => {
                at += if takes_next(flag, command) { 2 } else { 1 };
            }
            _ => return Some(at),
        }
    }
    None
}

/// Whether the word after `flag` is its value, in the first verb that has it; `measure` is the first.
fn takes_next(flag: &str, command: &clap::Command) -> bool {
    let named = |arg: &&clap::Arg| match flag.strip_prefix("--") {
        Some(long) => arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&long)),
        None => {
            let mut letters = flag.chars().skip(1);
            arg.get_short().is_some() && arg.get_short() == letters.next() && letters.next().is_none()
        }
    };
    let arg = command.get_subcommands().flat_map(clap::Command::get_arguments).find(named);
    arg.is_some_and(|arg| arg.get_action().takes_values() && !arg.is_require_equals_set())
}

/// Refuses a first word that cannot be a host, or that looks like a verb.
fn check_host(word: &str, command: &clap::Command) -> Result<(), Trouble> {
    let is_of_host = |c: char| c.is_alphanumeric() || "-._:[]%@".contains(c);
    if word.ends_with(".json") || word.ends_with(".zst") {
        let help = format!("show the file with `linerate report {word}`");
        return Err(Trouble::new(format!("{word} is a file, not a host"), help));
    }
    if !word.chars().all(is_of_host) {
        let help = "`linerate -h` lists the verbs; `linerate HOST` measures the path to HOST";
        return Err(Trouble::new(format!("`{word}` is neither a verb nor a host"), help));
    }
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(clap::Command::get_name);
    let meant = verbs.filter(|verb| verb.len() >= SHORTEST_MISTYPED).find(|verb| is_mistyped(word, verb));
    meant.map_or(Ok(()), |verb| {
        let help = format!("a host of that name is measured with `linerate {USUAL} {word}`");
        Err(Trouble::new(format!("there is no verb {word}; did you mean {verb}?"), help))
    })
}

/// Whether `word` is `verb`, mistyped. Digits make a name of a host: host1 is not the verb host.
fn is_mistyped(word: &str, verb: &str) -> bool {
    word.chars().all(char::is_alphabetic) && is_one_edit(word, verb)
}

/// Whether `word` is `meant` with one letter wrong, missing, too many, or with two in the wrong order.
pub(super) fn is_one_edit(word: &str, meant: &str) -> bool {
    let shared = word.bytes().zip(meant.bytes()).take_while(|(one, other)| one == other).count();
    let (one, other) = (&word.as_bytes()[shared..], &meant.as_bytes()[shared..]);
    let swapped = |one: &[u8], other: &[u8]| match (one, other) {
        ([a, b, one @ ..], [c, d, other @ ..]) => a == d && b == c && one == other,
        _ => false,
    };
    one.get(1..) == other.get(1..)
        || one.get(1..) == Some(other)
        || Some(one) == other.get(1..)
        || swapped(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(line: &str) -> Result<String, String> {
        let words = ["linerate"].into_iter().chain(line.split_whitespace()).map(OsString::from);
        let words =
            with_verb(words.collect(), &crate::cli::command()).map_err(|trouble| trouble.to_string())?;
        Ok(words[1..].join(" ".as_ref()).into_string().expect("text"))
    }

    #[test]
    fn without_a_verb_measure_is_meant() {
        for (line, wanted) in [
            ("", "measure"),
            ("node7", "measure node7"),
            ("--time 5 node7 --key K", "measure --time 5 node7 --key K"),
            ("--stages node7", "measure --stages node7"),
            ("10.0.0.7:99", "measure 10.0.0.7:99"),
            ("fe80::1%eth0", "measure fe80::1%eth0"),
            ("-- measure", "measure -- measure"),
            ("--time", "measure --time"),
        ] {
            assert_eq!(placed(line).as_deref(), Ok(wanted), "{line}");
        }
    }

    #[test]
    fn a_verb_stays_one_wherever_flags_stand() {
        for (line, wanted) in [
            ("stream node7", "stream node7"),
            ("--force stream node7", "stream --force node7"),
            ("--history h.db history show 1", "history show --history h.db 1"),
            ("--time=5 -q rr", "rr --time=5 -q"),
            ("measure measure", "measure measure"),
            ("-h", "-h"),
            ("--version", "--version"),
        ] {
            assert_eq!(placed(line).as_deref(), Ok(wanted), "{line}");
        }
    }

    #[test]
    fn a_mistyped_verb_is_no_host() {
        for (word, verb) in [
            ("measrue", "measure"),
            ("mesure", "measure"),
            ("streams", "stream"),
            ("comparw", "compare"),
            ("server", "serve"),
            ("hots", "host"),
        ] {
            let said = placed(word).expect_err(word);
            assert_eq!(said, format!("there is no verb {word}; did you mean {verb}?"));
        }
        for host in ["host1", "mesh2", "r1", "lap", "node7", "measure.lan", "gateway", "xmeasurex"] {
            assert_eq!(placed(host), Ok(format!("measure {host}")));
        }
    }

    #[test]
    fn what_cannot_be_a_host_is_refused() {
        assert_eq!(placed("x.run.json").expect_err("a file"), "x.run.json is a file, not a host");
        for word in ["a/b", "a=b", "what?"] {
            assert_eq!(placed(word).expect_err(word), format!("`{word}` is neither a verb nor a host"));
        }
    }
}
