//! Whether a file is one that linerate made, by what it begins with.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::opened;

/// A file says what it is within this many bytes.
const HEAD: u64 = 4096;

/// Who made a file, as far as it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    /// It is empty.
    Nobody,
    /// linerate: it is a run.
    Run,
    /// linerate, and it can be made again.
    Linerate,
    /// Somebody else; or it has a form that does not say, such as NetPIPE's.
    Other,
}

/// How a form begins, and what else is in the first bytes of a file of linerate's: any of these.
type Mark = (&'static str, &'static [&'static str]);

/// How a line of an experiment's ledger begins.
const LEDGER: &str = "{\"conditions\":\"";

/// The forms that say who made them.
const MARKS: [Mark; 23] = [
    // Reports, comparisons, timelines, experiments, limits of hosts, where ranks meet; explanations.
    ("{", &["\"generator\": \"linerate", "\"generator\":\"linerate"]),
    ("[", &["\"generator\": \"linerate"]),
    // Runs of a history, a line each.
    ("{\"path\":\"", &["\"started_us\":"]),
    ("<!DOCTYPE html>", &["<meta name=\"generator\" content=\"linerate "]),
    ("<svg ", &["<metadata>linerate "]),
    ("# ", &["\n<!-- linerate "]),
    // What shards share.
    ("{\n  \"format\": ", &["\n  \"linerate\": \""]),
    // Headers of CSV: of runs, histories and experiments.
    ("run,id,started,source,", &[""]),
    ("path,name,run,started,figure,", &[""]),
    ("cell,", &["figure,unit,run,value\n"]),
    ("# TYPE linerate_", &[""]),
    ("# HELP linerate_", &[""]),
    ("#[Histogram log", &["[Logged with linerate "]),
    ("# A host as `linerate calibrate` found it", &[""]),
    // Captures, pictures, trajectories.
    ("\n\r\r\n", &["linerate "]),
    ("\u{fffd}PNG", &["Software\0linerate "]),
    ("", &["generator=\"linerate "]),
    // Manual pages and completions.
    (".ie", &["\n.TH linerate"]),
    ("#compdef linerate", &[""]),
    ("_linerate() {", &[""]),
    ("# Print an optspec", &["__fish_linerate"]),
    ("\nuse builtin;", &["arg-completer[linerate]"]),
    ("\nusing namespace", &["-CommandName 'linerate'"]),
];

/// Who made the file at `path`. One that cannot be read is somebody else's.
pub(super) fn made_by(path: &Path) -> Maker {
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(opened).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    match read {
        Ok(0) => Maker::Nobody,
        Ok(_) if is_run(&head) => Maker::Run,
        Ok(_) if MARKS.iter().any(|mark| fits(mark, &head)) || is_ledger(&head) => Maker::Linerate,
        _ => Maker::Other,
    }
}

fn fits((begins, any): &Mark, head: &str) -> bool {
    head.starts_with(begins) && any.iter().any(|mark| head.contains(mark))
}

/// The ledger of an experiment. To one is only added, so a process that was killed may have left any part of its first line.
fn is_ledger(head: &str) -> bool {
    LEDGER.starts_with(head) || head.lines().take(2).any(|line| line.starts_with(LEDGER))
}

/// A run, or what else was measured: it says when it began before it has any list.
fn is_run(head: &str) -> bool {
    let top = head.trim_start().strip_prefix('{').and_then(|rest| rest.split(['{', '[']).next());
    let has = |key: &&str| top.is_some_and(|top| top.contains(*key));
    ["\"format\"", "\"generator\"", "\"started\""].iter().all(has)
}
