//! Writing files, in one step so that a reader never sees half of one.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use linerate_core::run::Run;

use super::{COMPRESSED, LEVEL, bare, is_run, is_stream, readable_by_all};
use crate::screen::show;
use crate::trouble::Trouble;

/// Who writes the files of this process. It replaces any file but the run files of others.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// Whether it replaces those too.
    forced: bool,
    /// What it wrote.
    written: Mutex<Vec<PathBuf>>,
}

impl Writer {
    /// One that replaces run files of others only if it is `forced`.
    pub(crate) const fn new(forced: bool) -> Self {
        Self { forced, written: Mutex::new(Vec::new()) }
    }

    /// Writes `text` to `path`, or to standard output. An existing file is replaced only when all of
    /// `text` is written.
    pub(crate) fn replace(&self, path: &Path, text: &str) -> Result<(), Trouble> {
        if is_stream(path) {
            return show(text);
        }
        self.replace_with(path, |out| out.write_all(text.as_bytes()))
    }

    /// Writes a run to `path`, compressed if its name ends in .zst.
    pub(crate) fn replace_run(&self, path: &Path, run: &Run) -> Result<(), Trouble> {
        let text = run.to_json();
        if path.extension().is_none_or(|ending| ending != COMPRESSED) {
            return self.replace(path, &text);
        }
        let bytes = zstd::bulk::compress(text.as_bytes(), LEVEL).map_err(|error| {
            Trouble::file("compress", path, &error, "free memory, or end the name in .run.json")
        })?;
        self.replace_with(path, |out| out.write_all(&bytes))
    }

    /// Lets `content` write to `path`. An existing file is replaced only when everything is written.
    pub(crate) fn replace_with(
        &self,
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
        self.spare(path, &target)?;
        let folder =
            target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".linerate-").permissions(readable_by_all());
        let mut file = builder.tempfile_in(folder).map_err(|error| failed(&error))?;
        content(&mut file).map_err(|error| failed(&error))?;
        file.persist(&target).map_err(|error| failed(&error.error))?;
        let written = fs::canonicalize(&target).unwrap_or(target);
        let mut ours = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if !ours.contains(&written) {
            ours.push(written);
        }
        Ok(())
    }

    /// Refuses to replace a run file at `target` that this process did not write.
    fn spare(&self, path: &Path, target: &Path) -> Result<(), Trouble> {
        let ours = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if self.forced || ours.iter().any(|written| written == target) || !is_run(target) {
            return Ok(());
        }
        Err(Trouble::new(
            format!("failed to write {}: it is a run file, and would be lost", path.display()),
            "choose another path, or replace it with --force",
        ))
    }

    /// Finds out before anything is measured whether `path` can be written, and changes nothing.
    pub(crate) fn writable(&self, path: &Path) -> Result<(), Trouble> {
        if is_stream(path) {
            return Ok(());
        }
        if path.exists() {
            self.spare(path, &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))?;
            let opened = fs::OpenOptions::new().append(true).open(path).map(drop);
            return opened.map_err(|error| Trouble::file("write", path, &error, "choose another path"));
        }
        self.replace(path, "")?;
        fs::remove_file(path).map_err(|error| Trouble::file("write", path, &error, "choose another path"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_file_of_another_process_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.html");
        let run = "{\n \"format\": 3,\n \"generator\": \"linerate\",\n \"started\": \"2025\"}";
        fs::write(&path, run).expect("written");
        let files = Writer::default();
        let refused = files.replace(&path, "a page").expect_err("it would be lost");
        assert!(refused.to_string().contains("it is a run file, and would be lost"), "{refused}");
        assert!(files.writable(&path).is_err());
        assert_eq!(fs::read_to_string(&path).expect("there"), run);
        let own = folder.path().join("own.run.json");
        files.replace(&own, run).expect("new");
        files.replace(&own, run).expect("our own");
        Writer::new(true).replace(&path, "a page").expect("forced");
        assert_eq!(fs::read_to_string(&path).expect("there"), "a page");
    }

    #[test]
    fn what_was_there_stays_until_all_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, files) = (folder.path().join("x.run.json"), Writer::default());
        files.replace(&path, "first").expect("written");
        files.replace(&path, "second").expect("replaced");
        assert_eq!(fs::read_to_string(&path).expect("there"), "second");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left over");
        assert!(files.replace(&folder.path().join("no/such/folder"), "").is_err());
    }
}
