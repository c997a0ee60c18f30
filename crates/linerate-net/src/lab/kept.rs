//! Laboratories that outlive the process that made them: their namespaces have names, as `ip netns` gives them, and a
//! record says which belong to them.
//!
//! The record is written before the first namespace is made, and removed after the last has gone. So what a killed
//! process left behind is found, and removed like any other.
//!
//! Its forwarder, if it needs one, is a process that ends once the wires have gone: when the laboratory was removed and
//! no process is in it any more.

mod mounts;
mod processes;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use linerate_core::lab::{LabPlan, LabPlanError, Layout, Mechanism};
use linerate_core::run::LaboratoryLink;

use super::forwarder::{self, ForwarderProgram, Job};
use super::namespace::Namespace;
use super::{Lab, LabError, Site, mechanism, ready};

/// Where the records are: a folder that a reboot empties, as it does namespaces.
const RECORDS: &str = "/run/linerate/labs";
/// Where named namespaces are.  Source: ip-netns(8).
const NAMES: &str = "/run/netns";
/// The most bytes of a record.
const LARGEST: u64 = 1 << 20;
/// The most bytes of a laboratory's name: with that of a node it is a file's.
const LONGEST_NAME: usize = 32;

/// A laboratory that is kept.
#[derive(Debug)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// What it was made of, or why its record cannot be read.
    pub layout: Result<Layout, String>,
    /// One line about it.
    pub about: String,
    /// Nodes whose namespaces are not there. If there are some, it is not whole: what made it was killed, or somebody
    /// removed a part.
    pub missing: Vec<String>,
    /// The links that its forwarder carries, if it has one and tells. None if that has ended: its links are cut then.
    pub carried: Option<Vec<LaboratoryLink>>,
    /// How many processes are in it.
    pub processes: usize,
}

/// Makes the laboratory `plan` under this name, and says which links are more than wires. Its forwarder, if it needs one, is `program`.
///
/// # Errors
///
/// [`LabError`]; nothing is left behind then.
pub fn up(
    name: &str,
    plan: &LabPlan,
    program: &ForwarderProgram,
) -> Result<(Layout, Vec<LaboratoryLink>), LabError> {
    check(name)?;
    let layout = Layout::of(plan)?;
    mounts::prepare(Path::new(NAMES)).map_err(failed("prepare", Path::new(NAMES)))?;
    record(name, plan, &layout)?;
    let mut files = Vec::new();
    let made = make(name, &layout, &mut files, program);
    if made.is_err() {
        // What was made until here. An error of this would hide the one that matters.
        files.iter().for_each(|file| mounts::release(file).unwrap_or(()));
        forget(name).unwrap_or(());
    }
    made.map(|links| (layout, links))
}

/// Removes the laboratory of this name. Processes in it are named instead, unless `force`: they keep their part of it
/// until they end.
///
/// # Errors
///
/// [`LabError::Unknown`], [`LabError::Busy`], and what the operating system refuses.
pub fn down(name: &str, force: bool) -> Result<(), LabError> {
    let layout = layout(name)?;
    let busy = processes::within(&files(name, &layout));
    if !busy.is_empty() && !force {
        let processes = processes::named(&busy);
        return Err(LabError::Busy { name: name.to_owned(), processes });
    }
    remove(name, &layout)
}

/// Every laboratory that is kept, by name.
///
/// # Errors
///
/// [`LabError::File`] when the records cannot be read.
pub fn list() -> Result<Vec<Kept>, LabError> {
    let records = Path::new(RECORDS);
    let entries = match fs::read_dir(records) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed("read", records))?,
    };
    let toml = |entry: io::Result<fs::DirEntry>| {
        let path = entry.ok()?.path();
        let named = path.extension() == Some(OsStr::new("toml"));
        path.file_stem().filter(|_| named)?.to_str().map(str::to_owned)
    };
    let mut names: Vec<String> = entries.filter_map(toml).collect();
    names.sort();
    Ok(names.into_iter().map(seen).collect())
}

/// The laboratory of this name, to work on its nodes. It stays when the value is dropped.
///
/// # Errors
///
/// [`LabError::Unknown`]; [`LabError::File`] where a part of it is missing.
pub fn open(name: &str) -> Result<Lab, LabError> {
    let layout = layout(name)?;
    let open = |path: PathBuf| Namespace::open(&path).map_err(failed("open", &path));
    let namespaces = files(name, &layout).into_iter().map(open).collect::<Result<_, _>>()?;
    let mechanisms = mechanism::choose(&layout)?;
    Ok(Lab { layout, namespaces, mechanisms, forwarder: None })
}

/// Puts this process on a node of the laboratory of this name, with the names of its nodes as those of hosts and a
/// `/sys` that shows the node's interfaces. For a process with one thread that is about to become another program.
///
/// # Errors
///
/// [`LabError::Unknown`]; [`LabError::File`] where a part is missing.
pub fn become_part(name: &str, node: &str) -> Result<(), LabError> {
    let lab = open(name)?;
    let number = lab.layout.find(node).ok_or_else(|| LabError::NoNode {
        node: node.to_owned(),
        lab: name.to_owned(),
        nodes: lab.layout.names(),
    })?;
    drop(lab.stay(number)?);
    let hosts = hosts_of(name);
    mounts::view(&hosts).map_err(failed("show", &hosts))
}

/// The name under which a node's namespace is known to `ip netns`.
#[must_use]
pub fn namespace(name: &str, node: &str) -> String {
    format!("{name}.{node}")
}

fn seen(name: String) -> Kept {
    match read(&name) {
        Ok((plan, layout)) => {
            let files = files(&name, &layout);
            let gone = |file: &PathBuf| Namespace::open(file).is_err();
            let nodes = layout.nodes.iter().zip(&files);
            let missing = nodes.filter(|(_, file)| gone(file)).map(|(node, _)| node.name.clone()).collect();
            let processes = processes::within(&files).len();
            let carried = carried(&name, &layout);
            Kept { name, layout: Ok(layout), about: plan.about, missing, carried, processes }
        }
        Err(error) => {
            let layout = Err(error.to_string());
            Kept {
                name,
                layout,
                about: String::new(),
                missing: Vec::new(),
                carried: Some(Vec::new()),
                processes: 0,
            }
        }
    }
}

/// The links that the forwarder of a laboratory carries, if it has one and tells. None if that has ended.
fn carried(name: &str, layout: &Layout) -> Option<Vec<LaboratoryLink>> {
    let socket = socket_of(name);
    if !socket.exists() {
        return Some(Vec::new());
    }
    let frames = match forwarder::ask(&socket) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return None,
        // Who is not root may not ask.
        other => other.unwrap_or_default(),
    };
    let told = |link: usize| frames.iter().any(|frames| frames.link == link);
    let mechanism = |link| if told(link) { Mechanism::Forwarder } else { Mechanism::Wire };
    let mechanisms: Vec<Mechanism> = (0..layout.links.len()).map(mechanism).collect();
    Some(super::links(layout, &mechanisms, &frames))
}

fn check(name: &str) -> Result<(), LabError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let good =
        !name.is_empty() && !name.starts_with('-') && name.len() <= LONGEST_NAME && name.chars().all(plain);
    let reason = format!("it is 1 to {LONGEST_NAME} of a to z, 0 to 9 and -");
    let error = LabPlanError::Value { key: "name", value: name.to_owned(), reason };
    if good { Ok(()) } else { Err(error.into()) }
}

fn file_of(name: &str) -> PathBuf {
    Path::new(RECORDS).join(format!("{name}.toml"))
}

/// The file that holds the names of its nodes.
fn hosts_of(name: &str) -> PathBuf {
    Path::new(RECORDS).join(format!("{name}.hosts"))
}

/// The socket on which its forwarder tells its counts.
fn socket_of(name: &str) -> PathBuf {
    Path::new(RECORDS).join(format!("{name}.forwarder"))
}

/// Writes down what is about to be made, so that nothing of it is forgotten.
fn record(name: &str, plan: &LabPlan, layout: &Layout) -> Result<(), LabError> {
    let (folder, path) = (Path::new(RECORDS), file_of(name));
    fs::create_dir_all(folder).map_err(failed("make the folder", folder))?;
    let mut file = match fs::File::create_new(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(LabError::Exists(name.to_owned()));
        }
        other => other.map_err(failed("write", &path))?,
    };
    let hosts = hosts_of(name);
    let written = file.write_all(plan.to_toml().as_bytes()).map_err(failed("write", &path));
    let written = written.and_then(|()| fs::write(&hosts, names(layout)).map_err(failed("write", &hosts)));
    written.inspect_err(|_| {
        fs::remove_file(&path).unwrap_or(());
        fs::remove_file(&hosts).unwrap_or(());
    })
}

/// The names and addresses of the nodes, as in hosts(5).
fn names(layout: &Layout) -> String {
    let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
    for node in &layout.nodes {
        for address in node.ports.iter().flat_map(|port| &port.addresses) {
            text.push_str(&format!("{} {}\n", address.ip, node.name));
        }
    }
    text
}

fn read(name: &str) -> Result<(LabPlan, Layout), LabError> {
    use io::Read as _;
    check(name)?;
    let path = file_of(name);
    let file = match fs::File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(LabError::Unknown(name.to_owned()));
        }
        other => other.map_err(failed("read", &path))?,
    };
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).map_err(failed("read", &path))?;
    let plan = LabPlan::from_toml(&text)?;
    let layout = Layout::of(&plan)?;
    Ok((plan, layout))
}

fn layout(name: &str) -> Result<Layout, LabError> {
    read(name).map(|(_, layout)| layout)
}

/// The files of the namespaces, in the order of the nodes.
fn files(name: &str, layout: &Layout) -> Vec<PathBuf> {
    layout.nodes.iter().map(|node| Path::new(NAMES).join(namespace(name, &node.name))).collect()
}

/// Makes it. `files` has those that hold its namespaces, also when it fails.
fn make(
    name: &str,
    layout: &Layout,
    files: &mut Vec<PathBuf>,
    program: &ForwarderProgram,
) -> Result<Vec<LaboratoryLink>, LabError> {
    let mut namespaces = Vec::with_capacity(layout.nodes.len());
    for file in self::files(name, layout) {
        let namespace = Namespace::new()?;
        namespace.enter(|| mounts::keep(&file))?.map_err(failed("make", &file))?;
        files.push(file);
        namespaces.push(namespace);
    }
    let mechanisms = mechanism::choose(layout)?;
    let job = Job::of(layout, &mechanisms);
    let middle = job.is_some().then(forwarder::middle).transpose()?;
    Site { layout, namespaces: &namespaces, mechanisms: &mechanisms, middle: middle.as_ref() }.build()?;
    let start = |(job, middle)| forwarder::start_kept(program, &job, &middle, &socket_of(name));
    job.zip(middle).map_or(Ok(()), start)?;
    ready::await_all(layout, &namespaces)?;
    Ok(super::links(layout, &mechanisms, &[]))
}

fn remove(name: &str, layout: &Layout) -> Result<(), LabError> {
    for file in files(name, layout) {
        mounts::release(&file).map_err(failed("remove", &file))?;
    }
    forget(name)
}

/// Removes the record, last: as long as it is there, the rest is found.
fn forget(name: &str) -> Result<(), LabError> {
    for path in [hosts_of(name), socket_of(name), file_of(name)] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("remove", &path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LabError {
    move |source| match source.kind() {
        io::ErrorKind::PermissionDenied => LabError::Privilege,
        _ => LabError::File { what, path: path.display().to_string(), source },
    }
}
