//! What people say of runs and paths: baselines, tags, names; and what they forget.

use std::process::ExitCode;

use linerate_store::{Filter, PathId, Store};

use super::{failed, opened};
use crate::cli::HistoryVerb;
use crate::context::Context;
use crate::screen::{note, show};
use crate::trouble::Trouble;

pub(super) fn run(verb: &HistoryVerb, context: &Context) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    match verb {
        HistoryVerb::Baseline { path, runs, last, clear } => {
            baseline(&mut store, path, (runs, *last, *clear))?;
        }
        HistoryVerb::Tag { run, tags } => {
            tag(&mut store, run, tags)?;
        }
        HistoryVerb::Rm { names, path } => {
            remove(&mut store, names, *path)?;
        }
        HistoryVerb::Merge { from, into } => {
            let [from, into] = [find(&mut store, from)?, find(&mut store, into)?];
            store.merge(&from, &into).map_err(failed)?;
            note(format_args!("the runs of {from} are shown under {into}"));
        }
        HistoryVerb::Split { path, fact: (key, value), name } => {
            let path = find(&mut store, path)?;
            let new = store.split(&path, (key, value), name).map_err(failed)?;
            note(format_args!("the runs with {key}={value} are shown under {new}"));
        }
        HistoryVerb::Separate { path } => {
            let path = find(&mut store, path)?;
            store.separate(&path).map_err(failed)?;
        }
        HistoryVerb::Rename { path, name } => {
            let path = find(&mut store, path)?;
            store.rename(&path, name).map_err(failed)?;
        }
        HistoryVerb::Check => return check(&mut store),
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn find(store: &mut Store, text: &str) -> Result<PathId, Trouble> {
    store.find_path(text).map_err(failed)
}

fn baseline(
    store: &mut Store,
    path: &str,
    (runs, last, clear): (&[String], Option<usize>, bool),
) -> Result<(), Trouble> {
    let path = find(store, path)?;
    let mut chosen = Vec::new();
    for run in runs {
        chosen.push(store.find_run(run).map_err(failed)?);
    }
    if let Some(last) = last {
        let all = store.runs(&path, &Filter::default()).map_err(failed)?;
        let from = all.len().saturating_sub(last);
        chosen.extend(all.into_iter().skip(from).map(|run| run.record.id));
    }
    if clear || !chosen.is_empty() {
        let ids: Vec<&str> = chosen.iter().map(String::as_str).collect();
        store.set_baseline(&path, &ids).map_err(failed)?;
    }
    let now = store.baseline(&path).map_err(failed)?;
    if now.is_empty() {
        note("no baseline");
    }
    show(&now.iter().map(|id| format!("{id}\n")).collect::<String>())
}

fn tag(store: &mut Store, run: &str, tags: &[String]) -> Result<(), Trouble> {
    let run = store.find_run(run).map_err(failed)?;
    for tag in tags {
        match tag.split_once('=') {
            Some((key, value)) => store.tag(&run, key.trim(), value.trim()).map_err(failed)?,
            None => {
                if !store.untag(&run, tag.trim()).map_err(failed)? {
                    note(format_args!("{run} has no tag {tag}"));
                }
            }
        }
    }
    Ok(())
}

fn remove(store: &mut Store, names: &[String], paths: bool) -> Result<(), Trouble> {
    let mut removed = Vec::new();
    for name in names {
        if paths {
            let path = find(store, name)?;
            removed.extend(store.remove_path(&path).map_err(failed)?);
        } else {
            let run = store.find_run(name).map_err(failed)?;
            removed.push(store.remove_run(&run).map_err(failed)?);
        }
    }
    let files: String = removed.iter().map(|run| format!("{}  {}\n", run.id, run.file)).collect();
    show(&files)?;
    note(format_args!("{} runs forgotten; their files stay", removed.len()));
    Ok(())
}

fn check(store: &mut Store) -> Result<ExitCode, Trouble> {
    let found = store.check().map_err(failed)?;
    if found.is_empty() {
        note(format_args!("sound: {}", store.location()));
        return Ok(ExitCode::SUCCESS);
    }
    show(&found.iter().map(|finding| format!("{finding}\n")).collect::<String>())?;
    Err(Trouble::new(
        format!("failed to find the history {} sound", store.location()),
        "move it away, then rebuild it from the run files: `linerate history import FOLDER`",
    ))
}
