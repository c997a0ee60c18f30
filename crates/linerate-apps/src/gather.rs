//! What every rank found, at rank 0.

use linerate_core::comm::Comm;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::application::AppError;
use crate::report::understood;

/// The most bytes that one rank may tell.
const MOST: u64 = 1 << 30;

/// Every rank tells `mine`. At rank 0 what all told, by number; elsewhere nothing.
///
/// # Errors
///
/// [`AppError::Nonsense`] if what arrived is no `T`; the carrier's error.
pub async fn gather<T: Serialize + DeserializeOwned>(
    comm: &mut impl Comm,
    mine: T,
) -> Result<Option<Vec<T>>, AppError> {
    if comm.rank() > 0 {
        let text = serde_json::to_vec(&mine).expect("results are written in files");
        comm.send_to(0, &(text.len() as u64).to_le_bytes()).await?;
        comm.send_to(0, &text).await?;
        return Ok(None);
    }
    let mut all = vec![mine];
    for rank in 1..comm.size() {
        let mut length = [0; 8];
        comm.recv_from(rank, &mut length).await?;
        let nonsense = |reason: String| AppError::Nonsense { rank, reason };
        let length = Some(u64::from_le_bytes(length)).filter(|length| *length <= MOST);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let length = length.ok_or_else(|| nonsense(format!("it is longer than {MOST} B")))?;
        let mut text = vec![0; length];
        comm.recv_from(rank, &mut text).await?;
        all.push(understood(&text).map_err(nonsense)?);
    }
    Ok(Some(all))
}
