//! Standard output, and what is said beside it.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use crate::trouble::Trouble;

/// Columns of a table when standard output is not a terminal.
const PLAIN_COLUMNS: u16 = 80;
/// A narrower terminal gets lines of this length anyway.
const FEWEST_COLUMNS: u16 = 60;

/// Writes `text`. A reader that has closed the pipe is not an error.
pub(crate) fn show(text: &str) -> Result<(), Trouble> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Trouble::new(
            format!("failed to write to standard output: {error}"),
            "free space there, or choose another path with --out; the run file is complete",
        )),
        _ => Ok(()),
    }
}

/// Notes `line` on standard error. A reader that has closed it misses that, and nothing else.
pub fn note(line: impl Display) {
    writeln!(io::stderr(), "{line}").unwrap_or(());
}

/// How many columns a table may have.
pub(crate) fn columns() -> u16 {
    let size = console::Term::stdout().size_checked();
    size.map_or(PLAIN_COLUMNS, |(_, columns)| columns.max(FEWEST_COLUMNS))
}

/// Writes tables and sentences, with colours where standard output shows them: what failed red, what is doubtful
/// yellow, verdicts bold.
pub(crate) fn show_text(text: &str) -> Result<(), Trouble> {
    match console::colors_enabled() {
        true => show(&painted(text)),
        false => show(text),
    }
}

/// States of a run that did not end as planned.
const STATES: [&str; 3] = ["FAILED", "INTERRUPTED", "UNFINISHED"];
/// Labels of lines that give a verdict.
const VERDICTS: [&str; 4] = ["limited by", "verdict", "result", "held back"];
/// What the sentence has that opens a result.
const OPENINGS: [&str; 2] = [", limited by ", "not known what limits it"];

/// `text` with colours. A caution goes on over the indented lines below it.
fn painted(text: &str) -> String {
    let mut within = None;
    let line = |line: &str| {
        let red = console::Style::new().force_styling(true).red().bold();
        let yellow = console::Style::new().force_styling(true).yellow();
        let bare = line.trim_start().trim_start_matches("! ");
        let fails = STATES.iter().any(|state| bare.starts_with(state)) || line.contains("STALLED or FAILED");
        within = match line {
            _ if fails => Some(red),
            caution if caution.starts_with("! ") => Some(yellow),
            more if more.starts_with("  ") => within.take(),
            _ => None,
        };
        let opens = !line.starts_with(' ') && OPENINGS.iter().any(|words| line.contains(words));
        let bold = console::Style::new().force_styling(true).bold();
        match &within {
            Some(style) => style.apply_to(line).to_string(),
            None if opens || VERDICTS.iter().any(|label| bare.starts_with(label)) => {
                bold.apply_to(line).to_string()
            }
            None => line.to_owned(),
        }
    };
    let end = if text.ends_with('\n') { "\n" } else { "" };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_red_what_is_doubtful_yellow_and_a_verdict_bold() {
        let text = "FAILED: no round\n  more of it\nrun: ping-pong\n  limited by  the link\n  peak        1\n\n! busy; stop\n  other work\n1 2\n";
        let lines: Vec<String> = painted(text).lines().map(str::to_owned).collect();
        let code = |nth: usize| {
            lines[nth]
                .split_once('m')
                .filter(|(code, _)| code.starts_with('\u{1b}'))
                .map(|(code, _)| code.to_owned())
        };
        let codes: Vec<Option<String>> = (0..lines.len()).map(code).collect();
        let is = |nth: usize| codes[nth].is_some();
        assert_eq!(
            (0..lines.len()).map(is).collect::<Vec<_>>(),
            [true, true, false, true, false, false, true, true, false]
        );
        assert!(codes[0] == codes[1] && codes[6] == codes[7] && codes[0] != codes[6] && codes[3] != codes[6]);
        assert_eq!(console::strip_ansi_codes(&painted(text)), text);
        assert_eq!(painted(""), "");
    }
}
