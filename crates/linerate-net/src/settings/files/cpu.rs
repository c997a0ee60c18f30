//! How CPUs choose their frequency, and how deeply they sleep.
//!
//! Source: kernel documentation, admin-guide/pm/cpufreq and admin-guide/pm/cpuidle.

use std::fs;
use std::path::Path;

use super::super::error::Cause;
use super::super::{Allowed, Value, each};
use super::{Part, numbered};

/// Where CPUs are.
pub(super) const ROOT: &str = "/sys/devices/system/cpu";

/// The governor file of every policy, which stands for CPUs that share a frequency.
pub(super) fn policies(root: &Path) -> Result<Vec<Part>, Cause> {
    let policies = numbered(&root.join("cpufreq"), "policy");
    if policies.is_empty() {
        return Err(Cause::Lacking("this host has no driver of CPU frequencies".to_owned()));
    }
    let part = |(number, path): (u32, std::path::PathBuf)| Part {
        name: format!("policy{number}"),
        path: path.join("scaling_governor"),
    };
    Ok(policies.into_iter().map(part).collect())
}

/// The governors that every policy has.
pub(super) fn governors(root: &Path) -> Option<Allowed> {
    let read =
        |(_, path): (u32, std::path::PathBuf)| fs::read_to_string(path.join("scaling_available_governors"));
    let lists = numbered(&root.join("cpufreq"), "policy").into_iter().map(read);
    let mut lists = lists.collect::<Result<Vec<_>, _>>().ok()?.into_iter();
    let mut common: Vec<String> = lists.next()?.split_whitespace().map(str::to_owned).collect();
    for list in lists {
        common.retain(|name| list.split_whitespace().any(|other| other == name));
    }
    Some(Allowed::Choices(common))
}

/// The disable file of every idle state of every CPU.
pub(super) fn idle_states(root: &Path) -> Result<Vec<Part>, Cause> {
    let mut parts = Vec::new();
    for (cpu, path) in numbered(root, "cpu") {
        for (state, path) in numbered(&path.join("cpuidle"), "state") {
            parts.push(Part { name: format!("cpu{cpu}/state{state}"), path: path.join("disable") });
        }
    }
    if parts.is_empty() {
        return Err(Cause::Lacking("this host has no driver of idle states".to_owned()));
    }
    Ok(parts)
}

/// One idle state of one CPU.
struct State {
    name: String,
    /// Unit: microseconds.
    exit_latency_us: u64,
    disabled: bool,
}

/// The longest exit latency of the states that are enabled, if those are all up to it; else whether each is disabled.
pub(super) fn read_idle(parts: &[Part]) -> Result<Value, Cause> {
    let states = states(parts)?;
    let deepest = states.iter().filter(|state| !state.disabled).map(|state| state.exit_latency_us).max();
    let limit = deepest
        .filter(|deepest| states.iter().all(|state| state.disabled == (state.exit_latency_us > *deepest)));
    Ok(match limit {
        Some(limit) => Value::from(limit.to_string()),
        None => {
            let disabled = |state: State| (state.name, u8::from(state.disabled).to_string());
            let parts: Vec<_> = states.into_iter().map(disabled).collect();
            // Also where all are the same: a single 1 would be a latency.
            Value::from(parts.iter().map(|(name, bit)| format!("{name}={bit}")).collect::<Vec<_>>().join(" "))
        }
    })
}

/// What is to be written to the disable file of each state.
pub(super) fn wanted(parts: &[Part], value: &Value) -> Result<Vec<(String, String)>, Cause> {
    if let Some(limit) = value.number() {
        let bit = |state: State| (state.name, u8::from(state.exit_latency_us > limit).to_string());
        return Ok(states(parts)?.into_iter().map(bit).collect());
    }
    let form = || Cause::Value("it takes a number of microseconds, or 0 or 1 for each state".to_owned());
    if !value.as_str().contains('=') {
        return Err(form());
    }
    let wanted = each::split(value, &parts.iter().map(|part| part.name.clone()).collect::<Vec<_>>())?;
    let good = wanted.iter().all(|(_, bit)| ["0", "1"].contains(&bit.as_str()));
    good.then_some(wanted).ok_or_else(form)
}

fn states(parts: &[Part]) -> Result<Vec<State>, Cause> {
    let state = |part: &Part| {
        let latency = fs::read_to_string(part.path.with_file_name("latency"))?;
        let exit_latency_us = latency.trim().parse().map_err(std::io::Error::other)?;
        let disabled = fs::read_to_string(&part.path)?.trim() != "0";
        Ok(State { name: part.name.clone(), exit_latency_us, disabled })
    };
    parts.iter().map(state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two CPUs with states of 0, 2 and 100 us, below a folder of this test's.
    fn host(name: &str) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("linerate-cpu-{}-{name}", std::process::id()));
        for cpu in 0..2 {
            for (state, latency) in [0, 2, 100].into_iter().enumerate() {
                let folder = root.join(format!("cpu{cpu}/cpuidle/state{state}"));
                fs::create_dir_all(&folder).expect("a folder");
                fs::write(folder.join("latency"), format!("{latency}\n")).expect("a file");
                fs::write(folder.join("disable"), "0\n").expect("a file");
            }
            let policy = root.join(format!("cpufreq/policy{cpu}"));
            fs::create_dir_all(&policy).expect("a folder");
            let governors = ["performance powersave\n", "powersave ondemand performance\n"][cpu];
            fs::write(policy.join("scaling_available_governors"), governors).expect("a file");
        }
        root
    }

    #[test]
    fn states_that_take_longer_to_leave_are_disabled() {
        let root = host("states");
        let parts = idle_states(&root).expect("states");
        let read = || read_idle(&parts).expect("readable").as_str().to_owned();
        let set = |text: &str| {
            for (name, bit) in wanted(&parts, &Value::from(text)).expect("good") {
                let part = parts.iter().find(|part| part.name == name).expect("it is one");
                fs::write(&part.path, bit).expect("written");
            }
        };
        assert_eq!(read(), "100");
        set("50");
        assert_eq!(read(), "2");
        let bits = [0, 1, 2].map(|state| {
            fs::read_to_string(root.join(format!("cpu1/cpuidle/state{state}/disable"))).expect("a file")
        });
        assert_eq!(bits, ["0", "0", "1"]);
        set("cpu0/state2=0");
        let odd = read();
        assert!(odd.contains("cpu0/state2=0") && odd.contains("cpu1/state2=1"), "{odd}");
        set("0");
        assert_eq!(read(), "0");
        set(&odd);
        assert_eq!(read(), odd, "what is read can be set again");
        for bad in ["deep", "cpu0/state2=2", "cpu9/state0=1", "-1"] {
            assert!(wanted(&parts, &Value::from(bad)).is_err(), "{bad}");
        }
        fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn the_governors_are_those_of_every_policy() {
        let root = host("governors");
        let both = ["performance", "powersave"].map(str::to_owned).to_vec();
        assert_eq!(governors(&root), Some(Allowed::Choices(both)));
        fs::remove_dir_all(root).expect("removed");
        assert!(matches!(policies(Path::new("/nowhere")), Err(Cause::Lacking(_))));
        assert!(matches!(idle_states(Path::new("/nowhere")), Err(Cause::Lacking(_))));
    }
}
