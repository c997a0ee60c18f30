//! Two ranks as the two ends of a channel.

mod called;
mod posted;

use std::io;

use linerate_core::endpoint::LinkError;

use crate::sys::MpiError;

pub use called::CalledEnd;
pub use posted::{PostedEnd, WithEnd, window_of};

/// The tag of the messages under test.
const TAG: i32 = 2;

fn failed(error: MpiError) -> LinkError {
    let operation = error.call;
    LinkError::System { operation, source: io::Error::other(error.reason) }
}

/// Refuses a message that is not as long as it must be.
fn whole(asked: usize, arrived: usize) -> Result<(), LinkError> {
    if asked == arrived {
        return Ok(());
    }
    let reason = format!("a message of {arrived} B came where one of {asked} B was due");
    Err(LinkError::System { operation: "receive a message", source: io::Error::other(reason) })
}
