//! Both ends side by side: hosts, interfaces, sockets and observations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::observation::Observation;
use linerate_core::options::Granted;
use linerate_core::run::{End, Path, Run, Source};
use linerate_core::traffic::Direction;
use linerate_core::units::{Size, Span};

use super::peers::headings;
use super::rows::{Group, Row};
use crate::section::{Item, Part, Section};
use crate::text::{about, count, digits, percent, plain};

/// A section for each run: both ends side by side, its plan, and the plan of its model.
pub(super) fn sections(report: &Report) -> impl Iterator<Item = Section> {
    let several = report.runs.len() > 1;
    report.runs.iter().enumerate().map(move |(index, named)| {
        let of = if several { format!(": {}", plain(&named.name)) } else { String::new() };
        // Of many ranks there is a table of their hosts instead.
        let groups = if named.has_mesh() || named.has_app() { Vec::new() } else { groups(named) };
        let differ = groups.iter().any(|group| group.rows.iter().any(Row::differs));
        let marked = "Where like hosts would not differ, a difference is marked \u{2260}.";
        let mut items: Vec<Item> = groups.into_iter().map(|group| Item::Table(group.table())).collect();
        items.extend(differ.then(|| Item::Note(marked.to_owned())));
        let listing = |title: &str, text: String| Item::Listing { title: title.to_owned(), text };
        items.extend(named.run.model.as_ref().map(|model| listing("The model", model.plan.clone())));
        let imported = matches!(named.run.source, Source::Imported(_));
        items.extend((!imported).then(|| listing("Effective plan", named.run.plan.to_toml())));
        Section::new(Part::Environment, "environment", format!("Both ends{of}"), items).of([index])
    })
}

/// Everything known about both ends, in groups. For a model only what it has.
fn groups(named: &NamedRun) -> Vec<Group> {
    let run = &named.run;
    let several = run.paths.len() > 1;
    let mut groups = Vec::new();
    for (number, (remote, path)) in (1..).zip(run.answering()) {
        let ends = Ends { run, remote, path };
        let hosts = headings(run, remote, path, several.then_some(number));
        let group = |(title, open, rows): (&str, bool, Vec<Row>)| Group {
            title: match number {
                1 => title.to_owned(),
                _ => format!("Peer {number} ({}): {title}", plain(&path.to_address)),
            },
            hosts: hosts.clone(),
            open: open && number == 1,
            rows,
        };
        groups.extend(all_groups(&ends).into_iter().map(group));
    }
    if run.model.is_some() {
        groups.iter_mut().for_each(|group| group.rows.retain(Row::is_known));
        groups.retain(|group| !group.rows.is_empty());
    }
    groups
}

/// The groups of two ends: titles, whether they are open at first, and rows.
fn all_groups(ends: &Ends) -> Vec<(&'static str, bool, Vec<Row>)> {
    vec![
        ("Hosts", true, ends.hosts()),
        ("Interfaces", true, ends.interfaces()),
        ("Sockets: asked and granted", true, ends.sockets()),
        ("Observations during the run", true, ends.observations()),
        ("Offloads", false, ends.map("offloads", |nic| &nic.offloads, on_off)),
        ("Interrupt coalescing", false, ends.map("coalescing", |nic| &nic.coalescing, u32::to_string)),
        ("Descriptor rings", false, ends.map("rings", |nic| &nic.rings, u32::to_string)),
        ("Kernel settings", false, ends.sysctls()),
    ]
}

/// The two ends of a path of a run.
struct Ends<'a> {
    run: &'a Run,
    remote: End<'a>,
    path: &'a Path,
}

impl Ends<'_> {
    fn both<T>(&self, of: impl Fn(End<'_>) -> T) -> [T; 2] {
        [of(self.run.local()), of(self.remote)]
    }

    fn host(&self, name: &str, of: impl Fn(&Environment) -> String) -> Row {
        Row::new(name, self.both(|end| of(end.environment)))
    }

    fn hosts(&self) -> Vec<Row> {
        let path = self.path;
        vec![
            self.host("Host name", |host| host.hostname.to_string()).own(),
            Row::new("Address", [or_unknown(&path.from_address), or_unknown(&path.to_address)]).own(),
            self.host("Kernel", |host| host.kernel.to_string()),
            self.host("Architecture", |host| or_unknown(&host.architecture)),
            self.host("Processor", |host| host.cpu_model.to_string()),
            self.host("Usable processors", |host| shown(&host.cpus, |cpus| list(cpus))),
            self.host("Multithreading", |host| shown(&host.smt, on_off)),
            self.host("Hypervisor", |host| host.hypervisor.to_string()),
            self.host("Frequency governor", |host| host.governor.to_string()),
            self.host("Clock source", |host| host.clocksource.to_string()),
            self.host("Memory page", |host| shown(&host.page_bytes, |bytes| about(*bytes as f64))),
            self.host("Memory", |host| shown(&host.memory_bytes, |bytes| gib(*bytes))),
            self.host("linerate", |host| or_unknown(&host.linerate)),
        ]
    }

    fn interfaces(&self) -> Vec<Row> {
        let row = |name, of: &dyn Fn(&Interface) -> String| {
            self.host(name, |host| shown(&host.interface, |interface| of(interface)))
        };
        vec![
            row("Name", &|nic| nic.name.clone()).own(),
            row("Loopback", &|nic| if nic.loopback { "yes" } else { "no" }.to_owned()),
            row("Driver", &|nic| nic.driver.to_string()),
            row("Driver version", &|nic| nic.driver_version.to_string()),
            row("Firmware", &|nic| nic.firmware.to_string()),
            row("Bus address", &|nic| nic.bus.to_string()).own(),
            row("Speed", &speed),
            row("Duplex", &|nic| nic.duplex.to_string()),
            row("MTU (IP packet)", &|nic| with_unit(&nic.mtu, "B")),
        ]
    }

    fn sockets(&self) -> Vec<Row> {
        let asked = &self.run.plan.common.socket;
        let row = |name: &str, asked: String, of: &dyn Fn(&Granted) -> String| {
            Row::of_asked(name, &asked, self.both(|end| of(end.granted)))
        };
        let bytes = |size: Option<Size>| size.map_or_else(autotuned, |size| format!("{} B", size.bytes()));
        let left = || "kernel's default".to_owned();
        let or_left = |text: Option<String>| text.unwrap_or_else(left);
        let window = "its share of the receive buffer".to_owned();
        let mut rows = vec![
            row("Send buffer (SO_SNDBUF)", bytes(asked.sndbuf), &|got| with_unit(&got.sndbuf, "B")),
            row("Receive buffer (SO_RCVBUF)", bytes(asked.rcvbuf), &|got| with_unit(&got.rcvbuf, "B")),
            row("Usable receive window", window, &|got| with_unit(&got.usable_window, "B")),
            row("TCP_NODELAY", on_off(&asked.nodelay), &|got| shown(&got.nodelay, on_off)),
            row("Congestion control", or_left(asked.congestion.clone()), &|got| got.congestion.to_string()),
            row("MSS", or_left(asked.mss.map(|mss| format!("{mss} B"))), &|got| with_unit(&got.mss, "B")),
            row("DSCP", or_left(asked.dscp.map(|code| code.to_string())), &|got| got.dscp.to_string()),
            row("Busy poll", or_left(asked.busy_poll.map(|us| format!("{us} us"))), &|got| {
                with_unit(&got.busy_poll, "us")
            }),
            row("Path MTU", left(), &|got| with_unit(&got.path_mtu, "B")),
            row("TCP timestamps", left(), &|got| shown(&got.timestamps, on_off)),
        ];
        if self.run.model.is_none() {
            // A modelled application has no thread to pin and no call by these names.
            let pinned = self.both(|end| pin(end.granted.pinned));
            rows.push(Row::of_asked("Pinned to processor", &self.pins(), pinned));
            rows.push(Row::of_asked("Receivers", asked.wait.name(), self.both(|_| asked.wait.to_string())));
            rows.push(Row::of_asked("System calls", asked.io.name(), self.both(|_| asked.io.to_string())));
        }
        if self.run.plan.common.memory.huge_pages {
            let granted = [self.huge_pages(self.run.local(), true), self.huge_pages(self.remote, false)];
            let granted =
                granted.map(|bytes| bytes.map_or_else(|| or_unknown(""), |got| with_unit(&got, "B")));
            rows.push(Row::of_asked("Messages' memory in huge pages", "all of it", granted));
        }
        rows
    }

    /// Huge pages of an end's messages; in a run of loads, of all flows of the first bulk together.
    fn huge_pages(&self, end: End<'_>, local: bool) -> Option<Fact<u64>> {
        let flows = self.run.transfers.iter().map(|load| &load.flows).find(|flows| !flows.is_empty());
        let of_flows = flows.into_iter().flatten().filter_map(|flow| {
            let sends = (flow.direction == Direction::Send) == local;
            if sends { &flow.sender } else { &flow.receiver }.granted.huge_pages.clone()
        });
        end.granted.huge_pages.clone().or_else(|| of_flows.reduce(together))
    }

    fn pins(&self) -> String {
        let plan = &self.run.plan;
        format!("{}; {}", pin(plan.common.local.pin), pin(plan.common.remote.pin))
    }

    fn observations(&self) -> Vec<Row> {
        let row = |name: &str, of: &dyn Fn(&Observation) -> String| {
            Row::new(name, self.both(|end| of(end.observation))).own()
        };
        let clock = |seen: &Observation| {
            shown(&seen.clock, |clock| {
                let (cost, step) = (clock.cost, clock.resolution);
                format!("{}: a read takes {cost}, steps of {step}, {} backwards", clock.name, clock.backwards)
            })
        };
        let noise = |seen: &Observation| {
            shown(&seen.noise, |noise| {
                let (gaps, watched) = (noise.gaps, noise.watched);
                format!(
                    "grade {:?}: {} of {watched} lost in {}, {} at most",
                    noise.grade(),
                    percent(noise.share()),
                    count(gaps, "gap"),
                    noise.longest
                )
            })
        };
        vec![
            row("Clock", &clock),
            row("Noise", &noise),
            row("Length of the run", &|seen| length(seen.load.span)),
            row("Waiting for a processor, any task", &|seen| seen.load.cpu_pressure.to_string()),
            row("Waiting for a processor, this thread", &|seen| seen.load.run_delay.to_string()),
            row("Involuntary context switches", &|seen| seen.load.involuntary_switches.to_string()),
            row("Time given to other guests", &|seen| seen.load.steal.to_string()),
            row("Interface sent", &|seen| counted(seen, |c| [c.tx_bytes, c.tx_packets, c.tx_dropped])),
            row("Interface received", &|seen| counted(seen, |c| [c.rx_bytes, c.rx_packets, c.rx_dropped])),
            row("Payload sent", &|seen| payload([seen.tally.sent_bytes, seen.tally.sent])),
            row("Payload received", &|seen| payload([seen.tally.received_bytes, seen.tally.received])),
            row("TCP connection", &connection),
            row("Ran on processors", &|seen| list(&seen.cpus)),
            row("Peak memory", &|seen| shown(&seen.peak_memory_bytes, |bytes| about(*bytes as f64))),
        ]
    }

    /// One row for each key that either end's interface has.
    fn map<V>(
        &self,
        what: &str,
        of: impl Fn(&Interface) -> &Fact<BTreeMap<String, V>>,
        show: impl Fn(&V) -> String,
    ) -> Vec<Row> {
        let maps = self.both(|end| match end.environment.interface {
            Fact::Known(ref interface) => match of(interface) {
                Fact::Known(map) => Ok(map.iter().map(|(key, value)| (key.clone(), show(value))).collect()),
                Fact::Unknown { unknown } => Err(format!("unknown ({unknown})")),
            },
            Fact::Unknown { ref unknown } => Err(format!("unknown ({unknown})")),
        });
        rows_of(what, &maps)
    }

    fn sysctls(&self) -> Vec<Row> {
        let maps = self.both(|end| {
            let settings = &end.environment.sysctls;
            Ok(settings.iter().map(|(name, fact)| (name.clone(), fact.to_string())).collect())
        });
        rows_of("settings", &maps)
    }
}

/// A row for each key of either map; one row if neither is known or has any.
fn rows_of(what: &str, maps: &[Result<BTreeMap<String, String>, String>; 2]) -> Vec<Row> {
    let keys: BTreeSet<&String> = maps.iter().flatten().flat_map(BTreeMap::keys).collect();
    let look_up = |key: &str| {
        maps.each_ref().map(|map| match map {
            Ok(map) => map.get(key).cloned().unwrap_or_else(|| "unknown (not listed)".to_owned()),
            Err(why) => why.clone(),
        })
    };
    if keys.is_empty() {
        return vec![Row::new(what, look_up(""))];
    }
    keys.into_iter().map(|key| Row::new(key.as_str(), look_up(key))).collect()
}

/// Both, if both are known.
fn together(one: Fact<u64>, other: Fact<u64>) -> Fact<u64> {
    match (one, other) {
        (Fact::Known(one), Fact::Known(other)) => Fact::Known(one + other),
        (unknown @ Fact::Unknown { .. }, _) | (_, unknown) => unknown,
    }
}

fn counted(seen: &Observation, of: impl Fn(&linerate_core::observation::Counters) -> [u64; 3]) -> String {
    shown(&seen.interface, |counters| {
        let [bytes, packets, dropped] = of(counters);
        format!("{bytes} B in {}, {dropped} dropped ({})", count(packets, "packet"), counters.interface)
    })
}

/// A run in which nothing passed was not counted: it was computed or imported.
fn payload([bytes, messages]: [u64; 2]) -> String {
    if messages == 0 { or_unknown("") } else { format!("{bytes} B in {}", count(messages, "message")) }
}

fn length(span: Span) -> String {
    if span == Span::ZERO { or_unknown("") } else { span.to_string() }
}

fn connection(seen: &Observation) -> String {
    shown(&seen.connection, |tcp| {
        format!(
            "{} of {} retransmitted; round trip {} (least {}), window {} of {} B",
            tcp.retransmitted,
            count(tcp.segments_out, "segment"),
            tcp.rtt,
            tcp.min_rtt,
            count(tcp.congestion_window, "segment"),
            tcp.mss
        )
    })
}

fn shown<T>(fact: &Fact<T>, show: impl Fn(&T) -> String) -> String {
    match fact {
        Fact::Known(value) => show(value),
        Fact::Unknown { unknown } => format!("unknown ({unknown})"),
    }
}

fn with_unit<T: Display>(fact: &Fact<T>, unit: &str) -> String {
    shown(fact, |value| format!("{value} {unit}"))
}

fn speed(nic: &Interface) -> String {
    let stated = with_unit(&nic.speed_mbps, "Mb/s");
    match nic.made_up_speed() {
        Some((driver, _)) => format!("{stated}, which {driver} states and nothing enforces"),
        None => stated,
    }
}

fn or_unknown(text: &str) -> String {
    if text.is_empty() { "unknown (not recorded)" } else { text }.to_owned()
}

fn list(cpus: &[u32]) -> String {
    let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
    if cpus.is_empty() { "unknown (not seen)".to_owned() } else { cpus.join(", ") }
}

fn on_off(on: &bool) -> String {
    if *on { "on" } else { "off" }.to_owned()
}

fn autotuned() -> String {
    "autotuned".to_owned()
}

fn pin(cpu: Option<u32>) -> String {
    cpu.map_or_else(|| "none".to_owned(), |cpu| cpu.to_string())
}

fn gib(bytes: u64) -> String {
    format!("{} GiB", digits(bytes as f64 / f64::from(1 << 30)))
}

#[cfg(test)]
mod tests {
    use linerate_core::traffic::{FlowAccount, HalfAccount, Transfer};

    use super::*;
    use crate::fixture;

    fn got(bytes: u64) -> Granted {
        Granted { huge_pages: Some(Fact::Known(bytes)), ..Granted::default() }
    }

    /// What the row of huge pages says, if there is one.
    fn row(run: &Run) -> Option<[String; 2]> {
        let rows = Ends { run, remote: run.remote(), path: run.path() }.sockets();
        let row = rows.into_iter().find(|row| row.name.contains("huge pages"))?;
        assert_eq!(row.asked, "all of it");
        Some([row.local, row.remote])
    }

    #[test]
    fn huge_pages_are_shown_where_they_were_asked_for() {
        let mut run = fixture::two().runs.swap_remove(0).run;
        assert_eq!(row(&run), None);
        run.plan.common.memory.huge_pages = true;
        assert_eq!(row(&run), Some(["unknown (not recorded)"; 2].map(str::to_owned)));
        (run.paths[0].from_granted, run.paths[0].to_granted) = (got(2 << 20), got(0));
        assert_eq!(row(&run), Some(["2097152 B", "0 B"].map(str::to_owned)));
    }

    #[test]
    fn the_huge_pages_of_all_flows_of_an_end_are_one_figure() {
        let mut run = fixture::two().runs.swap_remove(0).run;
        run.plan.common.memory.huge_pages = true;
        let half = |bytes| HalfAccount { granted: got(bytes), ..HalfAccount::default() };
        let flow = |direction, [sender, receiver]: [u64; 2]| FlowAccount {
            flow: 0,
            peer: 0,
            direction,
            sender: half(sender),
            receiver: half(receiver),
        };
        let flows = vec![flow(Direction::Send, [1, 20]), flow(Direction::Receive, [300, 4000])];
        run.transfers = vec![Transfer::default(), Transfer { flows, ..Transfer::default() }];
        assert_eq!(row(&run), Some(["4001 B", "320 B"].map(str::to_owned)));
    }

    #[test]
    fn the_huge_pages_of_two_ends_are_known_if_both_are() {
        let (one, none) = (Fact::Known(3), Fact::unknown("no"));
        assert_eq!(together(one.clone(), Fact::Known(4)), Fact::Known(7));
        assert_eq!(together(one.clone(), none.clone()), none);
        assert_eq!(together(none.clone(), one), none);
    }

    #[test]
    fn counts_lengths_and_lists_that_were_not_taken_are_unknown() {
        assert_eq!(payload([0, 0]), "unknown (not recorded)");
        assert_eq!(payload([64, 1]), "64 B in one message");
        assert_eq!(length(Span::ZERO), "unknown (not recorded)");
        assert_eq!(length(Span::from_ms(20_000)), "20.0 s");
        assert_eq!([&[][..], &[1, 3]].map(list), ["unknown (not seen)", "1, 3"]);
        assert_eq!([pin(None), pin(Some(0))], ["none", "0"]);
        assert_eq!(gib(3 << 29), "1.50 GiB");
    }
}
