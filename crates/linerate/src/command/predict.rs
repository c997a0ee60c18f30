//! `linerate predict`.

pub(super) mod model;
mod subject;
mod what_if;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linerate_analysis::report::NamedRun;
use linerate_core::stats::Estimate;
use linerate_core::units::Span;
use linerate_report as render;
use linerate_report::predict;
use linerate_sim::calibrate::{Conditions, HostFile, HostFileError};
use linerate_study::prediction::{Compared, GOAL, Prediction, WIDEST, WhatIf};

use self::model::{Failure, bands};
use crate::cli::{Change, PredictArgs, PredictFormat};
use crate::context::Context;
use crate::screen::{columns, note, show};
use crate::store;
use crate::trouble::Trouble;

/// Small messages that took this many times what was predicted are as predicted.
const ALIKE: RangeInclusive<f64> = 0.85..=1.18;

pub(super) fn run(args: &PredictArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let changes = what_if::cells(args)?;
    let host = host(&args.host)?;
    let named = store::load(&args.run)?;
    let prediction = prediction((args, &changes), &host, &named)?;
    let document = predict::document(&prediction);
    let report = args.report.clone().unwrap_or_else(|| beside(&args.run));
    context.files.writable(&report)?;
    show(&match args.format {
        PredictFormat::Table => document.text(columns(), args.rows.unwrap_or_default()),
        PredictFormat::Json => predict::json(&prediction).map_err(|error| unrendered(&error))?,
    })?;
    context.files.replace(&report, &document.html().map_err(|error| unrendered(&error))?)?;
    note(format_args!("report: {}", report.display()));
    Ok(ExitCode::SUCCESS)
}

/// Where the report goes unless the user says.
fn beside(run: &Path) -> PathBuf {
    store::report_beside(run).with_extension("predict.html")
}

/// Why not, and what to do.
const HELP: &str = "name a file that `linerate calibrate` wrote";

fn host(path: &Path) -> Result<HostFile, Trouble> {
    let text = store::text(path).map_err(|error| Trouble::file("read the host", path, &error, HELP))?;
    host_file(path, &text)
}

/// The calibrated host that is written in a file.
pub(super) fn host_file(path: &Path, text: &str) -> Result<HostFile, Trouble> {
    HostFile::from_toml(text).map_err(|error| {
        let reason = match &error {
            HostFileError::Syntax(error) => error.message().to_owned(),
            error => error.to_string(),
        };
        Trouble::new(format!("failed to read the host {}: {reason}", path.display()), HELP)
    })
}

/// The run under its own conditions, and under those of each of the changes.
fn prediction(
    (args, changes): (&PredictArgs, &[Vec<Change>]),
    host: &HostFile,
    named: &NamedRun,
) -> Result<Prediction, Trouble> {
    let wire = subject::wire(named)?;
    let timed = subject::timed(named)?;
    let mut points = Vec::new();
    let mut what_if: Vec<WhatIf> = what_if::unpredicted(args, changes, &named.run).collect();
    // A curve of each pattern by itself: each is a connection of its own.
    for curve in timed.chunk_by(|one, other| one.0.pattern == other.0.pattern) {
        let conditions: Vec<Conditions> = curve.iter().map(|(conditions, _)| conditions.clone()).collect();
        let of =
            |conditions: &[Conditions]| bands(wire, host, conditions).map_err(|error| unpredicted(&error));
        let found = of(&conditions)?.into_iter().zip(curve);
        points.extend(found.map(|(band, (conditions, time))| compared(host, conditions, time, band)));
        for (change, it) in changes.iter().zip(&mut what_if) {
            it.bands.extend(of(&what_if::changed(change, &conditions))?);
        }
    }
    let mut prediction = Prediction {
        run: named.name.clone(),
        host: host.calibration.of.clone(),
        made: host.calibration.made.clone(),
        discrepancy: host.calibration.discrepancy,
        drift: host.calibration.drift,
        points,
        what_if,
        cautions: subject::cautions(&named.run, host, wire),
    };
    let doubts = coverage(&prediction).into_iter().chain(width(&prediction));
    prediction.cautions.extend(doubts.collect::<Vec<_>>());
    Ok(prediction)
}

fn compared(
    host: &HostFile,
    conditions: &Conditions,
    time: &Estimate,
    band: linerate_sim::calibrate::Band,
) -> Compared {
    let span = |ps: f64| Span::from_seconds(ps / 1e12);
    Compared {
        used: host.calibration.used(conditions),
        conditions: conditions.clone(),
        measured: span(time.median),
        interval: time.interval.map(|ends| ends.map(span)),
        band,
    }
}

/// What is doubtful about the bands themselves.
fn coverage(prediction: &Prediction) -> Option<[String; 2]> {
    let Some(share) = prediction.coverage() else {
        return Some([
            "nothing is held out: the calibration used every size of this run".to_owned(),
            "predict a run with other sizes, another MTU or another pattern".to_owned(),
        ]);
    };
    if share >= GOAL {
        return None;
    }
    let [share, goal] = [share, GOAL].map(render::percent);
    let finding = format!("{share} of held-out sizes lie in their bands, and {goal} should");
    let (also, advice) = match prediction.wake_up_ratio() {
        Some(ratio) if !ALIKE.contains(&ratio) => (
            format!(
                ", and small messages all took about {ratio:.2} times what was predicted: this host did not wake its sleepers as it did when it was calibrated"
            ),
            "calibrate right before or after the run; on a virtual machine that depends on its host's other guests",
        ),
        _ => (
            String::new(),
            "trust these predictions less than their bands say, and calibrate again when the host is as quiet as during the run",
        ),
    };
    Some([finding + &also, advice.to_owned()])
}

/// Bands that exclude too little.
fn width(prediction: &Prediction) -> Option<[String; 2]> {
    let width = prediction.width().filter(|width| *width > WIDEST)?;
    Some([
        format!(
            "the upper end of a band is {width:.1} times its lower end: that a time lies in it says little"
        ),
        "calibrate again on a quieter host, or with more --time".to_owned(),
    ])
}

fn unpredicted(error: &Failure) -> Trouble {
    let help = "change what --what-if asks for, or predict a run under usual conditions";
    Trouble::new(format!("failed to {error}"), help)
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(format!("failed to {error}"), "predict another run, or with --format json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_lies_beside_its_run() {
        assert_eq!(beside(Path::new("a/b.run.json")), Path::new("a/b.predict.html"));
    }
}
