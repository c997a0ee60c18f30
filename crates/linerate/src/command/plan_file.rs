//! A file that was named where the name of a plan that comes with linerate could be.

use std::io::ErrorKind;
use std::path::Path;

use crate::store;
use crate::trouble::Trouble;

/// The file's name without its ending, and what is in it. A word that does not look like a file was meant as a name, which
/// is `unknown`; `others` says what lists the names.
pub(super) fn read(
    given: &str,
    others: &str,
    unknown: impl FnOnce() -> Trouble,
) -> Result<(String, String), Trouble> {
    let path = Path::new(given);
    let text = store::text(path).map_err(|error| {
        if error.kind() == ErrorKind::NotFound && !given.contains(['/', '.']) {
            return unknown();
        }
        Trouble::file("read the plan", path, &error, &format!("name a TOML file, or {others} names"))
    })?;
    let name = path.file_stem().map_or_else(|| given.to_owned(), |stem| stem.to_string_lossy().into_owned());
    Ok((name, text))
}
