//! The forms in which runs are written, by name and by the ending of a file: one table.

use linerate_analysis::report::Report;
use linerate_core::plan::{Level, Plan, Rows};

use crate::error::RenderError;
use crate::runs::{Beside, html_beside, markdown};
use crate::{compare, csv, host_limits, json, np, openmetrics, svg, text};

/// What is written, and how.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The runs.
    pub report: &'a Report,
    /// What there is beside them.
    pub beside: Beside<'a>,
    /// How many columns a table may have.
    pub width: u16,
    /// The rows of a table.
    pub rows: Rows,
    /// What a row of CSV and JSON is.
    pub level: Level,
    /// When a run began, from how its file says it. Unit: seconds since 1970.
    pub began: fn(&str) -> Option<f64>,
}

/// What a form can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Runs, limits of hosts and comparisons.
    Everything,
    /// Runs.
    Runs,
    /// Runs without loads.
    NoLoads,
    /// Runs of curves.
    Curves,
}

/// A form.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// As `--format` names it; empty if it is for files alone.
    pub name: &'static str,
    /// In a few words.
    pub about: &'static str,
    /// What names of files end in that have this form.
    pub endings: &'static [&'static str],
    /// What it can hold.
    pub holds: Holds,
    write: fn(&Shown<'_>) -> Result<String, RenderError>,
}

/// Every form.
pub static FORMS: [Form; 8] = [
    Form::new("table", "Tables of every run", &[], Holds::Everything, |it| Ok(table(it))),
    Form::new("json", "Every number", &["json"], Holds::Runs, |it| json(it.report, it.level)),
    Form::new("csv", "A row a point", &["csv"], Holds::Runs, |it| csv(it.report, it.level)),
    Form::new("markdown", "Every table of the page, for a pull request", &["md"], Holds::Everything, |it| {
        Ok(markdown(it.report, &it.beside))
    }),
    Form::new("np", "A curve as NetPIPE writes it", &["np", "out"], Holds::Curves, |it| np(it.report)),
    Form::new("openmetrics", "Key figures for Prometheus", &["prom"], Holds::Runs, |it| {
        Ok(openmetrics(it.report, it.began))
    }),
    Form::new("", "A page with charts", &["html"], Holds::Everything, |it| {
        html_beside(it.report, &it.beside)
    }),
    Form::new("", "A picture of the charts", &["svg"], Holds::NoLoads, |it| svg(it.report)),
];

impl Form {
    const fn new(
        name: &'static str,
        about: &'static str,
        endings: &'static [&'static str],
        holds: Holds,
        write: fn(&Shown<'_>) -> Result<String, RenderError>,
    ) -> Self {
        Self { name, about, endings, holds, write }
    }

    /// The form of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMS.iter().find(|form| form.name == name && !name.is_empty())
    }

    /// The form of files whose names end so.
    pub fn of_ending(ending: &str) -> Option<&'static Self> {
        FORMS.iter().find(|form| form.endings.iter().any(|it| it.eq_ignore_ascii_case(ending)))
    }

    /// Whether it can hold runs of `plan`.
    pub fn fits(&self, plan: &Plan) -> bool {
        match self.holds {
            Holds::Everything | Holds::Runs => true,
            Holds::NoLoads => !plan.has_loads(),
            Holds::Curves => plan.curve().is_some(),
        }
    }

    /// What is `shown` in this form.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the runs have no such form.
    pub fn write(&self, shown: &Shown<'_>) -> Result<String, RenderError> {
        (self.write)(shown)
    }
}

/// Runs, hosts and comparisons below each other.
fn table(shown: &Shown<'_>) -> String {
    let Shown { report, beside, width, rows, .. } = shown;
    let runs = (!report.runs.is_empty()).then(|| text(report, *width, *rows));
    let hosts = beside.hosts.iter().map(|file| host_limits::document(file).text(*width, *rows));
    let compared = beside.comparisons.iter().map(|it| compare::document(it).text(*width, *rows));
    runs.into_iter().chain(hosts).chain(compared).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn every_form_has_a_name_or_an_ending_of_its_own_and_is_written() {
        let report = fixture::one();
        let shown = Shown {
            report: &report,
            beside: Beside::default(),
            width: 80,
            rows: Rows::Short,
            level: Level::Point,
            began: |_| None,
        };
        for form in &FORMS {
            let by_name = Form::named(form.name);
            let known = by_name.into_iter().chain(form.endings.iter().filter_map(|it| Form::of_ending(it)));
            let known: Vec<&Form> = known.collect();
            assert!(!known.is_empty() && known.iter().all(|it| it.about == form.about), "{}", form.about);
            assert!(form.write(&shown).is_ok_and(|text| !text.is_empty()), "{}", form.about);
        }
        assert!(Form::named("").is_none() && Form::of_ending("txt").is_none());
        assert_eq!(Form::of_ending("HTML").map(|form| form.about), Some("A page with charts"));
    }
}
