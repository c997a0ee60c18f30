//! A server that goes away, refuses, or is of a later linerate.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use linerate_store::{Access, Existing, Filter, Location, Recorded, Store, StoreError, Thinning};

use crate::support::proxy::{Break, Plan, Proxy};
use crate::support::server::Server;
use crate::support::{DAY_US, id_of, record};

/// A history on a wire that breaks, and the same without that wire.
fn breaking() -> Option<(Proxy, Store, Store)> {
    let server = Server::shared()?;
    let name = server.new_name();
    let proxy = Proxy::to(&server.socket());
    let open =
        |location| Store::open(location, Access::Create).unwrap_or_else(|error| panic!("failed to {error}"));
    let whole = open(server.location(&name, "linerate"));
    let store = open(proxy.location(&name));
    Some((proxy, store, whole))
}

#[test]
fn a_commit_that_was_never_heard_is_done_again() {
    for how in [Break::Before, Break::After] {
        let Some((proxy, mut store, mut whole)) = breaking() else { return };
        proxy.set(Plan { words: b"COMMIT", how, times: 1 });
        let recorded = store.record(&record("1", "b", 1), Existing::Keep);
        assert_eq!(proxy.left(), 0, "the wire broke");
        assert_eq!(recorded, Ok(Recorded::Added { later_us: None }), "{how:?}");
        assert_eq!(whole.runs(&id_of("b"), &Filter::default()).expect("read").len(), 1, "{how:?}");
        proxy.set(Plan { words: b"COMMIT", how, times: 1 });
        assert_eq!(store.remove_run("1").map(|run| run.id), Ok("1".to_owned()), "{how:?}");
        assert!(whole.series(None, &Filter::default()).expect("read").is_empty());
    }
}

#[test]
fn a_prune_whose_commit_was_never_heard_says_what_went() {
    let Some((proxy, mut store, mut whole)) = breaking() else { return };
    for day in 0..5 {
        store.record(&record(&format!("r{day}"), "b", day), Existing::Keep).expect("recorded");
    }
    let rule = Thinning { before_us: 9 * DAY_US, period_us: 9 * DAY_US, ..Thinning::default() };
    let planned = whole.prunable(&rule).expect("planned");
    assert!(!planned.is_empty());
    proxy.set(Plan { words: b"COMMIT", how: Break::After, times: 1 });
    assert_eq!(store.prune(&rule), Ok(planned));
    assert_eq!(proxy.left(), 0, "the wire broke");
}

#[test]
fn a_server_that_vanishes_in_mid_write_leaves_nothing_half_recorded() {
    for words in [&b"INSERT INTO figure "[..], b"INSERT INTO curve", b"COMMIT"] {
        let Some((proxy, mut store, mut whole)) = breaking() else { return };
        proxy.set(Plan { words, how: Break::Before, times: 100 });
        let error = store.record(&record("1", "b", 1), Existing::Keep).expect_err("there is no server");
        assert!(matches!(error, StoreError::Lost { .. }), "{error}");
        assert!(error.advice().contains("linerate history import"), "{}", error.advice());
        assert!(!error.to_string().contains("a-secret"), "{error}");
        assert!(whole.series(None, &Filter::default()).expect("read").is_empty(), "nothing is recorded");
        // It is back.
        proxy.set(Plan { words, how: Break::Before, times: 0 });
        assert_eq!(
            store.record(&record("1", "b", 1), Existing::Keep),
            Ok(Recorded::Added { later_us: None })
        );
        assert_eq!(whole.check().expect("checked"), [""; 0]);
    }
}

#[test]
fn a_server_that_is_killed_and_started_again_has_whole_runs() {
    let Some(mut server) = Server::start() else { return };
    let location = server.new_database();
    let mut store = Store::open(location.clone(), Access::Create).expect("it opens");
    store.record(&record("1", "b", 1), Existing::Keep).expect("recorded");
    server.kill();
    let error = store.record(&record("2", "b", 2), Existing::Keep).expect_err("there is no server");
    assert!(matches!(error, StoreError::Lost { .. }), "{error}");
    let error = Store::open(location, Access::Create).expect_err("there is no server");
    assert!(matches!(error, StoreError::Lost { .. }), "{error}");
    server.begin();
    // The same store makes a new connection by itself.
    store.record(&record("2", "b", 2), Existing::Keep).expect("recorded");
    assert_eq!(store.runs(&id_of("b"), &Filter::default()).expect("read").len(), 2);
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let url = format!("postgres://me:a-secret@127.0.0.1:{port}/x?connect_timeout=1");
    let begun = Instant::now();
    let error = Store::open(Location::parse(url.as_ref()), Access::Create).expect_err("it says nothing");
    assert!(matches!(error, StoreError::Lost { .. }), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(error.to_string().contains("me:***@") && !error.to_string().contains("a-secret"), "{error}");
}

#[test]
fn an_address_that_makes_no_sense_is_told_without_its_password() {
    for url in [
        "postgres://me:a-secret@127.0.0.1:port/x",
        "postgres://me:a-secret@127.0.0.1/x?sslmode=sometimes",
        "postgres://me:a-secret@127.0.0.1/x?pasword=a-secret",
        "postgres://me:a-secret@nowhere.invalid/x",
        "postgres://me@127.0.0.1:1/x?password=a-secret",
    ] {
        let error = Store::open(Location::parse(url.as_ref()), Access::Create).expect_err("it cannot be");
        assert!(!error.to_string().contains("a-secret"), "{error}");
        assert!(!format!("{error:?}").contains("a-secret"), "{error:?}");
    }
}

#[test]
fn a_locked_server_is_waited_for_and_given_up() {
    let Some(server) = Server::shared() else { return };
    let name = server.new_name();
    let mut store = Store::open(server.location(&name, "linerate"), Access::Create).expect("it opens");
    let sql = "SELECT pg_advisory_lock(x'6c696e6572617465'::bigint), pg_sleep(60)";
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| server.psql(&name, sql));
        let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT \
                    oid FROM pg_database WHERE datname = current_database())";
        while server.psql(&name, held).expect("it answers") == "0" {
            std::thread::yield_now();
        }
        let error = store.record(&record("1", "b", 1), Existing::Keep).expect_err("it is locked");
        assert!(matches!(error, StoreError::Busy { .. }), "{error}");
        assert!(store.series(None, &Filter::default()).expect("readers do not wait").is_empty());
        let end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT \
                   oid FROM pg_database WHERE datname = current_database())";
        server.psql(&name, end).expect("it ends");
        holder.join().expect("no panic").expect_err("it was ended");
    });
    store.record(&record("1", "b", 1), Existing::Keep).expect("recorded");
}

#[test]
fn rights_formats_and_databases_that_are_not_there_are_told() {
    let Some(server) = Server::shared() else { return };
    let name = server.new_name();
    let owner = server.location(&name, "linerate");
    Store::open(owner.clone(), Access::Create)
        .expect("it opens")
        .record(&record("1", "b", 1), Existing::Keep)
        .expect("recorded");
    let user = format!("reader_{name}");
    let rights = format!(
        "CREATE ROLE {user} LOGIN; GRANT USAGE ON SCHEMA linerate TO {user}; GRANT SELECT ON ALL TABLES IN SCHEMA \
         linerate TO {user}"
    );
    server.psql(&name, &rights).expect("a role");
    let mut reader = Store::open(server.location(&name, &user), Access::Create).expect("it may read");
    assert_eq!(reader.runs(&id_of("b"), &Filter::default()).expect("read").len(), 1);
    let error = reader.record(&record("2", "b", 2), Existing::Keep).expect_err("it may not write");
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    server
        .psql("postgres", &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"))
        .expect("set");
    let mut fixed = Store::open(owner.clone(), Access::Existing).expect("it may be read");
    assert_eq!(fixed.runs(&id_of("b"), &Filter::default()).expect("read").len(), 1);
    server.psql("postgres", &format!("ALTER DATABASE {name} RESET ALL")).expect("reset");
    server.psql(&name, "UPDATE linerate.format SET number = 99").expect("a later one");
    let error = Store::open(owner, Access::Existing).expect_err("it is newer");
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    let error = Store::open(server.location("nowhere", "linerate"), Access::Create).expect_err("no database");
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
    let error = Store::open(server.location(&name, "stranger"), Access::Create).expect_err("no such user");
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
}
