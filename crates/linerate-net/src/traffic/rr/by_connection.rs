//! A connection for every transaction.

use std::io::ErrorKind;

use linerate_core::endpoint::LinkError;
use linerate_core::traffic::Ended;

use super::Held;
use crate::channel::Channel;
use crate::flow::Asking;
use crate::transport::{DialError, TransportError};
use crate::wait::Wait;

/// Asks once over each channel that `join` makes. The responder closes it first, so that the port
/// of this end is free again at once (RFC 9293, section 3.6: who closes first keeps the connection
/// in TIME-WAIT).
pub(super) fn ask_by_connection(
    asking: &mut Asking<'_>,
    join: &mut dyn FnMut() -> Result<Held, TransportError>,
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
        let (mut line, _hold) = match join() {
            Ok(held) => held,
            Err(error) => return Ended::Failed(reason(&error)),
        };
        let connected = asking.clock.now();
        let channel = line.channel_mut();
        let transacted = transact(channel, asking);
        if let Err(error) = transacted {
            return Err(error).into();
        }
        asking.transacted(due, began, connected);
        if let Err(error) = part(channel) {
            return Err(error).into();
        }
    }
    Ended::Complete
}

/// Sends the request and takes the response.
fn transact(channel: &mut dyn Channel, asking: &mut Asking<'_>) -> Result<(), LinkError> {
    let (mut request, response) = asking.messages();
    while !request.is_empty() {
        let moved = channel.push(request, Wait::Patiently)?;
        request = &request[moved..];
    }
    let mut got = 0;
    while got < response.len() {
        got += channel.pull(&mut response[got..], Wait::Patiently)?;
    }
    Ok(())
}

/// Waits for the end that the peer puts to the connection, and ends this direction too.
fn part(channel: &mut dyn Channel) -> Result<(), LinkError> {
    match channel.pull(&mut [0], Wait::Patiently) {
        // Which of the two it is depends on who is faster.
        Err(LinkError::Closed | LinkError::Reset) => channel.finish_sending(),
        Err(error) => Err(error),
        Ok(_) => Err(LinkError::System {
            operation: "end the transaction",
            source: std::io::Error::new(ErrorKind::InvalidData, "the peer sent more responses than requests"),
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::time::Duration;

    use linerate_core::traffic::{Latency, RrPlan};
    use linerate_core::transport::Transport;
    use linerate_core::units::Span;

    use super::*;
    use crate::channel::{CancelGroup, Wire};
    use crate::flow::Schedule;
    use crate::line::Line;
    use crate::observe::HostClock;
    use crate::transport::{Setup, tcp_channel};

    /// Sends requests over connections whose other ends `answer` has, one after the other.
    fn against(
        plan: &RrPlan,
        patience: Span,
        mut answer: impl FnMut(u32, TcpStream) + Send + 'static,
    ) -> Latency {
        let accepting = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = accepting.local_addr().expect("it listens");
        std::thread::spawn(move || {
            for (number, arrived) in (0..).zip(accepting.incoming()) {
                answer(number, arrived.expect("a connection"));
            }
        });
        let clock = HostClock::start();
        let setup = Setup { patience, ..Setup::plain(Transport::Tcp, clock, address.ip(), address) };
        let cancel = CancelGroup::default();
        let mut join = || -> Result<Held, TransportError> {
            let stream = TcpStream::connect(address).expect("somebody accepts");
            let line: Box<dyn Line> = Box::new(Wire::new(tcp_channel(stream.into(), &setup)?, clock));
            let hold = cancel.register(line.channel().handle().expect("a descriptor"));
            Ok((line, hold))
        };
        let mut asking = Asking::new(clock, plan, Schedule::new(plan, clock.now(), None, 0));
        let ended = ask_by_connection(&mut asking, &mut join);
        Latency { ended, ..asking.account(Ok(())) }
    }

    /// Answers one byte with one, and closes first.
    fn answer_one(mut arrived: TcpStream) {
        arrived.read_exact(&mut [0]).expect("a request");
        arrived.write_all(&[0]).expect("the other end listens");
    }

    #[test]
    fn a_peer_that_accepts_and_is_silent_has_stalled() {
        let patience = Span::from_ms(50);
        let plan = RrPlan { connect: true, count: Some(10), ..RrPlan::default() };
        let mut silent = Vec::new();
        let latency = against(&plan, patience, move |number, arrived| match number {
            0..3 => answer_one(arrived),
            _ => silent.push(arrived),
        });
        assert_eq!((latency.transactions, latency.ended), (3, Ended::Stalled(patience)));
    }

    /// Coordinated omission: with a connection for each transaction a pause of the peer keeps the
    /// next ones from being begun, and their times count from when they were due all the same.
    #[test]
    fn an_open_loop_counts_what_was_due_in_a_pause_from_when_it_was_due() {
        const PAUSE: Duration = Duration::from_millis(200);
        let plan = RrPlan { connect: true, rate: Some(100.0), count: Some(60), ..RrPlan::default() };
        let latency = against(&plan, Span::from_ms(10_000), |number, arrived| {
            if number == 20 {
                std::thread::sleep(PAUSE);
            }
            answer_one(arrived);
        });
        assert_eq!((latency.transactions, latency.ended), (60, Ended::Complete));
        // 11 were due so early in the pause that half of it was left.
        let half = Span::from_ms(100);
        let kept = latency.response.quantile(1.0 - 9.0 / 60.0).expect("there are some");
        assert!(kept >= half, "{kept}");
        let [response, service] = [&latency.response, &latency.service].map(|times| times.quantile(0.9));
        assert!(response > service, "{response:?}, {service:?}");
    }
}
