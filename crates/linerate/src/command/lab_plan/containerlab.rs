//! Topologies of containerlab as plans of laboratories, as far as they describe hosts, bridges and links.
//!
//! Source: containerlab.dev, "Topology definition" (nodes, kinds, groups and defaults), "Links" (the brief and the
//! extended form) and "Nodes" (`exec`: the only place where a topology says addresses of links; `mgmt-ipv4` and
//! `mgmt-ipv6` are of a network for management, which a laboratory does not have).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use linerate_core::lab::{AddressTexts, LabPlan, Layout, LinkPlan};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The MTU of a link that says nothing else.  Source: containerlab.dev, "vEth create". Unit: bytes.
const USUAL_MTU: u32 = 9_500;
/// Words in the place of a node for what is outside of the topology.  Source: containerlab.dev, "Links".
const OUTSIDE: [&str; 3] = ["host", "mgmt-net", "macvlan"];

/// A topology as a laboratory.
#[derive(Debug)]
pub(super) struct Imported {
    /// What the topology is called, if it says so.
    pub(super) name: Option<String>,
    pub(super) plan: LabPlan,
    /// What a laboratory has nothing for.
    pub(super) left_out: Vec<String>,
}

/// Reads a topology.
///
/// Errors: it is no YAML, or no topology. One sentence.
pub(super) fn read(text: &str) -> Result<Imported, String> {
    let file: File = serde_saphyr::from_str(text).map_err(|error| first_line(&error.to_string()))?;
    let topology = file.topology.ok_or("it has no `topology`")?;
    let mut import = Import::of(&topology);
    import.other_keys("the file", file.rest.keys());
    topology.links.iter().try_for_each(|link| import.link(link))?;
    topology.nodes.0.iter().for_each(|(name, node)| import.node(name, node));
    import.settle_addresses();
    Ok(Imported { name: file.name, plan: import.plan, left_out: import.left_out.into_iter().collect() })
}

#[derive(Deserialize)]
struct File {
    name: Option<String>,
    topology: Option<Topology>,
    #[serde(flatten)]
    rest: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
struct Topology {
    #[serde(default)]
    nodes: Entries,
    #[serde(default)]
    links: Vec<Link>,
    defaults: Option<Node>,
    #[serde(default)]
    groups: BTreeMap<String, Option<Node>>,
    #[serde(default)]
    kinds: BTreeMap<String, Option<Node>>,
    #[serde(flatten)]
    rest: BTreeMap<String, IgnoredAny>,
}

#[derive(Default, Deserialize)]
struct Node {
    kind: Option<String>,
    group: Option<String>,
    #[serde(default)]
    exec: Vec<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
struct Link {
    #[serde(rename = "type")]
    form: Option<String>,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
    mtu: Option<u32>,
    #[serde(flatten)]
    rest: BTreeMap<String, IgnoredAny>,
}

/// An end of a link: `NODE:INTERFACE`, or a table.
#[derive(Deserialize)]
#[serde(untagged)]
enum Endpoint {
    Brief(String),
    Extended {
        node: String,
        #[serde(default)]
        interface: String,
        #[serde(flatten)]
        rest: BTreeMap<String, IgnoredAny>,
    },
}

impl Endpoint {
    fn node(&self) -> &str {
        match self {
            Self::Brief(text) => text.split_once(':').map_or(text, |(node, _)| node),
            Self::Extended { node, .. } => node,
        }
    }

    fn interface(&self) -> &str {
        match self {
            Self::Brief(text) => text.split_once(':').map_or("", |(_, interface)| interface),
            Self::Extended { interface, .. } => interface,
        }
    }
}

/// Nodes in the order of the file, which says who is first and who is last.
#[derive(Default)]
struct Entries(Vec<(String, Node)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("nodes by name")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entries, M::Error> {
                let mut nodes = Vec::new();
                while let Some((name, node)) = map.next_entry::<String, Option<Node>>()? {
                    nodes.push((name, node.unwrap_or_default()));
                }
                Ok(Entries(nodes))
            }
        }
        input.deserialize_map(InOrder)
    }
}

/// A laboratory under construction.
struct Import<'a> {
    topology: &'a Topology,
    plan: LabPlan,
    /// Node and interface of both ends of each link of the plan.
    ends: Vec<[[&'a str; 2]; 2]>,
    left_out: BTreeSet<String>,
}

/// What `ip address add ADDRESS dev INTERFACE` adds, and where.  Source: ip-address(8).
fn address_added(command: &str) -> Option<[&str; 2]> {
    let words: Vec<&str> = command.split_whitespace().filter(|word| !["-4", "-6"].contains(word)).collect();
    let (["ip", object, "add"], rest) = words.split_first_chunk()? else { return None };
    let is_address = "address".starts_with(object) && !object.is_empty();
    match rest {
        [address, "dev", interface] | ["dev", interface, address] if is_address => Some([address, interface]),
        _ => None,
    }
}

impl<'a> Import<'a> {
    fn of(topology: &'a Topology) -> Self {
        let plan = LabPlan { mtu: Some(USUAL_MTU), ..LabPlan::default() };
        let mut import = Self { topology, plan, ends: Vec::new(), left_out: BTreeSet::new() };
        import.other_keys("the topology", topology.rest.keys());
        let shared = topology.defaults.iter().chain(topology.groups.values().flatten());
        for node in shared.chain(topology.kinds.values().flatten()) {
            import.other_keys("nodes", node.rest.keys());
            import.other_commands(!node.exec.is_empty());
        }
        import
    }

    /// Names the keys for which a laboratory has nothing.
    fn other_keys<'k>(&mut self, of: &str, keys: impl Iterator<Item = &'k String>) {
        self.left_out.extend(keys.map(|key| format!("{key} of {of}")));
    }

    /// What a node is: its own word, its group's, or that of all.
    fn kind(&self, node: &'a Node) -> &'a str {
        let group = || self.topology.groups.get(node.group.as_ref()?)?.as_ref()?.kind.as_deref();
        let all = || self.topology.defaults.as_ref()?.kind.as_deref();
        node.kind.as_deref().or_else(group).or_else(all).unwrap_or_default()
    }

    fn other_commands(&mut self, are_there: bool) {
        let what = "exec of nodes other than `ip address add`".to_owned();
        self.left_out.extend(are_there.then_some(what));
    }

    /// Gives the links of a node the addresses that its commands add.
    fn addresses(&mut self, name: &str, node: &'a Node) {
        self.other_commands(node.exec.iter().any(|command| address_added(command).is_none()));
        for [address, interface] in node.exec.iter().filter_map(|command| address_added(command)) {
            let Some(link) = self.ends.iter().position(|ends| ends.contains(&[name, interface])) else {
                self.left_out.insert("addresses of interfaces without a link".to_owned());
                continue;
            };
            let known = &mut self.plan.link[link].address;
            let known = known.entry(name.to_owned()).or_insert_with(|| AddressTexts::Several(Vec::new()));
            let mut texts = known.all().to_vec();
            if texts.iter().any(|text| text.contains(':') == address.contains(':')) {
                self.left_out.insert("second addresses of interfaces".to_owned());
                continue;
            }
            texts.push(address.to_owned());
            *known = if texts.len() == 1 {
                AddressTexts::One(address.to_owned())
            } else {
                AddressTexts::Several(texts)
            };
        }
    }

    /// Leaves the addresses out if a laboratory cannot have them, but all the rest.
    fn settle_addresses(&mut self) {
        let mut without = self.plan.clone();
        without.link.iter_mut().for_each(|link| link.address.clear());
        if let (Err(error), Ok(_)) = (Layout::of(&self.plan), Layout::of(&without)) {
            self.left_out.insert(format!("addresses of interfaces ({error})"));
            self.plan = without;
        }
    }

    fn node(&mut self, name: &str, node: &'a Node) {
        self.other_keys("nodes", node.rest.keys());
        self.addresses(name, node);
        let links = self.plan.link.iter().filter(|link| link.between.iter().any(|end| end == name)).count();
        let name = name.to_owned();
        match self.kind(node) {
            "linux" | "host" => self.plan.hosts.push(name),
            "bridge" => self.plan.switches.push(name),
            "ovs-bridge" => {
                self.left_out.insert("Open vSwitch (a bridge of the kernel stands for it)".to_owned());
                self.plan.switches.push(name);
            }
            other => {
                let (stands, nodes) = if links > 1 {
                    ("router", &mut self.plan.routers)
                } else {
                    ("host", &mut self.plan.hosts)
                };
                nodes.push(name);
                let kind = if other.is_empty() {
                    "nodes without a kind".to_owned()
                } else {
                    format!("kind {other}")
                };
                self.left_out.insert(format!("{kind} (a plain {stands} stands for it)"));
            }
        }
    }

    fn link(&mut self, link: &'a Link) -> Result<(), String> {
        let form = link.form.as_deref().unwrap_or("veth");
        if form != "veth" {
            self.left_out.insert(format!("links of type {form}"));
            return Ok(());
        }
        let [first, second] = &link.endpoints[..] else {
            return Err(format!(
                "a link has {} endpoints; give it two, such as [\"a:eth1\", \"b:eth1\"]",
                link.endpoints.len()
            ));
        };
        let between = [first.node().to_owned(), second.node().to_owned()];
        let is_node = |name: &str| self.topology.nodes.0.iter().any(|(node, _)| node == name);
        if between.iter().any(|name| OUTSIDE.contains(&&**name) && !is_node(name)) {
            self.left_out.insert("links to the outside".to_owned());
            return Ok(());
        }
        self.other_keys("links", link.rest.keys());
        for end in &link.endpoints {
            if let Endpoint::Extended { rest, .. } = end {
                self.other_keys("links", rest.keys());
            }
        }
        self.left_out
            .insert("names of interfaces (each is called after the node at its other end)".to_owned());
        self.ends.push([first, second].map(|end| [end.node(), end.interface()]));
        self.plan.link.push(LinkPlan { between, mtu: link.mtu, ..LinkPlan::default() });
        Ok(())
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPOLOGY: &str = r#"
name: two-sites
prefix: ""
topology:
  defaults:
    kind: linux
  kinds:
    linux:
      image: alpine:3
  groups:
    fabric:
      kind: bridge
  nodes:
    z1:
      binds: [./a:/a]
      exec:
        - ip address add 10.0.0.1/24 dev eth1
        - ip -4 a add dev eth7 10.7.0.1/24
        - sysctl -w net.ipv4.ip_forward=1
    s:
      group: fabric
    a1:
    srl:
      kind: nokia_srlinux
    b: { kind: host }
  links:
    - endpoints: ["z1:eth1", "s:z1"]
    - endpoints: ["a1:eth1", "s:a1"]
      mtu: 9500
    - type: veth
      endpoints:
        - node: s
          interface: srl
        - node: srl
          interface: e1-1
          mac: 02:00:00:00:00:01
    - endpoints: ["srl:e1-2", "b:eth1"]
      mtu: 1400
    - endpoints: ["a1:eth9", "host:tap0"]
    - type: macvlan
      endpoint: { node: a1, interface: eth2 }
"#;

    #[test]
    fn hosts_bridges_and_links_are_those_of_the_topology() {
        let Imported { name, plan, left_out } = read(TOPOLOGY).expect("it is a topology");
        assert_eq!(name.as_deref(), Some("two-sites"));
        assert_eq!(
            (&*plan.hosts, &*plan.switches),
            (&["z1", "a1", "b"].map(str::to_owned)[..], &["s".to_owned()][..])
        );
        assert_eq!((&*plan.routers, plan.mtu), (&["srl".to_owned()][..], Some(9_500)));
        let links: Vec<String> =
            plan.link.iter().map(|link| format!("{} {:?}", link.between.join(" "), link.mtu)).collect();
        assert_eq!(links, ["z1 s None", "a1 s Some(9500)", "s srl None", "srl b Some(1400)"]);
        Layout::of(&plan).expect("it can be built");
        let addresses: Vec<_> = plan.link.iter().map(|link| link.address.clone()).collect();
        let one = |text: &str| AddressTexts::One(text.to_owned());
        assert_eq!(addresses[0], [("z1".to_owned(), one("10.0.0.1/24"))].into());
        assert!(addresses[1..].iter().all(BTreeMap::is_empty), "{addresses:?}");
        let wanted = "addresses of interfaces without a link; binds of nodes; \
                      exec of nodes other than `ip address add`; image of nodes; \
                      kind nokia_srlinux (a plain router stands for it); links of type macvlan; \
                      links to the outside; mac of links; \
                      names of interfaces (each is called after the node at its other end); prefix of the file";
        assert_eq!(left_out.join("; "), wanted);
    }

    #[test]
    fn what_is_no_topology_is_refused_in_a_sentence() {
        for (text, wanted) in [
            ("name: x", "it has no `topology`"),
            (
                "topology: { nodes: { a: {} }, links: [{ endpoints: ['a:eth1'] }] }",
                "a link has 1 endpoints; give it two, such as [\"a:eth1\", \"b:eth1\"]",
            ),
        ] {
            assert_eq!(read(text).expect_err(text), wanted);
        }
        for text in [
            "",
            "- a",
            "topology: [",
            "topology: { nodes: [a, b] }",
            "topology: { links: [{ endpoints: 7 }] }",
        ] {
            let error = read(text).expect_err(text);
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
    }

    /// A topology of which a laboratory can have all but the addresses is one without them.
    #[test]
    fn addresses_that_do_not_fit_each_other_are_left_out_with_the_reason() {
        let text = "topology: { nodes: { a: { kind: linux, exec: ['ip a add 10.0.0.1/24 dev eth1'] }, \
                    b: { kind: linux, exec: ['ip addr add 10.1.0.1/24 dev eth1', 'ip addr add 10.2.0.1/24 dev eth1'] } }, \
                    links: [{ endpoints: ['a:eth1', 'b:eth1'] }] }";
        let Imported { plan, left_out, .. } = read(text).expect("it is a topology");
        assert!(plan.link[0].address.is_empty());
        let wanted = "addresses of interfaces (link.address is 10.1.0.1/24; another end of its network is in \
                      10.0.0.0/24; all ends of a network are in one subnet)";
        assert!(left_out.contains(&wanted.to_owned()), "{left_out:?}");
        assert!(left_out.contains(&"second addresses of interfaces".to_owned()), "{left_out:?}");
    }

    /// References to references to references: the library counts what they stand for.
    #[test]
    fn a_file_that_swells_is_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let inner = vec![format!("*a{}", level - 1); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
        }
        read(&text).expect_err("it stands for 10^12 words");
    }
}
