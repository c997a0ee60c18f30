//! Requests over datagrams that get lost, come late and come twice: over a channel in memory that
//! does so on purpose.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::options::Granted;
use linerate_core::traffic::{Ended, Latency, RrPlan};
use linerate_core::units::{Size, Span};
use linerate_net::channel::{Channel, ChannelHandle, Wire};
use linerate_net::flow::{Answering, Asking, Schedule};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::wait::{Interest, Wait};
use rstest::rstest;

/// How long the channel waits for a datagram.
const PATIENCE: Duration = Duration::from_millis(50);

/// What the path does to a response: how often it arrives, and whether before the next or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Arrives,
    Lost,
    Twice,
    AfterTheNext,
}

/// One end of a path with fates.
#[derive(Debug)]
struct Faulty {
    out: Option<Sender<Vec<u8>>>,
    into: Receiver<Vec<u8>>,
    /// What was looked at and not taken.
    next: Option<Vec<u8>>,
    fates: Vec<Fate>,
    sent: usize,
    held: Option<Vec<u8>>,
}

impl Faulty {
    fn look(&mut self, within: Duration) -> Result<bool, LinkError> {
        if self.next.is_none() {
            self.next = match self.into.recv_timeout(within) {
                Ok(datagram) => Some(datagram),
                Err(RecvTimeoutError::Timeout) => return Ok(false),
                Err(RecvTimeoutError::Disconnected) => return Err(LinkError::Closed),
            };
        }
        Ok(true)
    }

    fn send(&self, data: Vec<u8>) {
        // The other end may be gone, as with datagrams.
        self.out.as_ref().map_or(Ok(()), |out| out.send(data)).unwrap_or(());
    }
}

impl Channel for Faulty {
    fn push(&mut self, data: &[u8], _: Wait) -> Result<usize, LinkError> {
        let fate =
            if self.fates.is_empty() { Fate::Arrives } else { self.fates[self.sent % self.fates.len()] };
        self.sent += 1;
        match fate {
            Fate::Lost => {}
            Fate::AfterTheNext => self.held = Some(data.to_vec()),
            Fate::Arrives | Fate::Twice => {
                self.send(data.to_vec());
                if fate == Fate::Twice {
                    self.send(data.to_vec());
                }
                if let Some(held) = self.held.take() {
                    self.send(held);
                }
            }
        }
        Ok(data.len())
    }

    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        let within = if wait == Wait::Never { Duration::ZERO } else { PATIENCE };
        if !self.look(within)? {
            return if wait == Wait::Never { Ok(0) } else { Err(LinkError::Stalled(PATIENCE.into())) };
        }
        let datagram = self.next.take().expect("it was looked at");
        assert_eq!(datagram.len(), into.len(), "the room is as large as a message");
        into.copy_from_slice(&datagram);
        Ok(into.len())
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        match interest {
            Interest::Send | Interest::Either => Ok(true),
            Interest::Receive => self.look(within.to_duration()),
        }
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.out = None;
        Ok(())
    }

    fn granted(&self) -> Granted {
        Granted::default()
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn ask(plan: &RrPlan, fates: &[Fate]) -> (Latency, u64) {
    let (requests, asked) = channel();
    let (responses, answered) = channel();
    let end = |out, into, fates: &[Fate]| {
        let channel = Faulty { out: Some(out), into, next: None, fates: fates.to_vec(), sent: 0, held: None };
        Wire::new(channel, HostClock::start())
    };
    let (mut begins, mut answers) = (end(requests, answered, &[]), end(responses, asked, fates));
    let clock = HostClock::start();
    std::thread::scope(|scope| {
        let answers = scope.spawn(move || {
            let mut answering = Answering::new(plan).on_datagrams(true);
            answers.answer(&mut answering).expect("it ends well");
            answering.transactions()
        });
        let schedule = Schedule::new(plan, clock.now(), None, 0);
        let mut asking = Asking::new(clock, plan, schedule).on_datagrams(true);
        let ended = begins.ask(&mut asking);
        drop(begins);
        (asking.account(ended), answers.join().expect("it does not panic"))
    })
}

fn plan(depth: u32, rate: Option<f64>) -> RrPlan {
    RrPlan { request: Size(16), response: Size(40), depth, rate, count: Some(30), ..RrPlan::default() }
}

#[rstest]
#[case::one_at_a_time(1, None)]
#[case::pipelined(4, None)]
#[case::open(1, Some(500.0))]
fn every_request_is_answered_or_lost_and_none_twice(#[case] depth: u32, #[case] rate: Option<f64>) {
    let fates = [Fate::Arrives, Fate::Lost, Fate::Arrives, Fate::Twice, Fate::Arrives];
    let (latency, answered) = ask(&plan(depth, rate), &fates);
    assert_eq!((&latency.ended, answered), (&Ended::Complete, 30));
    // Of each five one is lost; of each five one comes twice, and the last of these may be missed.
    assert_eq!((latency.transactions, latency.lost), (24, 6), "{latency:?}");
    assert!((5..=6).contains(&latency.late), "{latency:?}");
    assert_eq!(latency.service.count(), 24);
}

#[test]
fn a_response_that_comes_after_it_was_given_up_is_not_taken_for_the_next() {
    let (latency, answered) = ask(&plan(1, None), &[Fate::AfterTheNext, Fate::Arrives]);
    assert_eq!((&latency.ended, answered), (&Ended::Complete, 30));
    assert_eq!((latency.transactions, latency.lost), (15, 15), "{latency:?}");
    assert!((14..=15).contains(&latency.late), "{latency:?}");
    // None waited as long as one that is given up.
    assert!(latency.service.max().expect("there are some") < PATIENCE.into(), "{latency:?}");
}

#[test]
fn responses_that_overtake_each_other_find_their_requests() {
    let (latency, _) = ask(&plan(8, None), &[Fate::AfterTheNext, Fate::Arrives]);
    assert_eq!((&latency.ended, latency.transactions, latency.lost), (&Ended::Complete, 30, 0));
}
