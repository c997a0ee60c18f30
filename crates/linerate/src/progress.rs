//! Progress on standard error, for as long as somebody looks.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linerate_core::measure::{Phase, Progress};
use linerate_core::units::{Size, Span};

/// Redraws a second: often enough to read, seldom enough not to disturb.
const REDRAWS: u8 = 5;

/// A line that says what is being measured; nothing where standard error is no terminal.
#[derive(Debug)]
pub(crate) struct Line {
    bar: ProgressBar,
    quiet: bool,
}

impl Line {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(REDRAWS));
        let style = ProgressStyle::with_template("{bar:20} {msg}").expect("the template is well formed");
        bar.set_style(style);
        Self { bar, quiet: false }
    }

    /// Says nothing at all if `quiet`.
    pub(crate) fn unless(quiet: bool) -> Self {
        if quiet { Self { bar: ProgressBar::hidden(), quiet } } else { Self::new() }
    }

    /// Whether the user asked for the result alone.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A remark that stays, such as where a file is.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    /// The server has others to serve first.
    pub(crate) fn queued(&self, place: u32) {
        if self.bar.is_hidden() {
            self.remark(&format!("waiting for the server: place {place} in the queue"));
        } else {
            self.bar.set_message(format!("waiting for the server: place {place} in the queue"));
        }
    }

    /// A trial ended.
    pub(crate) fn trial_done(&self, progress: &Progress) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_length(progress.allowed.as_ps());
        self.bar.set_position(progress.spent.as_ps().min(progress.allowed.as_ps()));
        let left =
            Duration::from_secs((progress.allowed.saturating_sub(progress.spent)).to_duration().as_secs());
        self.bar.set_message(format!("{}, {}s left", describe(progress), left.as_secs()));
    }

    /// So many of all runs of a model are done.
    pub(crate) fn runs_done(&self, done: usize, all: usize) {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{done} of {all} runs"));
    }

    /// Something without an end that is known.
    pub(crate) fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.tick();
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
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
