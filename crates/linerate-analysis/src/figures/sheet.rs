//! One repetition, a run or a pass of it, as the numbers that are compared.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Band, Key, Value, values};
use crate::derive::{Boundaries, derive};
use crate::facts::{
    Collectives, Direction, Directions, Keys, MeshNodes, OfBand, RankCount, RankCounts, RequestLoads,
    SizeBands, Togethers, Views, Whole,
};
use crate::report::{AppResult, LoadResult, MeshResult};
use linerate_core::pattern::Pattern;
use linerate_core::run::Run;
use linerate_core::series::{Point, Series};

/// One repetition as the numbers that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// What to call it, such as the name of its file.
    pub name: String,
    /// When it began: RFC 3339. Empty if that is not known.
    pub started: String,
    /// The times of each size, by pattern.
    pub curves: BTreeMap<Pattern, BTreeMap<u64, SizeTimes>>,
    /// Its key figures, in a fixed order.
    pub figures: Vec<Value>,
}

/// The one-way times of a size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeTimes {
    /// The time of the repetition. Unit: us.
    pub us: f64,
    /// That of each of its rounds. Unit: us.
    pub rounds_us: Vec<f64>,
}

impl Sheet {
    /// The numbers of the whole `run`.
    #[must_use]
    pub fn of_run(name: &str, run: &Run) -> Self {
        let mut sheet = Self::of_curves(name, &run.started, run, &Curves::of(run));
        for (index, transfer) in run.transfers.iter().enumerate() {
            let load = &LoadResult::new(index, run, transfer);
            for sum in &load.sums {
                sheet.figures.extend(values::<Directions>(&Direction { load, sum }));
            }
            sheet.figures.extend(values::<RequestLoads>(&load));
        }
        if let Some(mesh) = MeshResult::of(0, run) {
            sheet.figures.extend(mesh.views.iter().flat_map(|view| values::<Views>(&view)));
            sheet.figures.extend(mesh.nodes.iter().flat_map(|node| values::<MeshNodes>(&node)));
            sheet.figures.extend(mesh.together.iter().flat_map(|all| values::<Togethers>(&all)));
            sheet.figures.extend(mesh.collectives.iter().flat_map(|row| values::<Collectives>(&row)));
        }
        if let Some(app) = &AppResult::of(0, name, run) {
            sheet
                .figures
                .extend(app.rows.iter().flat_map(|row| values::<RankCounts>(&RankCount { app, row })));
        }
        sheet
    }

    /// The numbers of each pass of `run` by itself; those of the whole run if it has no passes.
    #[must_use]
    pub fn of_passes(name: &str, run: &Run) -> Vec<Self> {
        if run.passes.len() < 2 {
            return vec![Self::of_run(name, run)];
        }
        let of_pass = |(number, pass): (u32, &linerate_core::run::Pass)| {
            let name = format!("{name}, pass {}", number + 1);
            Self::of_curves(&name, &pass.started, run, &Curves::of(run).of_pass(number))
        };
        (0..).zip(&run.passes).map(of_pass).collect()
    }

    fn of_curves(name: &str, started: &str, run: &Run, measured: &Curves<'_>) -> Self {
        let mut curves = BTreeMap::new();
        let mut figures = Vec::new();
        for series in measured.series.iter().filter(|series| series.timed().next().is_some()) {
            let times: BTreeMap<u64, SizeTimes> =
                series.timed().filter_map(|point| Some((point.size, SizeTimes::of(point)?))).collect();
            let (derived, pattern) =
                (derive(series, measured.sustained.as_deref(), &Boundaries::of(run)), series.pattern);
            figures.extend(values::<Keys>(&Whole { name: "", pattern, derived: &derived, path_mtu: None }));
            let curve: Vec<(u64, f64)> = times.iter().map(|(size, times)| (*size, times.us)).collect();
            let means = Band::means(&curve, series.points.iter().map(|point| point.size));
            let band = |(band, mean_us)| values::<SizeBands>(&OfBand { name: "", pattern, band, mean_us });
            figures.extend(means.into_iter().flat_map(band));
            curves.insert(series.pattern, times);
        }
        Self { name: name.to_owned(), started: started.to_owned(), curves, figures }
    }

    /// The value of the figure `key`, if the repetition has it.
    #[must_use]
    pub fn value(&self, key: &Key) -> Option<f64> {
        self.figures.iter().find(|value| value.key == *key).map(|value| value.value)
    }
}

/// What was measured of curves, in all passes or in one.
struct Curves<'r> {
    series: Cow<'r, [Series]>,
    sustained: Option<Cow<'r, Series>>,
}

impl<'r> Curves<'r> {
    fn of(run: &'r Run) -> Self {
        Self { series: Cow::Borrowed(&run.series), sustained: run.sustained.as_ref().map(Cow::Borrowed) }
    }

    fn of_pass(&self, pass: u32) -> Self {
        Self {
            series: self.series.iter().map(|series| series.of_pass(pass)).collect(),
            sustained: self.sustained.as_ref().map(|series| Cow::Owned(series.of_pass(pass))),
        }
    }
}

impl SizeTimes {
    fn of(point: &Point) -> Option<Self> {
        let us = point.time()?.median / 1e6;
        let rounds_us: Vec<f64> = point.medians().into_iter().map(|ps| ps / 1e6).collect();
        // A coarse clock gives 0, which has no logarithm.
        (us > 0.0 && rounds_us.iter().all(|round| *round > 0.0)).then_some(Self { us, rounds_us })
    }
}
