//! A command line is read: what clap makes of it, and what stands beside the flags of a verb.

use std::ffi::OsString;

use clap::error::ErrorKind;

use super::spelling::{self, OldSpelling};
use super::wrong_flag;
use crate::trouble::Trouble;

/// When tables have colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// What every verb is given that writes files or shows tables.
#[derive(Debug, Default)]
pub struct Given {
    /// When tables have colours.
    pub(crate) color: Color,
    /// Whether run files may be overwritten.
    pub(crate) force: bool,
    /// What to say about old spellings, each once.
    pub(crate) warnings: Vec<String>,
    /// The history that the user named.
    pub(crate) history: Option<OsString>,
}

impl Given {
    /// The same where a launcher reads standard output, which may look like a terminal all the same: no colours unless the
    /// user asks for them.
    #[must_use]
    pub const fn through_launcher(mut self) -> Self {
        if matches!(self.color, Color::Auto) {
            self.color = Color::Never;
        }
        self
    }
}

/// A program with a command line.
#[derive(Debug)]
pub struct Program {
    /// What it understands.
    pub command: clap::Command,
    /// The old spellings among that.
    pub(crate) old: &'static [OldSpelling],
}

/// Why there is nothing to carry out.
#[derive(Debug)]
pub enum Unread {
    /// Help that was asked for, or what clap finds wrong.
    Clap(clap::Error),
    /// What is wrong.
    Wrong(Trouble),
}

impl Program {
    /// The program of `command`, with --force where files are written, --history where runs are recorded and --color where
    /// tables are printed, that understands these `old` spellings too.
    #[must_use]
    pub fn of(command: clap::Command, old: &'static [OldSpelling]) -> Self {
        Self { command: spelling::understood(with_file_flags(command), old), old }
    }

    /// Reads the `words` of a command line, of which the second is the verb.
    ///
    /// # Errors
    ///
    /// When they ask for help, or make no sense.
    pub fn read<C: clap::FromArgMatches>(&self, words: &[OsString]) -> Result<(C, Given), Unread> {
        let mut command = self.command.clone();
        if words.iter().any(|word| word == "-h") {
            command = without_headings(command);
        }
        let matches = read(words, &command).map_err(|error| {
            wrong_flag::answer(&error, words, (&command, self.old)).map_or(Unread::Clap(error), Unread::Wrong)
        })?;
        let cli = C::from_arg_matches(&matches).map_err(|error| Unread::Clap(error.format(&mut command)))?;
        let (verb, given) = last_verb(&matches);
        let given = Given {
            force: given.try_get_one("force").ok().flatten().copied().unwrap_or_default(),
            color: given.try_get_one("color").ok().flatten().copied().unwrap_or_default(),
            history: given.try_get_one("history").ok().flatten().cloned(),
            warnings: spelling::warnings(&verb, words, self.old),
        };
        Ok((cli, given))
    }
}

fn with_file_flags(command: clap::Command) -> clap::Command {
    let has = |names: &[&str]| command.get_arguments().any(|arg| names.contains(&arg.get_id().as_str()));
    let (writes, records) = (has(&["out", "report"]), has(&["record"]));
    let flags = [writes.then(force_flag), records.then(history_flag), has(&["format"]).then(color_flag)];
    command.args(flags.into_iter().flatten()).mut_subcommands(with_file_flags)
}

fn color_flag() -> clap::Arg {
    let color = clap::Arg::new("color").long("color").value_name("WHEN");
    let color =
        color.value_parser(clap::value_parser!(Color)).hide_possible_values(true).hide_short_help(true);
    color.help("Colors: auto (on a terminal without NO_COLOR), always or never").help_heading("Output")
}

fn force_flag() -> clap::Arg {
    let force = clap::Arg::new("force").long("force").action(clap::ArgAction::SetTrue);
    force.help("Overwrite an existing run file").help_heading("Output").hide_short_help(true)
}

pub(super) fn history_flag() -> clap::Arg {
    const HELP: &str = "History: a file, or postgres://USER@HOST/DATABASE [default: yours]";
    let history = clap::Arg::new("history").long("history").value_name("HISTORY").env("LINERATE_HISTORY");
    let history = history.hide_env(true).value_parser(clap::value_parser!(OsString)).help(HELP);
    history.help_heading("Output").hide_short_help(true).long_help(format!(
        "{HELP}\n\nYours is linerate/history.db in $XDG_DATA_HOME or ~/.local/share. A verb that measures records its run \
         there if --history, --record or LINERATE_HISTORY is given; --history off records nothing."
    ))
}

pub(super) fn read(words: &[OsString], command: &clap::Command) -> Result<clap::ArgMatches, clap::Error> {
    let read = |words: &[OsString]| command.clone().try_get_matches_from(words);
    read(words).or_else(|error| match with_negative_value(words) {
        // Who reads the values says better what is wrong with it.
        Some(words) if error.kind() == ErrorKind::UnknownArgument => read(&words),
        _ => Err(error),
    })
}

/// The verb with the verbs below it, such as `history show`, and what was given to the last.
fn last_verb(matches: &clap::ArgMatches) -> (String, &clap::ArgMatches) {
    let (mut verbs, mut given) = (Vec::new(), matches);
    while let Some((verb, below)) = given.subcommand() {
        verbs.push(verb);
        given = below;
    }
    (verbs.join(" "), given)
}

/// The `words` with `--option=-1` for `--option -1`, which clap takes for a flag. Absent if there is none.
fn with_negative_value(words: &[OsString]) -> Option<Vec<OsString>> {
    let is_negative = |word: &str| {
        word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let joined = |pair: &[OsString]| {
        let (option, value) = (pair[0].to_str()?, pair[1].to_str()?);
        let fits = option.starts_with("--") && !option.contains('=') && is_negative(value);
        fits.then(|| OsString::from(format!("{option}={value}")))
    };
    let (at, word) = words.windows(2).enumerate().find_map(|(at, pair)| Some((at, joined(pair)?)))?;
    Some([&words[..at], &[word], &words[at + 2..]].concat())
}

/// The same command with a single list of flags: `-h` has few, and headings would only make it
/// longer.
fn without_headings(command: clap::Command) -> clap::Command {
    command.mut_args(|argument| argument.help_heading(None::<&str>)).mut_subcommands(without_headings)
}
