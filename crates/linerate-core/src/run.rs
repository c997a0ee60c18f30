//! A run: everything that was requested, read and measured, in one self-contained file.

mod changed;
mod compact;
mod earlier;
mod indent;
mod limits;
mod node;
mod packed;
mod ranks;

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::app::AppRun;
use crate::caution::Caution;
use crate::ceiling::Framing;
use crate::generator::GENERATOR;
use crate::lab::{Forwarded, Mechanism};
use crate::mesh::{Mesh, Rank};
use crate::observation::Observation;
use crate::plan::Plan;
use crate::series::Series;
use crate::stages::Stages;
use crate::trace::Trace;
use crate::traffic::Transfer;
use crate::transport::Transport;
use crate::units::Rate;

use indent::Indented;

pub use changed::{Changed, Turns};
pub use node::{Answering, End, EndState, Node, Path, PathMtu, WayMtu};

/// The version of the run file that this linerate writes. It reads every version up to this.
pub const FORMAT: u32 = 3;

/// A run, as it is kept. `docs/format.md` describes every field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Version of the file's form.
    pub format: u32,
    /// A UUID. Empty if the source has no such identifier.
    pub id: String,
    /// What wrote it, such as `linerate 0.1.0`.
    pub generator: String,
    /// When it began: RFC 3339, with the zone. Empty if the source does not say.
    pub started: String,
    /// Where the numbers come from.
    pub source: Source,
    /// Its state: how far it got.
    pub state: State,
    /// The user's labels: names and values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What was asked, with every default filled in.
    pub plan: Plan,
    /// The hosts: first the initiator, then the responders, at least two; of many ranks every host, at least one.
    pub nodes: Vec<Node>,
    /// The connections between them; at least one.
    pub paths: Vec<Path>,
    /// What a modelled run was computed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// The laboratory on one host that it was measured in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laboratory: Option<Laboratory>,
    /// The curves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// What the path sustains: one size one way, measured after each pass of a curve of the ping-pong pattern over a network.
    /// Without points where there was no time for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained: Option<Series>,
    /// A part of it measured again, each time with one thing changed: a few sizes of the curve, or the first load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Changed>,
    /// Where the time of single messages went, by size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stages>,
    /// Where single messages were on their way, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// What came of bulk streams and requests, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<Transfer>,
    /// What was measured of the pairs of many ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<Mesh>,
    /// What came of an application on many ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<AppRun>,
    /// What is known of each pass by itself, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Pass>,
    /// What is doubtful, with advice.
    pub cautions: Vec<Caution>,
}

/// One of several passes: the whole measurement over new connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    /// When it began: RFC 3339, with the zone.
    pub started: String,
    /// What each of [`Run::nodes`] saw in it.
    pub observations: Vec<Observation>,
    /// Its connections.
    pub paths: Vec<Path>,
}

/// Where the numbers come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Measured between two hosts.
    Measured,
    /// Measured against a peer that was started on the same host for this run.
    Loopback,
    /// Computed by a model of this name.
    Modelled(String),
    /// Read from another program's file: its name and version.
    Imported(String),
}

/// How far a run got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is going on, or it was killed: the content was saved after a round.
    Running,
    /// It ended as planned.
    Complete,
    /// The user ended it.
    Interrupted,
    /// It failed, and why.
    Failed(String),
}

/// What a modelled run was computed from: enough to compute it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Model {
    /// The model's plan as TOML, with every default filled in.
    pub plan: String,
    /// Rate of the link between the ends.
    #[serde(rename = "link_bps", alias = "link")]
    pub link: Rate,
    /// The most payload that its framing leaves of that.
    #[serde(rename = "payload_bps", alias = "payload")]
    pub payload: Rate,
    /// What is doubtful about the modelled network.
    pub cautions: Vec<Caution>,
}

/// The laboratory that a run was measured in: enough to make it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Laboratory {
    /// The name of its plan.
    pub name: String,
    /// Its plan as TOML.
    pub plan: String,
    /// The names of its hosts that measured: of the first node, then of the others.
    pub hosts: Vec<String>,
    /// Its links that are more than wires, in the order of the plan. Older files have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LaboratoryLink>,
}

/// What made a link of a laboratory late and lossy, and what became of its frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LaboratoryLink {
    /// Its two nodes.
    pub between: [String; 2],
    /// What it was made with.
    pub mechanism: Mechanism,
    /// The frames from the first node to the second and back, until the run ended. Known of the forwarder alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<[Forwarded; 2]>,
}

impl Laboratory {
    /// Between which of its hosts, such as `a to b of the laboratory pair`.
    #[must_use]
    pub fn between(&self) -> String {
        match &*self.hosts {
            [here, there @ ..] if !there.is_empty() => {
                format!("{here} to {} of the laboratory {}", there.join(", "), self.name)
            }
            _ => format!("the laboratory {}", self.name),
        }
    }
}

/// Why a file is not a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFileError {
    /// It ends in the middle.
    #[error("the file ends in the middle of the run; it was cut, or is still being written")]
    Cut,
    /// It is not a run file at all.
    #[error("the file is not a linerate run: {0}")]
    Foreign(String),
    /// A later linerate wrote it.
    #[error(
        "the file has format {found}, and this linerate reads up to {FORMAT}; read it with a newer linerate"
    )]
    Later {
        /// The file's version.
        found: u32,
    },
    /// It has the right version and the wrong content.
    #[error("the file says format {format}, but its content is not: {source}")]
    Content {
        /// The file's version.
        format: u32,
        /// Where and what.
        source: serde_json::Error,
    },
}

impl Run {
    /// A run of `plan` that has not begun, between two unknown hosts.
    #[must_use]
    pub fn new(source: Source, plan: Plan) -> Self {
        let mut run = Self {
            format: FORMAT,
            id: String::new(),
            generator: GENERATOR.to_owned(),
            started: String::new(),
            source,
            state: State::Running,
            labels: BTreeMap::new(),
            plan,
            nodes: Vec::new(),
            paths: Vec::new(),
            model: None,
            laboratory: None,
            series: Vec::new(),
            sustained: None,
            changed: Vec::new(),
            stages: Vec::new(),
            trace: None,
            transfers: Vec::new(),
            mesh: None,
            app: None,
            passes: Vec::new(),
            cautions: Vec::new(),
        };
        run.set_star(EndState::default(), vec![Answering::default()]);
        run
    }

    /// Reads a run file.
    ///
    /// # Errors
    ///
    /// When the text is cut, foreign, from a later version, or not what its version promises.
    pub fn from_json(text: &str) -> Result<Self, RunFileError> {
        #[derive(Deserialize)]
        struct Header {
            format: u32,
        }
        let header: Header = serde_json::from_str(text).map_err(|error| {
            if error.is_eof() || ends_in_a_number(text, &error) {
                RunFileError::Cut
            } else {
                RunFileError::Foreign(error.to_string())
            }
        })?;
        let run = match header.format {
            0 => return Err(RunFileError::Foreign("there is no format 0".to_owned())),
            1 | 2 => earlier::read(text),
            FORMAT => serde_json::from_str::<Self>(text).and_then(Self::checked),
            found => return Err(RunFileError::Later { found }),
        };
        run.map_err(|source| RunFileError::Content { format: header.format, source })
    }

    /// Refuses a run whose paths are not between its nodes.
    fn checked(self) -> Result<Self, serde_json::Error> {
        let there = |node: u32| (node as usize) < self.nodes.len();
        let fewest = if self.ranks().is_some() { 1 } else { 2 };
        if self.nodes.len() < fewest || self.paths.is_empty() {
            return Err(serde::de::Error::custom("a run has at least two nodes and a path"));
        }
        match self.paths.iter().find(|path| !there(path.from) || !there(path.to)) {
            Some(Path { from, to, .. }) => {
                let reason =
                    format!("a path is from node {from} to node {to}, and there are {}", self.nodes.len());
                Err(serde::de::Error::custom(reason))
            }
            None => Ok(self),
        }
    }

    /// The run as JSON: indented where people look, one line for each point of a curve.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        let mut writer = serde_json::Serializer::with_formatter(&mut text, Indented::default());
        self.serialize(&mut writer).expect("every field of a run has a JSON form");
        text.push(b'\n');
        String::from_utf8(text).expect("JSON is UTF-8")
    }

    /// The form of a run file, as JSON Schema.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Self>()
    }

    /// Its ranks, if it is one of many.
    #[must_use]
    pub fn ranks(&self) -> Option<&[Rank]> {
        let mesh = self.mesh.as_ref().map(|mesh| mesh.ranks.as_slice());
        mesh.or_else(|| self.app.as_ref().map(|app| app.ranks.as_slice()))
    }

    fn ranks_mut(&mut self) -> Option<&mut Vec<Rank>> {
        match (&mut self.mesh, &mut self.app) {
            (Some(mesh), _) => Some(&mut mesh.ranks),
            (None, Some(app)) => Some(&mut app.ranks),
            (None, None) => None,
        }
    }

    /// Sets the nodes and paths of one initiator and its responders, of which there is at least
    /// one.
    pub fn set_star(&mut self, beginning: EndState, answering: Vec<Answering>) {
        let EndState { environment, granted, observation } = beginning;
        self.nodes = vec![Node { environment, observation, limits: None }];
        self.paths.clear();
        for (to, Answering { end, path }) in (1..).zip(answering) {
            let EndState { environment, granted: to_granted, observation } = end;
            self.nodes.push(Node { environment, observation, limits: None });
            self.paths.push(Path { from: 0, to, from_granted: granted.clone(), to_granted, ..path });
        }
    }

    /// Takes what the nodes saw, and the paths, for those of a pass that `started` then, and makes
    /// what the nodes saw that of all passes.
    pub fn end_pass(&mut self, started: String) {
        let observations = self.nodes.iter().map(|node| node.observation.clone()).collect();
        self.passes.push(Pass { started, observations, paths: self.paths.clone() });
        for (index, node) in self.nodes.iter_mut().enumerate() {
            let of_each = self.passes.iter().filter_map(|pass| pass.observations.get(index));
            node.observation = Observation::over(of_each).unwrap_or_default();
        }
    }

    /// The initiator, with what its first path was granted.
    ///
    /// # Panics
    ///
    /// Without nodes and paths, which no run that was read or conducted is.
    #[must_use]
    pub fn local(&self) -> End<'_> {
        let Node { environment, observation, .. } = &self.nodes[self.path().from as usize];
        End { environment, granted: &self.path().from_granted, observation }
    }

    /// The first responder.
    ///
    /// # Panics
    ///
    /// Without nodes and paths.
    #[must_use]
    pub fn remote(&self) -> End<'_> {
        self.answering_end(self.path())
    }

    /// Whether what its ends send crosses a network, and not only one host's memory or its loopback.
    #[must_use]
    pub fn crosses_network(&self) -> bool {
        let (local, remote) = (self.local().environment, self.remote().environment);
        let of_host = |transport: Transport| transport.is_local() || transport == Transport::Vsock;
        let within =
            local.same_host(remote) == Some(true) && local.network_namespace == remote.network_namespace;
        !within && self.path().transport.parse().is_ok_and(|transport| !of_host(transport))
    }

    /// The first path.
    ///
    /// # Panics
    ///
    /// Without paths.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.paths[0]
    }

    /// Every responder and its path.
    pub fn answering(&self) -> impl Iterator<Item = (End<'_>, &Path)> {
        self.paths.iter().map(|path| (self.answering_end(path), path))
    }

    fn answering_end<'a>(&'a self, path: &'a Path) -> End<'a> {
        let Node { environment, observation, .. } = &self.nodes[path.to as usize];
        End { environment, granted: &path.to_granted, observation }
    }

    /// The rate of the slower side's links, as far as they are known; the rates of several
    /// responders add up.
    #[must_use]
    pub fn link(&self) -> Option<Rate> {
        if let Some(model) = &self.model {
            return Some(model.link);
        }
        if self.paths.iter().any(|path| path.from_address != self.path().from_address) {
            // Which links the flows share here is not known.
            return None;
        }
        let mut links = Vec::new();
        let mut far = Some(0);
        for (End { environment, .. }, _) in self.answering() {
            let name = environment.interface.known().map(|interface| &interface.name);
            let link = (environment.boot_id.known(), name);
            // Two servers behind one link have it once.
            if link.0.is_none() || !links.contains(&link) {
                far = far.zip(environment.speed_mbps()).map(|(sum, speed)| sum + speed);
                links.push(link);
            }
        }
        let slowest = [self.local().environment.speed_mbps(), far].into_iter().flatten().min()?;
        Some(Rate::from_mbps(slowest as f64))
    }

    /// The highest rate of payload that the path allows: the slower link, less its framing where
    /// that is known.
    #[must_use]
    pub fn payload_link(&self) -> Option<Rate> {
        let link = self.link()?;
        Some(self.framing().map_or(link, |framing| framing.ceiling(link)))
    }

    /// How the path frames its payload, if MTU and timestamps are known.
    #[must_use]
    pub fn framing(&self) -> Option<Framing> {
        let mtu = |end: End<'_>| end.environment.interface.known()?.mtu.known().copied();
        let ends = self.answering().map(|(end, _)| end).chain([self.local()]);
        let mtu = ends.filter_map(mtu).min()?;
        let timestamps = *self.local().granted.timestamps.known()?;
        Some(Framing { mtu, ipv6: self.path().ipv6, timestamps })
    }
}

/// Whether `text` ends in the middle of a number, which `serde_json` reports as a syntax error.
fn ends_in_a_number(text: &str, error: &serde_json::Error) -> bool {
    let last = text.lines().last().unwrap_or_default();
    let at_the_end = error.line() == text.lines().count() && error.column() >= last.len();
    error.is_syntax() && at_the_end && last.ends_with(['.', '-', '+', 'e', 'E']) && last.len() > 1
}
