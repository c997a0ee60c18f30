//! Stations of a plan that are alike: whatever two of them do together takes as long as with two others like them.

use std::collections::BTreeMap;

use crate::plan::{Cable, End, EthernetPlan, ImpairPlan, ModelPlan, Network, RelayKind, Shape};

/// The kind of each station, by its cable and what its link does to frames. Absent unless each pair has a way of its own, and
/// nothing is random or depends on what passed before: plain hosts at one full-duplex switch.
pub(super) fn kinds(plan: &ModelPlan) -> Option<Vec<u32>> {
    let Network::Ethernet(network) = &plan.network else { return None };
    let has_hosts = plan.tcp.is_some() || plan.host.is_some() || plan.peer.is_some();
    let is_steady =
        |impair: &ImpairPlan| !impair.is_random() && impair.lose_every == 0 && impair.lose.is_empty();
    let is_full = network.ends() == [End::Full; 2];
    if has_hosts || network.marking.is_some() || !is_full || !plan.impair.iter().all(is_steady) {
        return None;
    }
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let kind = |station: u32| {
        let impaired: Vec<bool> = plan.impair.iter().map(|impair| impair.holds_for(station)).collect();
        let receives = network.receive.as_ref().is_some_and(|receive| {
            receive.stations.as_ref().is_none_or(|stations| stations.contains(&station))
        });
        let next = known.len() as u32;
        let mark = format!("{:?}", (cable(network, station)?, impaired, receives));
        Some(*known.entry(mark).or_insert(next))
    };
    (0..network.stations).map(kind).collect()
}

/// The physical layer and the length of the cable between a station and the only switch. Absent if there is not one of each.
fn cable(network: &EthernetPlan, station: u32) -> Option<(String, Option<f64>)> {
    match network.topology {
        Shape::Switch => return Some((String::new(), None)),
        Shape::Graph => {}
        Shape::Direct | Shape::Hub | Shape::Distributor | Shape::Line => return None,
    }
    let [relay] = &network.relay[..] else { return None };
    let name = format!("s{station}");
    let mut cables = network.cable.iter().filter(|cable| cable.between.contains(&name));
    let (Some(Cable { between, phy, length_m, duplex }), None) = (cables.next(), cables.next()) else {
        return None;
    };
    let is_one = relay.kind == RelayKind::Switch && network.links == 1 && between.contains(&relay.name);
    let is_full = duplex.is_none_or(|ends| ends == [End::Full; 2]);
    (is_one && is_full).then(|| (phy.clone().unwrap_or_default(), *length_m))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Vec<u32>> {
        kinds(&ModelPlan::from_toml(text).expect("a plan"))
    }

    #[test]
    fn stations_of_a_switch_are_alike_by_their_cable_and_what_it_does() {
        let switch = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 4\n";
        assert_eq!(of(switch), Some(vec![0; 4]));
        let late = format!("{switch}[[impair]]\nstations = [2]\ndelay = '1ms'\n");
        assert_eq!(of(&late), Some(vec![0, 0, 1, 0]));
        let graph = "[network]\nmedium = 'ethernet'\ntopology = 'graph'\nstations = 3\n\
             relay = [{ name = 'w', kind = 'switch' }]\ncable = [{ between = ['s0', 'w'] }, \
             { between = ['w', 's1'], phy = '100BASE-TX' }, { between = ['s2', 'w'] }]\n";
        assert_eq!(of(graph), Some(vec![0, 1, 0]));
        for random in ["loss = 0.1", "jitter = '1us'", "lose-every = 9", "duplicate = 0.1", "reorder = 0.1"] {
            assert_eq!(of(&format!("{switch}[[impair]]\n{random}\n")), None, "{random}");
        }
        for shape in ["'hub'", "'distributor'", "'line'\nrelays = 2", "'switch'\nduplex = 'half'"] {
            let plan = format!("[network]\nmedium = 'ethernet'\ntopology = {shape}\nstations = 4\n");
            assert_eq!(of(&plan), None, "{shape}");
        }
        assert_eq!(of(&format!("{switch}[tcp]\n")), None, "TCP keeps what it knows of a path");
    }
}
