//! Old spellings of flags: understood, shown nowhere, and answered with one warning.

use std::ffi::OsString;

/// What a flag was called in some verbs.
#[derive(Debug)]
pub struct OldSpelling {
    /// With its dashes, as everywhere.
    pub old: &'static str,
    /// What it is called now.
    pub new: &'static str,
    /// Verbs as they are written, such as `history show`.
    pub verbs: &'static [&'static str],
}

const MEASURING: &[&str] = &["measure", "stream", "rr", "mesh", "app", "trace"];

/// Those of `linerate`.
pub(super) const OLD: [OldSpelling; 11] = [
    OldSpelling { old: "--from", new: "--min-size", verbs: &["measure"] },
    OldSpelling { old: "--to", new: "--max-size", verbs: &["measure"] },
    OldSpelling { old: "--tag", new: "--label", verbs: MEASURING },
    OldSpelling {
        old: "--tag",
        new: "--label",
        verbs: &["history", "history show", "history changes", "history report", "history export"],
    },
    OldSpelling { old: "--to", new: "--report", verbs: &["report", "explain", "compare", "host"] },
    OldSpelling { old: "--to", new: "--report", verbs: &["experiment report", "history report"] },
    OldSpelling { old: "--to", new: "--out", verbs: &["history export"] },
    OldSpelling {
        old: "--to",
        new: "--folder",
        verbs: &["model load", "model check", "experiment", "experiment run"],
    },
    OldSpelling { old: "--out", new: "--folder", verbs: &["completions", "man"] },
    OldSpelling { old: "--json", new: "--out", verbs: &["host"] },
    OldSpelling { old: "--threshold", new: "--within", verbs: &["compare"] },
];

/// The same command, which understands the old spellings too.
pub(super) fn understood(command: clap::Command, old: &[OldSpelling]) -> clap::Command {
    old.iter().fold(command, |command, row| {
        row.verbs.iter().fold(command, |command, verb| with_alias(command, verb.split(' ').collect(), row))
    })
}

fn with_alias(command: clap::Command, mut verbs: Vec<&str>, row: &OldSpelling) -> clap::Command {
    if !verbs.is_empty() {
        let verb = verbs.remove(0).to_owned();
        return command.mut_subcommand(verb, |below| with_alias(below, verbs, row));
    }
    let (old, new) = (row.old.trim_start_matches('-'), row.new.trim_start_matches('-'));
    command.mut_args(|arg| if arg.get_long() == Some(new) { arg.alias(old) } else { arg })
}

/// What `flag` of this verb is called now.
pub(super) fn current<'a>(verb: &str, flag: &'a str, old: &'static [OldSpelling]) -> &'a str {
    let row = old.iter().find(|row| row.old == flag && row.verbs.contains(&verb));
    row.map_or(flag, |row| row.new)
}

/// A warning for each old spelling among the `words` that follow the verb.
pub(super) fn warnings(verb: &str, words: &[OsString], old: &[OldSpelling]) -> Vec<String> {
    let rows = old.iter().filter(|row| row.verbs.contains(&verb));
    let given = |row: &&OldSpelling| {
        let flags = words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
        flags.map(|flag| flag.split_once('=').map_or(flag, |(flag, _)| flag)).any(|flag| flag == row.old)
    };
    rows.filter(given).map(|row| format!("warning: {} is now {}", row.old, row.new)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verb at these words.
    fn verb<'a>(command: &'a clap::Command, words: &str) -> &'a clap::Command {
        let below = |command: &'a clap::Command, word| command.find_subcommand(word).expect("a verb");
        words.split(' ').fold(command, below)
    }

    #[test]
    fn every_old_spelling_means_the_new_one_and_is_shown_nowhere() {
        let command = crate::cli::command();
        for row in OLD {
            let (old, new) = (row.old.trim_start_matches('-'), row.new.trim_start_matches('-'));
            for name in row.verbs {
                let arguments: Vec<&clap::Arg> = verb(&command, name).get_arguments().collect();
                let named = arguments.iter().find(|arg| arg.get_long() == Some(new));
                let named = named.unwrap_or_else(|| panic!("{name} has no {}", row.new));
                assert!(
                    named.get_all_aliases().is_some_and(|names| names.contains(&old)),
                    "{name} {}",
                    row.old
                );
                assert!(arguments.iter().all(|arg| arg.get_long() != Some(old)), "{name} {}", row.old);
                let help = verb(&command, name).clone().render_long_help().to_string();
                let words = help.split(|c: char| !(c.is_alphanumeric() || c == '-'));
                assert!(words.into_iter().all(|word| word != row.old), "{name} shows {}", row.old);
            }
        }
    }

    #[test]
    fn an_old_spelling_is_warned_of_once() {
        for row in OLD {
            for verb in row.verbs {
                for given in [
                    vec![row.old.to_owned(), "x".to_owned()],
                    vec![format!("{}=x", row.old), row.old.to_owned()],
                ] {
                    let words: Vec<OsString> = given.into_iter().map(OsString::from).collect();
                    let wanted = format!("warning: {} is now {}", row.old, row.new);
                    assert_eq!(warnings(verb, &words, &OLD), [wanted], "{verb}");
                }
            }
        }
        let words = ["--max-size", "5", "--", "--to", "6"].map(OsString::from);
        assert!(warnings("measure", &words, &OLD).is_empty(), "new ones, and what is passed on");
        assert!(warnings("stream", &["--to".into()], &OLD).is_empty(), "stream never had it");
    }
}
