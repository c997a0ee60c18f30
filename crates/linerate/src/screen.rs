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
pub(crate) fn note(line: impl Display) {
    writeln!(io::stderr(), "{line}").unwrap_or(());
}

/// How many columns a table may have.
pub(crate) fn columns() -> u16 {
    let size = console::Term::stdout().size_checked();
    size.map_or(PLAIN_COLUMNS, |(_, columns)| columns.max(FEWEST_COLUMNS))
}
