//! Whether the two ends' counts agree.

use linerate_core::traffic::{Ended, Latency, RrPlan};

use crate::flow::Answered;

/// Puts what the responder spent on each flow beside what this end did, and marks every flow as failed for which it reports
/// something else than this end.
///
/// On streams both count the same. On datagrams the peer may have answered requests that were lost
/// here.
pub(crate) fn agree(plan: &RrPlan, latencies: &mut [Latency], answered: &[Answered]) {
    let each = plan.request.0 + plan.response.0;
    for latency in latencies {
        let here = latency.transactions;
        let there = answered.iter().find(|answered| answered.flow == latency.flow);
        latency.effort = latency.effort.take().and_then(|both| {
            let theirs = there?.effort?;
            Some(Box::new([both[0], theirs]))
        });
        if latency.ended != Ended::Complete {
            continue;
        }
        let doubt = match there {
            None => "the peer did not report its responses".to_owned(),
            Some(there) if !(here..=here + latency.lost).contains(&there.transactions) => {
                format!("{here} requests were answered here, but the peer reports {}", there.transactions)
            }
            Some(there) if there.bytes != there.transactions.saturating_mul(each) => {
                format!("the peer reports {} transactions with {} B", there.transactions, there.bytes)
            }
            Some(_) => continue,
        };
        latency.ended = Ended::Failed(doubt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(there: Option<Answered>, lost: u64) -> Ended {
        let latency = Latency { ended: Ended::Complete, transactions: 10, lost, ..Latency::default() };
        let mut latencies = [latency];
        agree(&RrPlan::default(), &mut latencies, there.as_slice());
        latencies[0].ended.clone()
    }

    #[test]
    fn a_peer_that_counts_otherwise_is_not_believed() {
        let account = |transactions, bytes| Answered { flow: 0, transactions, bytes, effort: None };
        let says = |transactions| Some(account(transactions, 2 * transactions));
        assert_eq!(after(says(10), 0), Ended::Complete);
        assert_eq!(after(says(12), 2), Ended::Complete, "what was lost may have been answered");
        let lies = account(10, 21);
        for (there, lost) in [(says(11), 0), (says(9), 2), (says(13), 2), (None, 0), (Some(lies), 0)] {
            assert!(matches!(after(there, lost), Ended::Failed(_)), "{there:?}");
        }
    }
}
