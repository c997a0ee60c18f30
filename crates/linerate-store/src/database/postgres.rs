//! The history as tables of a PostgreSQL server, in the schema `linerate` of a database.

mod outcome;

use std::collections::HashMap;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::StoreError;
use crate::location::{Location, PostgresUrl};
use crate::tls::{Address, settings};

use super::value::Cells;
use super::{EachRow, FORMAT, LOCK_WAIT_S, Row, Session, Value, schema};
use outcome::{reason, translate};

/// How long a connection may take, with its greeting, unless the address has `connect_timeout`.
const CONNECT_WAIT: Duration = Duration::from_secs(5);
/// How long the server may work on a statement. Unit: seconds.
const STATEMENT_S: u64 = 30;
/// How long an answer is waited for: longer than any statement may take, so that a server that is
/// there ends it first.
const ANSWER_WAIT: Duration = Duration::from_secs(STATEMENT_S + 10);
/// How often a transaction is tried that other writers hinder.
const TRIES: u32 = 6;
/// How often a connection is made anew within one transaction.
const CONNECTIONS: u32 = 2;
/// How many statements are kept prepared.
const PREPARED: usize = 64;

/// Names linerate's locks among those of a database: "linerate".
const LOCK: i64 = 0x6C69_6E65_7261_7465;

#[derive(Debug)]
pub(crate) struct Postgres {
    location: String,
    config: Config,
    tls: MakeTls,
    runtime: Runtime,
    live: Option<Live>,
}

/// As `MakeRustlsConnect`, with a `Debug`.
#[derive(Clone)]
struct MakeTls(MakeRustlsConnect);

impl std::fmt::Debug for MakeTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MakeTls")
    }
}

/// A connection, and what it has prepared.
#[derive(Debug)]
struct Live {
    client: Client,
    prepared: HashMap<String, Statement>,
}

/// What a transaction begins with. The settings are the transaction's own: behind a pooler, the next
/// one may be on another connection.
fn begin(mode: &str, more: &str) -> String {
    format!(
        "BEGIN {mode}; SET LOCAL search_path = linerate; SET LOCAL statement_timeout = '{STATEMENT_S}s'; \
         SET LOCAL lock_timeout = '{LOCK_WAIT_S}s'; SET LOCAL idle_in_transaction_session_timeout = \
         '{}s'{more}",
        2 * STATEMENT_S
    )
}

/// Everything is of one moment.
fn begin_reading() -> String {
    begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", "")
}

/// One writer at a time, as with SQLite. The lock ends with the transaction: a session's lock would
/// stay behind in a pooler.
fn begin_writing() -> String {
    begin("ISOLATION LEVEL READ COMMITTED READ WRITE", &format!("; SELECT pg_advisory_xact_lock({LOCK})"))
}

impl Postgres {
    pub(super) fn open(url: &PostgresUrl, create: bool) -> Result<Self, StoreError> {
        let location = Location::Postgres(url.clone()).to_string();
        let failed = |reason: String| StoreError::Open { location: location.clone(), reason };
        let address = Address::of(url.secret());
        let mut config: Config = address.url.parse().map_err(|error| failed(reason(&error)))?;
        complete(&mut config);
        let tls = settings(address.trust, address.roots.as_deref().map(Path::new)).map_err(failed)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let tls = MakeTls(MakeRustlsConnect::new(tls));
        let mut this = Self { location, config, tls, runtime, live: None };
        this.connect()?;
        this.prepare(create)?;
        Ok(this)
    }

    /// Makes the tables where there are none, and refuses those of a later linerate.
    fn prepare(&mut self, create: bool) -> Result<(), StoreError> {
        let location = self.location.clone();
        let found = match self.read(&mut |session| format(session))? {
            Some(found) => found,
            None if !create => return Err(StoreError::Missing { location }),
            None => self.write(&mut |session| match format(session)? {
                // Somebody else made them meanwhile.
                Some(found) => Ok(found),
                None => {
                    make(session)?;
                    Ok(FORMAT)
                }
            })?,
        };
        match found {
            FORMAT => Ok(()),
            found if found > FORMAT => Err(StoreError::Newer { location, found, known: FORMAT }),
            found => Err(StoreError::Damaged { location, finding: format!("format {found}") }),
        }
    }

    fn lost(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Lost { location: self.location.clone(), reason: reason.into() }
    }

    fn connect(&mut self) -> Result<(), StoreError> {
        let wait = self.config.get_connect_timeout().copied().unwrap_or(CONNECT_WAIT);
        // The library's own limit ends with the socket's connection; a server may accept and say nothing.
        let connected =
            self.runtime.block_on(async { timeout(wait, self.config.connect(self.tls.0.clone())).await });
        let (client, connection) = match connected {
            Err(_) => return Err(self.lost(format!("no answer within {} s", wait.as_secs_f64()))),
            Ok(connected) => connected.map_err(|error| translate(&self.location, &error))?,
        };
        // Its end is seen in the next statement.
        self.runtime.spawn(async move { drop(connection.await) });
        self.live = Some(Live { client, prepared: HashMap::new() });
        Ok(())
    }

    pub(super) fn read<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.persist(&begin_reading(), work)
    }

    pub(super) fn write<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.persist(&begin_writing(), work)
    }

    /// Runs a transaction, again if others hindered it, and on a new connection if the old one broke:
    /// also while it was committed, when nobody knows whether it was. What is written is such that it
    /// can be written again.
    fn persist<T>(
        &mut self,
        begin: &str,
        work: &mut dyn FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let (mut tries, mut connections) = (0, 0);
        loop {
            match self.attempt(begin, work) {
                Err(StoreError::Contended { .. }) if tries < TRIES => {
                    std::thread::sleep(Duration::from_millis(10 << tries));
                    tries += 1;
                }
                Err(StoreError::Lost { .. }) if connections < CONNECTIONS => {
                    self.live = None;
                    connections += 1;
                }
                done => {
                    if matches!(done, Err(StoreError::Lost { .. })) {
                        self.live = None;
                    }
                    return done;
                }
            }
        }
    }

    fn attempt<T>(
        &mut self,
        begin: &str,
        work: &mut dyn FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.live.as_ref().is_none_or(|live| live.client.is_closed()) {
            self.connect()?;
        }
        let done = self.batch(begin).and_then(|()| work(self)).and_then(|done| {
            self.batch("COMMIT")?;
            Ok(done)
        });
        // Also when it failed at its beginning, for the lock: it is open by then. If that fails too, the
        // connection is gone, and with it the transaction.
        if done.is_err() && self.batch("ROLLBACK").is_err() {
            self.live = None;
        }
        done
    }

    fn batch(&self, sql: &str) -> Result<(), StoreError> {
        let Some(live) = &self.live else { return Err(self.lost("there is no connection")) };
        self.answer(live.client.batch_execute(sql))
    }

    /// Waits for an answer, but not for ever.
    fn answer<T>(
        &self,
        asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, StoreError> {
        match self.runtime.block_on(async { timeout(ANSWER_WAIT, asked).await }) {
            Err(_) => Err(self.lost(format!("no answer within {} s", ANSWER_WAIT.as_secs()))),
            Ok(answer) => answer.map_err(|error| translate(&self.location, &error)),
        }
    }

    fn prepared(&mut self, sql: &str) -> Result<Statement, StoreError> {
        let Some(live) = &self.live else { return Err(self.lost("there is no connection")) };
        if let Some(statement) = live.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.answer(live.client.prepare(&sql.replace('?', "$")))?;
        if let Some(live) = &mut self.live {
            if live.prepared.len() >= PREPARED {
                live.prepared.clear();
            }
            live.prepared.insert(sql.to_owned(), statement.clone());
        }
        Ok(statement)
    }

    /// The server uses the space again; only whole free pages at the end of a table go back to the disk.
    pub(super) fn reclaim(&mut self) -> Result<(), StoreError> {
        self.batch("VACUUM linerate.curve")
    }

    pub(super) fn size_bytes(&mut self) -> Result<u64, StoreError> {
        let sql = "SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS BIGINT) FROM pg_class c \
                   JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'linerate' AND c.relkind = 'r'";
        let size = self.read(&mut |session| session.first(sql, &[], |row| row.count(0)))?;
        Ok(size.unwrap_or(0))
    }
}

/// Fills in what the address leaves open.
fn complete(config: &mut Config) {
    if config.get_password().is_none()
        && let Some(password) = std::env::var_os("PGPASSWORD")
    {
        config.password(password.as_encoded_bytes());
    }
    if config.get_application_name().is_none() {
        config.application_name("linerate");
    }
    // A host that vanishes is noticed in seconds, not in hours.
    config.tcp_user_timeout(Duration::from_secs(15)).keepalives_idle(Duration::from_secs(15));
    config.keepalives_interval(Duration::from_secs(5)).keepalives_retries(3);
}

/// The format of the history; none if there is none.
fn format(session: &mut dyn Session) -> Result<Option<i64>, StoreError> {
    let known = "SELECT CAST(count(*) AS BIGINT) FROM pg_tables WHERE schemaname = 'linerate' AND tablename = 'format'";
    match session.first(known, &[], |row| row.integer(0))? {
        Some(1..) => session.first("SELECT max(number) FROM format", &[], |row| row.integer(0)),
        _ => Ok(None),
    }
}

/// Makes the tables. The schema may be there: who may not make one is given one.
fn make(session: &mut dyn Session) -> Result<(), StoreError> {
    let known = "SELECT CAST(count(*) AS BIGINT) FROM pg_namespace WHERE nspname = 'linerate'";
    if session.first(known, &[], |row| row.integer(0))? == Some(0) {
        session.execute("CREATE SCHEMA linerate", &[])?;
    }
    let tables = schema::postgres();
    let code = tables.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
    for statement in code.split(';').filter(|statement| !statement.trim().is_empty()) {
        session.execute(statement, &[])?;
    }
    session.execute("CREATE TABLE format (number BIGINT NOT NULL)", &[])?;
    session.execute("INSERT INTO format VALUES (?1)", &[Value::Integer(FORMAT)])?;
    Ok(())
}

impl Session for Postgres {
    fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let statement = self.prepared(sql)?;
        let Some(live) = &self.live else { return Err(self.lost("there is no connection")) };
        self.answer(live.client.execute_raw(&statement, values))
    }

    fn each(&mut self, sql: &str, values: &[Value<'_>], each: &mut EachRow<'_>) -> Result<(), StoreError> {
        let statement = self.prepared(sql)?;
        let Some(live) = &self.live else { return Err(self.lost("there is no connection")) };
        let silent = || self.lost(format!("no answer within {} s", ANSWER_WAIT.as_secs()));
        let failed = |error| translate(&self.location, &error);
        self.runtime.block_on(async {
            let asked = live.client.query_raw(&statement, values);
            let rows = timeout(ANSWER_WAIT, asked).await.map_err(|_| silent())?.map_err(failed)?;
            let mut rows = pin!(rows);
            loop {
                let next = timeout(ANSWER_WAIT, rows.try_next()).await.map_err(|_| silent())?;
                match next.map_err(failed)? {
                    Some(row) => each(&Row { location: &self.location, cells: Cells::Postgres(&row) })?,
                    None => return Ok(()),
                }
            }
        })
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match *self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(value) => value.to_sql_checked(kind, out),
            Self::Real(value) => value.to_sql_checked(kind, out),
            Self::Text(value) => value.to_sql_checked(kind, out),
            Self::Bytes(value) => value.to_sql_checked(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
