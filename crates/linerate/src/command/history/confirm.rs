//! `linerate history confirm`, `linerate history mute`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use linerate_analysis::changes::{Event, Member, PathChanges};
use linerate_analysis::compare::{Change, Question, Verdict, compare};
use linerate_analysis::report::NamedRun;
use linerate_core::plan::{Output, Plan, Rows};
use linerate_core::run::Run;
use linerate_report::compare as render;
use linerate_report::history::PathHistory;
use linerate_store::{ChangeState, Existing, Filter, Store};

use super::super::compare::INCONCLUSIVE;
use super::{failed, load, opened};
use crate::config::{NO_CONFIG, PROFILE};
use crate::context::Context;
use crate::history::pack::unpack;
use crate::history::record_of;
use crate::screen::{columns, note, show_text};
use crate::store;
use crate::trouble::Trouble;

/// The tag of runs that were made to confirm a change.
pub(super) const TAG: &str = "confirm";
/// The change is there, and for the worse.
const FINDING: u8 = 1;
/// At most so many earlier runs are compared with the new ones.
const EARLIER: usize = 10;
/// A change may be this many runs from where it is found.
const UNSURE: usize = 2;

/// A change, and where it is.
struct Found {
    history: PathHistory,
    member: Member,
}

/// The change that `text` means.
fn found(store: &mut Store, text: &str) -> Result<Found, Trouble> {
    for history in load::histories(store, None, &Filter::default())? {
        let members = |changes: &PathChanges| -> Vec<Member> {
            changes.events.iter().flat_map(|event: &Event| event.members.clone()).collect()
        };
        let member = members(&history.changes)
            .into_iter()
            .find(|member| member.id.to_string() == text || member.id.short() == text);
        if let Some(member) = member {
            return Ok(Found { history, member });
        }
    }
    Err(Trouble::new(
        format!("failed to find the change {text}"),
        "copy its id from `linerate history changes`; it may have moved with later runs",
    ))
}

/// Says that a change does not matter, or takes that back.
pub(super) fn mute(change: &str, undo: bool, context: &Context) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    let found = found(&mut store, change)?;
    let state = if undo { None } else { Some(ChangeState::Muted) };
    store.set_change(&found.member.id.to_string(), state).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Says that a change is real.
pub(super) fn say(change: &str, context: &Context) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    let found = found(&mut store, change)?;
    store.set_change(&found.member.id.to_string(), Some(ChangeState::Confirmed)).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Measures again.
pub(super) fn run(change: &str, runs: u32, folder: &Path, context: &Context) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    let Found { history, member } = found(&mut store, change)?;
    let before = stored(&mut store, &history, earlier(&member))?;
    let after = stored(&mut store, &history, later(&member, history.runs.len()))?;
    let (Some(old), Some(new)) = (before.last(), after.first()) else {
        return Err(Trouble::new(
            "failed to measure again: no curve is kept of the runs on both sides",
            "import their run files: `linerate history import FOLDER --renew`",
        ));
    };
    let again = Again::new([&old.run, &new.run], &member, folder);
    let runs = if again.is_modelled() { 1 } else { runs };
    note(format_args!("{}: measuring {}", history.name, again.about(runs)));
    let mut sides = [Vec::new(), Vec::new()];
    for nth in 0..runs {
        for (side, measured) in sides.iter_mut().enumerate() {
            if side == 1 || again.in_turn() {
                measured.push(again.measure((side, nth), &mut store, context)?);
            }
        }
    }
    let [mut base, candidate] = sides;
    if !again.in_turn() {
        base = before;
    }
    let question = Question { began: super::super::compare::began, ..Question::default() };
    let comparison = compare(&base, &candidate, &question)
        .map_err(|error| Trouble::new(format!("failed to compare: {error}"), error.advice()))?;
    show_text(&render::document(&comparison).text(columns(), Rows::Short))?;
    let figure = comparison.figures.iter().find(|figure| figure.key == member.id.figure);
    conclude(&mut store, &member, figure.map(|figure| &figure.change))
}

/// Runs before a change. The last two may belong to its other side, and are left out where there are more.
fn earlier(member: &Member) -> Range<usize> {
    let to = if member.at > 2 * UNSURE { member.at - UNSURE } else { member.at };
    to.saturating_sub(EARLIER)..to
}

/// Runs after it, likewise.
fn later(member: &Member, count: usize) -> Range<usize> {
    let from = if member.to + 2 * UNSURE < count { member.to + UNSURE } else { member.to };
    from.min(count)..(from + 1).min(count)
}

/// What is measured again: the old plan and the new.
struct Again<'a> {
    plans: [Plan; 2],
    models: [Option<&'a str>; 2],
    member: &'a Member,
    folder: &'a Path,
}

impl<'a> Again<'a> {
    fn new(ends: [&'a Run; 2], member: &'a Member, folder: &'a Path) -> Self {
        // Not where the results of these runs went.
        let plan = |run: &Run| {
            let mut plan = run.plan.clone();
            plan.common.output = Output::default();
            plan
        };
        let model = |run: &'a Run| run.model.as_ref().map(|model| model.plan.as_str());
        Self { plans: ends.map(plan), models: ends.map(model), member, folder }
    }

    /// Whether the old plan can be measured too, because what changed is in it.
    fn in_turn(&self) -> bool {
        self.plans[0] != self.plans[1] || self.models[0] != self.models[1]
    }

    /// A model gives the same again.
    fn is_modelled(&self) -> bool {
        self.models.iter().all(Option::is_some)
    }

    fn about(&self, runs: u32) -> String {
        if self.in_turn() {
            format!("{} runs, the old plan and the new in turn", 2 * runs)
        } else {
            format!("{runs} runs; what changed cannot be set back from here")
        }
    }

    /// Measures with this program, as a user would, and records the run.
    fn measure(
        &self,
        (side, nth): (usize, u32),
        store: &mut Store,
        context: &Context,
    ) -> Result<NamedRun, Trouble> {
        let name = format!("confirm-{}-{}-{nth}.run.json", self.member.id.short(), ["old", "new"][side]);
        let file = self.folder.join(name);
        let scratch = tempfile::tempdir().map_err(|error| unmeasured(&error.to_string()))?;
        let write = |name: &str, text: &str| -> Result<PathBuf, Trouble> {
            let path = scratch.path().join(name);
            context.files.replace(&path, text)?;
            Ok(path)
        };
        let program = std::env::current_exe().map_err(|error| unmeasured(&error.to_string()))?;
        let mut command = Command::new(program);
        let plan = &self.plans[side];
        command.arg(plan.task.verb()).arg("--plan").arg(write("plan.toml", &plan.to_toml())?);
        command.env(NO_CONFIG, "true").env_remove(PROFILE);
        if let Some(model) = self.models[side] {
            command.arg("--model").arg(write("model.toml", model)?);
        }
        command.args(["--no-report", "--quiet", "--label"]).arg(format!("{TAG}={}", self.member.id.figure));
        command.arg("--out").arg(&file).env_remove("LINERATE_HISTORY");
        let output = command.output().map_err(|error| unmeasured(&error.to_string()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().map(str::trim).find(|line| !line.is_empty());
            return Err(unmeasured(first.unwrap_or("it said nothing")));
        }
        let named = store::load(&file)?;
        // A run that cannot be recorded is compared all the same.
        if let Err(error) = store.record(&record_of(&named.run, &file)?, Existing::Keep) {
            note(failed(error).as_caution());
        }
        Ok(named)
    }
}

fn unmeasured(reason: &str) -> Trouble {
    Trouble::new(
        format!("failed to measure again: {reason}"),
        "set LINERATE_KEY to the key of `linerate serve` on the other host, and see that it serves",
    )
}

fn conclude(store: &mut Store, member: &Member, change: Option<&Change>) -> Result<ExitCode, Trouble> {
    let figure = &member.id.figure;
    let verdict = change.map_or(Verdict::NoVerdict, |change| change.verdict);
    match verdict {
        Verdict::Worse | Verdict::Better | Verdict::Moved | Verdict::Small => {
            let same_way = match member.worse {
                Some(worse) => worse == (verdict == Verdict::Worse) || verdict == Verdict::Small,
                None => true,
            };
            if same_way {
                store.set_change(&member.id.to_string(), Some(ChangeState::Confirmed)).map_err(failed)?;
                note(format_args!("confirmed: {figure}"));
                let worse = verdict == Verdict::Worse;
                return Ok(if worse { ExitCode::from(FINDING) } else { ExitCode::SUCCESS });
            }
            note(format_args!("not confirmed: {figure} changed the other way"));
        }
        Verdict::Same => note(format_args!("not confirmed: {figure} is what it was before")),
        Verdict::CannotTell | Verdict::NoVerdict => {
            let runs = change.and_then(|change| change.runs_needed);
            let runs = runs.map_or_else(|| "more --runs".to_owned(), |runs| format!("--runs {runs}"));
            note(format_args!("inconclusive: {figure}; measure with {runs}"));
            return Ok(ExitCode::from(INCONCLUSIVE));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The runs of a stretch of which a curve is kept.
fn stored(store: &mut Store, history: &PathHistory, stretch: Range<usize>) -> Result<Vec<NamedRun>, Trouble> {
    let ids: Vec<&str> = history.runs[stretch].iter().map(|run| run.id.as_str()).collect();
    let curves = store.curves(&ids).map_err(failed)?;
    let named = |id: &&str| {
        let bytes = curves.get(*id)?;
        Some(unpack(bytes).map(|run| NamedRun { name: id.chars().take(8).collect(), run }))
    };
    ids.iter().filter_map(named).collect()
}
