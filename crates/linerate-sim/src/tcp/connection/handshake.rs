//! SYN and its options: RFC 9293, 3.5 and 3.7.1; RFC 7323; RFC 2018.

use linerate_core::units::Time;

use super::{Connection, Failure};
use crate::tcp::congestion::Congestion;
use crate::tcp::ecn::Ecn;
use crate::tcp::{Segment, Settings};

/// How far a connection is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Listen,
    SynSent,
    SynReceived,
    Open,
    /// It was closed before anything came.
    Never,
}

/// The agreed options; before the handshake, what this end expects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    /// Payload of a full segment. Unit: bytes.
    pub(super) mss: u32,
    pub(super) timestamps: bool,
    pub(super) sack: bool,
    /// Explicit congestion notification.
    pub(super) ecn: bool,
    /// Both scale their windows.
    pub(super) scaling: bool,
    /// The shift of the peer's windows.
    pub(super) peer_scale: u8,
}

/// The MSS of a peer without the option. Unit: bytes. Source: RFC 9293, 3.7.1.
const DEFAULT_MSS: u32 = 536;

/// The least payload of a segment, so that a peer cannot ask for zero. Unit: bytes. Source: IPv4's
/// least MTU of 68 (RFC 791, 3.2) less 40 and the options.
const LEAST_MSS: u32 = 8;

/// IPv4 and TCP header without options. Unit: bytes.
const HEADERS: u32 = 40;

/// What timestamps take of each segment. Unit: bytes. Source: RFC 7323, appendix A.
const TIMESTAMPS: u32 = 12;

impl Settings {
    /// The MSS that its SYN announces: MTU less 40, or what the application allows. Source: RFC
    /// 6691.
    pub(in crate::tcp) fn announced_mss(&self) -> u32 {
        let most = self.mtu.saturating_sub(HEADERS).min(u32::from(u16::MAX));
        self.mss.map_or(most, |mss| mss.min(most)).max(LEAST_MSS + TIMESTAMPS)
    }
}

impl Agreed {
    pub(super) fn hoped(settings: &Settings) -> Self {
        let options = &settings.rules.options;
        let taken = if options.timestamps { TIMESTAMPS } else { 0 };
        Self {
            mss: settings.announced_mss() - taken,
            timestamps: options.timestamps,
            sack: options.sack,
            ecn: settings.rules.ecn()[0],
            scaling: options.window_scaling,
            peer_scale: 0,
        }
    }
}

impl Connection {
    /// A segment before the connection is open: only a SYN, or a reset of this end's SYN, has an
    /// effect.
    pub(super) fn arrived_early(&mut self, segment: &Segment, now: Time) {
        let answers = segment.flags.ack && segment.acknowledgement == 1 && self.board.next() > 0;
        if segment.flags.reset {
            if answers {
                self.fail(Failure::Reset);
            }
            return;
        }
        if !segment.flags.syn || segment.sequence != 0 || segment.flags.ack && !answers {
            return;
        }
        self.agree(segment);
        self.queue.open();
        self.owed.now();
        self.echo = segment.timestamps.map_or(0, |[sent, _]| sent);
        self.stage = Stage::SynReceived;
        if segment.flags.ack {
            self.peer.told(0, 1, u64::from(segment.window));
            self.opened(segment, now);
        }
    }

    /// Enables the options that both SYNs offer.
    fn agree(&mut self, syn: &Segment) {
        let options = &self.settings.rules.options;
        let [asks, agrees] = self.settings.rules.ecn();
        let agreed = &mut self.agreed;
        // RFC 3168, 6.1.1: a SYN asks with both flags, and the answer agrees with one.
        agreed.ecn = match (syn.flags.ack, syn.flags.ece, syn.flags.cwr) {
            (false, true, true) => agrees,
            (true, true, false) => asks,
            _ => false,
        };
        self.ecn = Ecn::new(agreed.ecn, &self.settings.rules);
        agreed.timestamps = options.timestamps && syn.timestamps.is_some();
        agreed.sack = options.sack && syn.sack_permitted;
        if !agreed.sack {
            // Losses by time need it (RFC 8985, 4).
            self.rack = None;
        }
        agreed.scaling = options.window_scaling && syn.window_scale.is_some();
        agreed.peer_scale = syn.window_scale.filter(|_| agreed.scaling).unwrap_or(0).min(14);
        let told = syn.mss.map_or(DEFAULT_MSS, u32::from);
        let taken = if agreed.timestamps { TIMESTAMPS } else { 0 };
        agreed.mss = self.settings.announced_mss().min(told.max(LEAST_MSS + TIMESTAMPS)) - taken;
        let rules = &self.settings.rules;
        let scale = agreed.scaling.then(|| self.offer.wanted_scale(&rules.window));
        self.offer.agree(scale, agreed.mss);
        self.writer.capacity = rules.send_buffer.capacity(self.writer.granted, u64::from(agreed.mss));
    }

    /// The peer has this end's SYN.
    pub(super) fn opened(&mut self, segment: &Segment, now: Time) {
        self.stage = Stage::Open;
        self.take_acknowledgement(segment.acknowledgement, segment, now);
        // What the handshake did to the window does not count (RFC 5681, 3.1).
        self.congestion = Congestion::new(&self.rules().congestion, self.recovery(), self.agreed.mss);
        if self.counters.timeouts > 0 {
            self.congestion.window.syn_lost();
        }
        if let Some(rtt) = self.retransmission.smoothed() {
            self.congestion.opened(rtt, now);
        }
        if let Some(sizing) = &mut self.sizing {
            sizing.begin(self.retransmission.least(), self.agreed.mss, now);
        }
        self.grow_send_buffer();
    }
}
