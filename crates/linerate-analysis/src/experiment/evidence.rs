//! What moves with a figure: counters of a run that may explain why a factor changes it.

use std::collections::BTreeMap;

use linerate_core::kernel::HostSample;
use linerate_core::run::{End, Run};
use linerate_core::traffic::Transfer;
use linerate_core::units::Span;

/// The counters of a run, by name. What a host did not say is absent.
#[must_use]
pub fn evidence(run: &Run) -> BTreeMap<String, f64> {
    let mut found = Counters(BTreeMap::new());
    let ends = [("initiator", Some(run.local())), ("responder", run.answering().next().map(|(end, _)| end))];
    for (name, end) in ends {
        if let Some(end) = end {
            found.of_end(name, &end);
        }
    }
    if let Some(transfer) = run.transfers.last() {
        found.of_transfer(transfer);
    }
    found.0
}

struct Counters(BTreeMap<String, f64>);

impl Counters {
    fn add(&mut self, name: impl Into<String>, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.0.insert(name.into(), value);
        }
    }

    fn of_end(&mut self, name: &str, end: &End<'_>) {
        let (seen, granted) = (end.observation, end.granted);
        let sent = seen.tally;
        if let Some(tcp) = seen.connection.known() {
            self.add(
                format!("retransmissions of the {name} (a GB)"),
                ratio(tcp.retransmitted as f64 * 1e9, sent.sent_bytes),
            );
            self.add(format!("segments a message of the {name}"), ratio(tcp.segments_out as f64, sent.sent));
            self.add(format!("congestion window of the {name} (segments)"), positive(tcp.congestion_window));
        }
        if let Some(counters) = seen.interface.known() {
            self.add(
                format!("bytes a packet of the {name}"),
                ratio(counters.tx_bytes as f64, counters.tx_packets),
            );
            self.add(
                format!("packets dropped at the {name}"),
                Some((counters.rx_dropped + counters.tx_dropped) as f64),
            );
        }
        let window = granted.usable_window.known().and_then(|window| positive(*window));
        self.add(format!("usable window of the {name} (B)"), window);
        let segment = granted.mss.known().and_then(|mss| positive(*mss));
        self.add(format!("largest segment of the {name} (B)"), segment);
    }

    fn of_transfer(&mut self, transfer: &Transfer) {
        let senders = transfer.flows.iter().map(|flow| &flow.sender);
        let (mut again, mut bytes, mut round_trips) = (0, 0, Vec::new());
        for sender in senders {
            bytes += sender.counted();
            again += sender.retransmits().unwrap_or(0);
            if let Some(last) = sender.tcp.last() {
                round_trips.push(last.rtt.as_seconds() * 1e6);
            }
        }
        if !round_trips.is_empty() {
            self.add("retransmissions (a GB)", ratio(again as f64 * 1e9, bytes));
            self.add("smoothed round trip (us)", linerate_core::stats::median(round_trips));
        }
        let names = ["initiator", "responder"];
        for (name, samples) in names.iter().zip(&transfer.hosts) {
            self.of_host(name, samples);
        }
    }

    fn of_host(&mut self, name: &str, samples: &[HostSample]) {
        let sum =
            |of: fn(&HostSample) -> Span| samples.iter().map(|sample| of(sample).as_seconds()).sum::<f64>();
        let packets: u64 = samples.iter().map(|sample| sample.softnet_packets).sum();
        let interrupts = sum(|sample| sample.irq) + sum(|sample| sample.softirq);
        self.add(
            format!("interrupt time a packet at the {name} (ns)"),
            ratio(interrupts * 1e9, packets).filter(|time| *time > 0.0),
        );
        let all: f64 =
            samples.iter().map(|sample| sample.span.as_seconds() * f64::from(sample.processors)).sum();
        if all > 0.0 {
            self.add(
                format!("processors busy at the {name} (share)"),
                Some(1.0 - sum(|sample| sample.idle) / all),
            );
        }
    }
}

fn ratio(value: f64, of: u64) -> Option<f64> {
    (of > 0).then(|| value / of as f64)
}

fn positive(value: u64) -> Option<f64> {
    (value > 0).then_some(value as f64)
}
