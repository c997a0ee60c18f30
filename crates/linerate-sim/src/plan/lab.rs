//! A laboratory as a model: the same hosts, switches and links, and TCP between them.

use linerate_core::lab::{LabPlan, Layout, Link, Node, NodeKind};
use linerate_core::units::Span;

use super::{Cable, EthernetPlan, ModelError, ModelPlan, Network, Relay, RelayKind, Shape, TcpPlan, require};
use crate::ethernet::phy::{Duplex, Phy};
use crate::pace::Pace;

/// What stands for a link that is as fast as its host.
const UNLIMITED: &str = "10GBASE-T";

impl ModelPlan {
    /// The model of a laboratory. Its hosts are the stations, in their order; a link of a rate is the Ethernet of that
    /// rate, so that preamble, check sequence and gap take their time too, which a token bucket does not count: 1.6 %
    /// of full frames. A router is a switch. The queue of the slowest link is that of every port.
    ///
    /// # Errors
    ///
    /// [`ModelError`] for a laboratory that cannot be built, with a rate that no Ethernet has, with several MTUs, or
    /// with a host of several links.
    pub fn of_lab(lab: &LabPlan) -> Result<Self, ModelError> {
        let layout = Layout::of(lab)?;
        let mtu = layout.links[0].mtu;
        let other = layout.links.iter().find(|link| link.mtu != mtu);
        let reason = "a model has one MTU; give all links the same";
        require(other.is_none(), "link.mtu", other.map_or(mtu, |link| link.mtu), reason)?;
        modelled(&layout)?;
        let several = layout.hosts().find(|host| host.ports.len() > 1);
        let reason = "a modelled host has one link; leave the others out";
        require(several.is_none(), "hosts", several.map_or("", |host| &host.name), reason)?;
        let network = EthernetPlan { mtu, length_m: 1.0, ..EthernetPlan::default() };
        let network = EthernetPlan { queue: queue(&layout).unwrap_or(network.queue), ..network };
        let network =
            if layout.nodes.len() == 2 { direct(&layout, network)? } else { graph(&layout, network)? };
        Ok(Self {
            about: lab.about.clone(),
            network: Network::Ethernet(Box::new(network)),
            tcp: Some(TcpPlan::default()),
            ..Self::default()
        })
    }
}

/// An error unless links do the same both ways and nothing but delay and limit.
fn modelled(layout: &Layout) -> Result<(), ModelError> {
    for link in &layout.links {
        let [forward, reverse] = link.directions;
        let reason = "a modelled link is alike in both directions; leave forward and reverse out";
        require(forward == reverse, "link.forward", forward, reason)?;
        let reason =
            "a modelled laboratory delays and limits only; give [[impair]] in a model plan for the rest";
        require(forward.impairment.only_delays(), "link", forward, reason)?;
    }
    Ok(())
}

/// The queue of the slowest link: the others hardly fill.
fn queue(layout: &Layout) -> Option<linerate_core::units::Size> {
    let buckets = layout.links.iter().filter_map(|link| link.directions[0].bucket);
    let slowest =
        buckets.min_by(|one, other| one.rate.bits_per_second().total_cmp(&other.rate.bits_per_second()));
    slowest.map(|bucket| bucket.queue)
}

fn direct(layout: &Layout, network: EthernetPlan) -> Result<EthernetPlan, ModelError> {
    let link = &layout.links[0];
    let phy = phy(link)?;
    let length_m = length(link, phy).unwrap_or(network.length_m);
    Ok(EthernetPlan { topology: Shape::Direct, stations: 2, phy: phy.name.to_owned(), length_m, ..network })
}

fn graph(layout: &Layout, network: EthernetPlan) -> Result<EthernetPlan, ModelError> {
    let relays = layout.nodes.iter().filter(|node| node.kind != NodeKind::Host);
    let relay = |node: &Node| Relay { name: format!("relay-{}", node.name), kind: RelayKind::Switch };
    let cable = |link: &Link| {
        let phy = phy(link)?;
        let between = link.nodes.map(|node| name(layout, node));
        Ok(Cable { between, phy: Some(phy.name.to_owned()), length_m: length(link, phy), duplex: None })
    };
    Ok(EthernetPlan {
        topology: Shape::Graph,
        stations: u32::try_from(layout.hosts().count()).unwrap_or(u32::MAX),
        relay: relays.map(relay).collect(),
        cable: layout.links.iter().map(cable).collect::<Result<_, ModelError>>()?,
        ..network
    })
}

/// What a node is called in a model: hosts are counted.
fn name(layout: &Layout, node: usize) -> String {
    match layout.nodes[node].kind {
        // They are the first nodes of a layout.
        NodeKind::Host => format!("s{node}"),
        NodeKind::Switch | NodeKind::Router => format!("relay-{}", layout.nodes[node].name),
    }
}

/// The Ethernet of a link's rate.
fn phy(link: &Link) -> Result<&'static Phy, ModelError> {
    let Some(bucket) = link.directions[0].bucket else {
        return Ok(Phy::find(UNLIMITED).expect("it is in the catalogue"));
    };
    let pace = Pace::of_bits_per_second(bucket.rate.bits_per_second().round().max(1.0) as u64);
    let fits = |phy: &&Phy| phy.pace == pace && phy.allows(Duplex::Full);
    Phy::ALL.into_iter().find(fits).ok_or_else(|| {
        let reason =
            "a modelled link has a rate of Ethernet: 10, 100, 1000, 2500, 5000, 10000, 25000, 40000, .. Mb/s";
        ModelError::value("link.rate-mbps", bucket.rate.as_mbps(), reason)
    })
}

/// The cable that takes as long as the link's delay. Unit: metres.
fn length(link: &Link, phy: &Phy) -> Option<f64> {
    let delay = link.directions[0].impairment.delay;
    (delay > Span::ZERO).then(|| delay.as_ps() as f64 / phy.cable.delay_per_metre_ps as f64)
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;

    use super::*;
    use crate::model;

    fn of(text: &str) -> Result<ModelPlan, ModelError> {
        ModelPlan::of_lab(&LabPlan::from_toml(text).expect("a laboratory"))
    }

    fn ethernet(plan: &ModelPlan) -> &EthernetPlan {
        let Network::Ethernet(network) = &plan.network else { panic!("a laboratory is an Ethernet") };
        network
    }

    #[test]
    fn every_laboratory_that_ships_is_a_model_but_that_of_two_mtus() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans/labs");
        for entry in std::fs::read_dir(folder).expect("they are committed") {
            let path = entry.expect("readable").path();
            let text = std::fs::read_to_string(&path).expect("text");
            match of(&text) {
                Ok(plan) => model::check(&plan).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
                Err(error) => {
                    assert_eq!(path.file_stem().expect("a name"), "two-mtus");
                    assert_eq!(
                        error.to_string(),
                        "link.mtu is 1500; a model has one MTU; give all links the same"
                    );
                }
            }
        }
    }

    #[test]
    fn hosts_are_stations_and_links_the_ethernet_of_their_rate() {
        let text = "hosts = ['a', 'b', 'c']\nswitches = ['s']\nrouters = ['r']\nrate-mbps = 1000\nlink = [\
                    { between = ['a', 's'] }, { between = ['b', 's'] }, { between = ['s', 'r'], rate-mbps = 100, \
                    queue = '40KiB' }, { between = ['r', 'c'], delay = '1ms' }]";
        let plan = of(text).expect("a model");
        let network = ethernet(&plan);
        assert_eq!((network.topology, network.stations, network.queue), (Shape::Graph, 3, Size(40 << 10)));
        let names: Vec<&str> = network.relay.iter().map(|relay| &*relay.name).collect();
        assert_eq!(names, ["relay-s", "relay-r"]);
        let cables: Vec<(&str, &str, Option<&str>)> = network
            .cable
            .iter()
            .map(|cable| (&*cable.between[0], &*cable.between[1], cable.phy.as_deref()))
            .collect();
        assert_eq!(
            cables,
            [
                ("s0", "relay-s", Some("1000BASE-T")),
                ("s1", "relay-s", Some("1000BASE-T")),
                ("relay-s", "relay-r", Some("100BASE-TX")),
                ("relay-r", "s2", Some("1000BASE-T")),
            ]
        );
        // 1 ms at 5.56 ns a metre.
        let length = network.cable[3].length_m.expect("it has a delay");
        assert!((length - 179_856.0).abs() < 1.0, "{length}");
        assert!(plan.tcp.is_some());
        model::check(&plan).expect("it can be modelled");
    }

    #[test]
    fn what_a_model_cannot_be_is_refused() {
        let error = of("hosts = ['a', 'b']\nrate-mbps = 30\n[[link]]\nbetween = ['a', 'b']")
            .expect_err("no such PHY");
        assert!(
            error.to_string().starts_with("link.rate-mbps is 30; a modelled link has a rate of Ethernet"),
            "{error}"
        );
        let two = "hosts = ['a', 'b']\nswitches = ['s', 't']\nlink = [{ between = ['a', 's'] }, \
                   { between = ['b', 's'] }, { between = ['a', 't'] }, { between = ['b', 't'] }]";
        let error = of(two).expect_err("two links").to_string();
        assert_eq!(error, "hosts is a; a modelled host has one link; leave the others out");
        let pair = |link| format!("hosts = ['a', 'b']\nlink = [{{ between = ['a', 'b'], {link} }}]");
        let error = of(&pair("loss = 0.01")).expect_err("it loses").to_string();
        assert!(
            error.starts_with("link is loss 0.01; a modelled laboratory delays and limits only"),
            "{error}"
        );
        let error = of(&pair("forward = { delay = '1ms' }")).expect_err("two directions").to_string();
        assert!(error.starts_with("link.forward is delay 1.00 ms; a modelled link is alike"), "{error}");
    }
}
