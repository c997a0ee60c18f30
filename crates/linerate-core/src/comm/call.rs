//! A collective with its algorithm, chosen at run time by the name that people write; its data, and their check.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Allgather, Allreduce, Alltoall, Broadcast, ReduceScatter};
use super::collective::{SumOfDoubles, allgather, allreduce, alltoall, barrier, broadcast, reduce_scatter};
use super::{Comm, CommError};
use crate::named::named;

/// Who has the message of a broadcast.
const ROOT: usize = 0;

/// A collective with its algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Call {
    /// Nobody goes on before all are there.
    Barrier,
    /// One rank's message comes to all.
    Broadcast(Broadcast),
    /// Every rank's block comes to all.
    Allgather(Allgather),
    /// All ranks' vectors are summed for all.
    Allreduce(Allreduce),
    /// Every rank's block for every other comes there.
    Alltoall(Alltoall),
    /// Vectors are summed, and each rank keeps its part.
    ReduceScatter(ReduceScatter),
}

impl Call {
    /// All of them. The first algorithm of each collective is the one for short messages.
    pub const ALL: [Self; 13] = [
        Self::Barrier,
        Self::Broadcast(Broadcast::Binomial),
        Self::Broadcast(Broadcast::ScatterAllgather),
        Self::Allgather(Allgather::Ring),
        Self::Allgather(Allgather::RecursiveDoubling),
        Self::Allgather(Allgather::Bruck),
        Self::Allreduce(Allreduce::Ring),
        Self::Allreduce(Allreduce::RecursiveDoubling),
        Self::Allreduce(Allreduce::Rabenseifner),
        Self::Alltoall(Alltoall::Pairwise),
        Self::Alltoall(Alltoall::Bruck),
        Self::ReduceScatter(ReduceScatter::Ring),
        Self::ReduceScatter(ReduceScatter::RecursiveHalving),
    ];

    /// `allreduce:ring`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier:dissemination",
            Self::Broadcast(Broadcast::Binomial) => "broadcast:binomial",
            Self::Broadcast(Broadcast::ScatterAllgather) => "broadcast:scatter-allgather",
            Self::Allgather(Allgather::Ring) => "allgather:ring",
            Self::Allgather(Allgather::RecursiveDoubling) => "allgather:recursive-doubling",
            Self::Allgather(Allgather::Bruck) => "allgather:bruck",
            Self::Allreduce(Allreduce::Ring) => "allreduce:ring",
            Self::Allreduce(Allreduce::RecursiveDoubling) => "allreduce:recursive-doubling",
            Self::Allreduce(Allreduce::Rabenseifner) => "allreduce:rabenseifner",
            Self::Alltoall(Alltoall::Pairwise) => "alltoall:pairwise",
            Self::Alltoall(Alltoall::Bruck) => "alltoall:bruck",
            Self::ReduceScatter(ReduceScatter::Ring) => "reduce-scatter:ring",
            Self::ReduceScatter(ReduceScatter::RecursiveHalving) => "reduce-scatter:recursive-halving",
        }
    }

    /// The collective, such as `allreduce`, and the algorithm, such as `ring`.
    #[must_use]
    pub fn parts(self) -> (&'static str, &'static str) {
        self.name().split_once(':').expect("a name has two parts")
    }

    /// Those that a text names: `all`, a collective with all of its algorithms, or one algorithm of it.
    ///
    /// # Errors
    ///
    /// A sentence with the names that there are.
    pub fn named(text: &str) -> Result<Vec<Self>, String> {
        let of = |call: &Self| text == "all" || call.name() == text || call.parts().0 == text;
        let found: Vec<Self> = Self::ALL.into_iter().filter(of).collect();
        if found.is_empty() { text.parse().map(|call| vec![call]) } else { Ok(found) }
    }

    /// Whether it is defined for so many ranks.
    #[must_use]
    pub const fn takes(self, ranks: usize) -> bool {
        let powers_only = matches!(
            self,
            Self::Allgather(Allgather::RecursiveDoubling)
                | Self::ReduceScatter(ReduceScatter::RecursiveHalving)
        );
        !powers_only || ranks.is_power_of_two()
    }

    /// What a rank holds for a call. Unit: bytes. `bytes` is the whole vector of a broadcast or a reduction, and the
    /// block of one rank, or pair, of the others.
    #[must_use]
    pub const fn memory(self, ranks: usize, bytes: u64) -> u64 {
        let ranks = ranks as u64;
        match self {
            Self::Barrier => 0,
            Self::Broadcast(_) => bytes,
            Self::Allgather(_) => bytes.saturating_mul(ranks.saturating_add(1)),
            Self::Allreduce(_) | Self::ReduceScatter(_) => bytes.saturating_mul(2),
            Self::Alltoall(_) => bytes.saturating_mul(ranks.saturating_mul(3)),
        }
    }
}

named!(Call, "no collective is called {:?}: {}");

impl TryFrom<String> for Call {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Call> for String {
    fn from(call: Call) -> Self {
        call.name().to_owned()
    }
}

/// The data of one rank in a call.
#[derive(Debug, Clone)]
pub struct CallData {
    call: Call,
    rank: usize,
    ranks: usize,
    bytes: usize,
    /// What it sends, and of a broadcast or reduction also the result.
    own: Vec<u8>,
    /// What it receives, of the others.
    received: Vec<u8>,
    /// The part of `own` that is the result.
    kept: Range<usize>,
}

impl CallData {
    /// Data that all ranks can tell from each other's.
    #[must_use]
    pub fn new(call: Call, rank: usize, ranks: usize, bytes: usize) -> Self {
        let (own, received) = match call {
            Call::Barrier => (0, 0),
            Call::Broadcast(_) | Call::Allreduce(_) | Call::ReduceScatter(_) => (bytes, 0),
            Call::Allgather(_) => (bytes, bytes * ranks),
            Call::Alltoall(_) => (bytes * ranks, bytes * ranks),
        };
        Self { call, rank, ranks, bytes, own: vec![0; own], received: vec![0; received], kept: 0..own }
    }

    /// Puts the data back to what they are before a call.
    pub fn reset(&mut self) {
        let Self { call, rank, ranks, bytes, .. } = *self;
        match call {
            Call::Barrier => {}
            Call::Broadcast(_) => {
                let filled = rank == ROOT;
                fill(&mut self.own, |place| if filled { mark(ROOT, 0, place) } else { 0 });
            }
            Call::Allreduce(_) | Call::ReduceScatter(_) => {
                for (place, element) in self.own.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                    *element = (weight(place) * (rank + 1) as f64).to_le_bytes();
                }
            }
            Call::Allgather(_) => fill(&mut self.own, |place| mark(rank, 0, place)),
            Call::Alltoall(_) => {
                for (to, block) in self.own.chunks_mut(bytes.max(1)).enumerate().take(ranks) {
                    fill(block, |place| mark(rank, to, place));
                }
            }
        }
        self.received.fill(0);
    }

    /// Makes the call.
    ///
    /// # Errors
    ///
    /// [`CommError`] of the first message that failed.
    pub async fn call(&mut self, comm: &mut impl Comm) -> Result<(), CommError> {
        match self.call {
            Call::Barrier => barrier(comm).await,
            Call::Broadcast(algorithm) => broadcast(comm, algorithm, ROOT, &mut self.own).await,
            Call::Allgather(algorithm) => allgather(comm, algorithm, &self.own, &mut self.received).await,
            Call::Allreduce(algorithm) => allreduce(comm, algorithm, &mut self.own, &SumOfDoubles).await,
            Call::Alltoall(algorithm) => alltoall(comm, algorithm, &self.own, &mut self.received).await,
            Call::ReduceScatter(algorithm) => {
                self.kept = reduce_scatter(comm, algorithm, &mut self.own, &SumOfDoubles).await?;
                Ok(())
            }
        }
    }

    /// What this rank sends, and where it receives, for a library that makes the call itself. The result of a broadcast or
    /// a reduction goes in the place of what was sent.
    pub fn buffers(&mut self) -> [&mut [u8]; 2] {
        [&mut self.own, &mut self.received]
    }

    /// Only this part of what was sent is the result.
    pub const fn keep(&mut self, part: Range<usize>) {
        self.kept = part;
    }

    /// Whether the call gave what it should: what is received is compared byte by byte, sums are exact.
    #[must_use]
    pub fn is_right(&self) -> bool {
        let Self { call, rank, ranks, bytes, .. } = *self;
        let sum = (ranks * (ranks + 1) / 2) as f64;
        let summed = |vector: &[u8], first: usize| {
            let elements = vector.as_chunks::<8>().0.iter().enumerate();
            elements
                .into_iter()
                .all(|(place, found)| f64::from_le_bytes(*found) == weight(first + place) * sum)
        };
        let is = |block: &[u8], from: usize, to: usize| {
            block.iter().enumerate().all(|(place, found)| *found == mark(from, to, place))
        };
        let blocks = || self.received.chunks(bytes.max(1)).enumerate();
        match call {
            Call::Barrier => true,
            Call::Broadcast(_) => is(&self.own, ROOT, 0),
            Call::Allreduce(_) | Call::ReduceScatter(_) => {
                summed(&self.own[self.kept.clone()], self.kept.start / 8)
            }
            Call::Allgather(_) => blocks().all(|(from, block)| is(block, from, 0)),
            Call::Alltoall(_) => blocks().all(|(from, block)| is(block, from, rank)),
        }
    }
}

/// A byte that differs from rank to rank and from place to place.
const fn mark(from: usize, to: usize, place: usize) -> u8 {
    // A prime below 256, so that no period is that of a buffer.
    ((from * 31 + to * 17 + place) % 251) as u8 + 1
}

/// What an element of a vector is in units of its rank: a small number, so that sums are exact.
const fn weight(place: usize) -> f64 {
    (place % 7 + 1) as f64
}

fn fill(block: &mut [u8], byte: impl Fn(usize) -> u8) {
    for (place, out) in block.iter_mut().enumerate() {
        *out = byte(place);
    }
}
