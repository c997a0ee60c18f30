//! Flows through a slower port, beside a kernel's: `scripts/against-kernel-tcp` measured `kernel.csv`.

use std::ops::ControlFlow;

use linerate_core::carrier::{Carrier as _, LoadWatch, Look};
use linerate_core::traffic::{FlowAccount, StreamPlan};
use linerate_core::units::Span;
use rstest::rstest;

use crate::loads::{NEVER, bulk, carrier};

const MEASURED: &str = include_str!("kernel.csv");
const PLAN: &str = include_str!("../../../../plans/slower-port.toml");

/// What the model may be off, as a share of what was measured.
const BOUND: f64 = 0.10;

/// Cases that are off by more, with the ratio of model to kernel. All are BBR, which on that host paces by
/// timers that are late, and at 100 Mb/s bursts of eight segments into a queue of six.
const MISSES: [(&str, f64); 8] = [
    ("100M 10000 B bbr 1", 1.159),
    ("1G 30280 B bbr 1", 1.351),
    ("1G 75700 B bbr 1", 1.175),
    ("1G 75700 B bbr 4", 1.169),
    ("1G 151400 B bbr 1", 1.437),
    ("1G 151400 B bbr 4", 1.183),
    ("1G 302800 B bbr 4", 1.178),
    ("1G 605600 B bbr 4", 1.121),
];

/// Each is another jitter.
const SEEDS: [u64; 3] = [1, 2, 3];

/// One line of the table, with its best round: what a late host takes away is no TCP's.
#[derive(Clone, Copy, Debug)]
struct Case {
    link: &'static str,
    queue: u64,
    congestion: &'static str,
    flows: u32,
    /// Unit: Mb/s of payload.
    mbps: f64,
}

fn cases() -> impl Iterator<Item = Case> {
    MEASURED.lines().filter(|line| !line.starts_with(['#', 'l'])).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [link, queue, congestion, flows, _, _, mbps, ..] = cells[..] else {
            panic!("`{line}` lacks a cell")
        };
        let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("`{text}` in `{line}`"));
        Case {
            link,
            queue: number(queue) as u64,
            congestion,
            flows: number(flows) as u32,
            mbps: number(mbps),
        }
    })
}

impl Case {
    fn name(self) -> String {
        let Self { link, queue, congestion, flows, .. } = self;
        format!("{link} {queue} B {congestion} {flows}")
    }

    /// What the model has, the mean of some seeds. Unit: Mb/s.
    fn modelled(self) -> (f64, u64) {
        let runs = SEEDS.map(|seed| self.run(seed));
        let rate = runs.iter().map(|(rate, _)| rate).sum::<f64>() / runs.len() as f64;
        (rate, runs[0].1)
    }

    fn run(self, seed: u64) -> (f64, u64) {
        let fast = self.link == "1G";
        let (phy, warm_up, ms) = if fast { ("1000BASE-T", 300, 700) } else { ("100BASE-TX", 1000, 3000) };
        let plan = PLAN.replace("queue = \"100kB\"", &format!("queue = {}", self.queue));
        let plan = plan.replace("100BASE-TX", phy);
        let rules = format!("[tcp.rules.congestion]\nalgorithm = '{}'", self.congestion);
        let text = format!("seed = {seed}\n{plan}\n{rules}\n");
        let interval = Span::from_ms(100);
        let stream = StreamPlan { flows: self.flows, interval, stall: NEVER, ..StreamPlan::default() };
        let mut arrived = Arrived { span: [warm_up, ms].map(Span::from_ms), bytes: [0; 2] };
        let carried = carrier(&text, &[1]).carry(&bulk(stream, ms), &mut arrived);
        carried.ended.unwrap_or_else(|error| panic!("{error}"));
        let transfer = carried.transfer.expect("it began");
        let again = |flow: &FlowAccount| flow.sender.tcp.last().map_or(0, |sample| sample.retransmits);
        let seconds = Span::from_ms(ms - warm_up).as_seconds();
        let [before, after] = arrived.bytes;
        ((after - before) as f64 * 8e-6 / seconds, transfer.flows.iter().map(again).sum())
    }
}

/// What is acknowledged in a part of a load: a flow that waits for its timer would make the load longer,
/// and its mean lower.
struct Arrived {
    span: [Span; 2],
    /// Up to the begin of the part, and to its end.
    bytes: [u64; 2],
}

impl LoadWatch for Arrived {
    fn interval(&mut self, look: &Look) {
        let acknowledged = look.tcp.iter().flatten().map(|sample| sample.acknowledged).sum();
        for (until, bytes) in self.span.iter().zip(&mut self.bytes) {
            if look.until <= *until {
                *bytes = acknowledged;
            }
        }
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[rstest]
fn flows_through_a_slower_port_are_a_kernels_within_a_tenth(
    #[values("reno", "cubic", "bbr")] congestion: &str,
    #[values("100M", "1G")] link: &str,
) {
    let mut text = String::new();
    let mut wrong = 0;
    for case in cases().filter(|case| (case.congestion, case.link) == (congestion, link)) {
        let (modelled, again) = case.modelled();
        let ratio = modelled / case.mbps;
        let known = MISSES.iter().find(|(name, _)| *name == case.name());
        let ok = match known {
            Some((_, known)) => (ratio / known - 1.0).abs() < 0.01 && (ratio - 1.0).abs() > BOUND,
            None => (ratio - 1.0).abs() <= BOUND,
        };
        wrong += u32::from(!ok);
        text += &format!(
            "{:28} kernel {:7.2} model {modelled:7.2} ({again} again) ratio {ratio:.3}{}\n",
            case.name(),
            case.mbps,
            if ok { "" } else { " *" }
        );
    }
    println!("{text}");
    assert_eq!(wrong, 0, "off by more than {BOUND}, or listed as off and not:\n{text}");
}

#[test]
fn the_table_has_every_case_and_no_miss_is_listed_that_is_none() {
    let names: Vec<String> = cases().map(Case::name).collect();
    assert_eq!(names.len(), 3 * 2 * (6 + 5), "{names:?}");
    for (name, _) in MISSES {
        assert!(names.iter().any(|known| known == name), "there is no {name}");
    }
}
