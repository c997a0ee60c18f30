//! The programs at the kernel's tracepoints: loaded once, attached and detached at will.

use std::io;
use std::os::fd::BorrowedFd;

use aya::maps::{Array, MapData, RingBuf};
use aya::programs::tp_btf::BtfTracePointLinkId;
use aya::programs::{BtfTracePoint, ProgramError, ProgramInfo, loaded_programs};
use aya::{Btf, Ebpf, EbpfError, EbpfLoader};

use super::layout::{CONNECTION_BYTES, Event, connection};
use super::tracer::addresses;

/// What clang made of `bpf/trace.bpf.c`.
static OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/trace.bpf.o"));

/// The programs, and the tracepoint of each.
const PROGRAMS: [(&str, &str); 12] = [
    ("accepted", "tcp_sendmsg_locked"),
    ("queued", "net_dev_queue"),
    ("driven", "net_dev_start_xmit"),
    ("handed_to_backlog", "netif_rx"),
    ("handed_to_gro", "napi_gro_receive_entry"),
    ("arrived", "netif_receive_skb"),
    ("protocol", "tcp_probe"),
    ("ready", "sk_data_ready"),
    ("woken", "sched_wakeup"),
    ("running", "sched_switch"),
    ("returned", "sock_send_length"),
    ("retransmitted", "tcp_retransmit_skb"),
];

/// The maps that the object has.
const MAPS: &str = "the programs have their maps";

/// `BPF_PROG_TYPE_TRACEPOINT`, `_RAW_TRACEPOINT` and `_TRACING` of linux/bpf.h.
const OF_TRACEPOINTS: [u32; 3] = [5, 17, 26];

/// Why there are no programs. Displayed as a clause after "eBPF cannot be used: ".
#[derive(Debug, thiserror::Error)]
pub(super) enum NoPrograms {
    /// The kernel does not say how its structures lie in memory.
    #[error("the kernel has no BTF (/sys/kernel/btf/vmlinux): it must be built with CONFIG_DEBUG_INFO_BTF")]
    NoBtf,
    /// The process may not.
    #[error("this process may not load it: it needs root, or CAP_BPF and CAP_PERFMON, also of its container")]
    Refused,
    /// No tracepoint could be used.
    #[error("no tracepoint could be used: {0}")]
    NoTracepoint(String),
    /// Something else.
    #[error("{0}")]
    Failed(String),
}

/// The programs of one end of a connection.
pub(super) struct Programs {
    ebpf: Ebpf,
    events: RingBuf<MapData>,
    links: Vec<(&'static str, BtfTracePointLinkId)>,
    loaded: Vec<&'static str>,
    /// Tracepoints that this kernel does not have or does not give.
    pub(super) lacking: Vec<String>,
    /// Programs of others that were loaded before.
    pub(super) others: u32,
    lost: u64,
}

impl Programs {
    /// Loads the programs for `socket`, which is connected.
    pub(super) fn load(socket: BorrowedFd<'_>) -> Result<Self, NoPrograms> {
        let [local, peer] = addresses(socket).map_err(|error| NoPrograms::Failed(error.to_string()))?;
        let cookie = rustix::net::sockopt::socket_cookie(socket)
            .map_err(|errno| NoPrograms::Failed(format!("the socket has no cookie: {errno}")))?;
        let btf = Btf::from_sys_fs().map_err(|_| NoPrograms::NoBtf)?;
        let others = others();
        let mut ebpf = EbpfLoader::new().btf(Some(&btf)).load(OBJECT).map_err(|error| unloadable(&error))?;
        let (mut loaded, mut lacking, mut reason) = (Vec::new(), Vec::new(), String::new());
        for (name, tracepoint) in PROGRAMS {
            match load(&mut ebpf, name, tracepoint, &btf) {
                Ok(()) => loaded.push(name),
                Err(error) if is_refusal(&error) => return Err(NoPrograms::Refused),
                Err(error) => {
                    lacking.push(tracepoint.to_owned());
                    reason = brief(&error);
                }
            }
        }
        if loaded.is_empty() {
            return Err(NoPrograms::NoTracepoint(reason));
        }
        let events = ebpf.take_map("events").expect(MAPS);
        let events = RingBuf::try_from(events).map_err(|error| NoPrograms::Failed(error.to_string()))?;
        let wanted = connection(cookie, peer, local);
        let mut programs = Self { ebpf, events, links: Vec::new(), loaded, lacking, others, lost: 0 };
        programs.set_connection(wanted).map_err(|error| NoPrograms::Failed(error.to_string()))?;
        Ok(programs)
    }

    fn set_connection(&mut self, wanted: [u8; CONNECTION_BYTES]) -> Result<(), aya::maps::MapError> {
        let map = self.ebpf.map_mut("connection").expect(MAPS);
        Array::<_, [u8; CONNECTION_BYTES]>::try_from(map)?.set(0, wanted, 0)
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.loaded.len()).unwrap_or(u32::MAX)
    }

    /// Lets the programs see what passes from now on.
    pub(super) fn attach(&mut self) -> io::Result<()> {
        for name in &self.loaded {
            let program = program(&mut self.ebpf, name);
            let link = program.attach().map_err(io::Error::other)?;
            self.links.push((name, link));
        }
        Ok(())
    }

    /// Whether they see what passes.
    pub(super) const fn is_attached(&self) -> bool {
        !self.links.is_empty()
    }

    /// Ends that; returns what they saw, and how many events found no room.
    pub(super) fn detach(&mut self) -> io::Result<(Vec<Event>, u64)> {
        for (name, link) in std::mem::take(&mut self.links) {
            program(&mut self.ebpf, name).detach(link).map_err(io::Error::other)?;
        }
        let mut events = Vec::new();
        while let Some(event) = self.events.next() {
            events.extend(Event::read(&event));
        }
        events.sort_by_key(|event| event.ns);
        let map = self.ebpf.map("lost").expect(MAPS);
        let count =
            Array::<_, u64>::try_from(map).and_then(|lost| lost.get(&0, 0)).map_err(io::Error::other)?;
        let lost = count - std::mem::replace(&mut self.lost, count);
        Ok((events, lost))
    }
}

/// Loads one program for its tracepoint.
fn load(ebpf: &mut Ebpf, name: &str, tracepoint: &str, btf: &Btf) -> Result<(), ProgramError> {
    program(ebpf, name).load(tracepoint, btf)
}

fn program<'a>(ebpf: &'a mut Ebpf, name: &str) -> &'a mut BtfTracePoint {
    let program = ebpf.program_mut(name).expect("the object has this program");
    program.try_into().expect("it is one for a tracepoint")
}

/// Programs of tracepoints in the kernel. None if it does not tell.
fn others() -> u32 {
    let of_tracepoints = |program: &ProgramInfo| OF_TRACEPOINTS.contains(&(program.program_type() as u32));
    let count = loaded_programs().filter_map(Result::ok).filter(of_tracepoints).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn is_refusal(error: &ProgramError) -> bool {
    let io_error = match error {
        ProgramError::LoadError { io_error, .. } => io_error,
        ProgramError::SyscallError(error) => &error.io_error,
        _ => return false,
    };
    // A program that the verifier refuses is refused with the same number, but then it says why.
    let said =
        matches!(error, ProgramError::LoadError { verifier_log, .. } if !verifier_log.to_string().is_empty());
    io_error.kind() == io::ErrorKind::PermissionDenied && !said
}

/// The error without the verifier's account of every instruction.
fn brief(error: &ProgramError) -> String {
    match error {
        ProgramError::LoadError { io_error, .. } => io_error.to_string(),
        other => other.to_string(),
    }
}

fn unloadable(error: &EbpfError) -> NoPrograms {
    let refused = |io_error: &io::Error| io_error.kind() == io::ErrorKind::PermissionDenied;
    match error {
        EbpfError::MapError(aya::maps::MapError::CreateError { io_error, .. }) if refused(io_error) => {
            NoPrograms::Refused
        }
        EbpfError::ProgramError(program) if is_refusal(program) => NoPrograms::Refused,
        other => NoPrograms::Failed(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
