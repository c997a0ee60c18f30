//! Laboratories: their nodes, and the ones that there are.

use std::fmt::Write as _;

use linerate_core::lab::{Layout, Mechanism, Node, NodeKind};
use linerate_core::run::LaboratoryLink;

use crate::columns::{Column, fit};
use crate::text::{plain, wrap};

/// A laboratory that is kept on this host.
#[derive(Clone, Debug)]
pub struct KeptLab {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// How many hosts, switches and routers it has. Absent if its record cannot be read.
    pub nodes: Option<usize>,
    /// How many processes are in it.
    pub processes: usize,
    /// The links that its forwarder carries.
    pub links: Vec<LaboratoryLink>,
    /// What is wrong with it, if something is.
    pub state: Option<String>,
}

/// The nodes of a laboratory with their addresses; with a name, those of the one that is kept under it.
#[must_use]
pub fn nodes(layout: &Layout, name: Option<&str>, width: usize) -> String {
    let column = |heading: &str, expendable, of: &dyn Fn(&Node) -> String| {
        Column::of_words(heading, expendable, layout.nodes.iter().map(of).collect())
    };
    let namespace = |node: &Node| name.map_or_else(|| "-".to_owned(), |name| format!("{name}.{}", node.name));
    let columns = vec![
        column("node", 0, &|node| node.name.clone()),
        column("", 0, &|node| node.kind.name().to_owned()),
        column("namespace", 1, &namespace),
        column("links", 0, &|node| links(layout, node)),
    ];
    let (table, _) = fit(columns, width);
    table + "\n"
}

/// A node's links: to whom, with which address.
fn links(layout: &Layout, node: &Node) -> String {
    let number = layout.find(&node.name).unwrap_or_default();
    let link = |port: &linerate_core::lab::Port| {
        let address: String = port.addresses.iter().map(|address| format!(" {}", address.ip)).collect();
        let direction = layout.links[port.link].direction_from(number).to_string();
        format!("{}{address} {direction}", port.name).trim_end().to_owned()
    };
    // Of a switch that many are at, the number says more.
    if node.kind == NodeKind::Switch && node.ports.len() > 4 {
        return format!("{} ports", node.ports.len());
    }
    node.ports.iter().map(link).collect::<Vec<_>>().join("; ")
}

/// What the links that are more than wires are made with: `links: 2 with linerate's own forwarder`. Empty if all are
/// wires.
#[must_use]
pub fn mechanisms(links: &[LaboratoryLink]) -> String {
    let count = |mechanism: Mechanism| {
        let count = links.iter().filter(|link| link.mechanism == mechanism).count();
        (count > 0).then(|| format!("{count} with {}", mechanism.name()))
    };
    let counts: Vec<String> =
        [Mechanism::Kernel, Mechanism::Forwarder].into_iter().filter_map(count).collect();
    if counts.is_empty() { String::new() } else { format!("links: {}\n", counts.join(", ")) }
}

/// What became of the frames of each direction that the forwarder tells of, a line each.
#[must_use]
pub fn frames(links: &[LaboratoryLink]) -> Vec<String> {
    let both = |link: &LaboratoryLink| {
        let [first, second] = link.between.each_ref().map(|name| plain(name));
        let told = link.frames.map(|[forward, reverse]| {
            [format!("link {first} to {second}: {forward}"), format!("link {second} to {first}: {reverse}")]
        });
        let silent =
            || vec![format!("link {first} - {second}: its forwarder has ended, and its counts are lost")];
        match told {
            Some(lines) => lines.to_vec(),
            None if link.mechanism == Mechanism::Forwarder => silent(),
            None => Vec::new(),
        }
    };
    links.iter().flat_map(both).collect()
}

/// The laboratories that are kept on this host.
#[must_use]
pub fn kept(labs: &[KeptLab], width: usize) -> String {
    let column = |heading: &str, expendable, of: &dyn Fn(&KeptLab) -> String| {
        Column::of_words(heading, expendable, labs.iter().map(of).collect())
    };
    let count = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let columns = vec![
        column("lab", 0, &|lab| plain(&lab.name)),
        column("nodes", 0, &|lab| count(lab.nodes)),
        column("processes", 0, &|lab| lab.processes.to_string()),
        column("state", 0, &|lab| if lab.state.is_some() { "not whole" } else { "up" }.to_owned()),
        column("about", 1, &|lab| plain(&lab.about)),
    ];
    let (mut text, _) = fit(columns, width);
    text.push('\n');
    for lab in labs {
        for line in frames(&lab.links) {
            write!(text, "\n{}", wrap(&format!("{}: {line}", lab.name), width, 2))
                .expect("a String takes everything");
        }
        if !lab.links.is_empty() {
            text.push('\n');
        }
        if let Some(state) = &lab.state {
            let line =
                format!("! {}: {}; `linerate lab down {}` removes it", lab.name, plain(state), lab.name);
            write!(text, "\n{}\n", wrap(&line, width, 2)).expect("a String takes everything");
        }
    }
    text
}

/// The plans of laboratories that ship with linerate: name and description of each.
#[must_use]
pub fn plans(plans: &[(&str, String)]) -> String {
    let widest = plans.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    plans.iter().map(|(name, about)| format!("  {name:widest$}  {about}\n")).collect()
}

#[cfg(test)]
mod tests {
    use linerate_core::lab::Forwarded;

    use super::*;

    #[test]
    fn links_say_what_they_are_made_with_and_what_became_of_their_frames() {
        let link = |second: &str, mechanism, frames| LaboratoryLink {
            between: ["a".to_owned(), second.to_owned()],
            mechanism,
            frames,
        };
        let links = [
            link("b", Mechanism::Forwarder, Some([Forwarded::default(); 2])),
            link("c", Mechanism::Kernel, None),
            link("d", Mechanism::Forwarder, None),
        ];
        let wanted = "links: 1 with queues of the kernel (netem, tbf), 2 with linerate's own forwarder\n";
        assert_eq!(mechanisms(&links), wanted);
        assert_eq!(mechanisms(&[]), "");
        assert_eq!(
            frames(&links),
            [
                "link a to b: 0 frames came, 0 were sent, 0 dropped by rule, 0 by the queue",
                "link b to a: 0 frames came, 0 were sent, 0 dropped by rule, 0 by the queue",
                "link a - d: its forwarder has ended, and its counts are lost",
            ]
        );
    }
}
