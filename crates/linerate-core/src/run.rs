//! A run: everything asked, found and measured, in one self-contained file.

mod earlier;
mod indent;

use serde::{Deserialize, Serialize};

use crate::caution::Caution;
use crate::ceiling::Framing;
use crate::derive::Boundaries;
use crate::environment::Environment;
use crate::observation::Observation;
use crate::options::Granted;
use crate::plan::Plan;
use crate::series::Series;
use crate::stages::Stages;
use crate::traffic::Transfer;
use crate::units::Rate;

use indent::Indented;

/// The version of the run file that this linerate writes. It reads every version up to this.
pub const FORMAT: u32 = 2;

/// A run, as it is kept. `docs/format.md` describes every field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of the file's form.
    pub format: u32,
    /// What wrote it, such as `linerate 0.1.0`.
    pub generator: String,
    /// When it began: RFC 3339, with the zone. Empty if the source does not say.
    pub started: String,
    /// Where the numbers come from.
    pub source: Source,
    /// How far it came.
    pub state: State,
    /// What was asked, with every default filled in.
    pub plan: Plan,
    /// The end that began.
    pub local: End,
    /// The end that answered.
    pub remote: End,
    /// The connection between them.
    pub path: Path,
    /// The other ends that answered, of bulk between more than two hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Answering>,
    /// What a modelled run was computed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// The curves.
    pub series: Vec<Series>,
    /// Where the time of single messages went, by size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stages>,
    /// Bulk streams and requests, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Transfer>,
    /// What is doubtful, with advice.
    pub cautions: Vec<Caution>,
}

/// Where the numbers come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Measured between two hosts.
    Measured,
    /// Measured against a peer that was started on the same host for it.
    Loopback,
    /// Computed by a model of this name.
    Modelled(String),
    /// Read from another program's file: its name and version.
    Imported(String),
}

/// How far a run came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is going on, or it was killed: what is here was saved after a round.
    Running,
    /// It ended as planned.
    Complete,
    /// The user ended it.
    Interrupted,
    /// It failed, and why.
    Failed(String),
}

/// One end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct End {
    /// The host.
    pub environment: Environment,
    /// What its data socket was granted.
    pub granted: Granted,
    /// What it saw during the run.
    pub observation: Observation,
}

/// The connection between the two ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Path {
    /// Transport, such as `tcp`.
    pub transport: String,
    /// Address of the beginning end.
    pub local: String,
    /// Address of the answering end.
    pub remote: String,
    /// IPv6 rather than IPv4.
    pub ipv6: bool,
}

/// An end that answered, and the connection to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answering {
    /// The end.
    pub end: End,
    /// The connection.
    pub path: Path,
}

/// What a modelled run was computed from: enough to compute it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The model's plan as TOML, with every default filled in.
    pub plan: String,
    /// Rate of the link between the ends.
    pub link: Rate,
    /// The most payload that its framing leaves of that.
    pub payload: Rate,
    /// What is doubtful about the modelled network.
    pub cautions: Vec<Caution>,
}

/// Why a file is no run.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    /// It ends in the middle.
    #[error("the file ends in the middle of the run; it was cut, or is still being written")]
    Cut,
    /// It is not a run file at all.
    #[error("the file is no linerate run: {0}")]
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
        match header.format {
            1..=FORMAT => {
                let run = serde_json::from_str(text);
                let mut run: Self =
                    run.map_err(|source| RunFileError::Content { format: header.format, source })?;
                run.give_loads();
                Ok(run)
            }
            0 => Err(RunFileError::Foreign("there is no format 0".to_owned())),
            found => Err(RunFileError::Later { found }),
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

    /// The sizes at which this run's path is known to change.
    #[must_use]
    pub fn boundaries(&self) -> Boundaries {
        Boundaries {
            segment: self.local.granted.mss.known().copied(),
            send_buffer: self
                .plan
                .common
                .socket
                .sndbuf
                .and_then(|_| self.local.granted.sndbuf.known().copied()),
            receive_window: self
                .plan
                .common
                .socket
                .rcvbuf
                .and_then(|_| self.remote.granted.usable_window.known().copied()),
            page: self.local.environment.page_bytes.known().copied(),
        }
    }

    /// Every end that answered, and its path: the first, then the others.
    pub fn answering(&self) -> impl Iterator<Item = (&End, &Path)> {
        let others = self.others.iter().map(|other| (&other.end, &other.path));
        std::iter::once((&self.remote, &self.path)).chain(others)
    }

    /// The rate of the slower side's links, as far as they are known; several answering ends have
    /// theirs together.
    #[must_use]
    pub fn link(&self) -> Option<Rate> {
        if let Some(model) = &self.model {
            return Some(model.link);
        }
        if self.answering().any(|(_, path)| path.local != self.path.local) {
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
        let slowest = [self.local.environment.speed_mbps(), far].into_iter().flatten().min()?;
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
        let mtu = |end: &End| end.environment.interface.known()?.mtu.known().copied();
        let ends = self.answering().map(|(end, _)| end).chain([&self.local]);
        let mtu = ends.filter_map(mtu).min()?;
        let timestamps = *self.local.granted.timestamps.known()?;
        Some(Framing { mtu, ipv6: self.path.ipv6, timestamps })
    }
}

/// Whether `text` ends in the middle of a number, which `serde_json` takes for wrong syntax.
fn ends_in_a_number(text: &str, error: &serde_json::Error) -> bool {
    let last = text.lines().last().unwrap_or_default();
    let at_the_end = error.line() == text.lines().count() && error.column() >= last.len();
    error.is_syntax() && at_the_end && last.ends_with(['.', '-', '+', 'e', 'E']) && last.len() > 1
}
