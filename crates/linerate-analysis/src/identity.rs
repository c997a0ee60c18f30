//! What a run was made with, as named fields: which must be equal for two runs to ask one question,
//! which name the path over years, and which may vary and are what is compared.

mod difference;
mod hosts;
mod plan;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::options::{Granted, SocketOptions};
use linerate_core::run::{End, Laboratory, Run, Source};

pub use difference::{Difference, differences};

/// The version of the fields that a fingerprint is made of.
pub const FINGERPRINT: u32 = 1;

/// What a field decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What was asked, and of which link: runs in which it differs answer different questions.
    Task,
    /// What a path is made of: it names the path in the history.
    Hardware,
    /// What may vary on a path: kernel, driver, settings.
    Setting,
}

/// One thing that a run was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// What it is, such as `responder kernel`.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// What it decides.
    pub role: Role,
}

/// The name of a path: runs that have the same can be followed over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fingerprint {
    /// Version of its fields.
    pub version: u32,
    /// 16 hexadecimal digits of the SHA-256 of its fields.
    pub hash: String,
    /// What people call it.
    pub name: String,
    /// The fields, in a fixed order.
    pub fields: Vec<Field>,
}

impl Fingerprint {
    /// The path that `run` was made on.
    ///
    /// Discrete facts only: no speed that varies, no free memory, no number of an interface. Where a
    /// host does not know its machine's identity, its name stands for it.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let fields: Vec<Field> =
            fields(run).into_iter().filter(|field| field.role != Role::Setting).collect();
        let mut hash = Sha256::new();
        hash.update(format!("{FINGERPRINT}\n"));
        for Field { name, value, .. } in &fields {
            hash.update(format!("{}:{name}{}:{value}\n", name.len(), value.len()));
        }
        let hash = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { version: FINGERPRINT, hash, name: path_name(run), fields }
    }
}

/// Everything that `run` was made with, as far as it is known, in a fixed order. Each name occurs once.
#[must_use]
pub fn fields(run: &Run) -> Vec<Field> {
    let mut list = List(plan::fields(&run.plan));
    list.add(Role::Task, "sizes", sizes(run));
    list.add(Role::Task, "patterns", patterns(run));
    list.add(Role::Task, "link", link(run));
    let (kind, model) = match &run.source {
        Source::Measured => ("between hosts", None),
        Source::Loopback => ("loopback", None),
        Source::Modelled(model) => ("modelled", Some(model)),
        Source::Imported(program) => ("imported", Some(program)),
    };
    list.add(Role::Hardware, "source", Some(kind.to_owned()));
    list.add(Role::Hardware, "model", model.cloned());
    if let Some(model) = &run.model {
        list.0.extend(plan::written("model", &model.plan));
    }
    if let Some(Laboratory { name, plan, hosts, .. }) = &run.laboratory {
        list.add(Role::Hardware, "laboratory", Some(name.clone()));
        list.add(Role::Hardware, "laboratory's hosts", Some(hosts.join(", ")));
        list.0.extend(plan::written("laboratory", plan));
    }
    if run.ranks().is_some() {
        list.0.extend(hosts::fields(run));
    } else {
        let socket = &run.plan.common.socket;
        list.node("initiator", run.local(), socket);
        for (nth, (end, _)) in run.answering().enumerate() {
            let name = if nth == 0 { "responder".to_owned() } else { format!("responder {}", nth + 1) };
            list.node(&name, end, socket);
        }
    }
    for (name, value) in &run.labels {
        list.add(Role::Setting, &format!("label {name}"), Some(value.clone()));
    }
    list.0
}

fn sizes(run: &Run) -> Option<String> {
    let points = &run.series.first()?.points;
    let sizes = points.iter().map(|point| point.size);
    Some(format!("{} from {} to {} B", points.len(), sizes.clone().min()?, sizes.max()?))
}

fn patterns(run: &Run) -> Option<String> {
    let names: Vec<&str> = run.series.iter().map(|series| series.pattern.name()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What people call the path of `run`: its hosts, transport and link.
fn path_name(run: &Run) -> String {
    let verb = run.plan.task.verb();
    let where_to = match &run.source {
        Source::Modelled(model) => format!("model {model}"),
        Source::Imported(program) => format!("imported from {program}"),
        Source::Measured if run.laboratory.is_some() => {
            run.laboratory.as_ref().map(Laboratory::between).unwrap_or_default()
        }
        Source::Measured | Source::Loopback => {
            let host = |end: End<'_>| end.environment.hostname.known().cloned();
            if let Some(ranks) = run.ranks() {
                let first = host(run.local()).unwrap_or_else(|| "?".to_owned());
                return format!("{} ranks on {} hosts, {first} first, {verb}", ranks.len(), run.nodes.len());
            }
            let there: Vec<String> = run.answering().filter_map(|(end, _)| host(end)).collect();
            let here = host(run.local()).unwrap_or_else(|| "?".to_owned());
            if run.source == Source::Loopback {
                format!("{here}, loopback")
            } else {
                format!("{here} to {}", if there.is_empty() { "?".to_owned() } else { there.join(", ") })
            }
        }
    };
    let transport = run.plan.common.transport;
    let what = patterns(run).unwrap_or_else(|| verb.to_owned());
    link(run).map_or_else(
        || format!("{where_to}, {transport}, {what}"),
        |link| format!("{where_to}, {transport}, {link}, {what}"),
    )
}

/// The link's rate with four digits, as every path of a history is known by it: other digits would be another path.
fn link(run: &Run) -> Option<String> {
    let mbps = run.link()?.as_mbps();
    let (value, unit) = match mbps {
        mbps if mbps >= 1e3 => (mbps / 1e3, "Gb/s"),
        mbps if mbps >= 1.0 => (mbps, "Mb/s"),
        mbps => (mbps * 1e3, "kb/s"),
    };
    let decimals = match value {
        value if value >= 1e3 => 0,
        value if value >= 100.0 => 1,
        value if value >= 10.0 => 2,
        _ => 3,
    };
    Some(format!("{value:.decimals$} {unit}"))
}

struct List(Vec<Field>);

impl List {
    /// Adds a field whose value is known.
    fn add(&mut self, role: Role, name: &str, value: Option<String>) {
        self.0.extend(value.map(|value| Field { name: name.to_owned(), value, role }));
    }

    fn fact<T: ToString>(&mut self, role: Role, name: &str, fact: &Fact<T>) {
        self.add(role, name, fact.known().map(ToString::to_string));
    }

    fn node(&mut self, node: &str, end: End<'_>, asked: &SocketOptions) {
        let Environment { hostname, machine, cpu_model, cpus, hypervisor, .. } = end.environment;
        let name = |what: &str| format!("{node} {what}");
        // Without an identity of the machine its name has to serve.
        let named_by = if machine.known().is_some() { Role::Setting } else { Role::Hardware };
        self.fact(Role::Hardware, &name("machine"), machine);
        self.fact(named_by, &name("host name"), hostname);
        self.add(Role::Hardware, &name("architecture"), known(&end.environment.architecture));
        self.fact(Role::Hardware, &name("CPU"), cpu_model);
        self.add(Role::Hardware, &name("CPUs"), cpus.known().map(|cpus| cpus.len().to_string()));
        self.fact(Role::Hardware, &name("hypervisor"), hypervisor);
        self.settings(node, end.environment);
        if let Some(interface) = end.environment.interface.known() {
            self.interface(node, interface);
        }
        self.granted(node, end.granted, asked);
        if let Some(noise) = end.observation.noise.known() {
            self.add(Role::Setting, &name("noise"), Some(format!("grade {:?}", noise.grade())));
        }
    }

    fn settings(&mut self, node: &str, environment: &Environment) {
        let name = |what: &str| format!("{node} {what}");
        self.fact(Role::Setting, &name("kernel"), &environment.kernel);
        self.add(Role::Setting, &name("linerate"), known(&environment.linerate));
        self.fact(Role::Setting, &name("SMT"), &environment.smt);
        self.fact(Role::Setting, &name("governor"), &environment.governor);
        self.fact(Role::Setting, &name("clock source"), &environment.clocksource);
        self.fact(Role::Setting, &name("memory"), &environment.memory_bytes);
        for (key, value) in &environment.sysctls {
            self.fact(Role::Setting, &name(key), value);
        }
    }

    fn interface(&mut self, node: &str, interface: &Interface) {
        let name = |what: &str| format!("{node} {what}");
        self.fact(Role::Hardware, &name("adaptor's bus address"), &interface.bus);
        self.add(Role::Setting, &name("interface"), known(&interface.name));
        self.fact(Role::Setting, &name("driver"), &interface.driver);
        self.fact(Role::Setting, &name("driver version"), &interface.driver_version);
        self.fact(Role::Setting, &name("firmware"), &interface.firmware);
        self.fact(Role::Setting, &name("duplex"), &interface.duplex);
        self.fact(Role::Setting, &name("MTU"), &interface.mtu);
        for (key, on) in interface.offloads.known().into_iter().flatten() {
            let value = if *on { "on" } else { "off" };
            self.add(Role::Setting, &name(key), Some(value.to_owned()));
        }
        for (key, value) in interface.coalescing.known().into_iter().flatten() {
            self.add(Role::Setting, &name(&format!("coalescing {key}")), Some(value.to_string()));
        }
        for (key, value) in interface.rings.known().into_iter().flatten() {
            self.add(Role::Setting, &name(&format!("ring {key}")), Some(value.to_string()));
        }
    }

    fn granted(&mut self, node: &str, granted: &Granted, asked: &SocketOptions) {
        let name = |what: &str| format!("{node} {what}");
        // Buffers that nobody asked for grow as the kernel sees fit: where they ended is no setting.
        if asked.sndbuf.is_some() {
            self.fact(Role::Setting, &name("send buffer"), &granted.sndbuf);
        }
        if asked.rcvbuf.is_some() {
            self.fact(Role::Setting, &name("receive buffer"), &granted.rcvbuf);
        }
        self.fact(Role::Setting, &name("congestion control"), &granted.congestion);
        self.fact(Role::Setting, &name("no delay"), &granted.nodelay);
        self.fact(Role::Setting, &name("MSS"), &granted.mss);
        self.fact(Role::Setting, &name("path MTU"), &granted.path_mtu);
        self.fact(Role::Setting, &name("TCP timestamps"), &granted.timestamps);
        self.add(Role::Setting, &name("cipher"), granted.cipher.clone());
        self.add(Role::Setting, &name("pinned to CPU"), granted.pinned.map(|cpu| cpu.to_string()));
    }
}

fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
