//! A connection for every transaction.

use std::io::ErrorKind;

use linerate_core::endpoint::LinkError;
use linerate_core::traffic::Ended;

use super::Asking;
use super::asking::ended_as;
use crate::channel::{Line, Wait};
use crate::transport::{DialError, TransportError};

/// Asks once over each channel that `join` makes. The answering end closes it first, so that the
/// port of this end is free again at once (RFC 9293, section 3.6: who closes first keeps the
/// connection in TIME-WAIT).
pub(super) fn ask_anew(
    asking: &mut Asking<'_>,
    join: &mut dyn FnMut() -> Result<Box<dyn Line>, TransportError>,
) -> Ended {
    asking.await_begin();
    while let Some(due) = asking.due(asking.clock.now()) {
        asking.sleep_until(due);
        // It may have been stopped meanwhile.
        if asking.due(asking.clock.now()).is_none() {
            break;
        }
        let began = asking.clock.now();
        // A closed loop is due whenever it comes to it.
        let due = due.min(began);
        let mut line = match join() {
            Ok(line) => line,
            Err(error) => return Ended::Failed(reason(&error)),
        };
        let connected = asking.clock.now();
        let transacted = transact(line.as_mut(), asking);
        if let Err(error) = transacted {
            return ended_as(Err(error));
        }
        asking.transacted(due, began, connected);
        if let Err(error) = part(line.as_mut()) {
            return ended_as(Err(error));
        }
    }
    Ended::Complete
}

/// Sends the request and takes the response.
fn transact(line: &mut dyn Line, asking: &mut Asking<'_>) -> Result<(), LinkError> {
    let (mut request, response) = asking.messages();
    while !request.is_empty() {
        let moved = line.push(request, Wait::Patiently)?;
        request = &request[moved..];
    }
    let mut got = 0;
    while got < response.len() {
        got += line.pull(&mut response[got..], Wait::Patiently)?;
    }
    Ok(())
}

/// Waits for the end that the peer puts to the connection, and ends this direction too.
fn part(line: &mut dyn Line) -> Result<(), LinkError> {
    match line.pull(&mut [0], Wait::Patiently) {
        // Which of the two it is depends on who is faster.
        Err(LinkError::Closed | LinkError::Reset) => line.finish_sending(),
        Err(error) => Err(error),
        Ok(_) => Err(LinkError::System {
            operation: "end the transaction",
            source: std::io::Error::new(ErrorKind::InvalidData, "the peer answers more than it was asked"),
        }),
    }
}

/// Why there is no connection; of a host that has no port left, what that means.
fn reason(error: &TransportError) -> String {
    match error {
        TransportError::Dial(DialError::Connect { address, source })
            if source.kind() == ErrorKind::AddrNotAvailable =>
        {
            format!(
                "no local port is left for another connection to {address}: those that ended lately are \
                 in TIME_WAIT, and others are in use; lower --rate or --flows, wait a minute, or widen \
                 net.ipv4.ip_local_port_range"
            )
        }
        error => format!("failed to {error}"),
    }
}
