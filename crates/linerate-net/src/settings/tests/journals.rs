//! Journals, cut at every step and by every byte. Costs some seconds: each cut is followed by a true restoring.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::journal::{Journal, Record};
use super::super::restore::restore;
use super::*;

/// What is done, in this order; the same setting comes twice.
const STEPS: [(&str, &str); 6] = [
    ("mtu", "1400"),
    ("qdisc", "tbf rate 100mbit burst 32kb limit 128kb"),
    ("sysctl.net.ipv4.tcp_rmem", "4096 20000 30000"),
    ("txqueuelen", "7"),
    ("mtu", "1300"),
    ("offload.tso", "on"),
];

/// A folder for journals, removed at the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("linerate-settings-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn journals(&self) -> Vec<Found> {
        journals(&self.0).expect("readable")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("removed");
    }
}

fn values() -> Vec<String> {
    STEPS.map(|(name, _)| get(name)).into()
}

fn begin(folder: &Folder) -> Changes {
    Changes::begin(&folder.0, "a test").unwrap_or_else(|error| panic!("failed to {error}"))
}

fn change(changes: &mut Changes, name: &str, value: &str) {
    changes.set(&setting(name), &Value::from(value)).unwrap_or_else(|error| panic!("failed to {error}"));
}

/// As the next process does; here the process that made the changes still runs.
fn restore_from(path: &Path, force: bool) -> Vec<Outcome> {
    let restored = Journal::open(path).and_then(|journal| restore(&journal, force));
    restored.unwrap_or_else(|error| panic!("failed to {error}"))
}

/// How many changes may have been made when the journal had these whole records: the least and the most.
fn made(records: &[Record]) -> [usize; 2] {
    let sets = records.iter().filter(|record| matches!(record, Record::Set { .. })).count();
    let uncertain = matches!(records.last(), Some(Record::Set { .. }));
    [sets - usize::from(uncertain), sets]
}

#[test]
fn whatever_part_of_the_journal_is_written_everything_is_put_back() {
    on_a_host(|| {
        let folder = Folder::new("cuts");
        let originals = values();
        let mut changes = begin(&folder);
        STEPS.iter().for_each(|(name, value)| change(&mut changes, name, value));
        let path = changes.journal().to_owned();
        let whole = fs::read(&path).expect("a journal");
        assert_ne!(values(), originals);
        changes.restore(false).expect("restored");
        assert_eq!(values(), originals);
        let near_an_end =
            |cut: usize| (cut.saturating_sub(2)..cut + 2).any(|at| whole.get(at) == Some(&b'\n'));
        for cut in (0..=whole.len()).filter(|cut| cut % 7 == 0 || near_an_end(*cut)) {
            fs::write(&path, &whole[..cut]).expect("written");
            let records = super::super::journal::peek(&path).expect("a cut journal is none that is damaged");
            for made in made(&records) {
                fs::write(&path, &whole[..cut]).expect("written");
                STEPS[..made].iter().for_each(|(name, value)| drop(set(name, value)));
                let outcomes = restore_from(&path, false);
                assert!(outcomes.iter().all(Outcome::is_done), "cut {cut}, {made} made: {outcomes:?}");
                assert_eq!(values(), originals, "cut {cut}, {made} made");
                assert!(!path.exists(), "cut {cut}");
            }
        }
    });
}

#[test]
fn of_many_that_restore_at_once_one_does() {
    on_a_host(|| {
        let folder = Folder::new("race");
        let originals = values();
        for _ in 0..5 {
            let mut changes = begin(&folder);
            STEPS.iter().for_each(|(name, value)| change(&mut changes, name, value));
            let journals: Vec<_> =
                (0..8).map(|_| Journal::open(changes.journal()).expect("it is there")).collect();
            // Threads that begin here are in this namespace.
            let restored = std::thread::scope(|scope| {
                let all: Vec<_> = journals
                    .iter()
                    .map(|journal| scope.spawn(|| restore(journal, false).expect("good").len()))
                    .collect();
                all.into_iter().map(|one| one.join().expect("no panic")).collect::<Vec<_>>()
            });
            assert_eq!(restored.iter().sum::<usize>(), 5, "the five settings, by one alone: {restored:?}");
            assert_eq!(restored.iter().max(), Some(&5));
            assert_eq!(values(), originals);
        }
    });
}

/// The process is stopped after each of its restorings, and another one goes on.
#[test]
fn a_restoring_that_is_interrupted_is_gone_on_with() {
    on_a_host(|| {
        let folder = Folder::new("again");
        let originals = values();
        let mut changes = begin(&folder);
        STEPS.iter().for_each(|(name, value)| change(&mut changes, name, value));
        let path = changes.journal().to_owned();
        // As if the first restoring had put back the last setting, and noted it or not.
        for noted in [false, true] {
            drop(set("offload.tso", &originals[5]));
            let tso = Record::Restored { setting: setting("offload.tso") };
            if noted {
                Journal::open(&path).and_then(|journal| journal.append(&[tso], false)).expect("written");
            }
            let copy = fs::read(&path).expect("a journal");
            let outcomes = restore_from(&path, false);
            assert_eq!(outcomes.len(), 5 - usize::from(noted));
            assert_eq!(values(), originals);
            fs::write(&path, copy).expect("written");
            STEPS.iter().for_each(|(name, value)| drop(set(name, value)));
        }
        drop(restore_from(&path, false));
        assert_eq!(get("offload.tso"), "on", "what is noted as restored is no longer the journal's");
    });
}

#[test]
fn what_somebody_else_has_changed_is_named_and_left_alone() {
    on_a_host(|| {
        let folder = Folder::new("foreign");
        let originals = values();
        let mut changes = begin(&folder);
        change(&mut changes, "mtu", "1400");
        change(&mut changes, "txqueuelen", "7");
        assert_eq!(changes.check(), []);
        set("mtu", "1350");
        let [ours, theirs] = ["1400", "1350"].map(Value::from);
        let found = Foreign { setting: setting("mtu"), ours, theirs: Ok(theirs) };
        assert_eq!(changes.check(), [found]);
        let path = changes.journal().to_owned();
        let outcomes = changes.restore(false).expect("the journal is good");
        assert!(matches!(outcomes[0].end, End::Back), "{outcomes:?}");
        assert!(matches!(&outcomes[1].end, End::Foreign { .. }), "{outcomes:?}");
        assert_eq!([get("mtu"), get("txqueuelen")], ["1350".to_owned(), originals[3].clone()]);
        let left = folder.journals();
        assert_eq!(left[0].settings, [(setting("mtu"), Value::from("1500"))], "only what is left");
        assert_eq!(left[0].standing, Standing::Living);
        let refused = restore_orphan(&path, true).expect_err("its process runs").to_string();
        assert!(refused.contains("is running: a test"), "{refused}");
        drop(restore_from(&path, true));
        assert_eq!(values(), originals);
        assert!(folder.journals().is_empty());
    });
}

#[test]
fn a_refused_value_changes_nothing_and_the_rest_is_put_back() {
    on_a_host(|| {
        let folder = Folder::new("refused");
        let originals = values();
        let mut changes = begin(&folder);
        change(&mut changes, "txqueuelen", "7");
        for (name, value) in [("mtu", "99999"), ("ring.rx", "1"), ("sysctl.net.ipv4.tcp_sack", "many")] {
            let error = changes.set(&setting(name), &Value::from(value)).expect_err(name);
            assert!(matches!(error, JournalError::Setting(_)), "{error}");
        }
        // What is refused before it is tried is not in the journal. What the kernel refuses is: it was there first.
        let noted = folder.journals().remove(0).settings.into_iter().map(|(setting, _)| setting.to_string());
        assert_eq!(noted.collect::<Vec<_>>(), ["txqueuelen@wire", "sysctl.net.ipv4.tcp_sack"]);
        let outcomes = changes.restore(false).expect("the journal is good");
        assert!(outcomes.iter().all(Outcome::is_done), "{outcomes:?}");
        assert_eq!(values(), originals);
    });
}

#[test]
fn a_journal_belongs_to_one_namespace_and_is_used_once() {
    let Some(lab) = lab() else { return };
    let folder = Folder::new("elsewhere");
    let mut changes = lab.here(|| begin(&folder)).expect("entered");
    let error = lab.there(|| changes.set(&setting("mtu"), &Value::from("1400"))).expect("entered");
    assert!(matches!(error, Err(JournalError::Elsewhere(_))), "{error:?}");
    lab.here(|| {
        let path = changes.journal().to_owned();
        change(&mut changes, "mtu", "1400");
        drop(restore_from(&path, false));
        assert_eq!(get("mtu"), "1500");
        let error = changes.set(&setting("mtu"), &Value::from("1400")).expect_err("it is restored");
        assert!(matches!(error, JournalError::Restored(_)), "{error}");
        assert_eq!(changes.restore(false).expect("nothing is left").len(), 0);
    })
    .expect("entered");
}

/// The journal of another start of the host: every value is as the journal's process left it, but nothing says that it
/// was this process.
#[test]
fn after_a_restart_of_the_host_the_settings_of_its_interfaces_are_void() {
    on_a_host(|| {
        let folder = Folder::new("restart");
        let mut changes = begin(&folder);
        change(&mut changes, "mtu", "1400");
        let path = changes.journal().to_owned();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("linux");
        let text = fs::read_to_string(&path).expect("a journal");
        fs::write(&path, text.replace(boot.trim(), "another")).expect("written");
        assert_eq!(folder.journals()[0].standing, Standing::Restarted);
        let outcomes = restore_orphan(&path, false).expect("no process of this start runs for it");
        assert!(matches!(outcomes[0].end, End::Void(_)), "{outcomes:?}");
        assert_eq!(get("mtu"), "1400", "it may be another interface of that name");
        assert!(!path.exists());
    });
}

#[test]
fn a_journal_whose_namespace_has_gone_is_void() {
    let folder = Folder::new("gone");
    let path = std::sync::OnceLock::new();
    on_a_host(|| {
        let mut changes = begin(&folder);
        change(&mut changes, "mtu", "1400");
        path.set(changes.journal().to_owned()).expect("once");
    });
    let Some(path) = path.into_inner() else { return };
    let text = fs::read_to_string(&path).expect("a journal");
    let process = format!("\"pid\":{}", std::process::id());
    assert!(text.contains(&process), "{text}");
    fs::write(&path, text.replace(&process, "\"pid\":4194305")).expect("written");
    assert_eq!(folder.journals()[0].standing, Standing::Gone);
    let outcomes = restore_orphan(&path, false).expect("readable");
    assert!(matches!(outcomes[0].end, End::Void(_)), "{outcomes:?}");
    assert!(folder.journals().is_empty());
}

#[test]
fn journals_that_are_none_are_listed_and_stay() {
    let folder = Folder::new("damaged");
    for (name, text) in
        [("a", "rubbish\n"), ("b", "{\"record\":\"begin\",\"format\":3}\n"), ("c", "{\"record\":\"be")]
    {
        fs::write(folder.0.join(format!("{name}.journal")), text).expect("written");
    }
    let found = folder.journals();
    let why = |number: usize| match &found[number].standing {
        Standing::Unreadable(why) => why.clone(),
        other => panic!("{other:?}"),
    };
    assert!(why(0).contains("line 1"), "{}", why(0));
    assert!(why(1).contains("it has format 3, and this linerate knows those up to 2"), "{}", why(1));
    assert_eq!(found[2].standing, Standing::Orphaned, "it was stopped before it began");
    assert!(restore_orphan(&found[0].path, true).is_err() && found[0].path.exists());
    assert_eq!(restore_orphan(&found[2].path, false).expect("nothing is to be done").len(), 0);
    discard(&found[0].path).expect("removed");
    assert_eq!(folder.journals().len(), 1);
}

#[test]
fn one_experiment_at_a_time_in_a_namespace() {
    let Some(lab) = lab() else { return };
    let folder = Folder::new("lock");
    let take = |what: &str| HostLock::take(&folder.0, what);
    let first = lab.here(|| take("the first")).expect("entered").expect("it is free");
    let refused = lab.here(|| take("the second")).expect("entered").expect_err("it is taken").to_string();
    let own = std::process::id();
    assert_eq!(
        refused,
        format!("change settings: process {own} does so in this network namespace: the first")
    );
    lab.there(|| take("another").map(drop)).expect("entered").expect("another namespace");
    drop(first);
    lab.here(|| take("the third").map(drop)).expect("entered").expect("it is free again");
}

#[test]
fn the_guardian_restores_when_the_lifeline_ends() {
    on_a_host(|| {
        let folder = Folder::new("guardian");
        let originals = values();
        let mut changes = begin(&folder);
        let (lifeline, end) = std::io::pipe().expect("a pipe");
        let mut said = Vec::new();
        change(&mut changes, "mtu", "1400");
        let path = changes.journal().to_owned();
        drop(changes);
        drop(end);
        let outcomes = guard(&path, lifeline, &mut said).expect("restored");
        assert_eq!(said, b"ready\n");
        assert!(matches!(outcomes[..], [Outcome { end: End::Back, .. }]), "{outcomes:?}");
        assert_eq!(values(), originals);
    });
}
