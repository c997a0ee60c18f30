//! The folder that shards share: a file for each result, and one that says what they are of.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use linerate_study::result_file::{Manifest, ResultName};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::{self, UNFINISHED, Writer};
use crate::trouble::Trouble;

/// What the results are of.
const MANIFEST: &str = "shards.json";

/// The folder, whose results are those of this command.
#[derive(Debug)]
pub(in crate::command) struct ResultFolder {
    path: PathBuf,
    /// As the first shard wrote it.
    manifest: Manifest,
}

/// What is there of a result.
#[derive(Debug)]
pub(in crate::command) enum Found<T> {
    Whole(T),
    Absent,
    /// A file that is not this result, and why.
    Unusable(String),
}

impl ResultFolder {
    /// Opens the folder, or makes it, for results of `manifest`.
    ///
    /// # Errors
    ///
    /// It cannot be written, or has results of something else.
    pub(in crate::command) fn open(
        path: &Path,
        manifest: &Manifest,
        files: &Writer,
    ) -> Result<Self, Trouble> {
        files.keep(path, &[MANIFEST])?;
        // Of several shards that begin together one is the first, and all read its file.
        files.create(&path.join(MANIFEST), &manifest.to_json())?;
        Self::existing(path, manifest)
    }

    /// The folder in which shards left results of `manifest`.
    ///
    /// # Errors
    ///
    /// There is none, or it has results of something else.
    pub(in crate::command) fn existing(path: &Path, manifest: &Manifest) -> Result<Self, Trouble> {
        let file = path.join(MANIFEST);
        let text = store::text(&file).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Trouble::new(
                format!("failed to find results in {}: no shard has left any there", path.display()),
                "name the folder that was given with --folder",
            ),
            _ => Trouble::file("read", &file, &error, "name a folder that you may read"),
        })?;
        let there = Manifest::from_json(&text).map_err(|error| {
            Trouble::new(
                format!("failed to read {}: {error}", file.display()),
                "shards write this file and never change it: give another folder",
            )
        })?;
        if there.is_of(manifest) {
            return Ok(Self { path: path.to_owned(), manifest: there });
        }
        Err(Trouble::new(
            format!(
                "failed to use {}: these results are of another plan ({} {})",
                path.display(),
                there.linerate,
                there.asked
            ),
            format!("give another folder; this plan is {} {}", manifest.linerate, manifest.asked),
        ))
    }

    pub(in crate::command) fn path(&self) -> &Path {
        &self.path
    }

    /// How many parts the first shard was told of.
    pub(super) const fn shards(&self) -> usize {
        self.manifest.shards
    }

    /// The result of this name.
    pub(in crate::command) fn get<T: DeserializeOwned>(&self, name: &ResultName) -> Found<T> {
        match store::text(&self.path.join(name.file())) {
            Err(error) if error.kind() == ErrorKind::NotFound => Found::Absent,
            Err(error) => Found::Unusable(error.to_string()),
            Ok(text) => match name.read(&text) {
                Ok(result) => Found::Whole(result),
                Err(error) => Found::Unusable(error.to_string()),
            },
        }
    }

    /// Keeps a result: whole, or not at all.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(in crate::command) fn put(
        &self,
        name: &ResultName,
        result: &impl Serialize,
        files: &Writer,
    ) -> Result<(), Trouble> {
        files.replace(&self.path.join(name.file()), &name.write(result))
    }

    /// The files that are no results of these names.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub(in crate::command) fn strangers(&self, names: &[ResultName]) -> Result<Vec<String>, Trouble> {
        let known: BTreeSet<String> = names.iter().map(ResultName::file).collect();
        let unread =
            |error: io::Error| Trouble::file("read", &self.path, &error, "name a folder that you may read");
        let mut strangers = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(unread)? {
            let name = entry.map_err(unread)?.file_name().to_string_lossy().into_owned();
            if name != MANIFEST && !name.starts_with(UNFINISHED) && !known.contains(&name) {
                strangers.push(name);
            }
        }
        strangers.sort_unstable();
        Ok(strangers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> [ResultName; 2] {
        ["a", "b"].map(|text| ResultName::of("test", &[text]))
    }

    fn manifest(asked: &str) -> Manifest {
        Manifest::of("test", asked.to_owned(), &[ResultName::of("test", &[asked])], 2)
    }

    #[test]
    fn a_result_is_there_whole_and_what_is_not_says_why() {
        let (desk, files) = (tempfile::tempdir().expect("a folder"), Writer::default());
        let folder =
            ResultFolder::open(&desk.path().join("deep/results"), &manifest("x"), &files).expect("new");
        let [a, b] = names();
        folder.put(&a, &vec![1, 2], &files).expect("written");
        folder.put(&a, &vec![1, 2], &files).expect("again");
        let is = |name: &ResultName| folder.get::<Vec<u32>>(name);
        assert!(matches!(is(&a), Found::Whole(whole) if whole == [1, 2]));
        assert!(matches!(is(&b), Found::Absent));
        fs::copy(folder.path().join(a.file()), folder.path().join(b.file())).expect("copied");
        assert!(matches!(is(&b), Found::Unusable(why) if why == "it is the result of another run"));
        fs::write(folder.path().join(b.file()), [0xff, 0xfe]).expect("written");
        assert!(matches!(is(&b), Found::Unusable(why) if why == "it is not text (UTF-8)"));
        fs::write(folder.path().join("notes.txt"), "").expect("written");
        fs::write(folder.path().join(".linerate-abc"), "").expect("written");
        assert_eq!(folder.strangers(&names()).expect("readable"), ["notes.txt"]);
        assert_eq!(folder.strangers(&names()[..1]).expect("readable").len(), 2);
    }

    #[test]
    fn a_folder_of_another_plan_is_refused() {
        let desk = tempfile::tempdir().expect("a folder");
        let open = |asked: &str| ResultFolder::open(desk.path(), &manifest(asked), &Writer::default());
        open("x").expect("new");
        open("x").expect("the same");
        let said = open("y").expect_err("another").to_string();
        assert!(said.contains("these results are of another plan (test x)"), "{said}");
        fs::write(desk.path().join(MANIFEST), "{").expect("written");
        assert!(open("x").expect_err("damaged").to_string().contains("shards.json"));
        let none = ResultFolder::existing(&desk.path().join("none"), &manifest("x"));
        assert!(none.expect_err("none").to_string().contains("no shard has left any there"));
    }
}
