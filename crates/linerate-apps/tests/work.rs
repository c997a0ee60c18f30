//! The account that a rank keeps, on the ideal network. Under 1 s.

use linerate_apps::application::{AppError, AppWatch, Application, Told, Unwatched, agree};
use linerate_apps::gather::gather;
use linerate_apps::work::{UnitCost, Work};
use linerate_core::app::Account;
use linerate_core::comm::Comm;
use linerate_core::comm::ideal::{self, Network};
use linerate_core::units::Span;
use serde::{Deserialize, Serialize};

const NETWORK: Network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };

/// Every rank calculates as many units as its number, and tells the next rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Chain {
    bytes: usize,
}

impl Application for Chain {
    type Outcome = u64;
    const NAME: &'static str = "chain";
    const UNIT: &'static str = "unit";
    const MERIT: &'static str = "units/s";
    const TITLE: &'static str = "a chain";

    fn check(&self, ranks: usize) -> Result<(), AppError> {
        (ranks > 0).then_some(()).ok_or_else(|| AppError::Plan("ask for a rank".to_owned()))
    }

    fn memory(&self, _: usize) -> u64 {
        self.bytes as u64
    }

    fn told(&self, outcome: &u64) -> Told {
        Told { merit: *outcome as f64, ..Told::default() }
    }

    fn shown(&self, _: &u64) -> Result<Vec<u8>, AppError> {
        Ok(Vec::new())
    }

    async fn run<C: Comm>(&self, work: &mut Work<'_, C>, watch: &mut dyn AppWatch) -> Result<u64, AppError> {
        let (rank, size) = (work.rank(), work.size());
        let mut data = vec![0; self.bytes];
        if rank > 0 {
            work.recv_from(rank - 1, &mut data).await?;
        }
        work.record_step();
        let units = rank as u64 + 1;
        let value = work.compute("sum", units, || (0..=units).sum()).await;
        work.end_step();
        if rank + 1 < size {
            work.send_to(rank + 1, &data).await?;
        }
        let _ = watch.progress(1, 1, 1.0);
        Ok(value)
    }
}

fn accounts(size: usize, bytes: usize) -> Vec<Account> {
    let plan = Chain { bytes };
    let all = ideal::run(NETWORK, size, async |mut comm| {
        agree(&plan, &mut comm).await.expect("all have the same plan");
        let mut work = Work::new(&mut comm, Some(UnitCost(1e6)));
        let value = plan.run(&mut work, &mut Unwatched).await.expect("the ideal network carries it");
        let account = work.account();
        let told = gather(&mut comm, (value, account)).await.expect("it is carried too");
        Ok(told)
    });
    let mut all = all.expect("nobody waits for ever");
    assert!(all[1..].iter().all(Option::is_none), "only rank 0 is told");
    let told = all.swap_remove(0).expect("rank 0 is told");
    for (rank, (value, _)) in told.iter().enumerate() {
        assert_eq!(*value, (rank as u64 + 1) * (rank as u64 + 2) / 2);
    }
    told.into_iter().map(|(_, account)| account).collect()
}

#[test]
fn what_is_not_calculated_is_communication() {
    let accounts = accounts(4, 1_000);
    for (rank, account) in accounts.iter().enumerate() {
        assert_eq!(account.units, rank as u64 + 1);
        assert_eq!(account.computed_ps, account.units * 1_000_000, "1 us a unit");
        assert_eq!(account.total_ps, account.computed_ps + account.communicated_ps, "it does nothing else");
        let to_next: Vec<u64> = (0..4).map(|to| u64::from(to == rank + 1)).collect();
        assert_eq!(account.messages, to_next);
        assert_eq!(account.bytes, to_next.iter().map(|sent| sent * 1_000).collect::<Vec<_>>());
        assert_eq!(account.phases.len(), 1);
        assert_eq!((account.phases[0].begin_ps, account.phases[0].end_ps), (0, account.computed_ps));
        assert_eq!(account.step_ps, Some(account.computed_ps));
    }
    // Three messages of 58 us before it, and the sums of the others; ranks begin 50.064 us apart, when they were told.
    let last = accounts[3].total_ps;
    assert!(last >= 3 * 58_000_000 - 3 * 51_000_000 + 4_000_000, "{last} ps");
}

#[test]
fn ranks_with_different_plans_do_not_begin() {
    let all = ideal::run(NETWORK, 5, async |mut comm| {
        let plan = Chain { bytes: if comm.rank() >= 3 { 1 } else { 2 } };
        Ok(agree(&plan, &mut comm).await)
    });
    for found in all.expect("nobody waits for ever") {
        assert!(matches!(found, Err(AppError::Disagree { rank: 3 })), "{found:?}");
    }
}

#[test]
fn what_is_no_result_is_refused() {
    let all = ideal::run(NETWORK, 2, async |mut comm| {
        if comm.rank() == 1 {
            comm.send_to(0, &u64::MAX.to_le_bytes()).await?;
            return Ok(None);
        }
        Ok(Some(gather(&mut comm, 1_u32).await))
    });
    let found = all.expect("nobody waits for ever").swap_remove(0).expect("rank 0 was told");
    assert!(matches!(found, Err(AppError::Nonsense { rank: 1, .. })), "{found:?}");
}
