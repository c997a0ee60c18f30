//! One end under test: a connection, its applications and the real bytes beside it. Whatever a test
//! is about, every segment of it is held to what holds for all TCPs.

use linerate_core::units::Time;
use linerate_sim::tcp::{Connection, Segment, State};

use super::task::{Step, Task};

/// Prime, so that no two segments of a window carry the same.
const PATTERN: usize = 65_521;

/// The byte at a place of a stream; never 0, which stands for what has not arrived.
fn pattern(salt: u64) -> Vec<u8> {
    let mut state = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let byte = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8 | 1
    };
    (0..PATTERN).map(byte).collect()
}

/// What the other end has told about its window, as this end has seen it on the wire.
#[derive(Clone, Copy, Debug, Default)]
struct Peer {
    /// The furthest position that it ever allowed.
    edge: u64,
    acknowledged: u64,
}

pub(crate) struct End {
    pub(crate) connection: Connection,
    pub(crate) tasks: Vec<Task>,
    /// What a segment takes of this end's receive buffer. None: its payload.
    pub(crate) charge: Option<u32>,
    /// What it wrote, and what arrived for it, by place in the stream.
    written: Vec<u8>,
    assembled: Vec<u8>,
    pub(crate) taken: u64,
    pattern: Vec<u8>,
    is_open: bool,
    /// Window scales that the SYNs told: its own and the peer's.
    scales: [Option<u8>; 2],
    peer: Peer,
    /// What it has told itself.
    told: Peer,
    /// The furthest position that it sent.
    reached: u64,
    /// The most bytes between what it sent and what was acknowledged. Unit: bytes.
    pub(crate) most_in_flight: u64,
    pub(crate) sent: u64,
    pub(crate) sent_data: u64,
    /// Payload bytes sent, repeated ones included.
    pub(crate) sent_bytes: u64,
    pub(crate) arrived: u64,
    /// Payload bytes that arrived, repeated ones included.
    pub(crate) arrived_bytes: u64,
}

impl End {
    pub(crate) fn new(connection: Connection, salt: u64) -> Self {
        Self {
            connection,
            tasks: Vec::new(),
            charge: None,
            written: Vec::new(),
            assembled: Vec::new(),
            taken: 0,
            pattern: pattern(salt),
            is_open: false,
            scales: [None; 2],
            peer: Peer::default(),
            told: Peer::default(),
            reached: 0,
            most_in_flight: 0,
            sent: 0,
            sent_data: 0,
            sent_bytes: 0,
            arrived: 0,
            arrived_bytes: 0,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.tasks.iter().all(Task::is_done)
    }

    /// When the next of its waits is over.
    pub(crate) fn wakes(&self) -> Option<Time> {
        self.tasks.iter().filter_map(|task| task.until).min()
    }

    /// Lets an application make its next call, if it can: what that makes of the connection is to be
    /// sent before another.
    pub(crate) fn advance(&mut self, now: Time, note: &mut dyn FnMut(String)) -> bool {
        // The segment that opens a connection may bring the peer's FIN too.
        self.is_open |= matches!(self.connection.state(), State::Established | State::Closing);
        if !self.is_open {
            return false;
        }
        let mut tasks = std::mem::take(&mut self.tasks);
        let moved = tasks.iter_mut().any(|task| {
            let step = task.step();
            step.is_some_and(|step| self.advances(task, step, now, note))
        });
        self.tasks = tasks;
        moved
    }

    fn advances(&mut self, task: &mut Task, step: Step, now: Time, note: &mut dyn FnMut(String)) -> bool {
        match step {
            Step::Write(bytes) => {
                let now_written = self.connection.writable().min(bytes - task.moved);
                if now_written > 0 {
                    note(format!("writes {now_written}"));
                    self.write(now_written, task.moved + now_written < bytes, now);
                }
                self.moves(task, now_written, bytes, now)
            }
            Step::Read(bytes) => {
                let now_read = self.connection.readable().min(bytes - task.moved);
                if now_read > 0 {
                    note(format!("reads {now_read}"));
                    self.read(now_read);
                }
                self.moves(task, now_read, bytes, now)
            }
            Step::Wait(span) => {
                let until = *task.until.get_or_insert(now + span);
                if until <= now {
                    task.finish(now);
                }
                until <= now
            }
            Step::Close => {
                note("closes".to_owned());
                self.connection.close();
                task.finish(now);
                true
            }
        }
    }

    fn moves(&mut self, task: &mut Task, moved: u64, bytes: u64, now: Time) -> bool {
        task.moved += moved;
        if task.moved == bytes {
            task.finish(now);
            return true;
        }
        moved > 0
    }

    fn write(&mut self, bytes: u64, more: bool, now: Time) {
        let mut left = bytes as usize;
        while left > 0 {
            let from = self.written.len() % PATTERN;
            let piece = left.min(PATTERN - from);
            self.written.extend_from_slice(&self.pattern[from..from + piece]);
            left -= piece;
        }
        self.connection.write(bytes, more, now);
    }

    fn read(&mut self, bytes: u64) {
        self.taken += bytes;
        assert!(self.taken <= self.assembled.len() as u64, "what is readable has arrived");
        self.connection.read(bytes);
        self.connection.read_done();
    }

    /// Whether what was read is what `writer` wrote.
    pub(crate) fn check_taken(&self, writer: &Self) {
        let taken = self.taken as usize;
        assert!(taken <= writer.written.len(), "no more is read than was written");
        assert!(self.assembled[..taken] == writer.written[..taken], "the bytes read are those written");
    }

    /// The payload of a segment that is about to leave; the segment is held to the rules.
    pub(crate) fn sends(&mut self, segment: &Segment) -> Vec<u8> {
        self.sent += 1;
        if segment.flags.syn {
            self.scales[0] = segment.window_scale;
        }
        self.check_told(segment);
        self.reached = self.reached.max(segment.end());
        self.most_in_flight = self.most_in_flight.max(self.reached.saturating_sub(self.peer.acknowledged));
        if segment.length == 0 {
            return Vec::new();
        }
        self.sent_data += 1;
        self.sent_bytes += u64::from(segment.length);
        assert!(segment.length <= self.connection.mss(), "no longer than the MSS: {segment:?}");
        let last = segment.sequence + u64::from(segment.length);
        // A zero-window probe is one byte beyond (RFC 9293, 3.8.6.1).
        let beyond = u64::from(segment.length == 1);
        let edge = self.peer.edge;
        assert!(last <= edge + beyond, "within the window offered, up to {edge}: {segment:?}");
        let from = segment.sequence as usize - 1;
        let payload = self.written.get(from..from + segment.length as usize);
        payload.unwrap_or_else(|| panic!("nothing but what was written is sent: {segment:?}")).to_vec()
    }

    fn check_told(&mut self, segment: &Segment) {
        if !segment.flags.ack || segment.flags.reset {
            return;
        }
        let acknowledged = segment.acknowledgement;
        assert!(acknowledged >= self.told.acknowledged, "acknowledgements do not go back: {segment:?}");
        let edge = acknowledged + self.offer(segment, 0);
        assert!(edge >= self.told.edge, "the window's edge is kept: {segment:?}");
        self.told = Peer { edge: self.told.edge.max(edge), acknowledged };
        for [from, to] in segment.sack.as_slice() {
            assert!(from < to && *from > acknowledged, "SACK says what is beyond a gap: {segment:?}");
        }
    }

    /// A window field in bytes; `side` 0 says that this end told it, 1 the peer.
    pub(crate) fn offer(&self, segment: &Segment, side: usize) -> u64 {
        let both = self.scales[side].filter(|_| self.scales[1 - side].is_some());
        u64::from(segment.window) << if segment.flags.syn { 0 } else { both.unwrap_or(0) }
    }

    /// A segment has come.
    pub(crate) fn receives(&mut self, segment: &Segment, payload: &[u8], now: Time) {
        if segment.flags.syn {
            self.scales[1] = segment.window_scale;
        }
        if segment.flags.ack {
            self.peer.acknowledged = self.peer.acknowledged.max(segment.acknowledgement);
            self.peer.edge = self.peer.edge.max(segment.acknowledgement + self.offer(segment, 1));
        }
        if !payload.is_empty() {
            let from = segment.sequence as usize - 1;
            let to = from + payload.len();
            self.assembled.resize(self.assembled.len().max(to), 0);
            self.assembled[from..to].copy_from_slice(payload);
        }
        self.arrived += 1;
        self.arrived_bytes += u64::from(segment.length);
        self.connection.arrived(segment, self.charge.unwrap_or(segment.length), now);
    }
}
