//! What is lost, and what that leads to: RFC 5681, 3.2; RFC 6675, 5; RFC 8985; RFC 9937.

use linerate_core::units::{Span, Time};

use super::{Connection, Recovery, Stage};
use crate::tcp::congestion::{Flight, Phase, Repair, Report};
use crate::tcp::retransmission::{Delivered, Patience};

impl Connection {
    /// What an acknowledgement says of losses and of the path. `before` it there were so many bytes
    /// in the network, selected, and lost so far.
    pub(super) fn learn(
        &mut self,
        (before, advanced, selected): ([u64; 3], bool, bool),
        rtt: Option<Span>,
        now: Time,
    ) {
        if self.board.outstanding() == 0 && !advanced && self.congestion.pacing().is_none() {
            // Nothing was on its way that this could say anything of.
            return;
        }
        let delivered = self.board.take_delivered();
        let [pipe_before, selected_before, lost_before] = before;
        let least = self.retransmission.least();
        let sample = self.delivery.took((delivered.bytes, delivered.latest), least, now);
        self.detect(&delivered, selected, now);
        self.begin_recovery(selected_before, delivered.bytes);
        let lost = self.board.losses() - lost_before;
        let pipe = self.board.pipe();
        let is_safe = advanced && lost == 0;
        self.congestion.window.repair(Repair { delivered: delivered.bytes, pipe, is_safe });
        let total = self.delivery.delivered();
        let delivered = delivered.bytes;
        let report = Report { now, delivered, total, lost, pipe_before, pipe, rtt, sample };
        if self.congestion.report(&report) {
            self.delivery.run_dry(pipe);
        }
        self.start_probe_timer(now);
    }

    /// Finds what is lost, by time or by duplicates.
    fn detect(&mut self, delivered: &Delivered, selected: bool, now: Time) {
        let patience = self.patience();
        if let Some(rack) = &mut self.rack {
            rack.delivered(delivered, now);
            rack.find_lost(&mut self.board, patience, now);
        } else if selected {
            self.board.find_lost(self.settings.rules.congestion.duplicates);
        }
    }

    fn patience(&self) -> Patience {
        let enough = u64::from(self.rules().congestion.duplicates) * u64::from(self.agreed.mss);
        Patience {
            least: self.retransmission.least().unwrap_or(Span::ZERO),
            smoothed: self.retransmission.smoothed().unwrap_or(Span::ZERO),
            is_sure: self.congestion.window.phase().repairs() || self.board.selected() >= enough,
        }
    }

    /// Fast retransmit, if there are duplicates enough or the scoreboard knows of a loss
    /// (RFC 5681, 3.2; RFC 6675, 5). `selected` bytes were so before this acknowledgement, which
    /// `delivered` so many.
    fn begin_recovery(&mut self, selected: u64, delivered: u64) {
        let threshold = self.rules().congestion.duplicates;
        let lost =
            self.recovery() == Recovery::Sack && self.board.next_lost().is_some() && !self.probe.is_due;
        let first = self.board.first();
        let by_count = self.duplicates >= threshold && self.rack.is_none();
        if !(by_count || lost) || !self.congestion.window.may_recover(first) {
            return;
        }
        self.counters.fast_retransmits += 1;
        let flight = Flight {
            outstanding: self.board.outstanding(),
            next: self.board.next(),
            selected,
            pipe: self.board.pipe(),
            delivered,
            total: self.delivery.delivered(),
            is_reduced: self.congestion.window.phase() == Phase::Reduced,
        };
        self.probe.stop();
        self.congestion.recover(&flight);
        if !lost {
            self.board.lose_first();
        }
        self.forced = true;
    }

    /// When what was overtaken counts as lost.
    pub(super) fn rack_deadline(&self) -> Option<Time> {
        self.rack.as_ref().and_then(|rack| rack.deadline)
    }

    /// What was overtaken has not arrived in time (RFC 8985, 6.2, step 5).
    pub(super) fn overtaken_is_lost(&mut self, now: Time) {
        let patience = self.patience();
        if let Some(rack) = &mut self.rack {
            rack.find_lost(&mut self.board, patience, now);
        }
        self.begin_recovery(self.board.selected(), 0);
    }

    /// The timer of retransmission ran out.
    pub(super) fn lose_timed_out(&mut self, now: Time) {
        let patience = self.patience();
        match &mut self.rack {
            Some(rack) if self.stage == Stage::Open => rack.timed_out(&mut self.board, patience, now),
            _ => self.board.lose_all(),
        }
    }

    /// Starts the timer of tail probes (RFC 8985, 7.2), which runs while nothing is known to be lost
    /// or overtaken.
    pub(super) fn start_probe_timer(&mut self, now: Time) {
        self.probe.deadline = None;
        let outstanding = self.board.outstanding();
        let is_calm = !self.congestion.window.phase().repairs() && self.board.selected() == 0;
        if self.rack.is_none() || self.stage != Stage::Open || outstanding == 0 || !is_calm {
            return;
        }
        let Some(timeout) = self.retransmission.deadline else { return };
        let is_alone = outstanding <= u64::from(self.agreed.mss);
        let smoothed = self.retransmission.smoothed();
        self.probe.start((smoothed, is_alone), timeout, now, &self.settings.rules.timers);
    }

    /// Nothing came back for two round trips: what was not sent yet probes the path, or the last
    /// segment again (RFC 8985, 7.3).
    pub(super) fn probe_tail(&mut self, now: Time) {
        self.probe.deadline = None;
        if self.board.outstanding() == 0 {
            return;
        }
        self.retransmission.restart(now, &self.settings.rules.timers);
        self.probe.is_due = true;
        let (next, full) = (self.board.next(), u64::from(self.agreed.mss));
        let has_new = next + full <= self.writer.end && self.peer.usable(next) >= full;
        if !has_new {
            let repeated = self.board.repeat_last();
            self.forced = repeated.is_some();
            self.probe.is_due = repeated.is_some();
        }
    }
}
