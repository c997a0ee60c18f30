//! One end of a connection.

mod acknowledged;
mod buffers;
mod burst;
mod handshake;
mod input;
mod output;
mod recovery;
mod sample;
mod state;
mod timers;
mod waits;

use linerate_core::units::{Span, Time};

use super::acknowledgement::Acknowledgements;
use super::congestion::Congestion;
use super::delivery::DeliveryRate;
use super::ecn::Ecn;
use super::pacing::Pacer;
use super::receive_queue::ReceiveQueue;
use super::retransmission::{Persist, Rack, Retransmission, Scoreboard, TailProbe};
use super::window::{Offer, PeerWindow, Sizing};
use super::{Detection, Recovery, Rules, Segment, Settings};
use handshake::{Agreed, Stage};
use waits::Waits;

pub use output::Kind;
pub use state::{Counters, Failure, State};

/// One end of a connection, without the host it is on. Segments and timers go in, segments come
/// out; the owner asks [`Self::next_kind`] and [`Self::next_timer`] after every call.
///
/// There is no TIME-WAIT: a closed end goes on answering repeated segments, without a timer.
#[derive(Debug)]
pub struct Connection {
    settings: Settings,
    stage: Stage,
    failure: Option<Failure>,
    counters: Counters,
    agreed: Agreed,
    writer: Writer,
    peer: PeerWindow,
    board: Scoreboard,
    congestion: Congestion,
    retransmission: Retransmission,
    persist: Persist,
    waits: Waits,
    /// Losses by time, if the rules have that.
    rack: Option<Rack>,
    probe: TailProbe,
    delivery: DeliveryRate,
    pacer: Pacer,
    /// Duplicate acknowledgements in a row.
    duplicates: u32,
    /// The next lost segment is retransmitted regardless of the congestion window.
    forced: bool,
    /// When data was sent last.
    last_data: Time,
    queue: ReceiveQueue,
    offer: Offer,
    /// The receive buffer grows.
    sizing: Option<Box<Sizing>>,
    owed: Acknowledgements,
    ecn: Ecn,
    /// The timestamp to echo (RFC 7323, 4.3).
    echo: u32,
}

/// What the application has written. Positions.
#[derive(Debug, Default)]
struct Writer {
    /// The position after the last byte.
    end: u64,
    /// The end of the last call that wrote.
    push: u64,
    /// The current write call has more data to come.
    more: bool,
    /// The application closed: FIN is at `end`.
    closed: bool,
    /// The end of the last segment that was not full.
    small: u64,
    /// The send buffer, and the most payload that it takes. Unit: bytes.
    granted: u64,
    capacity: u64,
    /// The buffer grows to this. Unit: bytes.
    ceiling: u64,
    /// The buffer was full, and too little has become free to wake the writer.
    asleep: bool,
}

impl Writer {
    /// How much of the send buffer is taken when all before `first` is acknowledged: neither SYN nor
    /// FIN take any of it.
    fn used(&self, first: u64) -> u64 {
        self.end.saturating_sub(first.max(1))
    }
}

impl Connection {
    /// An end that waits for a SYN.
    #[must_use]
    pub fn listen(settings: Settings) -> Self {
        Self::new(settings, Stage::Listen)
    }

    /// An end that is about to send a SYN.
    #[must_use]
    pub fn connect(settings: Settings) -> Self {
        Self::new(settings, Stage::SynSent)
    }

    fn new(settings: Settings, stage: Stage) -> Self {
        let rules = &settings.rules;
        let agreed = Agreed::hoped(&settings);
        let ceiling = rules.send_buffer.granted(settings.send_buffer);
        let granted = rules.send_buffer.growing_from(settings.send_buffer).unwrap_or(ceiling);
        let capacity = rules.send_buffer.capacity(granted, u64::from(agreed.mss));
        let buffer = rules.receive_buffer.granted(settings.receive_buffer);
        let growing = rules.receive_buffer.growing_from(settings.receive_buffer);
        let mut offer = Offer::new(buffer, agreed.mss);
        if let Some(first) = growing {
            offer = offer.growing_from(first);
        }
        let scale = rules.options.window_scaling.then(|| offer.wanted_scale(&rules.window));
        offer.agree(scale, agreed.mss);
        Self {
            stage,
            failure: None,
            counters: Counters::default(),
            agreed,
            writer: Writer { end: 1, granted, capacity, ceiling, ..Writer::default() },
            peer: PeerWindow::default(),
            board: Scoreboard::new(),
            congestion: Congestion::new(&rules.congestion, rules.congestion.recovery, agreed.mss),
            retransmission: Retransmission::new(&rules.timers),
            persist: Persist::default(),
            waits: Waits::default(),
            rack: (rules.congestion.detection == Detection::Rack).then(Rack::new),
            probe: TailProbe::default(),
            delivery: DeliveryRate::new(),
            pacer: Pacer::new(),
            duplicates: 0,
            forced: false,
            last_data: Time::ZERO,
            queue: ReceiveQueue::default(),
            offer,
            sizing: growing.map(|_| Box::new(Sizing::new())),
            owed: Acknowledgements::new(rules, settings.announced_mss()),
            ecn: Ecn::new(false, rules),
            echo: 0,
            settings,
        }
    }

    fn rules(&self) -> &Rules {
        &self.settings.rules
    }

    /// The loss recovery with this peer.
    fn recovery(&self) -> Recovery {
        match self.rules().congestion.recovery {
            Recovery::Sack if !self.agreed.sack => Recovery::NewReno,
            recovery => recovery,
        }
    }

    /// The application writes `bytes`; `more` says that the call has more to come, so that the rest
    /// of a segment is not yet worth sending. At most [`Self::writable`] bytes are accepted.
    pub fn write(&mut self, bytes: u64, more: bool, now: Time) {
        let bytes = bytes.min(self.writable());
        let writer = &mut self.writer;
        writer.end += bytes;
        writer.more = more;
        if !more {
            writer.push = writer.end;
        }
        writer.asleep = writer.used(self.board.first()) >= writer.capacity;
        if self.board.outstanding() == 0
            && now.since(self.last_data) > self.retransmission.timeout(&self.settings.rules.timers)
        {
            self.congestion.idle();
        }
        self.watch_window(now);
        self.watch_waits(now);
    }

    /// How many bytes the send buffer has room for now; zero means that the application sleeps
    /// until there is room, by the kernel's rule for waking a writer. Zero for good after a close
    /// or a failure.
    #[must_use]
    pub fn writable(&self) -> u64 {
        let writer = &self.writer;
        if writer.asleep || writer.closed || self.failure.is_some() {
            return 0;
        }
        writer.capacity.saturating_sub(writer.used(self.board.first()))
    }

    /// How many bytes have arrived in order and were not taken.
    #[must_use]
    pub fn readable(&self) -> u64 {
        self.queue.readable()
    }

    /// Whether the peer has closed and everything before that was taken: a read would give the end
    /// of the stream.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.queue.is_finished() && self.queue.readable() == 0
    }

    /// The application takes `bytes`, at most [`Self::readable`]. It does not send a window update
    /// by itself: [`Self::read_done`] does at the end of the call.
    pub fn read(&mut self, bytes: u64) {
        let freed = self.queue.read(bytes);
        self.offer.release(freed);
    }

    /// A read call ends: the kernel's rule decides whether this sends a window update.
    pub fn read_done(&mut self) {
        let expected = self.queue.expected();
        if self.stage == Stage::Open
            && !self.queue.is_finished()
            && (self.offer.is_worth_telling(&self.settings.rules.window, expected)
                || self.owed.is_due_at_read(expected, self.queue.readable() == 0, &self.settings.rules))
        {
            self.owed.now();
        }
    }

    /// The application closes: FIN follows what was written.
    pub fn close(&mut self) {
        self.writer.closed = true;
        self.writer.more = false;
        self.writer.push = self.writer.end;
        if self.stage == Stage::Listen {
            self.stage = Stage::Never;
        }
    }

    /// The settings with which it was made.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The name of its congestion control, as kernels have it: `reno`, `cubic`, `bbr`, `dctcp`.
    #[must_use]
    pub fn congestion_name(&self) -> &'static str {
        self.rules().congestion.algorithm.name
    }

    /// Payload of a full segment to the peer: after the handshake, with options taken off; before
    /// it, the expected value. Unit: bytes.
    #[must_use]
    pub fn mss(&self) -> u32 {
        self.agreed.mss
    }

    /// Send and receive buffer as the kernel granted them, and as they have grown. Unit: bytes.
    #[must_use]
    pub fn granted(&self) -> [u64; 2] {
        [self.writer.granted, self.offer.buffer()]
    }

    /// The largest window that the receive buffer can offer when it is empty. Unit: bytes.
    #[must_use]
    pub fn usable_window(&self) -> u64 {
        self.offer.largest(&self.rules().window)
    }

    /// Whether both ends send timestamps.
    #[must_use]
    pub fn has_timestamps(&self) -> bool {
        self.agreed.timestamps
    }

    /// Congestion window. Unit: bytes.
    #[must_use]
    pub fn congestion_window(&self) -> u64 {
        self.congestion.window.bytes
    }

    /// Smoothed round-trip time. `None` before the first sample.
    #[must_use]
    pub fn smoothed_rtt(&self) -> Option<Span> {
        self.retransmission.smoothed()
    }

    /// Bytes sent and not acknowledged; SYN and FIN count as one each.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.board.outstanding()
    }

    /// What it counted.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A segment has come up to the protocol. `charge` is what its buffer takes of the receive
    /// buffer by the host's allocation (truesize). Unit: bytes.
    pub fn arrived(&mut self, segment: &Segment, charge: u32, now: Time) {
        self.counters.segments_received += u64::from(segment.parts);
        self.counters.data_segments_received += if segment.length > 0 { u64::from(segment.parts) } else { 0 };
        if self.failure.is_some() {
            return;
        }
        self.persist.unanswered = 0;
        self.pacer.pass(now);
        match self.stage {
            Stage::Never => {}
            Stage::Listen | Stage::SynSent => self.arrived_early(segment, now),
            Stage::SynReceived | Stage::Open => self.arrived_open(segment, charge, now),
        }
        self.watch_window(now);
        self.watch_waits(now);
    }
}

#[cfg(test)]
mod pair;
#[cfg(test)]
mod tests;
