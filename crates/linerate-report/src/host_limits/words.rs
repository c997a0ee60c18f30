//! Numbers and words of the limits of a host.

use linerate_core::environment::{Environment, Fact};
use linerate_core::host_limits::{
    Cache, HostLimits, HostLimitsFile, HostState, LimitCaution, Processor, TargetState, WakeUp,
};
use linerate_core::stats::Estimate;
use linerate_core::units::{Size, Span};

use crate::text::{count, digits, percent, plain, time_text};

/// A rate without its unit, in GB/s (10^9 bytes a second).
pub(super) fn gigabytes(bytes_per_second: f64) -> String {
    digits(bytes_per_second / 1e9)
}

/// A time without its unit, in ns, with its interval as a share: `123.4 +-1.2 %`.
pub(super) fn within(ns: &Estimate) -> String {
    match ns.relative_half_width() {
        Some(width) => format!("{} +-{}", digits(ns.median), percent(width)),
        None => digits(ns.median),
    }
}

/// The median and both ends of the interval, as three cells.
pub(super) fn cells(estimate: &Estimate, number: impl Fn(f64) -> String) -> [String; 3] {
    let end = |nth: usize| estimate.interval.map_or_else(|| "-".to_owned(), |ends| number(ends[nth]));
    [number(estimate.median), end(0), end(1)]
}

/// What is woken where.
pub(super) fn wake_up(it: &WakeUp) -> &'static str {
    match (it.processor, it.state) {
        (Processor::Same, _) => "wake-up on the same processor",
        (Processor::Other, TargetState::Idle) => "wake-up on another processor, idle for 1 ms",
        (Processor::Other, TargetState::Busy) => "wake-up on another processor, awake",
    }
}

/// `L1 32 KiB`.
pub(super) fn cache_name(cache: &Cache) -> String {
    format!("L{} {}", cache.level, Size(cache.bytes))
}

/// Where a working set fits: the first cache that it is no larger than, or memory.
pub(super) fn fits(bytes: u64, caches: &Fact<Vec<Cache>>) -> String {
    let Some(caches) = caches.known() else { return "-".to_owned() };
    let first = caches.iter().filter(|cache| bytes <= cache.bytes).min_by_key(|cache| cache.bytes);
    first.map_or_else(|| "memory".to_owned(), |cache| format!("L{}", cache.level))
}

/// The numbers that most programs meet first. Absent if none was measured.
pub(super) fn opening(limits: &HostLimits) -> Option<String> {
    let time = |fact: &Fact<Estimate>| Some(time_text(fact.known()?.median * 1e3));
    let memory = limits.memory.known().and_then(|memory| {
        let rates = memory.threads.iter().map(|it| (it.rates.copy.bytes_per_second.median, it.threads));
        let (rate, threads) = rates.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let threads = count(threads.into(), "thread");
        Some(format!("{} GB/s read and written by memory copies of {threads}", gigabytes(rate)))
    });
    let calls = limits.calls.known();
    let call = calls.and_then(|calls| Some(format!("{} a system call", time(&calls.system_call_ns)?)));
    let wake = calls.and_then(|calls| {
        let sleeper = |it: &&WakeUp| (it.processor, it.state) == (Processor::Other, TargetState::Idle);
        let time = time(&calls.wake_ups.iter().find(sleeper)?.time_ns)?;
        Some(format!("{time} to wake a thread on an idle processor"))
    });
    let parts: Vec<String> = memory.into_iter().chain(call).chain(wake).collect();
    (!parts.is_empty()).then(|| format!("{}.", parts.join(", ")))
}

/// The key facts of the host and of the measurement: a label and a value each.
pub(super) fn facts(file: &HostLimitsFile) -> Vec<[String; 2]> {
    let HostLimitsFile { environment, limits, .. } = file;
    let known = |label: &str, value: String| [label.to_owned(), plain(&value)];
    let processors = said(&environment.cpus, |cpus| cpus.len().to_string());
    let mut facts = vec![
        known("host", format!("{}, {}", environment.hostname, environment.kernel)),
        known(
            "processor",
            format!(
                "{}, {processors} that may be used, SMT {}",
                environment.cpu_model,
                on_off(&environment.smt)
            ),
        ),
        known("hypervisor", environment.hypervisor.to_string()),
    ];
    if let Some(memory) = limits.memory.known() {
        let caches = match &memory.caches {
            Fact::Known(caches) => caches.iter().map(cache).collect::<Vec<_>>().join(", "),
            Fact::Unknown { unknown } => format!("unknown ({unknown})"),
        };
        facts.push(known("caches", caches));
    }
    let how = match (limits.quick, limits.interrupted) {
        (_, true) => ", ended by the user before all was measured",
        (true, false) => ", a quick measurement",
        (false, false) => "",
    };
    facts.push(known("measured", format!("{}, in {}{how}", file.started, limits.took)));
    facts
}

fn cache(cache: &Cache) -> String {
    let times = if cache.instances == 1 { String::new() } else { format!("{} x ", cache.instances) };
    format!("L{} {times}{}", cache.level, Size(cache.bytes))
}

fn on_off(smt: &Fact<bool>) -> String {
    match smt {
        Fact::Known(true) => "on".to_owned(),
        Fact::Known(false) => "off".to_owned(),
        Fact::Unknown { unknown } => format!("unknown ({unknown})"),
    }
}

/// How busy and how quiet the host was: a label and a value each.
pub(super) fn state(environment: &Environment, limits: &HostLimits) -> Vec<[String; 2]> {
    let HostState { load_average, pressure, activity, noise, interrupts, softirqs } = &limits.state;
    let load = said(load_average, |[one, five, fifteen]| format!("{one:.2} {five:.2} {fifteen:.2} before"));
    let pressure = said(pressure, |it| {
        let share = |fact: &Fact<f64>| said(fact, |share| percent(*share));
        let [cpu, memory, io] = [&it.cpu, &it.memory, &it.io].map(share);
        format!("processor {cpu}, memory {memory}, disk {io} of the 10 s before in which tasks waited")
    });
    let noise = said(noise, |it| {
        let longest = it.longest;
        format!(
            "grade {:?}: a spinning thread lost {} of its time, {longest} at most at once",
            it.grade(),
            percent(it.share())
        )
    });
    let steal =
        said(&activity.steal, |steal: &Span| format!("{steal} over all processors, in {}", activity.span));
    let rate = |fact: &Fact<linerate_core::host_limits::EventRates>| {
        said(fact, |it| {
            let mut kinds: Vec<(&String, &f64)> = it.by_kind_per_second.iter().collect();
            kinds.sort_by(|one, other| other.1.total_cmp(one.1));
            let most = kinds.iter().take(4).map(|(kind, rate)| format!("{kind} {rate:.0}"));
            format!("{:.0} a second: {}", it.all_per_second, most.collect::<Vec<_>>().join(", "))
        })
    };
    let items = [
        ("load", load),
        ("pressure", pressure),
        ("noise", noise),
        ("steal", steal),
        ("governor", environment.governor.to_string()),
        ("clock", environment.clocksource.to_string()),
        ("interrupts", rate(interrupts)),
        ("softirqs", rate(softirqs)),
    ];
    items.map(|(label, value)| [label.to_owned(), plain(&value)]).into()
}

/// A fact in words, or why it is unknown.
pub(super) fn said<T>(fact: &Fact<T>, words: impl Fn(&T) -> String) -> String {
    match fact {
        Fact::Known(value) => words(value),
        Fact::Unknown { unknown } => format!("unknown ({unknown})"),
    }
}

/// Findings and advice.
pub(super) fn cautions(limits: &HostLimits) -> Vec<[String; 2]> {
    let said = |caution: &LimitCaution| [plain(&caution.to_string()), caution.advice().to_owned()];
    limits.cautions.iter().map(said).collect()
}
