//! Records on their way to their owners: every rank sends to every other, counts first.

use linerate_core::comm::Comm;
use linerate_core::comm::algorithm::Alltoall;
use linerate_core::comm::collective::alltoall;

use super::record::BYTES;
use crate::application::AppError;

/// In rank 0's counts: this round is the last. Counts stay far below it.
const LAST: u64 = 1 << 63;

/// The buffers of one rank, kept from round to round.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// What is for each rank, this one too.
    pub(crate) out: Vec<Vec<u8>>,
    /// What came from the others.
    pub(crate) into: Vec<u8>,
    /// From whom it came, and where it ends.
    pub(crate) ends: Vec<(usize, usize)>,
}

impl Exchange {
    pub(crate) fn new(ranks: usize) -> Self {
        Self { out: vec![Vec::new(); ranks], ..Self::default() }
    }

    /// Nothing is for anybody any more.
    pub(crate) fn clear(&mut self) {
        self.out.iter_mut().for_each(Vec::clear);
    }

    /// Sends every rank how many records are for it (8 B), and then them, in P - 1 steps each: to the rank that follows by 1,
    /// 2, ... Gives whether rank 0 says that this round is the last; only its `last` matters. No rank may send more than `most`
    /// records.
    pub(crate) async fn run(
        &mut self,
        comm: &mut impl Comm,
        last: bool,
        most: u64,
    ) -> Result<bool, AppError> {
        let (rank, size) = (comm.rank(), comm.size());
        let said = if rank == 0 && last { LAST } else { 0 };
        let counts: Vec<[u8; 8]> =
            self.out.iter().map(|records| ((records.len() / BYTES) as u64 | said).to_le_bytes()).collect();
        let mut theirs = vec![[0; 8]; size];
        alltoall(comm, Alltoall::Pairwise, counts.as_flattened(), theirs.as_flattened_mut()).await?;
        self.into.clear();
        self.ends.clear();
        for distance in 1..size {
            let [to, from] = [(rank + distance) % size, (rank + size - distance) % size];
            let count = u64::from_le_bytes(theirs[from]) & !LAST;
            if count > most {
                let reason = format!("{count} hits in a round that can have {most}");
                return Err(AppError::Nonsense { rank: from, reason });
            }
            let start = self.into.len();
            // At most what this rank itself could send, and so has memory for.
            self.into.resize(start + usize::try_from(count).unwrap_or(usize::MAX) * BYTES, 0);
            comm.sendrecv(to, &self.out[to], from, &mut self.into[start..]).await?;
            self.ends.push((from, self.into.len()));
        }
        Ok(u64::from_le_bytes(theirs[0]) & LAST > 0)
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::comm::ideal::{self, Network};
    use linerate_core::units::Span;

    use super::*;

    const FREE: Network = Network { latency: Span::ZERO, per_byte: Span::ZERO };

    /// Each rank sends rank `to` as many records as 1 and both numbers make, of bytes that are its own number.
    fn exchanged(ranks: usize, most: u64) -> Vec<Result<(Exchange, bool), AppError>> {
        let all = ideal::run(FREE, ranks, async |mut comm| {
            let mut exchange = Exchange::new(ranks);
            let rank = comm.rank();
            for (to, records) in exchange.out.iter_mut().enumerate() {
                records.resize((1 + rank + to) * BYTES, rank as u8);
            }
            let last = exchange.run(&mut comm, rank == 0, most).await;
            Ok(last.map(|last| (exchange, last)))
        });
        all.expect("nobody waits for ever")
    }

    #[test]
    fn every_rank_has_what_the_others_have_for_it() {
        for ranks in 1..=5 {
            for (rank, found) in exchanged(ranks, 100).into_iter().enumerate() {
                let (exchange, last) = found.expect("they are few");
                assert!(last, "rank 0 said so, and rank {rank} heard it");
                let mut start = 0;
                for (from, end) in &exchange.ends {
                    let records = &exchange.into[start..*end];
                    assert_eq!(records.len(), (1 + rank + from) * BYTES);
                    assert!(records.iter().all(|byte| usize::from(*byte) == *from));
                    start = *end;
                }
                assert_eq!((start, exchange.ends.len()), (exchange.into.len(), ranks - 1));
            }
        }
    }

    #[test]
    fn more_records_than_there_can_be_are_refused() {
        for found in exchanged(2, 1) {
            assert!(matches!(found, Err(AppError::Nonsense { .. })), "2 records where 1 is possible");
        }
    }
}
