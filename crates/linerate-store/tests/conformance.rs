//! What a history promises, on both databases.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use linerate_store::{
    Access, ChangeState, Existing, FigureRange, Filter, Recent, Record, Recorded, Store, StoreError, Thinning,
};

use crate::support::{DAY_US, Place, id_of, on_both, path, record, with_fact, with_tag};

fn add(store: &mut Store, record: &Record) {
    let recorded = store.record(record, Existing::Keep).unwrap_or_else(|error| panic!("failed to {error}"));
    assert!(matches!(recorded, Recorded::Added { .. }), "{recorded:?}");
}

fn ids(store: &mut Store, name: &str, filter: &Filter) -> Vec<String> {
    let runs = store.runs(&id_of(name), filter).unwrap_or_else(|error| panic!("failed to {error}"));
    runs.into_iter().map(|run| run.record.id).collect()
}

fn pair(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

#[test]
fn a_run_comes_back_as_it_was_recorded() {
    on_both(|place| {
        let mut full = with_tag(record("run-1", "b", 3), "ticket", "ünïcode ' \" ; --");
        full.path.name = "a ? $1 ?1".to_owned();
        add(&mut place.open(), &full);
        // By another program, later.
        let mut store = Store::open(place.location.clone(), Access::Existing).expect("it is there");
        let kept = store.run("run-1").expect("it is known");
        assert_eq!(kept.record, Record { curve: Vec::new(), ..full.clone() });
        assert_eq!(kept.curve_bytes, full.curve.len() as u64);
        assert_eq!(kept.shown, full.path.id());
        assert!(!kept.baseline);
        assert_eq!(
            store.curves(&["run-1", "nobody"]).expect("read").into_iter().collect::<Vec<_>>(),
            [("run-1".to_owned(), full.curve.clone())]
        );
        assert_eq!(exported(&mut store), [full]);
        assert_eq!(store.check().expect("checked"), [""; 0]);
        assert!(store.size_bytes().expect("a size") > 0);
    });
}

fn exported(store: &mut Store) -> Vec<Record> {
    let mut all = Vec::new();
    let mut take = |record| {
        all.push(record);
        ControlFlow::Continue(())
    };
    store.export(&mut take).expect("exported");
    all
}

#[test]
fn a_run_that_is_there_is_not_recorded_twice_and_its_file_is_followed() {
    on_both(|place| {
        let mut store = place.open();
        let first = record("run-1", "b", 3);
        add(&mut store, &first);
        let moved = Record { file: "/elsewhere/1.run.json".to_owned(), ..first.clone() };
        assert_eq!(store.record(&moved, Existing::Keep), Ok(Recorded::AlreadyThere));
        assert_eq!(store.run("run-1").expect("known").record.file, moved.file);
        let other = Record { content: "other".to_owned(), ..record("run-1", "c", 5) };
        let conflict = store.record(&other, Existing::Renew).expect_err("another run has that id");
        let text = conflict.to_string();
        assert!(text.contains("/runs/run-1.run.json") && text.contains("/elsewhere/1.run.json"), "{text}");
        // In a batch it hinders nobody.
        let batch = [record("run-0", "b", 1), other, record("run-2", "b", 4)];
        let recorded = store.record_all(&batch, Existing::Keep).expect("recorded");
        assert!(matches!(
            recorded[..],
            [Recorded::Added { .. }, Recorded::Refused(StoreError::Conflict { .. }), Recorded::Added { .. }]
        ));
        assert_eq!(ids(&mut store, "b", &Filter::default()), ["run-0", "run-1", "run-2"]);
    });
}

#[test]
fn what_is_computed_anew_replaces_figures_and_keeps_tags() {
    on_both(|place| {
        let mut store = place.open();
        add(&mut store, &record("run-1", "b", 3));
        store.tag("run-1", "good", "yes").expect("tagged");
        let mut again = with_fact(record("run-1", "c", 3), "kernel", "6.2");
        again.figures.truncate(1);
        again.figures[0].key = "new".to_owned();
        again.curve = b"new".to_vec();
        assert_eq!(store.record(&again, Existing::Renew), Ok(Recorded::Renewed));
        assert_eq!(exported(&mut store), [with_tag(again, "good", "yes")]);
    });
}

#[test]
fn what_no_database_can_keep_is_refused_by_both() {
    on_both(|place| {
        let mut store = place.open();
        let mut nan = record("nan", "b", 1);
        nan.figures[0].value = f64::NAN;
        let mut infinite = record("infinite", "b", 1);
        infinite.figures[0].high = Some(f64::INFINITY);
        let mut twice = record("twice", "b", 1);
        twice.figures[1].key = twice.figures[0].key.clone();
        let bad = [
            nan,
            infinite,
            twice,
            record("", "b", 1),
            record(&"x".repeat(1000), "b", 1),
            with_fact(record("zero", "b", 1), "fact", "a\0b"),
            with_tag(record("no-key", "b", 1), "", "x"),
        ];
        for refused in store.record_all(&bad, Existing::Keep).expect("it goes on") {
            assert!(matches!(refused, Recorded::Refused(StoreError::Invalid { .. })), "{refused:?}");
        }
        assert_eq!(store.paths(&Filter::default(), &Recent::default()).expect("read"), []);
    });
}

#[test]
fn a_clock_that_went_back_is_told_and_does_no_harm() {
    on_both(|place| {
        let mut store = place.open();
        assert_eq!(
            store.record(&record("a", "b", 5), Existing::Keep),
            Ok(Recorded::Added { later_us: None })
        );
        let back = store.record(&record("b", "b", 3), Existing::Keep);
        assert_eq!(back, Ok(Recorded::Added { later_us: Some(5 * DAY_US) }));
        let before_1970 = store.record(&record("c", "b", -1), Existing::Keep);
        assert_eq!(before_1970, Ok(Recorded::Added { later_us: Some(5 * DAY_US) }));
        assert_eq!(
            store.record(&record("d", "other", 1), Existing::Keep),
            Ok(Recorded::Added { later_us: None })
        );
        assert_eq!(ids(&mut store, "b", &Filter::default()), ["c", "b", "a"]);
        let series = store.series(Some(&id_of("b")), &Filter::default()).expect("read");
        let values: Vec<_> = series[0].series[0].points.iter().map(|point| point.value).collect();
        assert_eq!(values, [19.0, 23.0, 25.0]);
    });
}

#[test]
fn the_list_has_counts_times_and_the_last_figures() {
    on_both(|place| {
        let mut store = place.open();
        for day in 1..=5 {
            add(&mut store, &record(&format!("b{day}"), "b", day));
        }
        add(&mut store, &record("a1", "a", 9));
        store.set_baseline(&id_of("b"), &["b1", "b3"]).expect("set");
        let recent = Recent { keys: vec!["latency".to_owned(), "nothing".to_owned()], runs: 3 };
        let list = store.paths(&Filter::default(), &recent).expect("read");
        assert_eq!(
            list.iter().map(|path| path.fingerprint.name.as_str()).collect::<Vec<_>>(),
            ["to a", "to b"]
        );
        let b = &list[1];
        assert_eq!(b.fingerprint, path("b"));
        assert_eq!((b.runs, b.first_us, b.last_us, b.baseline), (5, DAY_US, 5 * DAY_US, 2));
        assert_eq!(
            b.recent.clone().into_iter().collect::<Vec<_>>(),
            [("latency".to_owned(), vec![23.0, 24.0, 25.0])]
        );
        assert_eq!((list[0].runs, list[0].baseline), (1, 0));
        let since = Filter { since_us: Some(4 * DAY_US), ..Filter::default() };
        let later = store.paths(&since, &recent).expect("read");
        assert_eq!(later.iter().map(|path| path.runs).collect::<Vec<_>>(), [1, 2]);
    });
}

#[test]
fn filters_hold_together() {
    on_both(|place| {
        let mut store = place.open();
        for day in 1..=6 {
            let run = record(&format!("r{day}"), "b", day);
            let run = if day >= 4 { with_fact(run, "kernel", "6.2") } else { run };
            let run = if day % 2 == 0 { with_tag(run, "even", "yes") } else { run };
            add(&mut store, &run);
        }
        let mut found = |filter: Filter| ids(&mut store, "b", &filter).join(" ");
        let none = Filter::default;
        let range = |least, most| vec![FigureRange { key: "latency".to_owned(), least, most }];
        assert_eq!(found(none()), "r1 r2 r3 r4 r5 r6");
        assert_eq!(
            found(Filter { since_us: Some(2 * DAY_US), until_us: Some(4 * DAY_US), ..none() }),
            "r2 r3"
        );
        assert_eq!(found(Filter { tags: vec![pair("even", "yes")], ..none() }), "r2 r4 r6");
        assert_eq!(found(Filter { tags: vec![pair("even", "no")], ..none() }), "");
        assert_eq!(found(Filter { facts: vec![pair("kernel", "6.2")], ..none() }), "r4 r5 r6");
        assert_eq!(found(Filter { figures: range(Some(22.0), Some(23.0)), ..none() }), "r2 r3");
        assert_eq!(found(Filter { figures: range(None, Some(21.0)), ..none() }), "r1");
        assert_eq!(found(Filter { newest: Some(2), ..none() }), "r5 r6");
        let all = Filter {
            since_us: Some(2 * DAY_US),
            until_us: Some(6 * DAY_US),
            tags: vec![pair("even", "yes")],
            facts: vec![pair("driver", "veth"), pair("kernel", "6.1")],
            figures: range(Some(0.0), None),
            newest: Some(1),
        };
        assert_eq!(found(all), "r2");
    });
}

#[test]
fn series_are_by_path_figure_and_time() {
    on_both(|place| {
        let mut store = place.open();
        let mut odd = record("b3", "b", 3);
        odd.figures.remove(0);
        for run in
            [record("b2", "b", 2), record("a1", "a", 1), odd, with_fact(record("b1", "b", 1), "kernel", "5")]
        {
            add(&mut store, &run);
        }
        let all = store.series(None, &Filter::default()).expect("read");
        assert_eq!(
            all.iter().map(|path| path.fingerprint.name.as_str()).collect::<Vec<_>>(),
            ["to a", "to b"]
        );
        let b = &all[1];
        assert_eq!(b.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["b1", "b2", "b3"]);
        assert_ne!(b.runs[0].environment, b.runs[1].environment);
        assert_eq!(b.runs[1].environment, b.runs[2].environment);
        assert_eq!(
            b.series.iter().map(|figure| figure.key.as_str()).collect::<Vec<_>>(),
            ["latency", "peak", "size"]
        );
        let latency: Vec<_> =
            b.series[0].points.iter().map(|point| (point.run, point.value, point.low)).collect();
        assert_eq!(latency, [(0, 21.0, Some(10.5)), (1, 22.0, Some(11.0))]);
        assert_eq!(b.series[1].points.len(), 3);
        assert_eq!(b.series[2].points[0].value, -1e-300);
        assert_eq!((b.series[2].better, b.series[2].points[0].low), (None, None));
        assert_eq!(store.series(Some(&id_of("b")), &Filter::default()).expect("read"), all[1..]);
    });
}

#[test]
fn a_host_with_a_new_name_is_merged_and_separated_again() {
    on_both(|place| {
        let mut store = place.open();
        for (id, name, day) in [("1", "old", 1), ("2", "new", 2), ("3", "newest", 3)] {
            add(&mut store, &record(id, name, day));
        }
        store.merge(&id_of("old"), &id_of("new")).expect("merged");
        store.merge(&id_of("old"), &id_of("new")).expect("once more is nothing new");
        store.merge(&id_of("new"), &id_of("newest")).expect("merged");
        assert_eq!(ids(&mut store, "newest", &Filter::default()), ["1", "2", "3"]);
        assert_eq!(ids(&mut store, "old", &Filter::default()), ["1", "2", "3"], "it means the same path");
        let list = store.paths(&Filter::default(), &Recent::default()).expect("read");
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].merged.iter().collect::<BTreeSet<_>>(), [&id_of("old"), &id_of("new")].into());
        // A run of the old name finds the way too.
        add(&mut store, &record("4", "old", 4));
        assert_eq!(store.run("4").expect("known").shown, id_of("newest"));
        assert_eq!(store.run("4").expect("known").record.path, path("old"), "the fingerprint stays");
        let round = store.merge(&id_of("newest"), &id_of("old")).expect_err("it would go round");
        assert!(matches!(round, StoreError::Circle { .. }), "{round}");
        let itself = store.merge(&id_of("old"), &id_of("old")).expect_err("so would this");
        assert!(matches!(itself, StoreError::Circle { .. }), "{itself}");
        assert_eq!(store.check().expect("checked"), [""; 0]);
        store.separate(&id_of("new")).expect("separated");
        assert_eq!(ids(&mut store, "newest", &Filter::default()), ["3"]);
        assert_eq!(ids(&mut store, "new", &Filter::default()), ["1", "2", "4"]);
        assert_eq!(store.aliases().expect("read").len(), 1);
    });
}

#[test]
fn two_hosts_of_one_path_are_split_by_a_fact_and_joined_again() {
    on_both(|place| {
        let mut store = place.open();
        for (id, host) in [("1", "one"), ("2", "two"), ("3", "one")] {
            add(&mut store, &with_fact(record(id, "b", 1), "host", host));
        }
        let two = store.split(&id_of("b"), ("host", "two"), "the other").expect("split");
        assert_eq!(store.split(&id_of("b"), ("host", "two"), "the other"), Ok(two.clone()), "once more");
        assert_eq!(ids(&mut store, "b", &Filter::default()), ["1", "3"]);
        add(&mut store, &with_fact(record("4", "b", 2), "host", "two"));
        let there = |store: &mut Store| -> Vec<String> {
            store.runs(&two, &Filter::default()).expect("read").into_iter().map(|run| run.record.id).collect()
        };
        assert_eq!(there(&mut store), ["2", "4"]);
        assert_eq!(store.find_path("the other"), Ok(two.clone()));
        store.rename(&two, "second").expect("renamed");
        assert_eq!(store.find_path("second"), Ok(two.clone()));
        assert_eq!(store.check().expect("checked"), [""; 0]);
        // What was merged into the whole is split too.
        add(&mut store, &with_fact(record("5", "old", 3), "host", "two"));
        store.merge(&id_of("old"), &id_of("b")).expect("merged");
        assert_eq!(there(&mut store), ["2", "4", "5"]);
        store.merge(&two, &id_of("b")).expect("joined again");
        assert_eq!(ids(&mut store, "b", &Filter::default()), ["1", "2", "3", "4", "5"]);
        assert_eq!(
            store.runs(&two, &Filter::default()),
            Err(StoreError::NoPath(two.to_string())),
            "tidied up"
        );
    });
}

#[test]
fn a_baseline_is_of_one_path_and_follows_a_merge() {
    on_both(|place| {
        let mut store = place.open();
        for (id, name) in [("1", "b"), ("2", "b"), ("3", "c")] {
            add(&mut store, &record(id, name, 1));
        }
        let b = id_of("b");
        assert_eq!(store.baseline(&b), Ok(vec![]));
        store.set_baseline(&b, &["1", "2", "2"]).expect("set");
        assert_eq!(store.baseline(&b), Ok(vec!["1".to_owned(), "2".to_owned()]));
        let other = store.set_baseline(&b, &["1", "3"]).expect_err("3 is of c");
        assert!(matches!(other, StoreError::OtherPath { .. }), "{other}");
        assert_eq!(store.set_baseline(&b, &["nobody"]), Err(StoreError::NoRun("nobody".to_owned())));
        assert_eq!(store.baseline(&b).expect("read").len(), 2, "what fails changes nothing");
        store.set_baseline(&b, &["2"]).expect("set");
        assert!(store.run("2").expect("known").baseline && !store.run("1").expect("known").baseline);
        store.merge(&b, &id_of("c")).expect("merged");
        assert_eq!(store.baseline(&id_of("c")), Ok(vec!["2".to_owned()]));
        store.set_baseline(&b, &[]).expect("cleared");
        assert_eq!(store.baseline(&b), Ok(vec![]));
    });
}

#[test]
fn tags_and_what_is_said_of_changes_are_kept() {
    on_both(|place| {
        let mut store = place.open();
        add(&mut store, &with_tag(record("1", "b", 1), "site", "x"));
        store.tag("1", "site", "y").expect("tagged");
        store.tag("1", "new", "").expect("tagged");
        let tags = store.run("1").expect("known").record.tags;
        assert_eq!(tags.into_iter().collect::<Vec<_>>(), [pair("new", ""), pair("site", "y")]);
        assert_eq!(store.untag("1", "site"), Ok(true));
        assert_eq!(store.untag("1", "site"), Ok(false));
        assert_eq!(store.tag("nobody", "a", "b"), Err(StoreError::NoRun("nobody".to_owned())));
        assert!(store.tag("1", "", "b").is_err());
        store.set_change("b latency 12", Some(ChangeState::Confirmed)).expect("kept");
        store.set_change("b latency 12", Some(ChangeState::Muted)).expect("kept");
        store.set_change("c", Some(ChangeState::Confirmed)).expect("kept");
        store.set_change("c", None).expect("forgotten");
        let changes = store.changes().expect("read");
        assert_eq!(
            changes.into_iter().collect::<Vec<_>>(),
            [("b latency 12".to_owned(), ChangeState::Muted)]
        );
    });
}

#[test]
fn runs_and_paths_are_forgotten_whole() {
    on_both(|place| {
        let mut store = place.open();
        for day in 1..=3 {
            add(&mut store, &record(&format!("r{day}"), "b", day));
        }
        store.set_baseline(&id_of("b"), &["r2"]).expect("set");
        let removed = store.remove_run("r2").expect("removed");
        assert_eq!(removed.file, "/runs/r2.run.json");
        assert_eq!(store.remove_run("r2"), Err(StoreError::NoRun("r2".to_owned())));
        assert_eq!(store.baseline(&id_of("b")), Ok(vec![]));
        assert!(store.curves(&["r2"]).expect("read").is_empty());
        add(&mut store, &record("r2", "b", 2));
        let removed = store.remove_path(&id_of("b")).expect("removed");
        assert_eq!(removed.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["r1", "r2", "r3"]);
        assert_eq!(store.remove_path(&id_of("b")), Err(StoreError::NoPath(id_of("b").to_string())));
        assert_eq!(exported(&mut store), []);
        assert_eq!(store.check().expect("checked"), [""; 0]);
    });
}

#[test]
fn names_are_found_by_their_beginning() {
    on_both(|place| {
        let mut store = place.open();
        for (id, name) in [("abcd-1", "b"), ("abcd-2", "c"), ("ab%_", "d")] {
            add(&mut store, &record(id, name, 1));
        }
        assert_eq!(store.find_run("abcd-1"), Ok("abcd-1".to_owned()));
        assert_eq!(store.find_run("ab%_"), Ok("ab%_".to_owned()));
        assert_eq!(store.find_run("abc"), Err(StoreError::NoRun("abc".to_owned())), "too short");
        assert!(matches!(store.find_run("abcd"), Err(StoreError::Ambiguous { .. })));
        assert_eq!(store.find_run("____"), Err(StoreError::NoRun("____".to_owned())), "no pattern");
        assert_eq!(store.find_path("to b"), Ok(id_of("b")));
        assert_eq!(store.find_path(&id_of("b").to_string()), Ok(id_of("b")));
        assert_eq!(store.find_path("00000001b"), Ok(id_of("b")));
        assert_eq!(store.find_path("1:00000001c"), Ok(id_of("c")));
        assert!(matches!(store.find_path("0000"), Err(StoreError::Ambiguous { .. })));
        assert_eq!(store.find_path("elsewhere"), Err(StoreError::NoPath("elsewhere".to_owned())));
    });
}

/// Thirty daily runs; one is tagged, one a baseline, one protected, and the kernel changes once.
fn thirty_days(store: &mut Store) {
    for day in 0..30 {
        let run = record(&format!("r{day:02}"), "b", day);
        let run = if day >= 12 { with_fact(run, "kernel", "6.2") } else { run };
        let run = with_tag(run, "label", "of every run");
        // The hash of day 8 of each ten is the least.
        let content = format!("{}{day}", if day % 10 == 8 { "0" } else { "f" });
        add(store, &Record { content, curve: vec![7; 20_000], ..run });
    }
    store.tag("r03", "release", "1").expect("tagged");
    store.set_baseline(&id_of("b"), &["r05"]).expect("set");
}

#[test]
fn old_curves_go_by_the_rule_and_figures_stay() {
    on_both(|place| {
        let mut store = place.open();
        thirty_days(&mut store);
        let rule = Thinning {
            before_us: 25 * DAY_US,
            period_us: 10 * DAY_US,
            protected: ["r16".to_owned(), "r17".to_owned()].into(),
        };
        let keep: BTreeSet<_> = [
            0, 11, 12, 29, // first and last of each kernel
            3, 5, 16, 17, // tagged, baseline, protected
            8, 18, 28, // the one of its ten days
            25, 26, 27, // too new
        ]
        .map(|day| format!("r{day:02}"))
        .into();
        let goes: Vec<_> = (0..30).map(|day| format!("r{day:02}")).filter(|id| !keep.contains(id)).collect();
        let planned = store.prunable(&rule).expect("planned");
        assert_eq!(planned.iter().map(|run| run.id.clone()).collect::<Vec<_>>(), goes);
        assert_eq!(store.prune(&rule).expect("pruned"), planned);
        assert_eq!((planned[0].curve_bytes, planned[0].file.as_str()), (20_000, "/runs/r01.run.json"));
        let runs = store.runs(&id_of("b"), &Filter::default()).expect("read");
        assert!(runs.iter().all(|run| run.record.figures.len() == 3), "figures outlive curves");
        let with: BTreeSet<_> =
            runs.iter().filter(|run| run.curve_bytes > 0).map(|run| run.record.id.clone()).collect();
        assert_eq!(with, keep);
        assert_eq!(store.prune(&rule).expect("pruned"), [], "once more takes nothing");
        assert_eq!(exported(&mut store).iter().filter(|run| run.curve.is_empty()).count(), goes.len());
    });
}

#[test]
fn the_file_shrinks_when_curves_go() {
    let place = Place::file();
    let mut store = place.open();
    thirty_days(&mut store);
    let rule = Thinning { before_us: 31 * DAY_US, period_us: 30 * DAY_US, protected: BTreeSet::new() };
    let before = store.size_bytes().expect("a size");
    let gone: u64 = store.prune(&rule).expect("pruned").iter().map(|run| run.curve_bytes).sum();
    let after = store.size_bytes().expect("a size");
    assert!(gone >= 20 * 20_000 && before - after >= gone, "{before} - {after}, {gone}");
}

#[test]
fn only_what_is_there_is_opened_to_be_read() {
    on_both(|place| {
        let missing = Store::open(place.location.clone(), Access::Existing).expect_err("there is nothing");
        assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
        drop(place.open());
        Store::open(place.location.clone(), Access::Existing).expect("it is there");
    });
}

#[test]
fn a_thousand_runs_are_exported_in_pages() {
    on_both(|place| {
        let mut store = place.open();
        let runs: Vec<_> = (0..450).map(|run| record(&format!("r{run:03}"), "b", run)).collect();
        store.record_all(&runs, Existing::Keep).expect("recorded");
        assert_eq!(exported(&mut store), runs);
        let mut taken = 0;
        let mut three = |_| {
            taken += 1;
            if taken == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        store.export(&mut three).expect("exported");
        assert_eq!(taken, 3);
    });
}

#[test]
fn what_people_said_is_taken_into_another_history() {
    on_both(|place| {
        let runs = [("1", "old", "one"), ("2", "b", "one"), ("3", "b", "two"), ("4", "b", "one")];
        let runs = runs.map(|(id, name, host)| with_fact(record(id, name, 1), "host", host));
        let mut store = place.open();
        store.record_all(&runs, Existing::Keep).expect("recorded");
        let two = store.split(&id_of("b"), ("host", "two"), "the second").expect("split");
        store.merge(&id_of("old"), &id_of("b")).expect("merged");
        store.rename(&id_of("b"), "all of the first").expect("renamed");
        store.tag("2", "cable", "red").expect("tagged");
        store.set_baseline(&id_of("b"), &["1", "2"]).expect("set");
        store.set_change("b latency 12", Some(ChangeState::Muted)).expect("kept");
        let notes = store.notes().expect("read");

        let elsewhere = Place::file();
        let mut copy = elsewhere.open();
        copy.record_all(&runs[1..], Existing::Keep).expect("recorded");
        let unsaid = copy.apply(&notes).expect("said");
        assert_eq!(unsaid, [StoreError::NoPath(id_of("old").to_string())], "run 1 is not there");
        assert_eq!(copy.baseline(&id_of("b")), Ok(vec!["2".to_owned()]));
        copy.record_all(&runs, Existing::Keep).expect("recorded");
        assert_eq!(copy.apply(&notes), Ok(vec![]));
        assert_eq!(copy.notes(), Ok(notes.clone()));
        assert_eq!(copy.apply(&notes), Ok(vec![]), "twice is once");
        assert_eq!(copy.run("3").expect("known").shown, two);
        assert_eq!(copy.run("1").expect("known").shown, id_of("b"));
        assert_eq!(copy.find_path("all of the first"), Ok(id_of("b")));
        assert_eq!(copy.check().expect("checked"), [""; 0]);
        // Of what is not there, nothing is said.
        let unsaid = Place::file().open().apply(&notes).expect("nothing to say");
        assert!(unsaid.len() == 4, "two aliases, a tag, a baseline: {unsaid:?}");
    });
}
