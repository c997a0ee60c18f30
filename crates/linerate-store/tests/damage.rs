//! Files that are locked, full, read-only, damaged, or not ours.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;

use linerate_store::{Access, Existing, Filter, Location, Recorded, Store, StoreError};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rusqlite::Connection;

use crate::support::{Place, id_of, missing, record};

/// A file with runs, closed again.
fn recorded(runs: i64) -> Place {
    let place = Place::file();
    let all: Vec<_> = (0..runs).map(|run| record(&format!("r{run}"), "b", run)).collect();
    place.open().record_all(&all, Existing::Keep).expect("recorded");
    place
}

fn refusal(path: &Path) -> StoreError {
    Store::open(Location::File(path.to_owned()), Access::Create).expect_err("it is no history")
}

#[test]
fn a_file_of_something_else_is_refused_and_left_alone() {
    let place = recorded(1);
    let folder = place.path().parent().expect("a folder").to_owned();
    let text = folder.join("notes.txt");
    fs::write(&text, "not a database, but long enough to have a header of a hundred bytes ".repeat(4))
        .expect("written");
    let error = refusal(&text);
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    let foreign = folder.join("places.db");
    Connection::open(&foreign).expect("new").execute_batch("CREATE TABLE place (name)").expect("made");
    let before = fs::read(&foreign).expect("there");
    let error = refusal(&foreign);
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert_eq!(fs::read(&foreign).expect("there"), before);
    let error = refusal(&folder);
    assert!(error.to_string().contains("it is a folder"), "{error}");
    let error = refusal(&text.join("history.db"));
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
}

#[test]
fn a_later_format_is_refused_with_a_sentence() {
    let place = recorded(1);
    let file = Connection::open(place.path()).expect("it opens");
    file.pragma_update(None, "user_version", 7).expect("a later one");
    drop(file);
    let error = refusal(&place.path());
    let text = error.to_string();
    assert!(text.contains("it has format 7, and this linerate knows formats up to 1"), "{text}");
}

#[test]
fn a_damaged_file_is_told_with_what_rebuilds_it() {
    let place = recorded(300);
    let mut bytes = fs::read(place.path()).expect("there");
    let length = bytes.len();
    // Not the first page: the file still says what it is.
    bytes[8192..length / 2].fill(0xA5);
    fs::write(place.path(), bytes).expect("written");
    let error = Store::open(place.location.clone(), Access::Existing)
        .and_then(|mut store| {
            store.series(None, &Filter::default())?;
            store.runs(&id_of("b"), &Filter::default())
        })
        .expect_err("it is damaged");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.advice().contains("linerate history import"), "{}", error.advice());
    let found = Store::open(place.location.clone(), Access::Existing).and_then(|mut store| store.check());
    assert!(found.is_ok_and(|found| !found.is_empty()), "the check finds it too");
}

#[test]
fn a_file_cut_short_is_told() {
    let place = recorded(300);
    let length = fs::metadata(place.path()).expect("there").len();
    fs::OpenOptions::new().write(true).open(place.path()).expect("ours").set_len(length / 2).expect("cut");
    let error = Store::open(place.location.clone(), Access::Existing)
        .and_then(|mut store| store.series(None, &Filter::default()))
        .expect_err("half is missing");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn an_empty_file_becomes_a_history() {
    let place = recorded(1);
    let empty = place.path().with_file_name("empty.db");
    fs::write(&empty, "").expect("written");
    let mut store = Store::open(Location::File(empty), Access::Create).expect("a crash may have left it");
    store.record(&record("1", "b", 1), Existing::Keep).expect("recorded");
}

#[test]
fn a_locked_file_is_waited_for_and_given_up() {
    let place = recorded(1);
    let mut store = place.open();
    let other = Connection::open(place.path()).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let error = store.record(&record("x", "b", 1), Existing::Keep).expect_err("it is locked");
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert_eq!(store.runs(&id_of("b"), &Filter::default()).expect("readers do not wait").len(), 1);
    other.execute_batch("ROLLBACK").expect("free");
    store.record(&record("x", "b", 1), Existing::Keep).expect("recorded");
}

/// Runs `body` with a file system of its own at `folder`, of `size`. None where that may not be.
fn with_file_system(folder: &Path, size: &str, body: impl FnOnce() + Send) {
    let data = format!("size={size}");
    let made = thread::scope(|scope| {
        let body = scope.spawn(|| {
            let none: Option<&str> = None;
            let own = unshare(CloneFlags::CLONE_NEWNS)
                .and_then(|()| mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none))
                .and_then(|()| {
                    mount(Some("tmpfs"), folder, Some("tmpfs"), MsFlags::empty(), Some(data.as_str()))
                });
            if own.is_ok() {
                body();
            }
            own
        });
        body.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    if let Err(error) = made {
        missing(format_args!("the right to mount a file system ({error})"));
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    with_file_system(folder.path(), "2m", || {
        let location = Location::File(folder.path().join("history.db"));
        let mut store = Store::open(location, Access::Create).expect("it opens");
        let mut kept = 0;
        let error = loop {
            let mut run = record(&format!("r{kept}"), "b", kept);
            run.curve = (0..20_000_u32).map(|byte| (byte.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            match store.record(&run, Existing::Keep) {
                Ok(_) => kept += 1,
                Err(error) => break error,
            }
            assert!(kept < 1000, "2 MiB hold no 20 MB");
        };
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(error.advice().contains("linerate history import"));
        assert!(kept > 10);
        let runs = store.runs(&id_of("b"), &Filter::default()).expect("it can be read");
        assert_eq!(runs.len() as i64, kept);
        assert!(runs.iter().all(|run| run.record.figures.len() == 3 && run.curve_bytes == 20_000));
        assert_eq!(store.check().expect("checked"), [""; 0]);
    });
}

#[test]
fn a_disk_that_is_full_from_the_start_is_called_full() {
    let folder = tempfile::tempdir().expect("a folder");
    with_file_system(folder.path(), "512k", || {
        let location = Location::File(folder.path().join("history.db"));
        let open = || Store::open(location.clone(), Access::Create);
        open().expect("it opens").record(&record("1", "b", 1), Existing::Keep).expect("recorded");
        let filled = std::fs::write(folder.path().join("fill"), vec![0; 1 << 20]);
        assert!(filled.is_err(), "512 KiB do not hold a MiB");
        let tried = open().and_then(|mut store| store.record(&record("2", "b", 2), Existing::Keep));
        assert!(matches!(tried, Err(StoreError::Full { .. })), "{tried:?}");
        std::fs::remove_file(folder.path().join("fill")).expect("ours");
        open().expect("it opens").record(&record("2", "b", 2), Existing::Keep).expect("recorded");
    });
}

#[test]
fn a_read_only_medium_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    with_file_system(folder.path(), "8m", || {
        // A name with signs that mean something in the address of a file.
        let location = Location::File(folder.path().join("a?b%20#.db"));
        let open = || Store::open(location.clone(), Access::Create);
        open().expect("it opens").record(&record("1", "b", 1), Existing::Keep).expect("recorded");
        let none: Option<&str> = None;
        mount(none, folder.path(), none, MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY, none)
            .expect("read-only now");
        let mut store = open().expect("it can be read");
        assert_eq!(store.runs(&id_of("b"), &Filter::default()).expect("read").len(), 1);
        let error = store.record(&record("2", "b", 2), Existing::Keep).expect_err("it is read-only");
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
        let other = Location::File(folder.path().join("new.db"));
        let error = Store::open(other, Access::Create).expect_err("nothing can be made there");
        assert!(matches!(error, StoreError::Open { .. } | StoreError::ReadOnly { .. }), "{error}");
    });
}

#[test]
fn a_file_without_the_right_to_write_is_read() {
    if rustix::process::geteuid().is_root() {
        return; // Root may write it; the read-only medium covers root.
    }
    let place = recorded(1);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o444)).expect("ours");
    let mut store = place.open();
    assert_eq!(store.runs(&id_of("b"), &Filter::default()).expect("read").len(), 1);
    let error = store.record(&record("2", "b", 2), Existing::Keep).expect_err("it is read-only");
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[test]
fn what_a_rebuilt_history_has_is_what_the_old_one_had() {
    let place = recorded(3);
    let mut records = Vec::new();
    let mut take = |record| {
        records.push(record);
        std::ops::ControlFlow::Continue(())
    };
    place.open().export(&mut take).expect("exported");
    let rebuilt = Place::file();
    let done = rebuilt.open().record_all(&records, Existing::Keep).expect("recorded");
    assert!(done.iter().all(|done| matches!(done, Recorded::Added { .. })));
    let all = |place: &Place| place.open().runs(&id_of("b"), &Filter::default()).expect("read");
    assert_eq!(all(&rebuilt), all(&place));
}
