//! What held a flow back, and for what share of its time, in one line.

use std::fmt;

/// What a flow waited for: one cause of lost time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The sending application had nothing to send.
    Application,
    /// The send buffer was too small for the bytes in flight (`SO_SNDBUF`, `tcp_wmem`).
    SendBuffer,
    /// The receiver offered no more window: its buffer is too small (`SO_RCVBUF`, `tcp_rmem`).
    ReceiverWindow,
    /// The receiver offered no more window, because its application left its buffer full.
    Reader,
    /// TCP's congestion window, after a loss or at the start; or the path delivers no faster.
    CongestionWindow,
    /// A processor of a host was saturated.
    Processor(Host),
    /// Other programs had the processor that one of its threads wanted.
    Others,
    /// The link was full.
    Link,
    /// The link was down.
    LinkDown,
}

/// A host, by its part in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// The one that sent.
    Sender,
    /// The one that received.
    Receiver,
    /// Both, on one processor.
    Both,
}

/// The share of the time that each holder held a flow back.
///
/// Unit: 0 to 1; together 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares([f64; Holder::ALL.len()]);

/// What held a flow back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The holder with the largest share.
    pub winner: Holder,
    /// The shares of all.
    pub shares: Shares,
    /// The share of the time in which what was under way stood in a queue of the path. Unit: 0 to 1.
    pub queued: f64,
}

impl Holder {
    /// Every holder, in the order in which shares are shown.
    pub const ALL: [Self; 11] = [
        Self::Application,
        Self::SendBuffer,
        Self::ReceiverWindow,
        Self::Reader,
        Self::CongestionWindow,
        Self::Processor(Host::Sender),
        Self::Processor(Host::Receiver),
        Self::Processor(Host::Both),
        Self::Others,
        Self::Link,
        Self::LinkDown,
    ];

    /// What it is called, without an article.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::SendBuffer => "send buffer",
            Self::ReceiverWindow => "receiver window",
            Self::Reader => "receiving application",
            Self::CongestionWindow => "congestion window or path",
            Self::Processor(Host::Sender) => "sender's processor",
            Self::Processor(Host::Receiver) => "receiver's processor",
            Self::Processor(Host::Both) => "processor that both ends share",
            Self::Others => "other programs on the processor",
            Self::Link => "link",
            Self::LinkDown => "link being down",
        }
    }

    /// Its place among [`ALL`](Self::ALL).
    const fn place(self) -> usize {
        match self {
            Self::Application => 0,
            Self::SendBuffer => 1,
            Self::ReceiverWindow => 2,
            Self::Reader => 3,
            Self::CongestionWindow => 4,
            Self::Processor(Host::Sender) => 5,
            Self::Processor(Host::Receiver) => 6,
            Self::Processor(Host::Both) => 7,
            Self::Others => 8,
            Self::Link => 9,
            Self::LinkDown => 10,
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Shares {
    /// The share of one holder.
    #[must_use]
    pub const fn of(&self, holder: Holder) -> f64 {
        self.0[holder.place()]
    }

    /// Every holder and its share.
    pub fn iter(&self) -> impl Iterator<Item = (Holder, f64)> {
        Holder::ALL.into_iter().zip(self.0)
    }

    /// Adds a share; what rounding puts above the whole is left out.
    pub(super) const fn add(&mut self, holder: Holder, share: f64) {
        let sum = &mut self.0[holder.place()];
        *sum = (*sum + share).min(1.0);
    }
}

impl Verdict {
    /// The verdict of these shares; of equal ones the first in the order of [`Holder::ALL`] wins.
    pub(super) fn of(shares: Shares, queued: f64) -> Self {
        let first = (Holder::Application, shares.of(Holder::Application));
        let (winner, _) = shares.iter().fold(first, |best, next| if next.1 > best.1 { next } else { best });
        Self { winner, shares, queued }
    }

    /// The share of the winner.
    #[must_use]
    pub const fn share(&self) -> f64 {
        self.shares.of(self.winner)
    }
}

impl fmt::Display for Verdict {
    /// `held back by the receiver window for 83 % of the time (send buffer 2 %, congestion window
    /// or path 15 %)`; what rounds to nothing is left out.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| (share * 100.0).round();
        write!(out, "held back by the {} for {} % of the time", self.winner, percent(self.share()))?;
        let others = self.shares.iter().filter(|(holder, _)| *holder != self.winner);
        let mut before = " (";
        for (holder, share) in others.filter(|(_, share)| percent(*share) > 0.0) {
            write!(out, "{before}{holder} {} %", percent(share))?;
            before = ", ";
        }
        out.write_str(if before == ", " { ")" } else { "" })
    }
}
