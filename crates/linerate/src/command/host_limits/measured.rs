//! Measuring the limits of this host.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use jiff::Zoned;
use linerate_core::host_limits::{HostLimits, HostLimitsFile};
use linerate_core::plan::Rows;
use linerate_core::units::Span;
use linerate_net::host_limits::{Asked, LimitsWatch, WrongResult, measure};
use linerate_net::observe::environment;
use linerate_report::host_limits as render;

use super::{Form, form, rendered};
use crate::cli::{HostArgs, HostFormat};
use crate::command::conduct::{Surroundings, go_on};
use crate::context::Context;
use crate::progress::Line;
use crate::screen::{columns, show};
use crate::signals::Interrupt;
use crate::store;
use crate::trouble::Trouble;

/// Less is not enough for a few samples of each number.
const LEAST_TIME: Span = Span::from_ms(500);
/// More adds no information.
const MOST_TIME: Span = Span::from_ms(3_600_000);

pub(in crate::command) fn run(args: &HostArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let asked = asked(args)?;
    // Before anything is measured: what cannot be written is said at once.
    for path in args.out.iter().chain(&args.report) {
        ending(path, args)?;
        context.files.writable(path)?;
    }
    let interrupt = Interrupt::listen()?;
    let line = Line::of(args.progress.unless(args.quiet));
    let around = Surroundings { context, line: &line, interrupt: &interrupt };
    let started = Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let environment = environment(None);
    let limits = measured(asked, around);
    line.clear();
    let file = HostLimitsFile::new(started, environment, limits?);
    write(args, &file, around)?;
    if file.limits.interrupted {
        return Err(Trouble::new("interrupted", "what was measured until then is shown and kept"));
    }
    Ok(ExitCode::SUCCESS)
}

/// What this host could reach, if it `is_asked`: measured before a run, in about ten seconds.
pub(in crate::command) fn before_run(
    is_asked: bool,
    around: Surroundings<'_>,
) -> Result<Option<HostLimits>, Trouble> {
    if !is_asked {
        return Ok(None);
    }
    let limits = measured(Asked::QUICK, around)?;
    if limits.interrupted {
        return Err(Trouble::new("interrupted", "nothing was measured yet but a part of this host's limits"));
    }
    Ok(Some(limits))
}

fn asked(args: &HostArgs) -> Result<Asked, Trouble> {
    let usual = if args.quick { Asked::QUICK } else { Asked::FULL };
    let asked = Asked { time: args.time.unwrap_or(usual.time), ..usual };
    if (LEAST_TIME..=MOST_TIME).contains(&asked.time) {
        return Ok(asked);
    }
    let what = format!("failed to measure this host in {}", asked.time);
    Err(Trouble::new(what, format!("give --time from {LEAST_TIME} to {MOST_TIME}")))
}

/// Measures this host, and shows how far it is.
fn measured(asked: Asked, around: Surroundings<'_>) -> Result<HostLimits, Trouble> {
    let Surroundings { context, line, interrupt } = around;
    measure(&context.clock, asked, &mut Watcher { line, interrupt }).map_err(|wrong: WrongResult| {
        line.clear();
        let help =
            "do not trust this host: test its memory (memtest86+) and look for machine checks in `dmesg`";
        Trouble::new(format!("failed to {wrong}"), help)
    })
}

/// The form of a file that was asked for. What --out names is JSON, whatever its ending.
fn ending(path: &Path, args: &HostArgs) -> Result<Form, Trouble> {
    if args.out.as_deref() == Some(path) {
        return Ok(Form::Json);
    }
    form(path)
}

/// Writes every file that was asked for, then shows the result unless a file is standard output.
fn write(args: &HostArgs, file: &HostLimitsFile, around: Surroundings<'_>) -> Result<(), Trouble> {
    let mut taken = false;
    for path in args.out.iter().chain(&args.report) {
        around.context.files.replace(path, &rendered(file, ending(path, args)?)?)?;
        taken |= store::is_stream(path);
        if !store::is_stream(path) {
            around.line.written("host:    ", path);
        }
    }
    if taken {
        return Ok(());
    }
    show(&match args.format {
        HostFormat::Table => render::document(file).text(columns(), Rows::Short),
        HostFormat::Json => file.to_json(),
    })
}

/// Shows how far it is, and ends it when the user asks.
struct Watcher<'a> {
    line: &'a Line,
    interrupt: &'a Interrupt,
}

impl LimitsWatch for Watcher<'_> {
    fn part(&mut self, what: &str, number: usize, all: usize) {
        self.line.part(&format!("this host: {what}"), number, all);
    }

    fn go_on(&self) -> ControlFlow<()> {
        go_on(self.interrupt)
    }
}
