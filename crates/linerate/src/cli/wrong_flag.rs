//! Answers to flags that a verb does not have: those of other tools, those of other verbs, and mistyped ones.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::spelling::{self, OldSpelling};
use super::words::is_one_edit;
use crate::trouble::Trouble;

/// What linerate has instead.
enum Answer {
    /// A flag, with its value if it has one.
    Flag(&'static str),
    /// Something else.
    Other(&'static str),
}

use Answer::{Flag, Other};

/// Flags of iperf3, iperf, netperf, NetPIPE, qperf and ping, and the names of ours that they guess.
const FOREIGN: [(&[&str], Answer); 37] = [
    (&["-c", "--client", "-H"], Other("name the host without a flag: `linerate stream HOST`")),
    (&["-s", "--server"], Other("`linerate serve` is the server")),
    (
        &["-D", "--daemon", "-I", "--pidfile", "--logfile"],
        Other("contrib/systemd runs `linerate serve` as a service"),
    ),
    (&["-1", "--one-off"], Other("`linerate serve` answers until Ctrl-C")),
    (&["--get-server-output"], Other("the run file has what both ends saw")),
    (&["-V"], Other("`linerate --version` prints the version, and `--rows all` every row")),
    (&["--sctp"], Other("`linerate stream --transport` takes tcp, udp, quic, unix and others")),
    (&["--udp"], Flag("-u")),
    (&["--tcp"], Flag("--transport tcp")),
    (&["--parallel"], Flag("--flows")),
    (&["--reverse"], Flag("-R")),
    (&["-d", "--bidir", "--dualtest"], Flag("--direction both")),
    (&["--bandwidth", "--bitrate", "--fq-rate"], Flag("--rate")),
    (&["--num"], Flag("--bytes")),
    (&["-k", "--blockcount"], Flag("--count")),
    (&["-m", "--len", "--length", "--msg_size"], Flag("--message")),
    (&["-w", "--window"], Flag("--sndbuf (and --rcvbuf)")),
    (&["-Z", "--zerocopy"], Flag("--io zerocopy")),
    (&["-C"], Flag("--congestion")),
    (&["-M", "--set-mss"], Flag("--mss")),
    (&["-N", "--no-delay"], Flag("--nodelay on")),
    (&["-O", "--omit"], Flag("--warm-up")),
    (&["-A", "--affinity"], Flag("--pin")),
    (&["-B"], Flag("--bind")),
    (&["-S", "--tos"], Flag("--dscp")),
    (&["--ipv4", "--version4"], Flag("-4")),
    (&["--ipv6", "--version6"], Flag("-6")),
    (&["-T", "--title", "--extra-data"], Flag("--label")),
    (&["--json", "--json-stream"], Flag("--format json")),
    (&["-f"], Flag("--format")),
    (&["-o"], Flag("--out")),
    (&["-v", "--verbose"], Flag("--rows all")),
    (&["--rcv-timeout"], Flag("--stall")),
    (&["--size", "--sizes"], Flag("--schedule list:A,B,..")),
    (&["--start"], Flag("--min-size")),
    (&["--end"], Flag("--max-size")),
    (&["-r", "--repeats", "--nreps"], Flag("--repeat")),
];

/// Verbs whose flags are meant first; the others follow in the order of the help.
const FIRST: [&str; 3] = ["stream", "measure", "rr"];

/// What to say of `error`, if it is about a flag, word or verb that is not there.
pub(super) fn answer(
    error: &clap::Error,
    words: &[OsString],
    (command, old): (&clap::Command, &'static [OldSpelling]),
) -> Option<Trouble> {
    let program = command.get_name();
    let name = verb_of(words, command);
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.last().map(String::as_str),
        _ => None,
    };
    let help = format!("`{program} {name} --help` shows what it takes");
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let meant = given(ContextKind::SuggestedSubcommand);
            let meant = meant.map_or_else(String::new, |verb| format!("; did you mean {verb}?"));
            let word = given(ContextKind::InvalidSubcommand)?;
            Some(Trouble::new(format!("{program} {name} has no verb {word}{meant}"), help))
        }
        ErrorKind::UnknownArgument => {
            let flag = given(ContextKind::InvalidArg)?;
            if !flag.starts_with('-') {
                return Some(Trouble::new(format!("{program} {name} takes no further word: `{flag}`"), help));
            }
            let known = foreign(flag, &name, command).or_else(|| of_other_verb(flag, &name, command));
            let known = known.or_else(|| mistyped(flag, &name, command));
            Some(known.unwrap_or_else(|| {
                let meant =
                    given(ContextKind::SuggestedArg).map(|meant| spelling::current(&name, meant, old));
                let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
                Trouble::new(format!("{program} {name} has no {flag}{meant}"), help)
            }))
        }
        _ => None,
    }
}

/// The verb that `words` name, and its own verb if they name one: such as `history show`.
fn verb_of(words: &[OsString], command: &clap::Command) -> String {
    let (mut path, mut verb) = (Vec::new(), command);
    for word in words.iter().skip(1) {
        if let Some(below) = verb.find_subcommand(word) {
            path.push(below.get_name());
            verb = below;
        }
    }
    path.join(" ")
}

/// What linerate has for the flag of another tool.
fn foreign(flag: &str, name: &str, command: &clap::Command) -> Option<Trouble> {
    let program = command.get_name();
    let (_, answer) = FOREIGN.iter().find(|(flags, _)| flags.contains(&flag))?;
    match answer {
        Other(text) => Some(Trouble::new(format!("{program} {name} has no {flag}"), text)),
        Flag(own) => {
            let verbs = verbs_with(own.split(' ').next().unwrap_or(own), command);
            let verb = verbs.iter().find(|verb| *verb == name).or(verbs.first())?;
            let help = format!("`{program} {verb} --help` explains it");
            Some(Trouble::new(format!("{flag} is {own} of {program} {verb}"), help))
        }
    }
}

/// Which other verb has this flag.
fn of_other_verb(flag: &str, name: &str, command: &clap::Command) -> Option<Trouble> {
    let program = command.get_name();
    let verbs = verbs_with(flag, command);
    let verb = verbs.first()?;
    let help = format!("`{program} {verb} --help` explains it");
    Some(Trouble::new(format!("{program} {name} has no {flag}; {program} {verb} has it"), help))
}

/// A flag that differs by one letter: of this verb, or else of another.
fn mistyped(flag: &str, name: &str, command: &clap::Command) -> Option<Trouble> {
    let program = command.get_name();
    let long = flag.strip_prefix("--")?;
    let mut verbs = walked(command);
    verbs.sort_by_key(|(verb, _)| (verb != name, rank(verb)));
    let (verb, meant) = verbs.into_iter().find_map(|(verb, found)| {
        let flags = found.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long);
        Some((verb, flags.into_iter().find(|own| is_one_edit(long, own))?))
    })?;
    let meant = if verb == name {
        format!("did you mean --{meant}?")
    } else {
        format!("{program} {verb} has --{meant}")
    };
    let help = format!("`{program} {verb} --help` explains it");
    Some(Trouble::new(format!("{program} {name} has no {flag}; {meant}"), help))
}

/// The order of verbs in which a flag is looked for.
fn rank(verb: &str) -> usize {
    FIRST.iter().position(|first| *first == verb).unwrap_or(FIRST.len())
}

/// The verbs that show this flag.
fn verbs_with(flag: &str, command: &clap::Command) -> Vec<String> {
    let has = |arg: &clap::Arg| match flag.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some_and(|letter| flag[1..] == *letter.encode_utf8(&mut [0; 4])),
    };
    let mut verbs: Vec<String> = walked(command)
        .into_iter()
        .filter(|(_, verb)| verb.get_arguments().any(|arg| !arg.is_hide_set() && has(arg)))
        .map(|(name, _)| name)
        .collect();
    verbs.sort_by_key(|verb| rank(verb));
    verbs
}

/// Every verb that is shown, those with verbs of their own too, by name.
fn walked(command: &clap::Command) -> Vec<(String, &clap::Command)> {
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let with_below = |verb| {
        let below =
            walked(verb).into_iter().map(|(name, below)| (format!("{} {name}", verb.get_name()), below));
        std::iter::once((verb.get_name().to_owned(), verb)).chain(below).collect::<Vec<_>>()
    };
    shown.flat_map(with_below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;
    use crate::cli::line::read;

    /// What is said of this command line.
    fn said(line: &str, command: &clap::Command) -> Result<(), String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let Err(error) = read(&words, command) else { return Ok(()) };
        let kind = error.kind();
        match answer(&error, &words, (command, &spelling::OLD)) {
            Some(trouble) => Err(trouble.to_string()),
            None => {
                let asks = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand];
                assert!(!asks.contains(&kind), "{line}: {error}");
                Ok(())
            }
        }
    }

    #[test]
    fn every_foreign_flag_leads_to_one_that_is_there() {
        let command = command();
        let mut seen = Vec::new();
        for (flags, answer) in &FOREIGN {
            for flag in *flags {
                assert!(!seen.contains(flag), "{flag} is there twice");
                seen.push(*flag);
                let told = said(&format!("linerate model list {flag}"), &command).expect_err(flag);
                if let Flag(own) = answer {
                    assert!(told.starts_with(&format!("{flag} is {own} of linerate ")), "{told}");
                }
            }
        }
    }

    #[test]
    fn a_flag_is_answered_with_the_verb_that_has_it() {
        let command = command();
        for (line, wanted) in [
            ("measure --flows 3", "linerate measure has no --flows; linerate stream has it"),
            ("measure -P4", "linerate measure has no -P; linerate stream has it"),
            ("rr --interval=3", "linerate rr has no --interval; linerate stream has it"),
            ("report --udp x", "--udp is -u of linerate stream"),
            ("rr --udp", "--udp is -u of linerate rr"),
            ("stream --parallel 4", "--parallel is --flows of linerate stream"),
            ("measure --patern x", "linerate measure has no --patern; did you mean --pattern?"),
            ("measure --flow 3", "linerate measure has no --flow; linerate stream has --flows"),
            ("measure --too 3", "linerate measure has no --too; did you mean --max-size?"),
            ("measure --sizes 3", "--sizes is --schedule list:A,B,.. of linerate measure"),
            ("history show --nothing", "linerate history show has no --nothing"),
            ("model lod", "linerate model has no verb lod; did you mean load?"),
            ("measure a b", "linerate measure takes no further word: `b`"),
        ] {
            assert_eq!(said(&format!("linerate {line}"), &command), Err(wanted.to_owned()));
        }
    }

    /// Draws verbs and flags at random; the seed is fixed, so a failure comes again.
    #[test]
    fn any_verb_answers_any_foreign_flag_in_one_sentence() {
        let command = command();
        let verbs = walked(&command);
        let flags: Vec<&str> = FOREIGN.iter().flat_map(|(flags, _)| *flags).copied().collect();
        let mut state = 36_u64;
        let mut drawn = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % below
        };
        for _ in 0..300 {
            let (verb, flag) = (&verbs[drawn(verbs.len())].0, flags[drawn(flags.len())]);
            let value = ["", " 5", "=5", " node7"][drawn(4)];
            let line = format!("linerate {verb} {flag}{value}");
            if let Err(told) = said(&line, &command) {
                assert!(
                    told.contains(flag) && told.contains("linerate ") && !told.contains('\n'),
                    "{line}: {told}"
                );
                assert!(told.len() < 100, "{line}: {told}");
            }
        }
    }
}
