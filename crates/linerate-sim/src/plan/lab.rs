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
        let mtu = layout.links[0].wire.mtu;
        let other = layout.links.iter().find(|link| link.wire.mtu != mtu);
        let reason = "a model has one MTU; give all links the same";
        require(other.is_none(), "link.mtu", other.map_or(mtu, |link| link.wire.mtu), reason)?;
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

/// The queue of the slowest link: the others hardly fill.
fn queue(layout: &Layout) -> Option<linerate_core::units::Size> {
    let buckets = layout.links.iter().filter_map(|link| link.wire.bucket);
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
    let Some(bucket) = link.wire.bucket else {
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
    let delay = link.wire.delay;
    (delay > Span::ZERO).then(|| delay.as_ps() as f64 / phy.cable.delay_per_metre_ps as f64)
}
