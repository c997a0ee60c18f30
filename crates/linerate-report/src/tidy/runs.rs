//! Whose rows they are: the run, its hosts, its path, its date and its labels.

use std::collections::BTreeSet;

use linerate_analysis::report::NamedRun;
use linerate_core::run::{End, Run, Source};
use serde_json::Value;

use super::Object;
use crate::text::plain;

/// The columns that every run has.
const NAMES: [&str; 8] =
    ["run", "id", "started", "source", "from_host", "to_hosts", "transport", "mtu_bytes"];

/// The columns that say which run a row is of.
pub(crate) struct RunColumns {
    pub(super) names: Vec<String>,
    /// For each run a value for each column.
    pub(super) values: Vec<Vec<Value>>,
}

impl RunColumns {
    /// A label of any of `runs` is a column; it is null on the rows of those that lack it.
    pub(crate) fn of(runs: &[NamedRun]) -> Self {
        let labels: BTreeSet<&String> = runs.iter().flat_map(|named| named.run.labels.keys()).collect();
        let label = |run: &Run, key: &String| run.labels.get(key).map(|value| plain(value));
        let values = |named: &NamedRun| {
            let own = values(named);
            own.into_iter().chain(labels.iter().map(|key| Value::from(label(&named.run, key)))).collect()
        };
        let named = labels.iter().map(|key| format!("label_{}", plain(key)));
        Self {
            values: runs.iter().map(values).collect(),
            names: NAMES.into_iter().map(str::to_owned).chain(named).collect(),
        }
    }

    /// The columns of each run as an object.
    pub(crate) fn objects(&self) -> impl Iterator<Item = Object<'_>> {
        self.values.iter().map(|values| Object { names: &self.names, values })
    }
}

fn values(named: &NamedRun) -> [Value; NAMES.len()] {
    let run = &named.run;
    let host = |end: End<'_>| end.environment.hostname.known().map(|name| plain(name));
    // Ranks may be thousands: the rows of a mesh name theirs.
    let others = run.answering().filter(|_| !named.has_mesh() && !named.has_app());
    let answering: Vec<String> = others.filter_map(|(end, _)| host(end)).collect();
    let interface = run.local().environment.interface.known();
    let mtu = interface.and_then(|interface| interface.mtu.known()).copied();
    let given = |text: &str| (!text.is_empty()).then(|| plain(text));
    [
        plain(&named.name).into(),
        given(&run.id).into(),
        given(&run.started).into(),
        source(&run.source).into(),
        host(run.local()).into(),
        given(&answering.join(" ")).into(),
        given(&run.path().transport).into(),
        mtu.into(),
    ]
}

const fn source(source: &Source) -> &'static str {
    match source {
        Source::Measured => "measured",
        Source::Loopback => "loopback",
        Source::Modelled(_) => "modelled",
        Source::Imported(_) => "imported",
    }
}
