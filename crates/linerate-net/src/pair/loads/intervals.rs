//! What is shown of a load while it runs, an interval at a time.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use linerate_core::carrier::{LoadWatch, Look};
use linerate_core::kernel::TcpSample;
use linerate_core::traffic::{Direction, Load};
use linerate_core::units::Span;

use super::accounts::{Told, lock};
use crate::control::REPORT;
use crate::traffic::bulk_flows;

/// The intervals of a load. What this end sends is shown as it arrived: as TCP says it was acknowledged, or where
/// nothing here says that, as the servers report it. An interval waits for their report.
pub(super) struct Intervals<'a> {
    pub(super) watch: &'a mut dyn LoadWatch,
    told: &'a [Mutex<Told>],
    /// The transfer's flows in their order: the direction, the server and the place among its flows, and what was
    /// shown. Unit: bytes.
    flows: Vec<Shown>,
    held: VecDeque<(Look, Instant)>,
    patience: Duration,
}

struct Shown {
    direction: Direction,
    server: usize,
    place: usize,
    bytes: u64,
}

impl Shown {
    /// Whether nothing here says what arrived of it.
    fn is_unknown(&self, at: usize, look: &Look) -> bool {
        let acknowledged = look.tcp.get(at).and_then(Option::as_ref).is_some_and(TcpSample::sends);
        self.direction == Direction::Send && !acknowledged
    }
}

impl<'a> Intervals<'a> {
    /// Nothing yet of `load`, for `watch`, with so many servers as there are `told`.
    pub(super) fn new(
        load: &Load,
        told: &'a [Mutex<Told>],
        round_trip: Span,
        watch: &'a mut dyn LoadWatch,
    ) -> Self {
        let of_server = |server: usize| {
            let places = bulk_flows(load).enumerate();
            places.map(move |(place, (flow, direction))| {
                let number = load.numbered(u32::try_from(server).unwrap_or(u32::MAX), flow);
                (direction, number, Shown { direction, server, place, bytes: 0 })
            })
        };
        let mut flows: Vec<_> = (0..told.len()).flat_map(of_server).collect();
        flows.sort_by_key(|(direction, number, _)| (*direction, *number));
        let flows = flows.into_iter().map(|(_, _, shown)| shown).collect();
        Self { watch, told, flows, held: VecDeque::new(), patience: REPORT + 2 * round_trip.to_duration() }
    }

    /// Shows what comes and can be shown within `time`.
    pub(super) fn show(&mut self, looks: &Receiver<Look>, time: Duration) {
        let until = Instant::now() + time;
        loop {
            match looks.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(look) => self.held.push_back((look, Instant::now())),
                Err(RecvTimeoutError::Timeout) => break,
                // There is no bulk, or it has ended: the rest of the wait is for the requests.
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(until.saturating_duration_since(Instant::now()));
                    break;
                }
            }
            self.release(false);
        }
        self.release(false);
    }

    /// Takes what came since, to show it at the end.
    pub(super) fn hold(&mut self, looks: &Receiver<Look>) {
        self.held.extend(looks.try_iter().map(|look| (look, Instant::now())));
    }

    /// Shows the rest, when there are no more reports.
    pub(super) fn end(mut self) {
        self.release(true);
    }

    fn release(&mut self, all: bool) {
        while let Some((mut look, since)) = self.held.pop_front() {
            let told: Vec<_> = self.told.iter().map(lock).collect();
            let unreported = |(at, flow): (usize, &Shown)| {
                flow.is_unknown(at, &look) && !told[flow.server].covers(flow.place, look.until)
            };
            let waits = !all && since.elapsed() < self.patience;
            if waits && self.flows.iter().enumerate().any(unreported) {
                return self.held.push_front((look, since));
            }
            for (at, flow) in self.flows.iter_mut().enumerate() {
                if flow.is_unknown(at, &look) {
                    let arrived = told[flow.server].arrived_by(flow.place, look.until).max(flow.bytes);
                    if let Some(bytes) = look.bytes.get_mut(at) {
                        *bytes = arrived - flow.bytes;
                    }
                    flow.bytes = arrived;
                }
            }
            drop(told);
            self.watch.interval(&look);
        }
    }
}
