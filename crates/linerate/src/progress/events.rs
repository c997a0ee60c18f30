//! Events as lines of JSON for programs. `docs/format.md` describes them.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use linerate_core::carrier::Look;
use linerate_core::measure::{Phase, Progress};
use linerate_core::plan::Asked;
use linerate_core::run::{Run, State};
use linerate_core::units::Span;
use linerate_net::control::QueuePlace;
use serde_json::{Value, json};

use crate::screen::note;

/// A run's events.
#[derive(Debug)]
pub struct Events {
    began: Instant,
    /// The run's id, once there is a run.
    run: OnceLock<String>,
    /// The final state of the run, once that is known.
    state: OnceLock<State>,
}

impl Events {
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), run: OnceLock::new(), state: OnceLock::new() }
    }

    pub(super) fn queued(&self, place: QueuePlace) {
        let mut fields = vec![("place", json!(place.number()))];
        if let QueuePlace::Behind { holder, held_s, .. } = place {
            fields.extend([("holder", json!(holder)), ("held_s", json!(held_s))]);
        }
        self.tell("queued", &fields);
    }

    pub(super) fn started(&self, run: &Run, path: &Path) {
        self.run.get_or_init(|| run.id.clone());
        let task = run.plan.task.verb();
        self.tell("started", &[("task", json!(task)), ("file", file(path))]);
    }

    pub(super) fn pass(&self, number: u32, all: u32) {
        self.tell("pass", &[("pass", json!(number)), ("passes", json!(all))]);
    }

    pub(super) fn trial(&self, progress: &Progress) {
        let (phase, round) = match progress.phase {
            Phase::Verify => ("verify", None),
            Phase::Round(round) => ("round", Some(round)),
            Phase::Refine(round) => ("refine", Some(round)),
        };
        self.tell(
            "trial",
            &[
                ("phase", json!(phase)),
                ("round", json!(round)),
                ("size", json!(progress.size)),
                ("median_ps", json!(progress.time.map(|time| time.median))),
                ("interval_ps", json!(progress.time.and_then(|time| time.interval))),
                ("spent_s", json!(progress.spent.as_seconds())),
                ("allowed_s", json!(progress.allowed.as_seconds())),
            ],
        );
    }

    pub(super) fn short_of_time(&self, needed: Span, allowed: Span) {
        let fields = [("needed_s", json!(needed.as_seconds())), ("allowed_s", json!(allowed.as_seconds()))];
        self.tell("short-of-time", &fields);
    }

    pub(super) fn round(&self) {
        self.tell("round", &[]);
    }

    pub(super) fn part(&self, what: &str, number: usize, all: usize) {
        self.tell("part", &[("what", json!(what)), ("part", json!(number)), ("parts", json!(all))]);
    }

    pub(super) fn work(&self, what: &str, (done, all): (u64, u64), merit: f64) {
        let fields =
            [("what", json!(what)), ("done", json!(done)), ("all", json!(all)), ("merit", json!(merit))];
        self.tell("work", &fields);
    }

    pub(super) fn interval(&self, look: &Look) {
        let (until, span) = (look.until.as_seconds(), look.span.as_seconds());
        self.tell(
            "interval",
            &[("until_s", json!(until)), ("span_s", json!(span)), ("bytes", json!(look.bytes))],
        );
    }

    pub(super) fn load(&self, asked: &Asked) {
        // Only requests have phases: idle, and beside bulk.
        let phase = asked.load.rr.as_ref().map(|_| asked.load.phase().to_string());
        self.tell("load", &[("label", json!(asked.label)), ("phase", json!(phase))]);
    }

    pub(super) fn saved(&self, path: &Path) {
        self.tell("saved", &[("file", file(path))]);
    }

    pub(super) fn finished(&self, run: &Run) {
        self.state.get_or_init(|| run.state.clone());
    }

    pub(super) fn ended(&self, exit: u8) {
        let (state, reason) = match self.state.get() {
            Some(State::Complete) => ("complete", None),
            Some(State::Interrupted) => ("interrupted", None),
            Some(State::Failed(reason)) => ("failed", Some(reason.clone())),
            Some(State::Running) | None => ("running", None),
        };
        self.tell("ended", &[("state", json!(state)), ("reason", json!(reason)), ("exit", json!(exit))]);
    }

    /// Writes one event. Fields without a value are left out.
    fn tell(&self, event: &str, fields: &[(&str, Value)]) {
        let mut line = json!({"event": event, "seconds": self.began.elapsed().as_secs_f64()});
        if let Some(run) = self.run.get() {
            line["run"] = json!(run);
        }
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            line[*name] = value.clone();
        }
        note(line);
    }
}

fn file(path: &Path) -> Value {
    json!(path.display().to_string())
}
