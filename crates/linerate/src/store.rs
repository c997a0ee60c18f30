//! Files: runs and reports, replaced in one step so that a reader never sees half of one.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use linerate_core::netpipe_file;
use linerate_core::report::NamedRun;
use linerate_core::run::Run;

use crate::screen::show;
use crate::trouble::Trouble;

/// The name of standard input, and of standard output.
const STREAM: &str = "-";

/// Whether `path` is a stream rather than a file: `-`.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new(STREAM)
}

/// Writes `text` to `path`, or to standard output. An existing file is replaced only when all of
/// `text` is written.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Trouble> {
    if is_stream(path) {
        return show(text);
    }
    replace_with(path, |out| out.write_all(text.as_bytes()))
}

/// Lets `content` write to `path`. An existing file is replaced only when everything is written.
pub(crate) fn replace_with(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Trouble> {
    let failed = |error: &io::Error| {
        let help = "create the folder, free space there, or choose another path";
        Trouble::file("write", path, &bare(error), help)
    };
    match fs::metadata(path) {
        // A device or a pipe is written directly and must not be replaced by a file: `--report
        // /dev/null`.
        Ok(there) if !there.is_file() => {
            let device = fs::OpenOptions::new().write(true).open(path);
            return device.and_then(|mut device| content(&mut device)).map_err(|error| failed(&error));
        }
        _ => {}
    }
    // Where `path` is a link, its target is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".linerate-").permissions(readable_by_all());
    let mut file = builder.tempfile_in(folder).map_err(|error| failed(&error))?;
    content(&mut file).map_err(|error| failed(&error))?;
    file.persist(&target).map_err(|error| failed(&error.error))?;
    Ok(())
}

/// The operating system's error, without the path of the temporary file.
fn bare(error: &io::Error) -> io::Error {
    let text = error.to_string();
    io::Error::new(error.kind(), text.split(" at path ").next().unwrap_or_default().to_owned())
}

/// The mode of an ordinary file, before the process's mask.
fn readable_by_all() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o666)
}

/// Reads all of a file, or of standard input.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if !is_stream(path) {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a run: linerate's own file, or NetPIPE's; or either from standard input.
pub(crate) fn load(path: &Path) -> Result<NamedRun, Trouble> {
    let bytes = bytes(path).map_err(|error| {
        Trouble::file("read", path, &error, "name a run file that exists and that you may read")
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let json = text.trim_start().starts_with('{');
    let run = if json {
        Run::from_json(&text).map_err(|error| error.to_string())
    } else {
        netpipe_file::read(&text).map_err(|error| {
            format!("it is neither a run file of linerate nor a result file of NetPIPE: {error}")
        })
    };
    let run = run.map_err(|reason| {
        Trouble::new(
            format!("failed to read {}: {reason}", path.display()),
            "give a run file that `linerate measure` wrote to its end, or a result file of NetPIPE",
        )
    })?;
    let name = if is_stream(path) { "standard input".to_owned() } else { stem(path) };
    Ok(NamedRun { name, run })
}

/// A file's name without its folder and without `.run.json` or another ending.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name
        .strip_suffix(".run.json")
        .unwrap_or_else(|| name.rsplit_once('.').map_or(&*name, |(stem, _)| stem));
    stem.to_owned()
}

/// Default path of the report of the run file `run`.
pub(crate) fn report_beside(run: &Path) -> PathBuf {
    run.with_file_name(format!("{}.html", stem(run)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_lies_beside_its_run() {
        assert_eq!(report_beside(Path::new("a/b.run.json")), Path::new("a/b.html"));
        assert_eq!(report_beside(Path::new("np.out")), Path::new("np.html"));
    }

    #[test]
    fn what_was_there_stays_until_all_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.run.json");
        replace(&path, "first").expect("written");
        replace(&path, "second").expect("replaced");
        assert_eq!(fs::read_to_string(&path).expect("there"), "second");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left over");
        assert!(replace(&folder.path().join("no/such/folder"), "").is_err());
    }
}
