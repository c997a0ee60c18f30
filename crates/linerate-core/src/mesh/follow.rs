//! Every rank but 0: it does what it is told, and says what it measured.

use super::Asked;
use super::hand::Hand;
use super::order::{ORDER, Order, decoded};
use crate::comm::group::Group;
use crate::comm::{Comm, CommError};
use crate::units::Span;

/// Takes part in a mesh that rank 0 [conducts](super::conduct()), until that ends it.
///
/// # Errors
///
/// When rank 0 is gone. What failed with another rank is told to rank 0, and this one goes on.
pub async fn follow<C: Comm>(comm: &mut C, asked: Asked<'_>) -> Result<(), CommError> {
    let ranks = comm.size().saturating_sub(asked.first);
    let mut hand = Hand::new(asked);
    loop {
        // Others may be measured for as long as it takes.
        comm.patience(Span::MAX);
        let mut message = [0; ORDER];
        comm.hear(0, &mut message).await?;
        let unknown = || CommError::Lost { peer: 0, reason: "it gave an order that there is not".to_owned() };
        let order = Order::decoded(&message, ranks).ok_or_else(unknown)?;
        if order == Order::End {
            return Ok(());
        }
        let mut peers = vec![0; order.peers() * 8];
        if !peers.is_empty() {
            comm.hear(0, &mut peers).await?;
        }
        let peers = decoded(&peers, ranks).ok_or_else(unknown)?;
        let answer = hand.perform(&mut Group::new(comm, asked.first), order, &peers).await;
        comm.patience(Span::MAX);
        let (numbers, reason) = answer.encoded();
        comm.tell(0, &numbers).await?;
        if !reason.is_empty() {
            comm.tell(0, reason).await?;
        }
    }
}
