//! Flags that several verbs have: key, model, plan file, output.

use std::path::PathBuf;

use clap::builder::TypedValueParser as _;
use clap::builder::{FalseyValueParser, PossibleValue, PossibleValuesParser};
use linerate_core::plan::{Common, Format, Level, NO_REPORT, Output, Plan, Rows, Task};
use linerate_report::{FORMS, Form, Holds};

use super::mesh::HostList;
use crate::config::Sources;

/// Puts a given flag over a field of the plan.
pub fn lay<T: Clone>(given: Option<&T>, over: &mut T) {
    if let Some(given) = given {
        over.clone_from(given);
    }
}

/// The same for an optional field.
pub fn lay_option<T: Clone>(given: &Option<T>, over: &mut Option<T>) {
    if given.is_some() {
        over.clone_from(given);
    }
}

#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Path")]
pub(crate) struct KeyArgs {
    /// The key that the server printed
    #[arg(long, env = "LINERATE_KEY", hide_env = true, value_name = "K")]
    pub(crate) key: Option<String>,
    /// Read the key from a file
    #[arg(long, value_name = "FILE", conflicts_with = "key", hide_short_help = true)]
    pub(crate) key_file: Option<PathBuf>,
    /// Accept a peer that is too old to protect control messages from changes on the path
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_unauthenticated_control: bool,
}

/// How the peer is reached.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Path")]
pub(crate) struct PeerArgs {
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    /// Port of the server, where HOST has none [default: 5470]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..),
          conflicts_with_all = ["deploy", "lab", "model"], hide_short_help = true)]
    pub(crate) port: Option<u16>,
    /// Copy linerate to HOST by ssh; remove it after
    ///
    /// HOST may be USER@HOST. Nothing needs to be installed there. HOST must resolve here too, and its port must be reachable. `stream` takes a
    /// list, such as n[1-4].
    #[arg(long, value_name = "HOST", value_parser = super::mesh::parse_hosts, conflicts_with_all = ["key", "key_file", "lab", "model"])]
    pub(crate) deploy: Option<HostList>,
    /// The command that starts another on a host, as `COMMAND HOST SCRIPT` [default: ssh]
    #[arg(long, value_name = "COMMAND", requires = "deploy", hide_short_help = true)]
    pub(crate) agent: Option<String>,
    /// Before the run, measure what this host could reach (10 s), and keep it with the run
    ///
    /// As `linerate host --quick` does. The report then draws what copies cost as ceilings. Only this host is measured;
    /// where the peer is on the same host, it has the same limits.
    #[arg(long, conflicts_with = "model", hide_short_help = true)]
    pub(crate) host_limits: bool,
}

impl KeyArgs {
    /// Takes the key from this file if the user gave none.
    pub(crate) fn or_in(&mut self, file: Option<PathBuf>) {
        if self.key.is_none() && self.key_file.is_none() {
            self.key_file = file;
        }
    }
}

impl PeerArgs {
    /// The same, with the key in this file if the user gave none.
    pub(crate) fn or_key_in(&self, file: Option<PathBuf>) -> Self {
        let mut peer = self.clone();
        peer.key.or_in(file);
        peer
    }

    /// The hosts to which linerate is copied, without the users.
    pub(crate) fn deployed(&self) -> impl Iterator<Item = &str> {
        let hosts = self.deploy.iter().flat_map(|HostList(hosts)| hosts);
        hosts.map(|host| host.rsplit_once('@').map_or(host.as_str(), |(_, host)| host))
    }

    /// Notes in `plan` whom it measures.
    pub(crate) fn note_in(&self, plan: &mut Plan) {
        let mut hosts = self.deployed().map(str::to_owned);
        let Some(first) = hosts.next() else { return };
        plan.common.host = Some(first);
        if let Task::Stream(stream) = &mut plan.task {
            stream.more_hosts = hosts.collect();
        }
    }
}

/// A plan from a file, and the effective plan: the file's with the flags over it.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Plan file")]
pub struct PlanArgs {
    /// Read options from a plan file
    ///
    /// The file is TOML; `-` is standard input. It overrides the configuration, and a flag on the command line overrides the file.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) plan: Option<PathBuf>,
    /// Take [profile.NAME] of the configuration too
    ///
    /// The configuration is linerate/config.toml in $XDG_CONFIG_HOME or ~/.config, or else /etc/linerate/config.toml.
    /// docs/config.md says what it may hold.
    #[arg(long, env = crate::config::PROFILE, hide_env = true, value_name = "NAME", hide_short_help = true)]
    pub(crate) profile: Option<String>,
    /// Read no configuration
    #[arg(long, env = crate::config::NO_CONFIG, hide_env = true, value_parser = FalseyValueParser::new(),
          conflicts_with = "profile", hide_short_help = true)]
    pub(crate) no_config: bool,
    /// What the configuration gives.
    #[arg(skip)]
    pub(crate) sources: Sources,
    /// Print the effective plan as TOML, with the source of every value, and exit
    #[arg(long, hide_short_help = true)]
    pub(crate) print_plan: bool,
    /// Progress on standard error: auto, none or ndjson [default: auto]
    ///
    /// With ndjson, standard error has one JSON object a line for every event, for programs.
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Output", hide_short_help = true)]
    pub(crate) progress: Option<ProgressForm>,
}

impl PlanArgs {
    /// What standard error shows.
    #[must_use]
    pub fn shows(&self, quiet: bool) -> ProgressForm {
        self.progress.unwrap_or_default().unless(quiet)
    }
}

/// What standard error shows while a run goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ProgressForm {
    /// A line that is redrawn; nothing where standard error is not a terminal.
    #[default]
    Auto,
    /// Nothing.
    None,
    /// A JSON object on a line of its own for every event.
    Ndjson,
    /// Nothing but errors, and no lines of intervals on standard output: `--quiet`.
    #[value(skip)]
    Quiet,
}

impl ProgressForm {
    /// This form, unless the user asked for quiet.
    pub(crate) const fn unless(self, quiet: bool) -> Self {
        if quiet { Self::Quiet } else { self }
    }
}

/// What is done to be sure of what limits the result.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct ExplainArgs {
    /// Afterwards, change one thing at a time to confirm what limits the result
    ///
    /// Measures a part again in turns, as asked and with one thing changed: receivers that spin, larger buffers,
    /// processors apart, another congestion control; behind a slower hop, flows paced just below and just above its rate.
    /// Takes up to as long again, and for a stream or requests at least 3 s, or 120 round trips, for each change and once as asked; `linerate explain` shows it again [default: off].
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "on", value_name = "on|off",
          value_parser = parse_switch, conflicts_with = "model", hide_short_help = true)]
    explain: Option<bool>,
}

impl ExplainArgs {
    pub(super) fn over(&self, common: &mut Common) {
        lay(self.explain.as_ref(), &mut common.explain);
    }
}

/// A modelled network instead of hosts and a wire.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct OnModelArgs {
    /// Measure a modelled network instead
    ///
    /// PLAN is a file, or the name of a plan that comes with linerate (`linerate model list`), or
    /// lab:PLAN, a laboratory (`linerate lab plans`). All times are then the model's.
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["key", "key_file"])]
    pub(crate) model: Option<String>,
    /// Change one value of the model's plan; repeatable
    ///
    /// KEY is a path such as `network.length-m`. Its last part is enough where that is unambiguous.
    #[arg(long, value_name = "KEY=VALUE", requires = "model", hide_short_help = true)]
    pub(crate) set: Vec<String>,
    /// Write a packet capture of the model's ports, for Wireshark
    ///
    /// It holds at most the first 100,000 frames.
    #[arg(long, value_name = "X.pcapng", requires = "model", hide_short_help = true)]
    pub(crate) trace: Option<PathBuf>,
}

/// Where results go, and in which form.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Run file [default: linerate-HOST-TIME.run.json]
    #[arg(long, value_name = "X.run.json")]
    out: Option<String>,
    /// Page (.html) or picture (.svg); `none` writes none [default: page beside the run file]
    ///
    /// The name's extension may also be .csv, .json, .md, .prom or .np.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    report: Option<String>,
    /// Write no HTML report
    #[arg(long, conflicts_with = "report", hide_short_help = true)]
    no_report: bool,
    /// Format of standard output [default: table]
    #[arg(long, value_parser = format_parser(true), hide_possible_values = true)]
    format: Option<Format>,
    /// The same as --format json
    #[arg(short = 'J', conflicts_with = "format", hide_short_help = true)]
    json: bool,
    /// What a row of CSV and JSON is [default: point]
    #[arg(long, value_parser = level_parser([Level::Point, Level::Round]), hide_short_help = true)]
    level: Option<Level>,
    /// Rows of the table: short (default) or all
    ///
    /// Of more than 24 sizes, `short` shows the first and the last, powers of two, and those of latency,
    /// peak, N1/2, saturation and dips; of more than 16 flows the fastest and the slowest. A table that
    /// is not printed on a terminal has 80 columns.
    #[arg(long, value_name = "WHICH", value_parser = rows_parser(), hide_possible_values = true,
          hide_short_help = true)]
    rows: Option<Rows>,
    /// Label the run, such as `kernel=6.18`; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_label, hide_short_help = true)]
    label: Vec<(String, String)>,
    /// Record the run in the history too (always if LINERATE_HISTORY is set)
    #[arg(long, hide_short_help = true)]
    pub record: bool,
    /// Print only the result: no progress, no file names
    #[arg(long, short)]
    pub quiet: bool,
}

impl OutputArgs {
    /// Puts the given flags over what is `asked`.
    pub fn over(&self, asked: &mut Output) {
        lay_option(&self.out, &mut asked.out);
        lay_option(&self.report, &mut asked.report);
        if self.no_report {
            asked.report = Some(NO_REPORT.to_owned());
        }
        lay(self.format.as_ref().or(self.json.then_some(&Format::Json)), &mut asked.format);
        lay(self.level.as_ref(), &mut asked.level);
        lay(self.rows.as_ref(), &mut asked.rows);
        asked.labels.extend(self.label.iter().cloned());
    }
}

/// Formats that have a name, of loads those that can hold one.
fn formats(curves: bool) -> Vec<&'static str> {
    let holds = |name: &str| Form::named(name).is_some_and(|form| curves || form.holds != Holds::Curves);
    Format::ALL.iter().map(|(name, _)| *name).filter(|name| holds(name)).collect()
}

fn format_parser(curves: bool) -> impl clap::builder::TypedValueParser<Value = Format> {
    let named = |name: &str| Format::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format);
    PossibleValuesParser::new(formats(curves)).map(move |name| named(&name).unwrap_or_default())
}

/// The flag --format of `curves`, or of anything else.
pub(super) fn with_formats(format: clap::Arg, curves: bool) -> clap::Arg {
    let names = formats(curves).join(", ").replacen("table", "table (default)", 1);
    format.value_parser(format_parser(curves)).help(format!("Output: {names}"))
}

/// The verb of a curve, with the formats that hold one.
#[must_use]
pub fn of_curves(verb: clap::Command) -> clap::Command {
    verb.mut_arg("format", |arg| with_formats(arg, true))
}

/// The verb of many ranks, with the formats that hold what they measure.
#[must_use]
pub fn of_ranks(verb: clap::Command) -> clap::Command {
    let level = |arg: clap::Arg| arg.value_parser(level_parser([Level::Point])).hide(true);
    verb.mut_arg("format", |arg| with_formats(arg, false)).mut_arg("level", level)
}

/// These levels.
pub(super) fn level_parser<const N: usize>(
    levels: [Level; N],
) -> impl clap::builder::TypedValueParser<Value = Level> + use<N> {
    let named = |name: &str| Level::ALL.into_iter().find(|level| level.to_string() == name);
    PossibleValuesParser::new(levels.map(|level| level.to_string()))
        .map(move |text| named(&text).unwrap_or_default())
}

/// The forms of runs that can be printed.
pub(super) fn form_parser() -> impl clap::builder::TypedValueParser<Value = &'static Form> {
    let value = |form: &Form| PossibleValue::new(form.name).help(form.about);
    let forms = FORMS.iter().filter(|form| !form.name.is_empty());
    let named = |name: String| Form::named(&name).unwrap_or(&FORMS[0]);
    PossibleValuesParser::new(forms.map(value)).map(named)
}

/// `short`, `all`.
pub(super) fn rows_parser() -> impl clap::builder::TypedValueParser<Value = Rows> {
    let rows = |name: String| if name == "all" { Rows::All } else { Rows::Short };
    PossibleValuesParser::new(["short", "all"]).map(rows)
}

/// `2%`, `0.02`.
pub(super) fn parse_share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 0.01));
    let share: f64 =
        number.trim().parse().map_err(|_| format!("`{text}` is not a share; write 2% or 0.02"))?;
    Ok(share * unit)
}

pub(super) fn parse_label(text: &str) -> Result<(String, String), String> {
    let label = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    let label =
        label.filter(|(key, _)| !key.is_empty()).map(|(key, value)| (key.to_owned(), value.to_owned()));
    label.ok_or_else(|| format!("`{text}` is not a label; write KEY=VALUE, such as kernel=6.18"))
}

/// `on`, `off`.
pub(super) fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{text}` is neither on nor off")),
    }
}
