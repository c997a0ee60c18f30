//! An application as it is shown: a row for each number of ranks.

use serde::Serialize;

use linerate_core::app::{AppCase, AppRun};
use linerate_core::run::Run;
use linerate_core::stats::median;

/// An application.
#[derive(Clone, Debug, Serialize)]
pub struct AppResult {
    /// Its run, by its index in the report.
    pub run: usize,
    /// What people call the run, such as its file's name.
    pub name: String,
    /// The application, such as `md`.
    pub app: String,
    /// What people call it.
    pub title: String,
    /// What the merit is counted in. More is better.
    pub merit: String,
    /// The names of the ranks.
    pub ranks: Vec<String>,
    /// By number of ranks.
    pub rows: Vec<AppRow>,
}

/// What came of it on some ranks.
#[derive(Clone, Debug, Serialize)]
pub struct AppRow {
    /// On how many ranks.
    pub ranks: u32,
    /// How often it was run.
    pub repetitions: usize,
    /// The median of the merit over the repetitions.
    pub merit: f64,
    /// The lowest and the highest. Absent if it was run once.
    pub merit_range: Option<[f64; 2]>,
    /// The median of the time. Unit: seconds.
    pub seconds: f64,
    /// The merit over that on one rank. Absent if it was not run on one.
    pub speed_up: Option<f64>,
    /// The speed-up for each rank.
    pub efficiency: Option<f64>,
    /// The median of the share of the ranks' time that was communication, and waiting for others.
    pub communication_share: f64,
    /// Messages that all ranks sent, in the case that is shown.
    pub messages: u64,
    /// Payload that they sent. Unit: bytes.
    pub bytes: u64,
    /// What was checked, in all repetitions.
    pub checks: usize,
    /// What did not hold, with its numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Whether a repetition was ended early.
    pub interrupted: bool,
    /// The case that is shown where a single one is: that with the median merit, by its index in the run's.
    pub case: usize,
}

impl AppResult {
    /// The application of a run, if it has one.
    pub(crate) fn of(index: usize, name: &str, run: &Run) -> Option<Self> {
        let app = run.app.as_ref()?;
        let mut counts: Vec<u32> = app.cases.iter().map(|case| case.ranks).collect();
        counts.sort_unstable();
        counts.dedup();
        let mut rows: Vec<AppRow> = counts.into_iter().filter_map(|ranks| row(app, ranks)).collect();
        let alone = rows.iter().find(|row| row.ranks == 1).map(|row| row.merit).filter(|merit| *merit > 0.0);
        for row in &mut rows {
            row.speed_up = alone.map(|alone| row.merit / alone);
            row.efficiency = row.speed_up.map(|speed_up| speed_up / f64::from(row.ranks));
        }
        Some(Self {
            run: index,
            name: name.to_owned(),
            app: app.name.clone(),
            title: app.title.clone(),
            merit: app.merit.clone(),
            ranks: app.ranks.iter().map(|rank| rank.name.clone()).collect(),
            rows,
        })
    }

    /// Whether a result is wrong.
    #[must_use]
    pub fn has_finding(&self) -> bool {
        self.rows.iter().any(|row| !row.failed.is_empty())
    }
}

fn row(app: &AppRun, ranks: u32) -> Option<AppRow> {
    let mut cases: Vec<(usize, &AppCase)> =
        app.cases.iter().enumerate().filter(|(_, case)| case.ranks == ranks).collect();
    cases.sort_by(|(_, one), (_, other)| one.merit.total_cmp(&other.merit));
    let (lowest, highest) = (cases.first()?.1.merit, cases.last()?.1.merit);
    let (shown, middle) = cases[cases.len() / 2];
    let over = |of: &dyn Fn(&AppCase) -> f64| median(cases.iter().map(|(_, case)| of(case))).unwrap_or(0.0);
    Some(AppRow {
        ranks,
        repetitions: cases.len(),
        merit: over(&|case| case.merit),
        merit_range: (cases.len() > 1).then_some([lowest, highest]),
        seconds: over(&AppCase::seconds),
        speed_up: None,
        efficiency: None,
        communication_share: over(&AppCase::communication_share),
        messages: middle.messages(),
        bytes: middle.bytes(),
        checks: cases.iter().map(|(_, case)| case.checks.len()).sum(),
        failed: cases
            .iter()
            .flat_map(|(_, case)| case.failed_checks())
            .map(|check| format!("{}: {}", check.what, check.found))
            .collect(),
        interrupted: cases.iter().any(|(_, case)| case.interrupted),
        case: shown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use linerate_core::app::Check;
    use linerate_core::plan::Plan;
    use linerate_core::run::Source;

    #[test]
    fn speed_up_is_of_medians_and_a_wrong_result_is_a_finding() {
        let case = |ranks, merit, held| AppCase {
            ranks,
            merit,
            checks: vec![Check::new("energy is conserved", held, "1 of 2")],
            ..AppCase::default()
        };
        let cases = vec![case(4, 30.0, true), case(1, 9.0, true), case(1, 10.0, true), case(1, 12.0, true)];
        let mut run = Run::new(Source::Loopback, Plan::default());
        run.app = Some(AppRun { cases, ..AppRun::default() });
        let found = AppResult::of(0, "a", &run).expect("an application");
        let said: Vec<_> =
            found.rows.iter().map(|row| (row.ranks, row.merit, row.merit_range, row.case)).collect();
        assert_eq!(said, [(1, 10.0, Some([9.0, 12.0]), 2), (4, 30.0, None, 0)]);
        assert_eq!((found.rows[1].speed_up, found.rows[1].efficiency), (Some(3.0), Some(0.75)));
        assert!(!found.has_finding());
        run.app.as_mut().expect("it is there").cases.push(case(2, 1.0, false));
        let found = AppResult::of(0, "a", &run).expect("an application");
        assert!(found.has_finding());
        assert_eq!(found.rows[1].failed, ["energy is conserved: 1 of 2"]);
    }
}
