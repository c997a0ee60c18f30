//! `linerate history import`.

use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linerate_store::{Access, Existing, Location, Record, Recorded, Store};

use super::failed;
use crate::context::Context;
use crate::history::record_of;
use crate::screen::note;
use crate::store;
use crate::trouble::Trouble;

/// How many runs are read before they are recorded together.
const AT_ONCE: usize = 50;
/// Folders deeper than this are a loop.
const DEEPEST: usize = 32;
/// The endings of run files.
const RUN_FILES: [&str; 2] = [".run.json", ".run.json.zst"];

/// How a file of SQLite begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// What became of the runs.
#[derive(Default)]
struct Count {
    tried: usize,
    added: usize,
    there: usize,
    renewed: usize,
    refused: usize,
}

pub(super) fn run(from: &[PathBuf], renew: bool, context: &Context) -> Result<ExitCode, Trouble> {
    let existing = if renew { Existing::Renew } else { Existing::Keep };
    let (mut files, mut histories) = (Vec::new(), Vec::new());
    for path in from {
        match history_at(path) {
            Some(location) => histories.push(location),
            None if path.is_dir() => walk(path, 0, &mut files)?,
            None => files.push(path.clone()),
        }
    }
    if files.is_empty() && histories.is_empty() {
        return Err(Trouble::new(
            "failed to import: there is no run file",
            "name files, folders with *.run.json, or another history",
        ));
    }
    files.sort();
    let mut store = context.history.open(Access::Create)?;
    let mut count = Count { tried: files.len(), ..Count::default() };
    for files in files.chunks(AT_ONCE) {
        let mut records = Vec::new();
        for file in files {
            match store::load(file).and_then(|named| record_of(&named.run, file)) {
                Ok(record) => records.push(record),
                Err(trouble) => {
                    count.refused += 1;
                    note(trouble.as_caution());
                }
            }
        }
        keep(&mut store, &records, existing, &mut count)?;
    }
    for location in histories {
        take_in(&mut store, location, existing, &mut count)?;
    }
    let Count { tried, added, there, renewed, refused } = count;
    let renewed = if renew { format!(", {renewed} computed anew") } else { String::new() };
    note(format_args!(
        "{added} recorded, {there} there already{renewed}, {refused} refused: {}",
        store.location()
    ));
    if refused == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Trouble::new(
        format!("failed to import {refused} of {tried} runs"),
        "the lines above say why; the others are recorded",
    ))
}

/// The history that `path` means, if it is none of a run file and a folder.
fn history_at(path: &Path) -> Option<Location> {
    let location = Location::parse(path.as_os_str());
    if matches!(location, Location::Postgres(_)) {
        return Some(location);
    }
    let mut begins = [0; SQLITE.len()];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut begins));
    (read.is_ok() && begins == SQLITE).then_some(location)
}

/// Takes in the runs of another history and what people said there.
fn take_in(
    store: &mut Store,
    location: Location,
    existing: Existing,
    count: &mut Count,
) -> Result<(), Trouble> {
    let mut other = Store::open(location, Access::Existing).map_err(failed)?;
    let mut records = Vec::new();
    let mut kept = Ok(());
    let mut each = |record: Record| {
        count.tried += 1;
        records.push(record);
        if records.len() == AT_ONCE {
            kept = keep(store, &records, existing, count);
            records.clear();
        }
        if kept.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    other.export(&mut each).map_err(failed)?;
    kept?;
    keep(store, &records, existing, count)?;
    let notes = other.notes().map_err(failed)?;
    for unsaid in store.apply(&notes).map_err(failed)? {
        note(failed(unsaid).as_caution());
    }
    Ok(())
}

fn keep(store: &mut Store, records: &[Record], existing: Existing, count: &mut Count) -> Result<(), Trouble> {
    for recorded in store.record_all(records, existing).map_err(failed)? {
        match recorded {
            // Old files come in any order: that one is later means nothing here.
            Recorded::Added { .. } => count.added += 1,
            Recorded::AlreadyThere => count.there += 1,
            Recorded::Renewed => count.renewed += 1,
            Recorded::Refused(error) => {
                count.refused += 1;
                note(failed(error).as_caution());
            }
        }
    }
    Ok(())
}

/// Every run file in `folder` and the folders in it.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Trouble> {
    let unread = |error: &std::io::Error| {
        Trouble::file("read", folder, error, "name folders that exist and that you may read")
    };
    if depth > DEEPEST {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(|error| unread(&error))? {
        let path = entry.map_err(|error| unread(&error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            walk(&path, depth + 1, files)?;
        } else if RUN_FILES.iter().any(|ending| name.ends_with(ending)) {
            files.push(path);
        }
    }
    Ok(())
}
