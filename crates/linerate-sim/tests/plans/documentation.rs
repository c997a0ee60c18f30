//! The pages of the plan, of hosts and of kernels have every key.

mod kernels;

use linerate_core::units::{Size, Span};
use linerate_sim::atm::AtmPlan;
use linerate_sim::fddi::FddiPlan;
use linerate_sim::fibre_channel::FibreChannelPlan;
use linerate_sim::machine::{Bus, Profile};
use linerate_sim::myrinet::MyrinetPlan;
use linerate_sim::plan::{
    Arrival, Cable, End, EthernetPlan, FrameSizes, HostPlan, ImpairPlan, LoadPlan, MarkingPlan, ModelPlan,
    Network, Pause, Receive, RedPlan, Relay, RelayKind, Shape, StationLoad, TcpPlan, To, TransportPlan,
};
use rstest::rstest;
use toml::{Table, Value};

/// Every field of an Ethernet's plan, none left out.
fn ethernet() -> EthernetPlan {
    EthernetPlan {
        topology: Shape::Graph,
        stations: 2,
        links: 2,
        relays: 1,
        phy: "1G".to_owned(),
        uplink_phy: Some("10G".to_owned()),
        duplex: Some(End::Auto),
        relay_duplex: Some(End::Auto),
        length_m: 1.0,
        diameter_bits: Some(1.0),
        station_delay_bits: Some(1.0),
        repeater_delay_bits: Some(1.0),
        mtu: 1500,
        extension: true,
        bursting: true,
        pause: Pause::Off,
        queue: Size(1),
        high_watermark: Some(Size(1)),
        low_watermark: Some(Size(1)),
        latency: Span::ZERO,
        marking: Some(MarkingPlan {
            above: Some(Size(1)),
            above_frames: Some(1),
            red: Some(RedPlan { least: Size(1), most: Size(2), probability: 0.5, weight: 0.5 }),
        }),
        receive: Some(Receive {
            stations: Some(vec![1]),
            buffer: Size(1),
            drain_mbps: 1.0,
            high_watermark: Some(Size(1)),
            low_watermark: Some(Size(1)),
        }),
        relay: vec![Relay { name: "a".to_owned(), kind: RelayKind::Hub }],
        cable: vec![Cable {
            between: ["s0".to_owned(), "a".to_owned()],
            phy: Some("1G".to_owned()),
            length_m: Some(1.0),
            duplex: Some([End::Half; 2]),
        }],
    }
}

fn load() -> LoadPlan {
    LoadPlan {
        frames: Some(1),
        packet: Some(FrameSizes::One(1)),
        station_load: Some(1.0),
        total_load: Some(1.0),
        to: To::Random,
        senders: Some(vec![0]),
        station: vec![StationLoad {
            stations: vec![0],
            load: Some(1.0),
            frame: Some(FrameSizes::One(64)),
            arrivals: Some(Arrival::Burst),
            to: Some(To::Random),
        }],
        ..LoadPlan::default()
    }
}

fn transport() -> TransportPlan {
    TransportPlan {
        mss: Some(Size(1)),
        header: Some(Size(1)),
        send_buffer: Some(Size(1)),
        ..TransportPlan::default()
    }
}

fn tcp() -> TcpPlan {
    TcpPlan {
        receive_buffer: Some(Size(1)),
        send_buffer: Some(Size(1)),
        mss: Some(Size(1)),
        ..TcpPlan::default()
    }
}

/// A host with every key, on that bus.
fn host(bus: Bus) -> HostPlan {
    let mut profile = Profile::find("modern").expect("it is shipped");
    profile.adaptor.jumbo_buffer = Some(Size(1));
    profile.adaptor.segmentation_offload = Some(Size(1));
    profile.adaptor.receive_offload = Some(Size(1));
    profile.costs.merge = Span::from_ns(1);
    profile.costs.push = Span::from_ns(1);
    profile.costs.take = Span::from_ns(1);
    profile.costs.wake = Span::from_ns(1);
    profile.costs.wake_up_delay = Span::from_ns(1);
    profile.costs.apart = Span::from_ns(1);
    profile.costs.apart_segment = Span::from_ns(1);
    profile.memory.apart_ns = 1.0;
    profile.processor.ends = Some([0, 1]);
    profile.processor.slice = Span::from_ns(1);
    HostPlan(Profile { bus, ..profile })
}

fn pci() -> Bus {
    Bus::Pci { width_bits: 1, clock_mhz: 1.0, burst: Size(1), overhead_clocks: 1.0, setup: Span::ZERO }
}

fn pcie() -> Bus {
    Bus::Pcie { lane_mbps: 1.0, lanes: 1, payload: Size(1), overhead: 1, setup: Span::ZERO }
}

fn impair() -> ImpairPlan {
    ImpairPlan { stations: Some(vec![0]), lose: vec![1], ..ImpairPlan::default() }
}

/// The text of a section of the page: from the heading that is the table's name to the next.
fn section(page: &str, heading: &str) -> String {
    let start = page.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let rest = &page[start + 4..];
    rest[..rest.find("\n## ").unwrap_or(rest.len())].to_owned()
}

/// Keys that have no row `| `key` | ...` in the section.
fn missing(text: &str, table: &Table, prefix: &str) -> Vec<String> {
    let mut left_out = Vec::new();
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        let inner = match value {
            Value::Table(inner) => Some(inner),
            Value::Array(list) => list.first().and_then(Value::as_table),
            _ => None,
        };
        match inner {
            Some(inner) => left_out.extend(missing(text, inner, &format!("{name}."))),
            None if !text.contains(&format!("\n| `{name}` |")) => left_out.push(name),
            None => {}
        }
    }
    left_out
}

#[test]
fn the_page_of_the_plan_has_a_row_for_every_key_with_its_default() {
    let page = include_str!("../../../../docs/models/plan.md");
    let plan = |network| ModelPlan { network, load: load(), transport: transport(), ..ModelPlan::default() };
    let networks = [
        ("network, medium = \"ethernet\"", Network::Ethernet(Box::new(ethernet()))),
        (
            "network, medium = \"atm\"",
            Network::Atm(AtmPlan { early_discard_cells: Some(1), ..AtmPlan::default() }),
        ),
        ("network, medium = \"fddi\"", Network::Fddi(FddiPlan::default())),
        ("network, medium = \"fibre-channel\"", Network::FibreChannel(FibreChannelPlan::default())),
        (
            "network, medium = \"myrinet\"",
            Network::Myrinet(MyrinetPlan { stations_per_switch: Some(1), ..MyrinetPlan::default() }),
        ),
    ];
    for (heading, network) in networks {
        let text = plan(network).to_toml();
        let table: Table = text.parse().expect("a plan is TOML");
        let part = |name: &str| table[name].as_table().expect("a table").clone();
        assert_eq!(missing(&section(page, heading), &part("network"), ""), [""; 0], "{heading}");
        for name in ["load", "transport"] {
            assert_eq!(missing(&section(page, name), &part(name), ""), [""; 0], "{name}");
        }
    }
}

/// The rules of a kernel have a page of their own, which is tested below: here one row says so.
#[rstest]
#[case(pci())]
#[case(pcie())]
#[case(Bus::Memory)]
fn the_page_of_the_plan_has_a_row_for_every_key_of_tcp_hosts_and_paths(#[case] bus: Bus) {
    let page = include_str!("../../../../docs/models/plan.md");
    let (host, peer) = (Some(host(bus.clone())), Some(host(bus)));
    let plan = ModelPlan { tcp: Some(tcp()), host, peer, impair: vec![impair()], ..ModelPlan::default() };
    let mut table: Table = plan.to_toml().parse().expect("a plan is TOML");
    let keys = |table: &Table, name: &str| table[name].as_table().expect("a table").clone();
    let mut tcp = keys(&table, "tcp");
    let rules = tcp.insert("rules".to_owned(), Value::Boolean(true));
    assert!(rules.is_some_and(|rules| rules.is_table()), "the plan has the kernel's rules");
    assert_eq!(missing(&section(page, "tcp"), &tcp, ""), [""; 0], "tcp");
    assert_eq!(missing(&section(page, "host and peer"), &keys(&table, "host"), ""), [""; 0], "host");
    assert_eq!(keys(&table, "peer"), keys(&table, "host"), "the peer has no key of its own");
    let Some(Value::Array(impair)) = table.remove("impair") else { panic!("a list of tables") };
    let impair = impair[0].as_table().expect("a table");
    assert_eq!(missing(&section(page, "impair"), impair, ""), [""; 0], "impair");
}

#[test]
fn the_page_names_every_host_that_comes_with_linerate() {
    let page = include_str!("../../../../docs/models/host.md");
    for shipped in linerate_sim::machine::SHIPPED {
        assert!(page.contains(&format!("\n| `{}` |", shipped.name)), "{} has no row", shipped.name);
    }
}

#[test]
fn every_table_of_a_plan_is_on_its_top_level() {
    let page = include_str!("../../../../docs/models/plan.md");
    let text = section(page, "top level");
    for row in ["[tcp]", "[host]", "[peer]", "[[impair]]", "[network]", "[transport]", "[load]", "[measure]"]
    {
        assert!(text.contains(&format!("\n| `{row}` |")), "{row} has no row");
    }
}

#[test]
fn the_defaults_in_the_page_are_those_of_the_code() {
    let page = include_str!("../../../../docs/models/plan.md");
    let defaults = [
        ("network, medium = \"ethernet\"", Network::default()),
        ("network, medium = \"atm\"", Network::Atm(AtmPlan::default())),
        ("network, medium = \"fddi\"", Network::Fddi(FddiPlan::default())),
        ("network, medium = \"fibre-channel\"", Network::FibreChannel(FibreChannelPlan::default())),
        ("network, medium = \"myrinet\"", Network::Myrinet(MyrinetPlan::default())),
    ];
    for (heading, network) in defaults {
        let table: Table =
            ModelPlan { network, ..ModelPlan::default() }.to_toml().parse().expect("a plan is TOML");
        for (heading, name) in [(heading, "network"), ("load", "load"), ("transport", "transport")] {
            let text = section(page, heading);
            for (key, value) in table[name].as_table().expect("a table") {
                assert_eq!(default_of(&text, key), format!("`{value}`"), "{heading}: {key}");
            }
        }
    }
}

/// What the page says of a key when it is left out.
fn default_of<'a>(text: &'a str, key: &str) -> &'a str {
    let row = text.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
    let row = row.unwrap_or_else(|| panic!("no row for {key}"));
    row.split('|').nth(3).expect("a third column").trim()
}

#[test]
fn the_defaults_of_tcp_and_paths_in_the_page_are_those_of_the_code() {
    let page = include_str!("../../../../docs/models/plan.md");
    let tcp = TcpPlan::default();
    let impair = vec![ImpairPlan::default()];
    let plan = ModelPlan { tcp: Some(tcp), impair, ..ModelPlan::default() };
    let table: Table = plan.to_toml().parse().expect("a plan is TOML");
    let tcp = table["tcp"].as_table().expect("a table");
    let impair = table["impair"][0].as_table().expect("a table");
    for (heading, table) in [("tcp", tcp), ("impair", impair)] {
        let text = section(page, heading);
        for (key, value) in table.iter().filter(|(key, _)| *key != "rules") {
            assert_eq!(default_of(&text, key), format!("`{value}`"), "{heading}: {key}");
        }
    }
}

/// Paths of the values in `table`.
fn leaves(table: &Table, prefix: &str) -> Vec<String> {
    let inner = table.iter().map(|(key, value)| match value {
        Value::Table(inner) => leaves(inner, &format!("{prefix}{key}.")),
        _ => vec![format!("{prefix}{key}")],
    });
    inner.flatten().collect()
}

/// `table` without what is at `path`, at most one table deep.
fn without(table: &Table, path: &str) -> Table {
    let mut table = table.clone();
    match path.split_once('.') {
        None => table.remove(path),
        Some((first, rest)) => table[first].as_table_mut().expect("a table").remove(rest),
    };
    table
}

/// What a host must say has no default in the page; the rest has that of the code.
#[rstest]
#[case(pci())]
#[case(pcie())]
#[case(Bus::Memory)]
fn the_page_says_what_a_host_needs(#[case] bus: Bus) {
    let text = section(include_str!("../../../../docs/models/plan.md"), "host and peer");
    let table = Table::try_from(host(bus)).expect("a host has a TOML form");
    for key in leaves(&table, "") {
        let parsed = without(&table, &key).try_into::<HostPlan>();
        let needed = default_of(&text, &key) == "needed";
        assert_eq!(parsed.is_err(), needed, "{key}");
        if let Ok(HostPlan(host)) = parsed {
            let nothing = |span: Span| span == Span::ZERO && default_of(&text, &key) == "`\"0s\"`";
            let Some((_, left_out)) = [
                ("about", host.about.is_empty()),
                ("adaptor.jumbo-buffer", host.adaptor.jumbo_buffer.is_none()),
                ("adaptor.segmentation-offload", host.adaptor.segmentation_offload.is_none()),
                ("adaptor.receive-offload", host.adaptor.receive_offload.is_none()),
                ("costs.merge", nothing(host.costs.merge)),
                ("costs.push", nothing(host.costs.push)),
                ("costs.take", nothing(host.costs.take)),
                ("costs.wake", nothing(host.costs.wake)),
                ("costs.wake-up-delay", nothing(host.costs.wake_up_delay)),
                ("costs.apart", nothing(host.costs.apart)),
                ("costs.apart-segment", nothing(host.costs.apart_segment)),
                ("memory.apart-ns", host.memory.apart_ns == 0.0 && default_of(&text, &key) == "`0`"),
                ("processor.ends", host.processor.ends.is_none()),
                ("processor.slice", nothing(host.processor.slice)),
                ("adaptor.polling", !host.adaptor.polling && default_of(&text, &key) == "`false`"),
                ("processor.spread", host.processor.spread && default_of(&text, &key) == "`true`"),
            ]
            .into_iter()
            .find(|(name, _)| *name == key) else {
                panic!("{key} has a default that no row says")
            };
            assert!(left_out, "{key}");
        }
    }
}
