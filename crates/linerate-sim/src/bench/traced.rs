//! Messages of a model, and where each of them is.

use linerate_core::bench::RunError;
use linerate_core::endpoint::{Endpoint, LinkError};
use linerate_core::trace::{EndMarks, Point, Receiving, Sending};
use linerate_core::units::Time;

use super::{ModelBench, both_done};
use crate::end::End;
use crate::points::Passed;

/// What an application noted of one round. Unit: nanoseconds since the model began.
#[derive(Clone, Copy, Debug)]
struct Round {
    call: u64,
    returned: u64,
    taken: u64,
}

impl ModelBench {
    /// Sends `warm_up` and then `count` messages of `size` bytes there and back; both ends' marks of each of the latter.
    ///
    /// # Errors
    ///
    /// When the model is interrupted, or a message is lost for good.
    pub fn trace_messages(
        &mut self,
        size: u64,
        warm_up: u32,
        count: u32,
    ) -> Result<[Vec<EndMarks>; 2], RunError> {
        self.quiet();
        self.world.borrow_mut().stations.points = Some(Vec::new());
        let rounds = self.rounds(size, warm_up + count);
        let points = self.world.borrow_mut().stations.points.take().unwrap_or_default();
        if self.stopped() {
            return Err(RunError::Interrupted { size });
        }
        let [ours, theirs] = rounds.map_err(|source| RunError::Link { size, source })?;
        let points: Vec<Passed> = points.into_iter().filter(|passed| passed.flow == self.flow).collect();
        let kept = |rounds: &[Round], forward: bool| {
            let marks = |(nth, round): (usize, &Round)| EndMarks {
                sent: Ways::of(&points, forward, size).sending(nth as u64, round),
                came: Ways::of(&points, !forward, size).receiving(nth as u64, round),
            };
            rounds.iter().enumerate().skip(warm_up as usize).map(marks).collect()
        };
        Ok([kept(&ours, true), kept(&theirs, false)])
    }

    fn rounds(&self, size: u64, count: u32) -> Result<[Vec<Round>; 2], LinkError> {
        let len = usize::try_from(size).unwrap_or(usize::MAX);
        let [mut first, mut second] = self.ends();
        let (one, other) = self.drive(ask(&mut first, len, count), answer(&mut second, len, count));
        both_done(one, other)
    }
}

async fn ask(end: &mut End, len: usize, count: u32) -> Result<Vec<Round>, LinkError> {
    let (out, mut into) = (vec![0; len], vec![0; len]);
    let mut rounds = Vec::new();
    for _ in 0..count {
        let call = ns(end.now());
        end.send(&out).await?;
        let returned = ns(end.now());
        end.recv(&mut into).await?;
        rounds.push(Round { call, returned, taken: ns(end.now()) });
    }
    Ok(rounds)
}

async fn answer(end: &mut End, len: usize, count: u32) -> Result<Vec<Round>, LinkError> {
    let (out, mut into) = (vec![0; len], vec![0; len]);
    let mut rounds = Vec::new();
    for _ in 0..count {
        end.recv(&mut into).await?;
        let taken = ns(end.now());
        end.send(&out).await?;
        rounds.push(Round { call: taken, returned: ns(end.now()), taken });
    }
    Ok(rounds)
}

fn ns(time: Time) -> u64 {
    time.as_ps() / 1000
}

/// What passed one way.
struct Ways<'a> {
    points: &'a [Passed],
    forward: bool,
    size: u64,
    /// The first byte of the first message.
    base: Option<u64>,
}

impl<'a> Ways<'a> {
    fn of(points: &'a [Passed], forward: bool, size: u64) -> Self {
        let base = points.iter().filter(|passed| passed.forward == forward).map(|passed| passed.first).min();
        Self { points, forward, size, base }
    }

    /// When the last byte of message `nth` first passed `point`.
    fn at(&self, nth: u64, point: Point) -> Option<u64> {
        let last = self.base? + (nth + 1) * self.size - 1;
        let passed = self
            .points
            .iter()
            .find(|passed| passed.forward == self.forward && passed.point == point && passed.has(last))?;
        Some(ns(passed.time))
    }

    fn sending(&self, nth: u64, round: &Round) -> Sending {
        Sending {
            call: round.call,
            queued: self.at(nth, Point::Queued),
            driven: self.at(nth, Point::Driven),
            returned: Some(round.returned),
            ..Sending::default()
        }
    }

    fn receiving(&self, nth: u64, round: &Round) -> Receiving {
        Receiving {
            handed: self.at(nth, Point::Handed),
            ready: self.at(nth, Point::Ready),
            taken: round.taken,
            ..Receiving::default()
        }
    }
}
