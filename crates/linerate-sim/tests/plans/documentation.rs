//! The page of the plan has every key.

use linerate_core::units::{Size, Span};
use linerate_sim::plan::{
    AtmPlan, Cable, End, EthernetPlan, FddiPlan, FibreChannelPlan, LoadPlan, ModelPlan, MyrinetPlan, Network,
    Pause, Receive, Relay, RelayKind, Shape, To, TransportPlan,
};
use toml::{Table, Value};

/// Every field of an Ethernet's plan, none left out.
fn ethernet() -> EthernetPlan {
    EthernetPlan {
        topology: Shape::Graph,
        stations: 2,
        relays: 1,
        phy: "1G".to_owned(),
        uplink_phy: Some("10G".to_owned()),
        duplex: Some(End::Auto),
        relay_duplex: Some(End::Auto),
        length_m: 1.0,
        diameter_bits: Some(1.0),
        mtu: 1500,
        extension: true,
        bursting: true,
        pause: Pause::Off,
        queue: Size(1),
        high_watermark: Some(Size(1)),
        low_watermark: Some(Size(1)),
        latency: Span::ZERO,
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
        station_load: Some(1.0),
        total_load: Some(1.0),
        to: To::Random,
        senders: Some(vec![0]),
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
                let row = text.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
                let row = row.unwrap_or_else(|| panic!("{heading}: no row for {key}"));
                let cell = row.split('|').nth(3).expect("a third column").trim();
                assert_eq!(cell, format!("`{value}`"), "{heading}: {key}");
            }
        }
    }
}
