//! `linerate settings`.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use linerate_net::settings::{self, Scope, Setting, SettingError, Value, catalogue};
use linerate_report::settings as render;

use crate::cli::{SettingsArgs, SettingsVerb};
use crate::screen::{columns, note, show, show_text};
use crate::settings::Held;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// Names of the catalogue that stand for many, and what of them is shown without being named.
const MANY: [(&str, &[&str]); 2] = [
    ("offload.", &["tso", "gso", "gro", "lro", "rx", "tx", "sg"]),
    (
        "sysctl.",
        &[
            "net.core.rmem_max",
            "net.core.wmem_max",
            "net.core.netdev_max_backlog",
            "net.core.busy_poll",
            "net.core.busy_read",
            "net.core.default_qdisc",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem",
            "net.ipv4.tcp_mem",
            "net.ipv4.tcp_sack",
            "net.ipv4.tcp_timestamps",
            "net.ipv4.tcp_window_scaling",
            "net.ipv4.tcp_slow_start_after_idle",
            "net.ipv4.tcp_mtu_probing",
            "net.ipv4.tcp_no_metrics_save",
            "net.ipv4.tcp_ecn",
            "net.ipv4.tcp_notsent_lowat",
            "net.ipv4.tcp_limit_output_bytes",
            "vm.swappiness",
            "vm.zone_reclaim_mode",
        ],
    ),
];

pub(super) fn run(args: &SettingsArgs) -> Result<ExitCode, Trouble> {
    match &args.verb {
        None => list(&[], args.interface.as_deref()),
        Some(SettingsVerb::List { names }) => list(names, args.interface.as_deref()),
        Some(SettingsVerb::Known) => known(),
        Some(SettingsVerb::With { settings, command }) => with(settings, command, args.interface.as_deref()),
    }
}

fn list(names: &[String], interface: Option<&str>) -> Result<ExitCode, Trouble> {
    let rows = if names.is_empty() { all(interface) } else { named(names, interface)? };
    show_text(&render::table(&rows, columns().into()))?;
    Ok(ExitCode::SUCCESS)
}

/// The settings of these names; what cannot be read says why.
fn named(names: &[String], interface: Option<&str>) -> Result<Vec<render::Row>, Trouble> {
    let mut rows = Vec::new();
    for name in names {
        let setting = parsed(name)?;
        for setting in placed(setting, interface) {
            let value = settings::read(&setting);
            let missing = value.as_ref().err().map(|error| format!("failed to {error}"));
            rows.push(row(&setting, value.ok(), missing));
        }
    }
    Ok(rows)
}

/// Every setting that has a value here; what the host lacks is left out.
fn all(interface: Option<&str>) -> Vec<render::Row> {
    let mut rows = Vec::new();
    for kind in catalogue() {
        let many = MANY.iter().find(|(prefix, _)| kind.name.starts_with(prefix));
        let names: Vec<String> = match many {
            Some((prefix, names)) => names.iter().map(|name| format!("{prefix}{name}")).collect(),
            None => vec![kind.name.to_owned()],
        };
        for setting in names.iter().filter_map(|name| name.parse::<Setting>().ok()) {
            for setting in placed(setting, interface) {
                match settings::read(&setting) {
                    Ok(value) => rows.push(row(&setting, Some(value), None)),
                    Err(SettingError::NotRestorable { why, .. }) => rows.push(row(&setting, None, Some(why))),
                    Err(_) => {}
                }
            }
        }
    }
    rows
}

fn row(setting: &Setting, value: Option<Value>, missing: Option<String>) -> render::Row {
    let allowed = settings::allowed(setting).ok().flatten();
    render::Row {
        setting: setting.to_string(),
        value: value.map(|value| value.to_string()),
        allowed: allowed.map(|allowed| allowed.to_string()).unwrap_or_default(),
        missing,
    }
}

/// The setting on its interface; without one, on each that is up.
fn placed(setting: Setting, interface: Option<&str>) -> Vec<Setting> {
    if setting.name.scope() != Scope::Interface || setting.interface.is_some() {
        return vec![setting];
    }
    let on = |interface: &str| setting.clone().or_of(Some(interface));
    match interface {
        Some(interface) => vec![on(interface)],
        None => settings::interfaces().unwrap_or_default().iter().map(|interface| on(interface)).collect(),
    }
}

fn parsed(text: &str) -> Result<Setting, Trouble> {
    text.parse().map_err(|error| Trouble::from(SettingError::Name(error)))
}

fn known() -> Result<ExitCode, Trouble> {
    let scope = |scope: Scope| match scope {
        Scope::Interface => "interface",
        Scope::Namespace => "network namespace",
        Scope::Host => "host",
    };
    let kinds: Vec<render::Known> = catalogue()
        .iter()
        .map(|kind| render::Known {
            name: kind.name,
            of: scope(kind.scope),
            about: kind.about,
            unit: kind.unit,
            source: kind.source,
            needs: kind.needs,
        })
        .collect();
    show(&render::known(&kinds, columns().into()))?;
    Ok(ExitCode::SUCCESS)
}

/// Sets, runs, and puts back. The status is that of the command.
fn with(settings: &[String], command: &[OsString], interface: Option<&str>) -> Result<ExitCode, Trouble> {
    let mut wanted = Vec::new();
    for text in settings {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            Trouble::new(format!("failed to understand {text}"), "write NAME=VALUE, such as mtu@eth0=9000")
        })?;
        let setting = parsed(name.trim())?;
        let setting =
            if setting.name.scope() == Scope::Interface { setting.or_of(interface) } else { setting };
        wanted.push((setting, Value::from(value)));
    }
    // From here on Ctrl-C is for the command; this process goes on to put everything back.
    let _interrupt = Interrupt::listen()?;
    let (program, arguments) = command.split_first().expect("clap asks for one");
    let what = format!("linerate settings with {}", settings.join(" "));
    let mut held = Held::begin(&what)?;
    let status = set_all(&mut held, &wanted).and_then(|()| {
        Command::new(program).args(arguments).status().map_err(|error| {
            Trouble::new(
                format!("failed to run {}: {error}", program.display()),
                "name a program of this host",
            )
        })
    });
    for sentence in held.foreign() {
        note(format_args!("! {sentence}"));
    }
    let outcomes = held.restore()?;
    let status = status?;
    if outcomes.iter().any(|outcome| !outcome.is_done()) {
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

fn set_all(held: &mut Held, wanted: &[(Setting, Value)]) -> Result<(), Trouble> {
    for (setting, value) in wanted {
        let change = held.set(setting, value)?;
        if change.granted != change.asked {
            note(format_args!("{setting}: asked for {}, granted {}", change.asked, change.granted));
        }
    }
    Ok(())
}
