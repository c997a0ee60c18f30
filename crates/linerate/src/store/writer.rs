//! Writing files, in one step so that a reader never sees half of one: the only place that makes them.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};

use linerate_core::run::Run;

use super::marks::{Maker, made_by};
use super::{COMPRESSED, LEVEL, bare, is_device, is_off, is_stream, readable_by_all};
use crate::screen::show;
use crate::trouble::Trouble;

/// How names of files begin that are not whole yet.
pub(crate) const UNFINISHED: &str = ".linerate-";

/// Who writes the files of this process. It replaces what a linerate has made, but no run of another process.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// Whether it replaces everything, and follows links.
    forced: bool,
    /// Files that it wrote, and folders whose files are linerate's.
    own: Mutex<Vec<PathBuf>>,
}

/// A file that has no name yet. Without one it is removed.
pub(crate) struct Unfinished {
    file: tempfile::NamedTempFile,
    /// What it will be.
    target: PathBuf,
    /// Whether something is there that it may replace.
    replaces: bool,
}

impl Unfinished {
    /// Where it is until then.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// For a process that writes to it.
    pub(crate) fn stdio(&self) -> Result<Stdio, Trouble> {
        self.file.as_file().try_clone().map(Stdio::from).map_err(|error| unwritten(&self.target, &error))
    }
}

impl Writer {
    /// One that replaces files of others, and follows links, only if it is `forced`.
    pub(crate) const fn new(forced: bool) -> Self {
        Self { forced, own: Mutex::new(Vec::new()) }
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
        let bytes = compressed(&text).map_err(|error| {
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
        // A device or a pipe is written directly and must not be replaced by a file: `--report /dev/null`.
        if is_device(path) {
            let written = device(path).and_then(|mut device| content(&mut device));
            return written.map_err(|error| unwritten(path, &error));
        }
        let mut unfinished = self.begin(path)?;
        content(&mut unfinished.file).map_err(|error| unwritten(path, &error))?;
        self.finish(unfinished)
    }

    /// Writes `text` to a new file. Whether it did: not if there is one.
    pub(crate) fn create(&self, path: &Path, text: &str) -> Result<bool, Trouble> {
        let target = in_real_folder(path);
        let mut file = beside(&target)?;
        file.write_all(text.as_bytes()).map_err(|error| unwritten(path, &error))?;
        match file.persist_noclobber(&target) {
            Ok(_) => {
                self.owns(target);
                Ok(true)
            }
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(unwritten(path, &error.error)),
        }
    }

    /// Writes `text` to `path`, for this user only.
    pub(crate) fn replace_private(&self, path: &Path, text: &str) -> Result<(), Trouble> {
        let mut unfinished = self.begin(path)?;
        let private = fs::Permissions::from_mode(0o600);
        let written = unfinished.file.as_file().set_permissions(private);
        written
            .and_then(|()| unfinished.file.write_all(text.as_bytes()))
            .map_err(|error| unwritten(path, &error))?;
        self.finish(unfinished)
    }

    /// A file that will be at `path` when it is finished.
    pub(crate) fn begin(&self, path: &Path) -> Result<Unfinished, Trouble> {
        let target = self.target(path)?;
        let file = beside(&target)?;
        let there = fs::metadata(&target);
        // What others may not read, they may not read afterwards either.
        if let Ok(there) = &there {
            let kept = file.as_file().set_permissions(there.permissions());
            kept.map_err(|error| unwritten(path, &error))?;
        }
        // In linerate's own folder another process may be as quick.
        let replaces = there.is_ok() || self.forced || self.is_own(&target);
        Ok(Unfinished { file, target, replaces })
    }

    /// Gives the file its name.
    pub(crate) fn finish(&self, unfinished: Unfinished) -> Result<(), Trouble> {
        let Unfinished { file, target, replaces } = unfinished;
        let named = if replaces { file.persist(&target) } else { file.persist_noclobber(&target) };
        named.map_err(|error| unwritten(&target, &error.error))?;
        self.owns(target);
        Ok(())
    }

    /// Opens `folder`, or makes it, to keep files of these `names` there, and from now on replaces any file in it. It is
    /// linerate's, if any of them is there, by the first of them.
    pub(crate) fn keep(&self, folder: &Path, names: &[&str]) -> Result<(), Trouble> {
        let taken = names.iter().find(|name| folder.join(name).exists());
        let is_ours = || matches!(made_by(&folder.join(names[0])), Maker::Nobody | Maker::Linerate);
        if let Some(name) = taken.filter(|_| !self.forced && !is_ours()) {
            return Err(Trouble::new(
                format!("failed to use {}: linerate did not make its {name}", folder.display()),
                "choose another folder with --folder, or replace what is there with --force",
            ));
        }
        fs::create_dir_all(folder).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => unwritten(folder, &io::Error::other("it is not a folder")),
            _ => unwritten(folder, &error),
        })?;
        self.owns(fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned()));
        Ok(())
    }

    fn is_own(&self, target: &Path) -> bool {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.iter().any(|own| target.starts_with(own))
    }

    fn owns(&self, path: PathBuf) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if !own.contains(&path) {
            own.push(path);
        }
    }

    /// Where a file at `path` is written. Refuses to lose what linerate did not make, and a run of another process.
    fn target(&self, path: &Path) -> Result<PathBuf, Trouble> {
        let refused = |reason: &str, help: &str| {
            Err(Trouble::new(format!("failed to write {}: {reason}", path.display()), help))
        };
        if is_off(path) {
            return refused("that is not a file name", "leave the flag out, or write ./ before the name");
        }
        let Ok(there) = fs::symlink_metadata(path) else { return Ok(in_real_folder(path)) };
        if there.is_symlink() && !self.forced {
            return refused(
                "it is a symbolic link",
                "name the file that it points to, or follow the link with --force",
            );
        }
        let target = if there.is_symlink() {
            fs::canonicalize(path).map_err(|error| unwritten(path, &error))?
        } else {
            in_real_folder(path)
        };
        if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
            return refused("it is not a file", "choose another path");
        }
        if self.forced || self.is_own(&target) {
            return Ok(target);
        }
        match made_by(&target) {
            Maker::Nobody | Maker::Linerate => Ok(target),
            Maker::Run => refused(
                "it is a run file, and would be lost",
                "choose another path, or replace it with --force",
            ),
            Maker::Other => refused(
                "linerate did not make the file that is there",
                "choose another path, or replace it with --force",
            ),
        }
    }

    /// What `text` says for each of the files, all of which can be written: before anything is shown.
    pub(crate) fn prepare<'p>(
        &self,
        paths: &'p [PathBuf],
        text: impl Fn(&Path) -> Result<String, Trouble>,
    ) -> Result<Vec<(&'p Path, String)>, Trouble> {
        let prepared = paths.iter().map(|path| {
            let text = text(path)?;
            self.writable(path).map(|()| (path.as_path(), text))
        });
        prepared.collect()
    }

    /// Finds out before anything is measured whether `path` can be written, and changes nothing.
    pub(crate) fn writable(&self, path: &Path) -> Result<(), Trouble> {
        if is_stream(path) || is_device(path) {
            return Ok(());
        }
        self.begin(path).map(drop)
    }
}

/// A file in the folder of `target`, still without its name.
fn beside(target: &Path) -> Result<tempfile::NamedTempFile, Trouble> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED).permissions(readable_by_all());
    builder.tempfile_in(folder).map_err(|error| unwritten(target, &error))
}

/// The device, pipe or descriptor at `path`. Standard output by another name is written on where it is.
fn device(path: &Path) -> io::Result<fs::File> {
    let stdout = fs::File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let (there, out) = (fs::metadata(path)?, stdout.metadata()?);
    if (there.dev(), there.ino()) == (out.dev(), out.ino()) {
        return Ok(stdout);
    }
    fs::OpenOptions::new().append(true).open(path)
}

/// `path` by the real name of its folder.
fn in_real_folder(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// `text` as a frame of zstd, with a checksum.
fn compressed(text: &str) -> io::Result<Vec<u8>> {
    let mut frame = zstd::Encoder::new(Vec::new(), LEVEL)?;
    frame.include_checksum(true)?;
    frame.set_pledged_src_size(Some(text.len() as u64))?;
    frame.write_all(text.as_bytes())?;
    frame.finish()
}

fn unwritten(path: &Path, error: &io::Error) -> Trouble {
    let help = "create the folder, free space there, or choose another path";
    Trouble::file("write", path, &bare(error), help)
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
