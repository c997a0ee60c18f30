//! Files of formats 1 and 2.

use serde::Deserialize;

use super::{Answering, EndState, Model, Path, Run, Source, State};
use crate::caution::Caution;
use crate::environment::Environment;
use crate::observation::Observation;
use crate::options::Granted;
use crate::plan::{Asked, Load, Plan};
use crate::series::Series;
use crate::stages::Stages;
use crate::traffic::Transfer;

/// A run as formats 1 and 2 have it: one initiator, one responder, and perhaps more responders.
#[derive(Deserialize)]
struct EarlierRun {
    generator: String,
    started: String,
    source: Source,
    state: State,
    plan: Plan,
    local: EarlierEnd,
    remote: EarlierEnd,
    path: EarlierPath,
    #[serde(default)]
    others: Vec<EarlierAnswering>,
    #[serde(default)]
    model: Option<Model>,
    series: Vec<Series>,
    #[serde(default)]
    stages: Vec<Stages>,
    #[serde(default)]
    traffic: Vec<Transfer>,
    cautions: Vec<Caution>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EarlierEnd {
    environment: Environment,
    granted: Granted,
    observation: Observation,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EarlierPath {
    transport: String,
    local: String,
    remote: String,
    ipv6: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EarlierAnswering {
    end: EarlierEnd,
    path: EarlierPath,
}

impl From<EarlierEnd> for EndState {
    fn from(EarlierEnd { environment, granted, observation }: EarlierEnd) -> Self {
        Self { environment, granted, observation }
    }
}

impl From<EarlierAnswering> for Answering {
    fn from(EarlierAnswering { end, path }: EarlierAnswering) -> Self {
        let EarlierPath { transport, local, remote, ipv6 } = path;
        let path = Path { transport, from_address: local, to_address: remote, ipv6, ..Path::default() };
        Self { end: end.into(), path }
    }
}

/// Reads a file of format 1 or 2.
///
/// # Errors
///
/// Where the file breaks the format.
pub(super) fn read(text: &str) -> Result<Run, serde_json::Error> {
    let earlier: EarlierRun = serde_json::from_str(text)?;
    let first = EarlierAnswering { end: earlier.remote, path: earlier.path };
    let answering = std::iter::once(first).chain(earlier.others).map(Answering::from).collect();
    let mut run = Run {
        generator: earlier.generator,
        started: earlier.started,
        state: earlier.state,
        model: earlier.model,
        series: earlier.series,
        stages: earlier.stages,
        trace: None,
        transfers: earlier.traffic,
        cautions: earlier.cautions,
        ..Run::new(earlier.source, earlier.plan)
    };
    run.set_star(earlier.local.into(), answering);
    give_loads(&mut run);
    Ok(run)
}

/// Gives each transfer its load, which these formats leave to the plan: they have the phases of
/// `linerate rr` in their order, and name the row of a table in the label.
fn give_loads(run: &mut Run) {
    let loads = run.plan.loads().unwrap_or_default();
    for (at, transfer) in run.transfers.iter_mut().enumerate() {
        let Some(planned) = loads.get(at).or(loads.first()) else { return };
        transfer.load = row(planned, &transfer.label).unwrap_or_else(|| planned.load.clone());
    }
}

/// The load of the table's row that `label` names, such as `buffers=64 KiB messages=4 KiB`.
fn row(planned: &Asked, label: &str) -> Option<Load> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for word in label.split_whitespace() {
        match (word.split_once('='), pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((key, value.to_owned())),
            (None, Some((_, value))) => value.push_str(word),
            (None, None) => return None,
        }
    }
    let asked = pairs.into_iter().try_fold(planned.clone(), |asked, (key, value)| asked.with(key, &value));
    asked.ok().map(|asked| asked.load)
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use crate::units::Size;

    use super::*;

    #[test]
    fn a_label_names_its_row() {
        let plan = Plan::from_toml("[stream]\nflows = 2").expect("a plan");
        let planned = &plan.loads().expect("a load")[0];
        let load = row(planned, "buffers=64 KiB messages=4 KiB").expect("a row");
        assert_eq!(load.socket.rcvbuf, Some(Size(64 << 10)));
        let stream = load.stream.expect("bulk");
        assert_eq!((stream.message, stream.flows), (Some(Size(4 << 10)), 2));
        assert_eq!(row(planned, "").as_ref(), Some(&planned.load));
        assert_eq!((row(planned, "colours=1"), row(planned, "KiB")), (None, None));
    }
}
