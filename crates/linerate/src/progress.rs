//! Progress on standard error: a line on a terminal, or events for programs.

mod events;

use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linerate_core::carrier::Look;
use linerate_core::measure::{Phase, Progress};
use linerate_core::plan::Asked;
use linerate_core::run::Run;
use linerate_core::units::{Size, Span};
use linerate_net::control::QueuePlace;

use self::events::Events;
use crate::cli::ProgressForm;
use crate::screen::note;

/// Redraws a second: enough to read, and few enough not to disturb the measurement.
const REDRAWS: u8 = 5;

/// What standard error shows while something goes on.
#[derive(Debug)]
pub enum Line {
    /// A line with the current activity; nothing if standard error is not a terminal.
    Drawn(ProgressBar),
    /// Nothing.
    Silent,
    /// Nothing, not even the names of written files.
    Quiet,
    /// A line of JSON for every event.
    Told(Events),
}

impl Line {
    /// A line that is drawn.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(REDRAWS));
        let style =
            ProgressStyle::with_template("{bar:20} {prefix}{msg}").expect("the template is well formed");
        bar.set_style(style);
        Self::Drawn(bar)
    }

    /// What the user asked for.
    #[must_use]
    pub fn of(form: ProgressForm) -> Self {
        match form {
            ProgressForm::Auto => Self::new(),
            ProgressForm::None => Self::Silent,
            ProgressForm::Quiet => Self::Quiet,
            ProgressForm::Ndjson => Self::Told(Events::new()),
        }
    }

    /// Whether the user wants only the result.
    pub(crate) const fn is_quiet(&self) -> bool {
        matches!(self, Self::Quiet)
    }

    /// The client waits in the server's queue.
    pub(crate) fn queued(&self, place: QueuePlace) {
        let number = place.number();
        let (who, since) = match place {
            QueuePlace::Number(_) => (String::new(), String::new()),
            QueuePlace::Behind { holder, held_s, .. } => {
                (format!("; it has served {holder}"), format!(" for {held_s} s"))
            }
        };
        let text = format!("waiting for the server: place {number} in the queue{who}");
        match self {
            // Each change once, and not each second.
            Self::Drawn(bar) if bar.is_hidden() => {
                if bar.message() != text {
                    note(format!("{text}{since}"));
                    bar.set_message(text);
                }
            }
            Self::Drawn(bar) => bar.set_message(format!("{text}{since}")),
            Self::Silent | Self::Quiet => {}
            Self::Told(events) => events.queued(place),
        }
    }

    /// A run began, whose file is at `path`.
    pub(crate) fn started(&self, run: &Run, path: &Path) {
        if let Self::Told(events) = self {
            events.started(run, path);
        }
    }

    /// Pass `number` of `all`, from 0, begins. A single one is not shown.
    pub(crate) fn pass(&self, number: u32, all: u32) {
        match self {
            _ if all == 1 => {}
            Self::Drawn(bar) => bar.set_prefix(format!("pass {} of {all}, ", number + 1)),
            Self::Silent | Self::Quiet => {}
            Self::Told(events) => events.pass(number, all),
        }
    }

    /// A trial ended.
    pub(crate) fn trial_done(&self, progress: &Progress) {
        match self {
            Self::Drawn(bar) if !bar.is_hidden() => {
                bar.set_length(progress.allowed.as_ps());
                bar.set_position(progress.spent.as_ps().min(progress.allowed.as_ps()));
                let left = progress.allowed.saturating_sub(progress.spent).to_duration();
                let left = Duration::from_secs(left.as_secs());
                bar.set_message(format!("{}, {}s left", describe(progress), left.as_secs()));
            }
            Self::Drawn(_) | Self::Silent | Self::Quiet => {}
            Self::Told(events) => events.trial(progress),
        }
    }

    /// The time is not enough for one round of every size.
    pub(crate) fn short_of_time(&self, needed: Span, allowed: Span) {
        let text = || {
            format!(
                "one round of all sizes takes about {needed}, and --time is {allowed}: the largest will be missing"
            )
        };
        match self {
            Self::Drawn(bar) => bar.suspend(|| note(text())),
            Self::Silent | Self::Quiet => {}
            Self::Told(events) => events.short_of_time(needed, allowed),
        }
    }

    /// The verification pass or a round ended.
    pub(crate) fn round_done(&self) {
        if let Self::Told(events) = self {
            events.round();
        }
    }

    /// An interval of a load ended.
    pub(crate) fn interval(&self, look: &Look) {
        if let Self::Told(events) = self {
            events.interval(look);
        }
    }

    /// A load ended.
    pub(crate) fn load_done(&self, asked: &Asked) {
        if let Self::Told(events) = self {
            events.load(asked);
        }
    }

    /// The run so far was saved.
    pub(crate) fn saved(&self, path: &Path) {
        if let Self::Told(events) = self {
            events.saved(path);
        }
    }

    /// A result was written; `what` names its kind.
    pub(crate) fn written(&self, what: &str, path: &Path) {
        match self {
            Self::Told(events) => events.saved(path),
            Self::Quiet => {}
            Self::Drawn(_) | Self::Silent => note(format_args!("{what} {}", path.display())),
        }
    }

    /// The run is complete.
    pub(crate) fn finished(&self, run: &Run) {
        if let Self::Told(events) = self {
            events.finished(run);
        }
    }

    /// The run is over, and the process will exit with this status.
    pub(crate) fn ended(&self, exit: u8) {
        if let Self::Told(events) = self {
            events.ended(exit);
        }
    }

    /// This many of all runs of a model are done.
    pub(crate) fn runs_done(&self, done: usize, all: usize) {
        if let Self::Drawn(bar) = self {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
            bar.set_message(format!("{done} of {all} runs"));
        }
    }

    /// Part `number` of `all`, from 0, begins.
    pub(crate) fn part(&self, what: &str, number: usize, all: usize) {
        match self {
            Self::Drawn(bar) => {
                bar.set_length(all as u64);
                bar.set_position(number as u64);
                bar.set_message(format!("{what}, {} of {all}", number + 1));
            }
            Self::Silent | Self::Quiet => {}
            Self::Told(events) => events.part(what, number, all),
        }
    }

    /// `done` of `all` of `what` are done, with this merit until now.
    pub(crate) fn work(&self, what: &str, (done, all): (u64, u64), merit: f64) {
        match self {
            Self::Drawn(bar) => {
                bar.set_length(all);
                bar.set_position(done);
                bar.set_message(format!("{what}, {done} of {all}"));
            }
            Self::Silent | Self::Quiet => {}
            Self::Told(events) => events.work(what, (done, all), merit),
        }
    }

    /// An activity of unknown length.
    pub fn doing(&self, what: &str) {
        if let Self::Drawn(bar) = self {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    }

    pub(crate) fn clear(&self) {
        if let Self::Drawn(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn describe(progress: &Progress) -> String {
    let size = Size(progress.size);
    let phase = match progress.phase {
        Phase::Verify => return format!("verifying every byte of {size}"),
        Phase::Round(round) => format!("round {}", round + 1),
        Phase::Refine(_) => "refining".to_owned(),
    };
    let time = progress.time.map(|time| {
        let median = Span::from_seconds(time.median / 1e12);
        match time.relative_half_width() {
            Some(width) => format!(": {median} +-{:.1} %", width * 100.0),
            None => format!(": {median}"),
        }
    });
    format!("{phase}, {size}{}", time.unwrap_or_default())
}
