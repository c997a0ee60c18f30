//! What the user said about paths: the runs of one are shown under another.
//!
//! An alias says of a path, or of those of its runs with a fact, under which path they are shown. Where
//! a run is shown follows from its fingerprint and the aliases, and is kept beside it; whenever an alias
//! changes, it is computed again.

use std::collections::BTreeMap;

use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::path::{enter, load, path_number, tidy};
use crate::record::{Fingerprint, PathId, key_objection, sha256};

/// The runs of a path, or those with a fact, are shown under another path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The path.
    pub path: PathId,
    /// The fact that the runs have; none: all runs.
    pub fact: Option<(String, String)>,
    /// Where they are shown.
    pub target: PathId,
}

/// Every alias, by path.
#[derive(Debug, Default)]
pub(crate) struct Aliases(BTreeMap<i64, Vec<Rule>>);

#[derive(Debug)]
struct Rule {
    /// Empty: all runs.
    key: String,
    value: String,
    target: i64,
}

impl Aliases {
    pub(crate) fn load(session: &mut dyn Session) -> Result<Self, StoreError> {
        let mut rules: BTreeMap<i64, Vec<Rule>> = BTreeMap::new();
        // Those with a fact come first: the empty key is the least.
        let sql = "SELECT path, key, value, target FROM alias ORDER BY key DESC, value";
        session.each(sql, &[], &mut |row| {
            let rule = Rule { key: row.text(1)?, value: row.text(2)?, target: row.integer(3)? };
            rules.entry(row.integer(0)?).or_default().push(rule);
            Ok(())
        })?;
        Ok(Self(rules))
    }

    /// Where a run of `path` with these facts is shown.
    pub(crate) fn shown(&self, path: i64, facts: &BTreeMap<String, String>) -> i64 {
        let holds = |rule: &&Rule| rule.key.is_empty() || facts.get(&rule.key) == Some(&rule.value);
        let mut at = path;
        // No chain is longer than there are paths with rules; that ends what goes round, too.
        for _ in 0..self.0.len() {
            match self.0.get(&at).and_then(|rules| rules.iter().find(holds)) {
                Some(rule) => at = rule.target,
                None => break,
            }
        }
        at
    }

    /// Whether some run of `from` may be shown under `to`.
    fn reaches(&self, from: i64, to: i64) -> bool {
        let (mut left, mut seen) = (vec![from], Vec::new());
        while let Some(at) = left.pop() {
            if at == to {
                return true;
            }
            if !seen.contains(&at) {
                seen.push(at);
                left.extend(self.0.get(&at).into_iter().flatten().map(|rule| rule.target));
            }
        }
        false
    }

    /// The paths all of whose runs are shown under another, with that one.
    pub(crate) fn merged(&self) -> impl Iterator<Item = (i64, i64)> {
        let whole = |rules: &Vec<Rule>| rules.iter().any(|rule| rule.key.is_empty());
        let none = BTreeMap::new();
        self.0
            .iter()
            .filter(move |(_, rules)| whole(rules))
            .map(move |(path, _)| (*path, self.shown(*path, &none)))
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(|rule| rule.key.as_str()).filter(|key| !key.is_empty())
    }
}

/// The number of the path under which the runs of `id` are shown.
pub(crate) fn shown_number(session: &mut dyn Session, id: &PathId) -> Result<i64, StoreError> {
    let number = path_number(session, id)?;
    Ok(Aliases::load(session)?.shown(number, &BTreeMap::new()))
}

/// Every alias, by the paths' names.
pub(crate) fn list(session: &mut dyn Session) -> Result<Vec<Alias>, StoreError> {
    let sql = "SELECT p.version, p.hash, a.key, a.value, t.version, t.hash FROM alias a JOIN path p ON p.number = \
               a.path JOIN path t ON t.number = a.target ORDER BY p.hash, a.key, a.value";
    session.all(sql, &[], |row| {
        let id = |column| Ok(PathId { version: row.version(column)?, hash: row.text(column + 1)? });
        let (key, value) = (row.text(2)?, row.text(3)?);
        let fact = (!key.is_empty()).then_some((key, value));
        Ok(Alias { path: id(0)?, fact, target: id(4)? })
    })
}

/// Shows the runs of `from` under `into`. Runs that were split off `into` return to it.
pub(crate) fn merge(session: &mut dyn Session, from: &PathId, into: &PathId) -> Result<(), StoreError> {
    let (source, target) = (path_number(session, from)?, path_number(session, into)?);
    let both = [Value::Integer(source), Value::Integer(target)];
    let returned = session.execute("DELETE FROM alias WHERE path = ?2 AND target = ?1", &both)?;
    if returned == 0 {
        if Aliases::load(session)?.reaches(target, source) {
            return Err(StoreError::Circle { from: from.to_string(), into: into.to_string() });
        }
        session.execute("DELETE FROM alias WHERE path = ?1 AND key = ''", &both[..1])?;
        let sql = "INSERT INTO alias (path, key, value, target) VALUES (?1, '', '', ?2)";
        session.execute(sql, &both)?;
    }
    show_again(session)
}

/// Shows the runs of `path` that have a fact under a path of their own; gives that path.
pub(crate) fn split(
    session: &mut dyn Session,
    path: &PathId,
    fact: (&str, &str),
    name: &str,
) -> Result<PathId, StoreError> {
    if let Some(reason) = key_objection(fact.0) {
        return Err(StoreError::Word { word: fact.0.to_owned(), reason });
    }
    let source = path_number(session, path)?;
    let mut fields = load(session)?.remove(&source).map(|path| path.fields).unwrap_or_default();
    fields.push((fact.0.to_owned(), fact.1.to_owned()));
    let seed = format!("split {path}\0{}\0{}", fact.0, fact.1);
    let fingerprint =
        Fingerprint { version: path.version, hash: sha256(&seed), name: name.to_owned(), fields };
    let target = enter(session, &fingerprint)?;
    session.execute(
        "INSERT INTO alias (path, key, value, target) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        &[Value::Integer(source), Value::Text(fact.0), Value::Text(fact.1), Value::Integer(target)],
    )?;
    show_again(session)?;
    Ok(fingerprint.id())
}

/// Forgets where the runs of `path` are to be shown instead.
pub(crate) fn separate(session: &mut dyn Session, path: &PathId) -> Result<(), StoreError> {
    let number = path_number(session, path)?;
    session.execute("DELETE FROM alias WHERE path = ?1", &[Value::Integer(number)])?;
    show_again(session)
}

/// Computes for every run where it is shown.
fn show_again(session: &mut dyn Session) -> Result<(), StoreError> {
    let aliases = Aliases::load(session)?;
    let facts = facts_of_rules(session, &aliases)?;
    let none = BTreeMap::new();
    let groups = session.all("SELECT DISTINCT path, environment FROM run", &[], |row| {
        Ok((row.integer(0)?, row.integer(1)?))
    })?;
    for (path, environment) in groups {
        let shown = aliases.shown(path, facts.get(&environment).unwrap_or(&none));
        let values = [shown, path, environment].map(Value::Integer);
        session.execute(
            "UPDATE run SET shown = ?1 WHERE path = ?2 AND environment = ?3 AND shown <> ?1",
            &values,
        )?;
    }
    tidy(session)
}

/// The facts that the rules ask for, by environment.
pub(crate) fn facts_of_rules(
    session: &mut dyn Session,
    aliases: &Aliases,
) -> Result<BTreeMap<i64, BTreeMap<String, String>>, StoreError> {
    let mut facts: BTreeMap<i64, BTreeMap<String, String>> = BTreeMap::new();
    for key in aliases.keys() {
        session.each(
            "SELECT environment, value FROM fact WHERE key = ?1",
            &[Value::Text(key)],
            &mut |row| {
                facts.entry(row.integer(0)?).or_default().insert(key.to_owned(), row.text(1)?);
                Ok(())
            },
        )?;
    }
    Ok(facts)
}
