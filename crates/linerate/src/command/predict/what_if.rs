//! Changes of conditions, and how to find out whether their predictions hold.

use linerate_core::plan::{CurvePlan, Plan};
use linerate_core::run::{Run, Source};
use linerate_core::units::Size;
use linerate_sim::calibrate::Conditions;
use linerate_study::prediction::WhatIf;

use crate::cli::{Change, Changed, PredictArgs};
use crate::trouble::Trouble;

/// Most combinations of one command: each takes as long as the prediction itself, and has a column.
const MOST: usize = 8;

/// Every combination of changes that was asked for.
pub(super) fn cells(args: &PredictArgs) -> Result<Vec<Vec<Change>>, Trouble> {
    let grid = args.changes().map_err(|error| {
        Trouble::new(format!("failed to change the conditions: {error}"), "write --what-if mtu=1500,9000")
    })?;
    if grid.is_empty() {
        return Ok(Vec::new());
    }
    match grid.count().filter(|count| *count <= MOST) {
        Some(_) => Ok(grid.cells()),
        None => {
            let count = grid.count().map_or_else(|| "countless".to_owned(), |count| count.to_string());
            Err(Trouble::new(
                format!("failed to predict {count} combinations of changes: the limit is {MOST}"),
                "give fewer values, or several commands",
            ))
        }
    }
}

/// Each of the changes, and how to test it, before anything is predicted of it.
pub(super) fn unpredicted(
    args: &PredictArgs,
    changes: &[Vec<Change>],
    run: &Run,
) -> impl Iterator<Item = WhatIf> {
    changes.iter().enumerate().map(move |(nth, change)| {
        // So that the second test does not overwrite what the first one measured.
        let out = if changes.len() == 1 { String::new() } else { format!("-{}", nth + 1) };
        WhatIf {
            change: text(change),
            bands: Vec::new(),
            test: test(args, change, run, &format!("after{out}.run.json")),
        }
    })
}

/// The conditions after the changes.
pub(super) fn changed(changes: &[Change], conditions: &[Conditions]) -> Vec<Conditions> {
    let mut all = conditions.to_vec();
    for it in &mut all {
        for change in changes {
            let small = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
            match change.what {
                Changed::Mtu => it.mtu = change.to.map_or(it.mtu, |size| small(size.bytes())),
                Changed::Mss => it.mss = change.to.map(|size| small(size.bytes())),
                Changed::Rcvbuf => it.receive_buffer = change.to,
                Changed::Sndbuf => it.send_buffer = change.to,
            }
        }
    }
    all
}

/// The changes as they were asked for.
fn text(changes: &[Change]) -> String {
    let size = |size: Size| {
        let text = size.to_string();
        text.strip_suffix(" B").map_or_else(|| text.replace(' ', ""), str::to_owned)
    };
    let one = |change: &Change| {
        format!("{}={}", change.what.name(), change.to.map_or_else(|| "auto".to_owned(), size))
    };
    changes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The commands that put the changes to the test, one after the other; `out` is what they measure.
fn test(args: &PredictArgs, changes: &[Change], run: &Run, out: &str) -> Vec<String> {
    let mtu = changes.iter().find(|change| change.what == Changed::Mtu).and_then(|it| it.to);
    let flags = format!("{} --out {out}", flags(changes, &run.plan)).trim_start().to_owned();
    let interface = run.local().environment.interface.known();
    let lab = interface.is_some_and(|it| it.driver.known().is_some_and(|driver| driver == "veth"))
        && run.local().environment.same_host(run.remote().environment) == Some(true);
    let mut commands = Vec::new();
    if lab {
        let now = interface.and_then(|it| it.mtu.known().copied()).unwrap_or(1500);
        let mtu = mtu.map_or(now, Size::bytes);
        commands.push(format!("linerate calibrate --measure --mtu {mtu} -- {flags}"));
    } else {
        if let (Some(mtu), Some(interface)) = (mtu, interface) {
            let (where_, name) = match run.source {
                Source::Loopback => ("", &interface.name),
                _ => ("on both hosts: ", &interface.name),
            };
            commands.push(format!("{where_}ip link set dev {name} mtu {}", mtu.bytes()));
        }
        let host = run.plan.common.host.as_ref().map_or_else(String::new, |host| format!(" {host}"));
        commands.push(format!("linerate measure{host} {flags}"));
    }
    commands.push(format!("linerate predict --host {} {out}", args.host.display()));
    commands
}

/// The flags of `linerate measure` that measure `plan` again with the changes.
fn flags(changes: &[Change], plan: &Plan) -> String {
    let mut socket = plan.common.socket.clone();
    for change in changes {
        match change.what {
            Changed::Mtu => {}
            Changed::Mss => socket.mss = change.to.and_then(|size| u16::try_from(size.bytes()).ok()),
            Changed::Rcvbuf => socket.rcvbuf = change.to,
            Changed::Sndbuf => socket.sndbuf = change.to,
        }
    }
    let usual = CurvePlan::default();
    let curve = plan.curve().unwrap_or(&usual);
    let bytes = |size: Option<Size>| size.map(|size| size.bytes().to_string());
    let given = [
        ("--pattern", (curve.pattern != usual.pattern).then(|| curve.pattern.name().to_owned())),
        ("--schedule", (curve.schedule != usual.schedule).then(|| curve.schedule.to_string())),
        ("--min-size", bytes(curve.from)),
        ("--max-size", bytes(curve.to)),
        ("--perturb", bytes(curve.perturb)),
        ("--nodelay", (!socket.nodelay).then(|| "off".to_owned())),
        ("--rcvbuf", bytes(socket.rcvbuf)),
        ("--sndbuf", bytes(socket.sndbuf)),
        ("--mss", socket.mss.map(|mss| mss.to_string())),
    ];
    let words = given.into_iter().filter_map(|(flag, value)| Some(format!("{flag} {}", value?)));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use linerate_core::pattern::Pattern;
    use linerate_core::plan::Task;

    use super::*;

    #[test]
    fn a_change_is_said_as_it_was_asked_for() {
        let change = |what, to| Change { what, to };
        let changes = [change(Changed::Mtu, Some(Size(9000))), change(Changed::Rcvbuf, Some(Size(1 << 20)))];
        assert_eq!(text(&changes), "mtu=9000 rcvbuf=1MiB");
        assert_eq!(
            text(&[change(Changed::Mss, None), change(Changed::Sndbuf, Some(Size(1 << 16)))]),
            "mss=auto sndbuf=64KiB"
        );
    }

    #[test]
    fn the_flags_measure_the_same_again_but_for_the_change() {
        let curve = CurvePlan { pattern: Pattern::OneWay, to: Some(Size(4096)), ..CurvePlan::default() };
        let plan = Plan { task: Task::Curve(curve), ..Plan::default() };
        let changes = [Change { what: Changed::Rcvbuf, to: Some(Size(1 << 20)) }];
        assert_eq!(flags(&changes, &plan), "--pattern one-way --max-size 4096 --rcvbuf 1048576");
    }
}
