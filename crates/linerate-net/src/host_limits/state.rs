//! How busy and how quiet the host is while it is measured.

use std::collections::BTreeMap;

use linerate_core::environment::Fact;
use linerate_core::host_limits::{EventRates, HostState, NOT_REACHED, Pressure};
use linerate_core::units::{Span, Time};

use crate::observe::{ActivityWatch, HostClock, Unread, read, watch_noise};

/// Watches the host while it is measured.
pub(super) struct StateWatch {
    load_average: Fact<[f64; 3]>,
    pressure: Fact<Pressure>,
    activity: ActivityWatch,
    counted: [Result<Counts, Unread>; 2],
    started: Time,
}

/// How often each kind of event happened since boot, over all processors.
type Counts = BTreeMap<String, u64>;

const EVENTS: [&str; 2] = ["/proc/interrupts", "/proc/softirqs"];

impl StateWatch {
    /// Starts to watch, on the thread that measures.
    pub(super) fn start(clock: &HostClock) -> Self {
        Self {
            load_average: read("/proc/loadavg").and_then(|text| load_averages(&text)).into(),
            pressure: Fact::Known(Pressure {
                cpu: pressure("cpu").into(),
                memory: pressure("memory").into(),
                io: pressure("io").into(),
            }),
            activity: ActivityWatch::start(clock),
            counted: EVENTS.map(counts_of),
            started: clock.now(),
        }
    }

    /// Ends the watch, on the same thread. `noise` says how long to watch its noise first, if at all.
    pub(super) fn finish(self, clock: &HostClock, noise: Option<Span>) -> HostState {
        let after = EVENTS.map(counts_of);
        let span = clock.now().since(self.started);
        let activity = self.activity.finish(clock);
        let mut rates = self.counted.into_iter().zip(after).map(|(before, after)| {
            let both = before.and_then(|before| Ok((before, after?)));
            Fact::from(both.map(|(before, after)| rates(&before, &after, span)))
        });
        let mut next = || rates.next().unwrap_or_default();
        HostState {
            load_average: self.load_average,
            pressure: self.pressure,
            activity,
            interrupts: next(),
            softirqs: next(),
            noise: match noise {
                Some(span) => Fact::Known(watch_noise(clock, span)),
                None => Fact::unknown(NOT_REACHED),
            },
        }
    }
}

fn counts_of(path: &str) -> Result<Counts, Unread> {
    read(path).map(|text| counts(&text))
}

/// `0.30 1.37 2.11 1/279 11336`.  Source: proc_loadavg(5).
fn load_averages(text: &str) -> Result<[f64; 3], Unread> {
    let number = |word: &str| word.parse::<f64>().ok().filter(|load| load.is_finite() && *load >= 0.0);
    let loads: Vec<f64> = text.split_whitespace().take(3).filter_map(number).collect();
    loads.try_into().map_err(|_| Unread::Field("three load averages".to_owned()))
}

/// The share of the last 10 seconds in which at least one task waited, from 0 to 1.
fn pressure(of: &str) -> Result<f64, Unread> {
    average(&read(format!("/proc/pressure/{of}"))?)
}

/// `avg10` of the line `some`, which is in percent.  Source: kernel documentation, accounting/psi.
fn average(text: &str) -> Result<f64, Unread> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "));
    let word = some.and_then(|line| line.split_whitespace().find_map(|word| word.strip_prefix("avg10=")));
    let percent = word.and_then(|word| word.parse::<f64>().ok()).filter(|percent| percent.is_finite());
    Ok(percent.ok_or_else(|| Unread::Field("some avg10".to_owned()))? / 100.0)
}

/// The counts of `/proc/interrupts` or `/proc/softirqs`: a kind, a colon, a number for each processor and, of a numbered
/// interrupt, what it is of.  Source: proc_interrupts(5), proc_softirqs(5).
fn counts(text: &str) -> Counts {
    let mut lines = text.lines();
    let processors = lines.next().unwrap_or_default().split_whitespace().count();
    let mut counts = Counts::new();
    for (kind, rest) in lines.filter_map(|line| line.split_once(':')) {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let numbers = words.iter().take(processors).map_while(|word| word.parse::<u64>().ok());
        let sum = numbers.fold(0, u64::saturating_add);
        let kind = kind.trim();
        let is_numbered = kind.parse::<u32>().is_ok();
        let of = words
            .last()
            .filter(|word| is_numbered && words.len() > processors && word.parse::<u64>().is_err());
        let name = of.map_or_else(|| kind.to_owned(), |of| format!("{kind} {of}"));
        *counts.entry(name).or_default() += sum;
    }
    counts
}

fn rates(before: &Counts, after: &Counts, span: Span) -> EventRates {
    let seconds = span.as_seconds().max(1e-9);
    let grown = |(kind, now): (&String, &u64)| {
        let more = now.saturating_sub(before.get(kind).copied().unwrap_or(0));
        (more > 0).then(|| (kind.clone(), more as f64 / seconds))
    };
    let by_kind_per_second: BTreeMap<String, f64> = after.iter().filter_map(grown).collect();
    EventRates { all_per_second: by_kind_per_second.values().sum(), by_kind_per_second }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERRUPTS: &str = "           CPU0       CPU1       \n\
         38:          0       7143 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0\n\
        LOC:      13847      10987   Local timer interrupts\n\
        ERR:          0\n";
    const SOFTIRQS: &str =
        "                    CPU0       CPU1       \n      NET_RX:       4256       6939\n";

    #[test]
    fn events_are_counted_over_processors_by_what_they_are_of() {
        let found = counts(INTERRUPTS);
        let expected = [("38 virtio2-input.0", 7143), ("ERR", 0), ("LOC", 24_834)];
        assert_eq!(found, expected.map(|(kind, count)| (kind.to_owned(), count)).into());
        assert_eq!(counts(SOFTIRQS), [("NET_RX".to_owned(), 11_195)].into());
        assert_eq!(counts(""), Counts::new());
    }

    #[test]
    fn rates_are_of_what_grew() {
        let mut after = counts(INTERRUPTS);
        *after.get_mut("LOC").expect("it is there") += 500;
        after.insert("40 new".to_owned(), 20);
        let found = rates(&counts(INTERRUPTS), &after, Span::from_ms(2_000));
        let expected = [("40 new".to_owned(), 10.0), ("LOC".to_owned(), 250.0)];
        assert_eq!(found, EventRates { all_per_second: 260.0, by_kind_per_second: expected.into() });
    }

    #[test]
    fn loads_and_pressure_are_read_or_said_to_be_missing() {
        assert_eq!(load_averages("0.30 1.37 2.11 1/279 11336\n").expect("three"), [0.30, 1.37, 2.11]);
        assert!(load_averages("0.30 inf 2.11").is_err() && load_averages("").is_err());
        let psi = "some avg10=1.50 avg60=1.37 avg300=2.11 total=18253246\nfull avg10=0.00 avg60=0 avg300=0 total=0\n";
        assert!((average(psi).expect("it is there") - 0.015).abs() < 1e-12);
        assert!(average("full avg10=1.0").is_err() && average("some avg10=x").is_err());
    }
}
