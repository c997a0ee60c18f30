//! Every input of the corpus through its target: what a hunt once found stays found.

use std::panic::catch_unwind;
use std::path::Path;

/// Runs `target` over the corpus of `name`; names every input that it does not bear.
fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let entries = std::fs::read_dir(&folder).expect("the corpus is committed");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no input in {}", folder.display());
    let fails = |file: &&std::path::PathBuf| {
        let input = std::fs::read(file).expect("a readable input");
        catch_unwind(|| target(&input)).is_err()
    };
    let failed: Vec<_> = files.iter().filter(fails).collect();
    assert!(failed.is_empty(), "failed: {failed:#?}");
}

#[test]
fn account() {
    replay("account", linerate_fuzz::account);
}

#[test]
fn control() {
    replay("control", linerate_fuzz::control);
}

#[test]
fn datagram() {
    replay("datagram", linerate_fuzz::datagram);
}

#[test]
fn model_plan() {
    replay("model_plan", linerate_fuzz::model_plan);
}

#[test]
fn peers() {
    replay("peers", linerate_fuzz::peers);
}

#[test]
fn plan() {
    replay("plan", linerate_fuzz::plan);
}

#[test]
fn run_file() {
    replay("run_file", linerate_fuzz::run_file);
}

#[test]
fn ranks() {
    replay("ranks", linerate_fuzz::ranks);
}

#[test]
fn settings() {
    replay("settings", linerate_fuzz::settings);
}
