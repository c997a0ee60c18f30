//! What is judged of pairs: every single visit, and what is usual of each pair.

use super::super::matrix::Matrix;
use super::super::{Mesh, Pass};
use super::{Measure, Place, SEARCHED};
use crate::comm::Segments;
use crate::pattern::Pattern;
use crate::plan::MeshSchedule;

/// Less loss than this is not told from none: a handful of packets of one visit. Unit: share of the packets.
const UNSEEN_LOSS: f64 = 1e-3;
/// A pair whose mean is so many times the usual is unsteady.
const UNSTEADY: f64 = 2.0;
/// So many times the usual loss is worth a name.
const LOSSY: f64 = 3.0;
/// The share of the visits of a place that must be slow.
const NEARLY_ALL: f64 = 0.9;
/// The share of the visits of a place in which packets must be lost: a short one may lose none by chance.
const MANY: f64 = 0.6;
/// Where pairs usually lose this share of their packets, queues are full everywhere.
const USUAL_IN_QUEUES: f64 = 0.005;
/// So many standard deviations of a count, and as many packets, are beyond chance in any of many pairs.
const BEYOND_CHANCE: f64 = 5.0;

impl Measure {
    /// What the logarithm of a place must be above the usual.
    pub(super) fn gap(self, tolerance: f64) -> f64 {
        match self {
            Self::Time => tolerance.ln_1p(),
            Self::Mean => UNSTEADY.ln(),
            Self::Loss => LOSSY.ln(),
        }
    }

    /// The share of the visits of a rank, and of a link, that must be above the usual.
    const fn shares(self) -> [f64; 2] {
        match self {
            Self::Time | Self::Mean => [NEARLY_ALL, 1.0],
            Self::Loss => [MANY; 2],
        }
    }

    /// Its value of a visit: seconds, or the share that was lost.
    pub(super) fn of(self, pass: &Pass, probe: usize) -> Option<f64> {
        match self {
            Self::Time => Some(pass.times.get(probe).copied().flatten()?.as_seconds()),
            Self::Mean => {
                let visit = pass.visits.get(probe).copied().flatten()?;
                (visit.times > 1).then_some(visit.mean.as_seconds())
            }
            Self::Loss => share(segments(pass, probe)?),
        }
    }

    /// Whether a probe tells the two directions apart: half of a round trip is no direction, but who sends again is known.
    pub(super) fn is_directed(self, mesh: &Mesh, probe: usize) -> bool {
        self == Self::Loss || mesh.probes.get(probe).is_some_and(|probe| probe.pattern == Pattern::OneWay)
    }
}

/// What the sender of a visit sent, if that is known.
pub(super) fn segments(pass: &Pass, probe: usize) -> Option<Segments> {
    pass.visits.get(probe).copied().flatten()?.segments
}

/// The share that was lost, with what is not told from none.
pub(super) fn share(segments: Segments) -> Option<f64> {
    (segments.sent > 0).then(|| segments.retransmitted as f64 / segments.sent as f64 + UNSEEN_LOSS)
}

/// The passes of these schedules.
pub(super) fn passes<'m>(mesh: &'m Mesh, schedules: &'m [MeshSchedule]) -> impl Iterator<Item = &'m Pass> {
    mesh.phases_of(schedules).flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes)
}

/// Every visit in which slow places are looked for: while all talk, or else one pair at a time.
pub(super) struct Observed {
    measure: Measure,
    /// From, to, value.
    all: Vec<(usize, usize, f64)>,
    /// What is usual of each pair.
    pub(super) usual_of: Matrix,
    usual: f64,
    /// Packets of each pair, by `from * size + to`; none unless loss is judged.
    packets: Vec<Segments>,
}

impl Observed {
    /// Of a probe, if there is any.
    pub(super) fn of(mesh: &Mesh, probe: usize, measure: Measure) -> Option<Self> {
        SEARCHED
            .iter()
            .find_map(|schedule| Self::in_schedule(mesh, probe, measure, std::slice::from_ref(schedule)))
    }

    fn in_schedule(mesh: &Mesh, probe: usize, measure: Measure, schedule: &[MeshSchedule]) -> Option<Self> {
        let size = mesh.ranks.len();
        let is_pair = |pass: &&Pass| {
            let (from, to) = (pass.from as usize, pass.to as usize);
            from.max(to) < size && from != to
        };
        let value = |pass: &Pass| Some((pass.from as usize, pass.to as usize, measure.of(pass, probe)?));
        let all: Vec<(usize, usize, f64)> =
            passes(mesh, schedule).filter(is_pair).filter_map(value).collect();
        let mut packets = Vec::new();
        let usual_of = if measure == Measure::Loss {
            // Packets of all visits together: a single one may be too short to lose any.
            packets = vec![Segments::default(); size * size];
            for pass in passes(mesh, schedule).filter(is_pair) {
                let sum = &mut packets[pass.from as usize * size + pass.to as usize];
                *sum += segments(pass, probe).unwrap_or_default();
            }
            let mut matrix = Matrix::new(size);
            for (place, sum) in packets.iter().enumerate() {
                matrix.set(place / size, place % size, share(*sum));
            }
            matrix
        } else {
            Matrix::median_of(size, all.iter().copied())
        };
        let usual = if measure == Measure::Loss {
            // More than half of the pairs may cross a lossy place.
            let mut values: Vec<f64> = usual_of.iter().map(|(_, _, value)| value).collect();
            values.sort_by(f64::total_cmp);
            *values.get(values.len() / 4)?
        } else {
            usual_of.median()?
        };
        Some(Self { measure, all, usual_of, usual, packets })
    }

    /// Whether the queues are full everywhere, as where all send in bulk: then a pair loses what chance wants.
    pub(super) fn is_lossy_everywhere(&self) -> bool {
        self.measure == Measure::Loss && self.usual_of.median().is_some_and(|usual| usual > USUAL_IN_QUEUES)
    }

    /// Whether more packets were lost at a place than chance makes of the usual share. Of times the spread says so.
    pub(super) fn is_beyond_chance(&self, place: &Place) -> bool {
        let size = self.usual_of.size();
        let mut here = Segments::default();
        for (at, packets) in self.packets.iter().enumerate() {
            if place.holds(at / size, at % size) {
                here += *packets;
            }
        }
        let expected = here.sent as f64 * (self.usual - UNSEEN_LOSS);
        let limit = expected + BEYOND_CHANCE * (expected.sqrt() + 1.0);
        self.measure != Measure::Loss || here.retransmitted as f64 > limit
    }

    /// Whether nearly all visits of a place are above the usual by this: one slow visit is no slow place.
    pub(super) fn is_nearly_always_slow(&self, place: &Place, factor: f64) -> bool {
        let here = self.all.iter().filter(|(from, to, _)| place.holds(*from, *to));
        let here: Vec<f64> = here.map(|(_, _, value)| *value).collect();
        let slow = here.iter().filter(|value| **value > self.usual * factor).count();
        let [of_rank, of_link] = self.measure.shares();
        let share = if matches!(place, Place::Link(..) | Place::OneWay { .. }) { of_link } else { of_rank };
        slow as f64 >= share * here.len() as f64
    }
}
