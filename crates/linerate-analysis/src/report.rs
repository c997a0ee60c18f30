//! What is shown to a reader: any number of runs as curves, loads, ceilings, facts and cautions, in
//! the units of the reader. Renderers draw from this and compute nothing.

mod app;
mod curve;
mod flow;
mod held_back;
mod latency;
mod limits;
mod load;
mod mesh;
mod sum;
mod trace;

use std::collections::BTreeSet;

use serde::Serialize;

use linerate_core::caution::Caution;
use linerate_core::run::{Laboratory, Run, Source};
use linerate_core::transport::Transport;

pub use app::{AppResult, AppRow};
pub use curve::{Curve, CurvePoint, RoundResult, Timed};
pub use flow::{Engines, FlowClass, FlowResult, IntervalRate, TcpPoint};
pub(crate) use held_back::shares as held_back_shares;
pub use held_back::{HeldBack, HeldCourse, HeldFlow};
pub use latency::{Lacking, LatencyPoint, LatencyRow, SHARES, lacking};
pub use limits::SizeCeiling;
pub use load::{LoadResult, Trouble, load_name};
pub use mesh::{
    CollectiveRow, MeshNode, MeshResult, MeshUnit, MeshView, Packets, PairStats, PairValue, SuspectRow,
    Together, Victims, probe_name,
};
pub use sum::{DatagramSum, Departures, DirectionSum};
pub use trace::{TraceResult, TraceRow};

/// Runs as they are shown to a reader.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// One for each series of each run, in the order given.
    pub curves: Vec<Curve>,
    /// One for each load that each run put on its path, in the order given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LoadResult>,
    /// One for each run of many ranks, in the order given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<MeshResult>,
    /// One for each run of an application, in the order given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apps: Vec<AppResult>,
    /// One for each run that traced messages, in the order given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traces: Vec<TraceResult>,
    /// Rates that no curve can exceed, each once.
    pub ceilings: Vec<Ceiling>,
    /// What copies allow at each size, of runs whose host was measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub size_ceilings: Vec<SizeCeiling>,
    /// The runs themselves, for their environments; a curve or a load names its run by index.
    #[serde(skip)]
    pub runs: Vec<NamedRun>,
    /// Runs that were given again: under which name, and under which it is shown, once.
    #[serde(skip)]
    pub repeated: Vec<[String; 2]>,
}

/// A run and what to call it.
#[derive(Clone, Debug)]
pub struct NamedRun {
    /// What to call it, such as its file's name.
    pub name: String,
    /// The run.
    pub run: Run,
}

/// A rate that no curve can exceed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// What it is, such as `link rate 1.000 Gb/s`.
    pub label: String,
    /// Unit: Mb/s (10^6 bit/s).
    pub mbps: f64,
}

impl Report {
    /// The report of `runs`.
    #[must_use]
    pub fn new(runs: Vec<NamedRun>) -> Self {
        let (runs, repeated) = distinct(runs);
        let mut curves = Vec::new();
        let mut loads = Vec::new();
        let mut ceilings: Vec<Ceiling> = Vec::new();
        let mut size_ceilings: Vec<SizeCeiling> = Vec::new();
        let several = runs.len() > 1;
        for (index, named) in runs.iter().enumerate() {
            for series in &named.run.series {
                let name = match named.run.series.len() {
                    1 => named.name.clone(),
                    _ => format!("{} ({})", named.name, series.pattern),
                };
                curves.push(Curve::new(name, index, &named.run, series));
            }
            loads.extend(named.run.transfers.iter().map(|transfer| {
                let mut load = LoadResult::new(index, &named.run, transfer);
                if several {
                    load.name = named.name_of(&load.name);
                }
                load
            }));
            size_ceilings.extend(limits::by_size(&named.run).into_iter().map(|mut ceiling| {
                if several {
                    ceiling.label = format!("{}: {}", named.name, ceiling.label);
                }
                ceiling
            }));
            for ceiling in ceilings_of(&named.run) {
                if !ceilings.contains(&ceiling) {
                    ceilings.push(ceiling);
                }
            }
        }
        distinguish(curves.iter_mut().map(|curve| &mut curve.name).collect());
        distinguish(loads.iter_mut().map(|load| &mut load.name).collect());
        let meshes =
            runs.iter().enumerate().filter_map(|(index, named)| MeshResult::of(index, &named.run)).collect();
        let of_apps = |(index, named): (usize, &NamedRun)| AppResult::of(index, &named.name, &named.run);
        let mut apps: Vec<AppResult> = runs.iter().enumerate().filter_map(of_apps).collect();
        distinguish(apps.iter_mut().map(|app| &mut app.name).collect());
        let mut traces = trace::results(&runs);
        distinguish(traces.iter_mut().map(|trace| &mut trace.name).collect());
        Self { curves, loads, meshes, apps, traces, ceilings, size_ceilings, runs, repeated }
    }

    /// The loads of run `index`.
    pub fn loads_of(&self, index: usize) -> impl Iterator<Item = &LoadResult> {
        self.loads.iter().filter(move |load| load.run == index)
    }

    /// Every caution of every run, with the run's name.
    pub fn cautions(&self) -> impl Iterator<Item = (&str, &Caution)> {
        self.runs
            .iter()
            .flat_map(|named| named.run.cautions.iter().map(|caution| (named.name.as_str(), caution)))
    }
}

/// Each run once, and those that were given again.
fn distinct(runs: Vec<NamedRun>) -> (Vec<NamedRun>, Vec<[String; 2]>) {
    let (mut shown, mut repeated): (Vec<NamedRun>, _) = (Vec::new(), Vec::new());
    for named in runs {
        let is_same = |other: &&NamedRun| other.run.id == named.run.id && other.run == named.run;
        match shown.iter().find(is_same).filter(|_| !named.run.id.is_empty()) {
            Some(other) => repeated.push([named.name, other.name.clone()]),
            None => shown.push(named),
        }
    }
    (shown, repeated)
}

impl NamedRun {
    /// Whether it is of nothing but curves.
    #[must_use]
    pub fn is_of_curves(&self) -> bool {
        !self.has_loads() && !self.has_mesh() && !self.has_app() && !self.has_trace()
    }

    /// Whether it put loads on its path, or was asked to.
    #[must_use]
    pub fn has_loads(&self) -> bool {
        !self.run.transfers.is_empty() || self.run.plan.has_loads()
    }

    /// Whether it measured the pairs of many ranks, or was asked to.
    #[must_use]
    pub fn has_mesh(&self) -> bool {
        self.run.mesh.is_some() || self.run.plan.mesh().is_some()
    }

    /// Whether it traced messages, or was asked to.
    #[must_use]
    pub fn has_trace(&self) -> bool {
        self.run.trace.is_some() || self.run.plan.trace().is_some()
    }

    /// Whether it ran an application, or was asked to.
    #[must_use]
    pub fn has_app(&self) -> bool {
        self.run.app.is_some() || self.run.plan.app().is_some()
    }

    /// What its load `load` is called among those of other runs.
    fn name_of(&self, load: &str) -> String {
        if self.run.transfers.len() > 1 { format!("{}: {load}", self.name) } else { self.name.clone() }
    }
}

/// Numbers the names that would otherwise be the same.
fn distinguish(names: Vec<&mut String>) {
    let given: Vec<String> = names.iter().map(|name| (*name).clone()).collect();
    for (index, name) in names.into_iter().enumerate() {
        let twins = given.iter().filter(|other| **other == given[index]).count();
        if twins > 1 {
            let nth = given[..=index].iter().filter(|other| **other == given[index]).count();
            *name = format!("{} #{nth}", given[index]);
        }
    }
}

fn ceilings_of(run: &Run) -> Vec<Ceiling> {
    let Some(link) = run.link() else { return Vec::new() };
    let mut ceilings = vec![Ceiling { label: format!("link rate {link}"), mbps: link.as_mbps() }];
    if let Some(model) = &run.model {
        let label = format!("payload after framing: {}", model.payload);
        ceilings.push(Ceiling { label, mbps: model.payload.as_mbps() });
    } else if let Some(framing) = run.framing() {
        let payload = framing.ceiling(link);
        let label = format!("TCP payload at MTU {}: {payload}", framing.mtu);
        ceilings.push(Ceiling { label, mbps: payload.as_mbps() });
    }
    ceilings
}

/// How the source of a run is named to a reader.
#[must_use]
pub fn describe(run: &Run) -> String {
    if let (Source::Measured | Source::Loopback, Some(ranks)) = (&run.source, run.ranks()) {
        let here = if run.source == Source::Loopback { ", all on this host" } else { "" };
        return format!("measured between {} ranks{here}", ranks.len());
    }
    if run.path().transport.parse() == Ok(Transport::Mpi) {
        let here = if run.source == Source::Loopback { ", all on this host" } else { "" };
        return format!("measured between {} ranks{here}", run.nodes.len());
    }
    match (&run.source, &run.laboratory) {
        (Source::Measured, Some(laboratory)) => {
            format!("measured from {}, all on one host{}", laboratory.between(), over(laboratory))
        }
        (Source::Measured, None) => "measured between two ends".to_owned(),
        (Source::Loopback, _) => "measured on this host alone, over its loopback".to_owned(),
        (Source::Modelled(model), _) => format!("modelled: {model}"),
        (Source::Imported(program), _) => format!("imported from {program}"),
    }
}

/// What its links are made with, if they are more than wires: `, over linerate's own forwarder`.
fn over(laboratory: &Laboratory) -> String {
    let mechanisms: BTreeSet<&str> = laboratory.links.iter().map(|link| link.mechanism.name()).collect();
    let names = mechanisms.into_iter().collect::<Vec<_>>().join(" and ");
    if names.is_empty() { names } else { format!(", over {names}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linerate_core::pattern::Pattern;
    use linerate_core::plan::Plan;
    use linerate_core::series::Series;

    #[test]
    fn only_names_that_are_given_twice_are_numbered() {
        let run = Run {
            series: vec![Series::new(Pattern::PingPong, &[1])],
            ..Run::new(Source::Measured, Plan::default())
        };
        let named = |name: &str| NamedRun { name: name.to_owned(), run: run.clone() };
        let report = Report::new(["a", "b", "a", "c", "a"].map(named).into());
        let names: Vec<&str> = report.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["a #1", "b", "a #2", "c", "a #3"]);
    }
}
