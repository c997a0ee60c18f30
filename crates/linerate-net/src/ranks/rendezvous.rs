//! How ranks find each other: all come to rank 0, which gives each the table of all.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::time::Duration;

use linerate_core::units::Span;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::comm::{TcpComm, pause};
use super::door::Door;
use super::introduction::{Comes, IntroductionError, LONGEST_NAME, introduce};
use super::stream::{connect, register};
use crate::channel::CancelGroup;
use crate::control::{Control, Deadline, FrameError, Key, closed_by_peer, harmless, random};
use crate::observe::{HostClock, interface_of};
use crate::transport::SEGMENT;

/// Between two tries to reach rank 0, which may start later.
const RETRY: Duration = Duration::from_millis(100);
/// How often rank 0 asks whether the others may still come.
const HOPE: Duration = Duration::from_millis(200);
/// How long one try may take.
const TRY: Duration = Duration::from_secs(5);
/// How many rows of the table a frame has: it stays far below the longest frame.
const ROWS: usize = 128;
/// Files of a rank beside one connection for each other rank.
const OTHER_FILES: u64 = 256;

/// What a rank knows before it joins.
#[derive(Clone, Debug)]
pub struct Joining {
    /// Which rank it is.
    pub rank: usize,
    /// Of how many.
    pub size: usize,
    /// The first rank that is measured: 1 if rank 0 only conducts.
    pub first: usize,
    /// What people call its host.
    pub name: String,
    /// What it was told to do, as a text that is equal if that is.
    pub plan: String,
    /// The key of all ranks.
    pub key: Key,
    /// How long the last of them may take to come.
    pub within: Duration,
    /// A rank that does not move a byte for so long is lost.
    pub patience: Span,
    /// The clock that times.
    pub clock: HostClock,
    /// Who ends it, and what it says of others.
    pub oversight: Oversight,
}

/// How a rank is watched that serves somebody else.
#[derive(Clone, Debug, Default)]
pub struct Oversight {
    /// Ends the rank, whatever it waits for or computes.
    pub cancel: CancelGroup,
    /// Whether it says of a connection that failed only that it failed: rank 0 may measure this host, and is not to learn
    /// through it what is at an address.
    pub discreet: bool,
}

/// Who must come, and how long rank 0 waits for the others.
#[derive(Clone, Debug, Default)]
pub struct Attendance {
    /// The fewest ranks that suffice, rank 0 among them. If absent, all.
    pub fewest: Option<usize>,
    /// Once a rank has come, the next may take so long. If absent, as long as the first.
    pub next_within: Option<Duration>,
    /// What people call the hosts of the ranks, by rank. Empty if that is not known.
    pub names: Vec<String>,
}

/// A rank that will not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Which.
    pub rank: usize,
    /// Why, such as "the rank on n3 ended".
    pub reason: String,
}

impl Attendance {
    /// What people call the host of a rank that did not come.
    fn name(&self, rank: usize) -> String {
        self.names.get(rank).cloned().unwrap_or_else(|| format!("rank {rank}"))
    }
}

/// Where rank 0 is, and what proves that it is ours.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// Addresses of rank 0, as `HOST:PORT`, which are tried in turn.
    pub addresses: Vec<String>,
    /// The key of all ranks.
    pub key: Key,
}

/// Why ranks did not find each other. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The name of rank 0's host has no address.
    #[error("find rank 0 at {address}: {source}")]
    Resolve {
        /// As it was given.
        address: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// Rank 0 cannot be reached.
    #[error("reach rank 0 at {address} within {within:?}: {reason}")]
    Unreachable {
        /// As it was given.
        address: String,
        /// How long it was tried.
        within: Duration,
        /// What came of the last try.
        reason: String,
    },
    /// Rank 0 refused, and said why.
    #[error("join rank 0: {0}")]
    Refused(String),
    /// Some ranks never came.
    #[error("find all {size} ranks: {} did not come within {within:?}", ranks(missing))]
    Missing {
        /// Which.
        missing: Vec<usize>,
        /// How many there are.
        size: usize,
        /// How long rank 0 waited.
        within: Duration,
    },
    /// Rank 0 gave up before all had come.
    #[error("wait for all {size} ranks: {reason}")]
    GivenUp {
        /// How many there are.
        size: usize,
        /// Why, such as "rank 3 ended".
        reason: String,
    },
    /// A rank was started otherwise than rank 0.
    #[error("join all ranks: rank {rank} on {name} {reason}")]
    Disagree {
        /// Which.
        rank: usize,
        /// On which host.
        name: String,
        /// In what.
        reason: String,
    },
    /// Something of this host.
    #[error("{operation}: {source}")]
    System {
        /// What was being done.
        operation: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
}

/// `rank 3`, `ranks 3 and 7`, `ranks 1, 2 and 9`; of many the first ones.
fn ranks(numbers: &[usize]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = numbers.iter().take(SHOWN).map(ToString::to_string).collect();
    match (&shown[..], numbers.len() - shown.len()) {
        ([one], 0) => format!("rank {one}"),
        ([first @ .., last], 0) => format!("ranks {} and {last}", first.join(", ")),
        (shown, more) => format!("ranks {} and {more} more", shown.join(", ")),
    }
}

fn failed(operation: &'static str) -> impl Fn(io::Error) -> JoinError {
    move |source| JoinError::System { operation, source }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What people call its host.
    pub name: String,
    /// Where it awaits others.
    pub address: SocketAddr,
}

/// What rank 0 tells every rank.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Told {
    /// A part of the table.
    Table {
        /// The name of the session, with which the last part seals all rows.
        session: String,
        /// Some rows, the next of the table.
        rows: Vec<Row>,
        /// Whether more follow.
        more: bool,
    },
    /// It is over before it began.
    Over {
        /// Why, for people.
        reason: String,
    },
}

/// As rank 0, awaits the others at `listener`. `hope` is asked a few times a second who will not come any more, and its error
/// is the reason to give up. Those that do not come are [absent](linerate_core::comm::Comm::absence) from the ranks.
///
/// # Errors
///
/// When too few ranks come, or one was started with another plan or another number of ranks.
pub fn lead(
    listener: TcpListener,
    joining: Joining,
    attendance: &Attendance,
    hope: impl FnMut() -> Result<Vec<Absent>, String>,
) -> Result<TcpComm, JoinError> {
    make_room(joining.size);
    let door = Door::open(listener, &joining.key).map_err(failed("listen for the other ranks"))?;
    let mut controls: Vec<Option<Control>> = (0..joining.size).map(|_| None).collect();
    let own = Row { name: joining.name.clone(), address: SocketAddr::new([0; 4].into(), door.port()) };
    let mut rows = vec![own; joining.size];
    let roll = match gather(&door, &joining, (attendance, hope), &mut controls, &mut rows) {
        Ok(roll) => roll,
        Err(error) => {
            let reason = format!("rank 0 failed to {error}");
            tell_all(&controls, |_| vec![Told::Over { reason: reason.clone() }]);
            return Err(error);
        }
    };
    let session: [u8; 16] = random().map_err(failed("draw a number for the session"))?;
    let session: String = session.iter().map(|byte| format!("{byte:02x}")).collect();
    tell_all(&controls, |_| {
        let parts = rows.chunks(ROWS);
        let last = parts.len();
        let told = |(place, rows): (usize, &[Row])| Told::Table {
            session: session.clone(),
            rows: rows.to_vec(),
            more: place + 1 < last,
        };
        parts.enumerate().map(told).collect()
    });
    TcpComm::new(joining, controls, (rows, roll), door, session)
        .map_err(failed("set up the connections of the ranks"))
}

/// What rank 0 knows of the ranks once they have met, by rank.
#[derive(Debug)]
pub(super) struct Roll {
    /// Why a rank is absent, if it is.
    pub(super) absent: Vec<Option<String>>,
    /// The MTU of the interface at which it is, if it said so. Unit: bytes.
    pub(super) mtus: Vec<Option<u64>>,
}

impl Roll {
    fn new(size: usize) -> Self {
        Self { absent: vec![None; size], mtus: vec![None; size] }
    }
}

/// Awaits every rank, and checks each.
fn gather(
    door: &Door,
    joining: &Joining,
    (attendance, mut hope): (&Attendance, impl FnMut() -> Result<Vec<Absent>, String>),
    controls: &mut [Option<Control>],
    rows: &mut [Row],
) -> Result<Roll, JoinError> {
    let size = joining.size;
    let fewest = attendance.fewest.unwrap_or(size);
    let mut roll = Roll::new(size);
    let all = Deadline::after(joining.within);
    let (mut deadline, mut waited) = (all, joining.within);
    loop {
        let awaited = |rank: &usize| controls[*rank].is_none() && roll.absent[*rank].is_none();
        let missing: Vec<usize> = (1..size).filter(awaited).collect();
        if missing.is_empty() {
            for (rank, row) in rows.iter_mut().enumerate().filter(|(rank, _)| roll.absent[*rank].is_some()) {
                row.name = attendance.name(rank);
            }
            return Ok(roll);
        }
        let soon = deadline.left().map_or(Duration::ZERO, |left| left.min(HOPE));
        let came = door.wait_for(Deadline::after(soon), |introduction| {
            matches!(introduction.comes, Comes::ToJoin { .. })
        });
        let Some((introduction, control)) = came else {
            let given_up = |reason| JoinError::GivenUp { size, reason };
            for Absent { rank, reason } in hope().map_err(given_up)? {
                if let Some(absent) = roll.absent.get_mut(rank) {
                    controls[rank] = None;
                    absent.get_or_insert(reason);
                }
            }
            if size - roll.absent.iter().flatten().count() < fewest {
                return Err(given_up(roll.absent.into_iter().flatten().next().unwrap_or_default()));
            }
            if deadline.left().is_ok() {
                continue;
            }
            let missing: Vec<usize> =
                missing.into_iter().filter(|rank| roll.absent[*rank].is_none()).collect();
            if size - roll.absent.iter().flatten().count() - missing.len() < fewest {
                return Err(JoinError::Missing { missing, size, within: waited });
            }
            for rank in missing {
                roll.absent[rank] = Some(format!("it did not come within {waited:?}"));
            }
            continue;
        };
        let Comes::ToJoin { size, name, plan, port, mtu } = introduction.comes else { continue };
        let (rank, name) =
            (introduction.rank, harmless(&name.chars().take(LONGEST_NAME).collect::<String>()));
        let reason = if size != joining.size {
            format!("was started as one of {size} ranks, and rank 0 as one of {}", joining.size)
        } else if plan != joining.plan {
            "was started with another plan than rank 0: give all ranks the same options".to_owned()
        } else if rank == 0 || rank >= size {
            format!("says that it is rank {rank}, and the others are 1 to {}", size.saturating_sub(1))
        } else if controls[rank].is_some() {
            format!("is there twice: another process on {} has that number", rows[rank].name)
        } else {
            let peer = control.stream().peer_addr().map_err(failed("find where a rank comes from"))?;
            rows[rank] = Row { name, address: SocketAddr::new(peer.ip(), port) };
            controls[rank] = Some(control);
            roll.mtus[rank] = mtu;
            if let Some(next) = attendance.next_within {
                let is_sooner = all.left().is_ok_and(|left| next < left);
                let waits = if is_sooner { (Deadline::after(next), next) } else { (all, joining.within) };
                (deadline, waited) = waits;
            }
            continue;
        };
        // It learns the reason too.
        let told = Told::Over { reason: format!("rank {rank} on {name} {reason}") };
        let _ = control.say(&told, TRY);
        return Err(JoinError::Disagree { rank, name, reason });
    }
}

/// Tells every rank that came. One that is gone by now is lost at its first message.
fn tell_all(controls: &[Option<Control>], told: impl Fn(usize) -> Vec<Told>) {
    for (rank, control) in controls.iter().enumerate() {
        let Some(control) = control else { continue };
        let _ = told(rank).iter().try_for_each(|told| control.say(told, TRY));
    }
}

/// As another rank, goes to rank 0 where `find` says that it is. That is asked before every try, and its error is why
/// nobody knows yet; the key is that which it finds, not that of `joining`.
///
/// # Errors
///
/// When it cannot be reached, has another key or another plan, or other ranks do not come.
pub fn join(
    find: impl FnMut() -> Result<Meeting, String>,
    mut joining: Joining,
) -> Result<TcpComm, JoinError> {
    make_room(joining.size);
    let deadline = Deadline::after(joining.within);
    let (control, door) = reach(find, &mut joining, deadline)?;
    let ends = register(&joining.oversight.cancel, control.stream());
    let _ends = ends.map_err(failed("hold the connection with rank 0"))?;
    // The others may come until then, and rank 0 then says so.
    let (rows, session) = table(&control, joining.size, Deadline::after(joining.within.saturating_add(TRY)))?;
    let mut controls: Vec<Option<Control>> = (0..joining.size).map(|_| None).collect();
    controls[0] = Some(control);
    TcpComm::new(joining, controls, (rows, Roll::new(0)), door, session)
        .map_err(failed("set up the connections of the ranks"))
}

/// The table of all `size` ranks, and the session, from rank 0. No more of it is held than ranks of this number have.
fn table(control: &Control, size: usize, deadline: Deadline) -> Result<(Vec<Row>, String), JoinError> {
    let refused = |reason: String| Err(JoinError::Refused(reason));
    let mut all = Vec::new();
    loop {
        let left = deadline.left().map_err(|error| silent(&error.into()))?;
        let told = control.hear(left).map_err(|error| silent(&error))?;
        match told {
            Told::Over { reason } => return refused(harmless(&reason)),
            Told::Table { session, rows, more } => {
                let after = all.len() + rows.len();
                if after > size || (!more && after != size) {
                    return refused(format!("it has a table of {after} ranks, not of {size}"));
                }
                if rows.is_empty() || rows.iter().any(|row| row.name.len() > LONGEST_NAME) {
                    return refused("its table has a part without rows, or too long a name".to_owned());
                }
                all.extend(rows);
                if more {
                    continue;
                }
                return Ok((all, session));
            }
        }
    }
}

fn silent(error: &FrameError) -> JoinError {
    let gone = matches!(error, FrameError::Stream(error) if closed_by_peer(error));
    let reason = if gone { "it has gone".to_owned() } else { error.to_string() };
    JoinError::Refused(reason)
}

/// Connects to rank 0 and introduces this rank, again and again until the deadline. Its own door is at the address from
/// which it reached rank 0: the way that the others find it by.
fn reach(
    mut find: impl FnMut() -> Result<Meeting, String>,
    joining: &mut Joining,
    deadline: Deadline,
) -> Result<(Control, Door), JoinError> {
    let mut last = "nobody answered".to_owned();
    let mut shown = "an unknown address".to_owned();
    loop {
        match find() {
            Err(reason) => last = reason,
            Ok(Meeting { addresses, key }) => {
                shown = addresses.join(" or ");
                joining.key = key;
                let mut unknown = None;
                for place in &addresses {
                    let resolved = place.to_socket_addrs().map_err(|source| unknown = Some(source));
                    for address in resolved.into_iter().flatten() {
                        match tried(address, joining, deadline)? {
                            Ok(joined) => return Ok(joined),
                            Err(reason) => last = reason,
                        }
                    }
                }
                if let (Some(source), [_]) = (unknown, &addresses[..]) {
                    return Err(JoinError::Resolve { address: shown, source });
                }
            }
        }
        if deadline.left().is_err() || joining.oversight.cancel.is_cut() {
            return Err(JoinError::Unreachable { address: shown, within: joining.within, reason: last });
        }
        pause(Deadline::after(RETRY), &joining.oversight.cancel);
    }
}

/// One try, and why it came to nothing; an error is an answer that no other try would change.
fn tried(
    address: SocketAddr,
    joining: &Joining,
    deadline: Deadline,
) -> Result<Result<(Control, Door), String>, JoinError> {
    let Ok(left) = deadline.left() else { return Ok(Err("the time was over".to_owned())) };
    // What rank 0 says and hears passes where longer packets vanish, unless the connection is measured itself.
    let mss = (joining.first > 0).then_some(SEGMENT);
    let tried = connect((address, mss), TRY.min(left), &joining.oversight.cancel)
        .map_err(IntroductionError::from)
        .and_then(|(stream, _ends)| introduced(stream, joining));
    match tried {
        Ok(joined) => Ok(Ok(joined)),
        Err(IntroductionError::Refused(reason)) => Err(JoinError::Refused(reason)),
        Err(error @ IntroductionError::Unproved(_)) => Err(JoinError::Refused(error.to_string())),
        Err(IntroductionError::Stream(error)) => Ok(Err(error.to_string())),
        Err(error) => Ok(Err(error.to_string())),
    }
}

fn introduced(stream: TcpStream, joining: &Joining) -> Result<(Control, Door), IntroductionError> {
    let here: IpAddr = stream.local_addr()?.ip();
    let door = Door::open(TcpListener::bind((here, 0))?, &joining.key)?;
    let comes = Comes::ToJoin {
        size: joining.size,
        name: joining.name.clone(),
        plan: joining.plan.clone(),
        port: door.port(),
        mtu: interface_of(here).ok().and_then(|interface| interface.mtu.known().copied()),
    };
    let control = introduce(stream, &joining.key, [joining.rank, 0], comes, Deadline::after(TRY))?;
    Ok((control, door))
}

/// Lets this process have a connection for each rank, as far as the host allows. Where it does not, the connection that
/// is one too many says so.
fn make_room(size: usize) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let needed = (size as u64).saturating_mul(4).saturating_add(OTHER_FILES);
    if let Some(current) = current.filter(|current| *current < needed) {
        let allowed = maximum.map_or(needed, |maximum| needed.min(maximum)).max(current);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum });
    }
}
