//! The control connection to an iperf3 server.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use linerate_core::plan::LocalOptions;
use linerate_core::units::Span;

use super::message::{COOKIE, MOST_JSON, State, cookie};
use crate::control::{Deadline, TimedStream, closed_by_peer, keep_alive, random};
use crate::pair::{PairError, Target};
use crate::peers::ToolError;
use crate::transport::round_trip;

/// How long a step of the conversation may take, and so many round trips if that is longer.
const STEP: Duration = Duration::from_secs(10);
const STEP_ROUND_TRIPS: u64 = 16;
/// How long a server that has another client is asked again, and how often.
const BUSY: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(200);

/// How often a wait looks whether the user wants to end, and how many times after that.
const LOOK: Duration = Duration::from_millis(100);
const PATIENT_LOOKS: u32 = 10;

/// Asked while something is waited for, whether it may go on.
pub(super) type GoOn<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// The control connection of one test.
#[derive(Debug)]
pub(super) struct Control {
    stream: TcpStream,
    pub(super) cookie: [u8; COOKIE],
    pub(super) local: SocketAddr,
    pub(super) peer: SocketAddr,
}

impl Control {
    /// Connects to the server at `target` and has it take this client; `go_on` may end the wait for another client of it.
    pub(super) fn begin(target: &Target, own: &LocalOptions, go_on: GoOn<'_>) -> Result<Self, ToolError> {
        let begun = Instant::now();
        loop {
            let control = Self::dial(target, own)?;
            match control.expect(State::ParamExchange, control.step(), go_on) {
                // One test ends before the next begins, and the server may need a moment between.
                Err(error) if error.is_busy() && begun.elapsed() < BUSY => {
                    if go_on().is_break() {
                        return Err(PairError::Interrupted.into());
                    }
                    std::thread::sleep(AGAIN);
                }
                heard => return heard.map(|()| control),
            }
        }
    }

    fn dial(target: &Target, own: &LocalOptions) -> Result<Self, ToolError> {
        let stream = target.dial(own, STEP).map_err(|error| match error {
            PairError::Dial(error) => ToolError::Dial(error),
            error => error.into(),
        })?;
        keep_alive(&stream).map_err(PairError::Address)?;
        let bytes = random::<COOKIE>().map_err(PairError::Random)?;
        let local = stream.local_addr().map_err(PairError::Address)?;
        let peer = stream.peer_addr().map_err(PairError::Address)?;
        let control = Self { stream, cookie: cookie(bytes), local, peer };
        control.write(&control.cookie)?;
        Ok(control)
    }

    /// The shortest round trip so far.
    pub(super) fn round_trip(&self) -> Span {
        round_trip(&self.stream)
    }

    /// How long a step may take.
    pub(super) fn step(&self) -> Duration {
        STEP.max((self.round_trip() * STEP_ROUND_TRIPS).to_duration())
    }

    fn timed(&self, within: Duration) -> TimedStream<'_> {
        TimedStream::new(&self.stream, Deadline::after(within))
    }

    fn write(&self, bytes: &[u8]) -> Result<(), ToolError> {
        self.timed(self.step()).write_all(bytes).map_err(ToolError::Stream)
    }

    /// Says that the test is in `state`.
    pub(super) fn say(&self, state: State) -> Result<(), ToolError> {
        self.write(&[state.byte()])
    }

    /// Sends an object of JSON.
    pub(super) fn send(&self, text: &[u8]) -> Result<(), ToolError> {
        let length = u32::try_from(text.len()).map_err(|_| ToolError::Length(u32::MAX))?;
        self.write(&[length.to_be_bytes().as_slice(), text].concat())
    }

    /// Receives the text of an object of JSON.
    pub(super) fn receive(&self, go_on: GoOn<'_>) -> Result<Vec<u8>, ToolError> {
        let mut length = [0; 4];
        self.read(&mut length, self.step(), go_on)?;
        let length = u32::from_be_bytes(length);
        let fits = usize::try_from(length).ok().filter(|length| *length <= MOST_JSON);
        let mut text = vec![0; fits.ok_or(ToolError::Length(length))?];
        self.read(&mut text, self.step(), go_on)?;
        Ok(text)
    }

    /// Fills `into` within this time; `go_on` may end the wait.
    fn read(&self, into: &mut [u8], within: Duration, go_on: GoOn<'_>) -> Result<(), ToolError> {
        let (begun, mut filled, mut asked) = (Instant::now(), 0, 0);
        while filled < into.len() {
            filled += self.take(&mut into[filled..], LOOK)?;
            if filled < into.len() {
                asked += u32::from(go_on().is_break());
            }
            if asked > PATIENT_LOOKS {
                return Err(PairError::Interrupted.into());
            }
            if filled < into.len() && begun.elapsed() >= within {
                return Err(ToolError::Stream(io::ErrorKind::TimedOut.into()));
            }
        }
        Ok(())
    }

    /// Takes what comes within this time, which may be nothing.
    fn take(&self, into: &mut [u8], within: Duration) -> Result<usize, ToolError> {
        match self.timed(within).read(into) {
            Ok(0) => Err(ToolError::Closed("")),
            Ok(bytes) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(0),
            Err(error) if closed_by_peer(&error) => Err(ToolError::Closed("")),
            Err(error) => Err(ToolError::Stream(error)),
        }
    }

    /// What a byte says of the test.
    fn heard(&self, byte: u8) -> Result<State, ToolError> {
        match State::of(byte)? {
            State::AccessDenied => Err(ToolError::Busy),
            State::ServerTerminate => Err(ToolError::Terminated),
            State::ServerError => Err(self.server_error()),
            state => Ok(state),
        }
    }

    /// Whether the server says nothing for so long, as it should while a test runs.
    pub(super) fn silent_for(&self, within: Duration) -> Result<(), ToolError> {
        let mut byte = [0];
        match self.take(&mut byte, within)? {
            0 => Ok(()),
            _ => Err(unexpected(self.heard(byte[0])?)),
        }
    }

    /// Hears within this time that the test is in `state`; `go_on` may end the wait.
    pub(super) fn expect(&self, state: State, within: Duration, go_on: GoOn<'_>) -> Result<(), ToolError> {
        let mut byte = [0];
        self.read(&mut byte, within, go_on)?;
        match self.heard(byte[0])? {
            heard if heard == state => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    /// Why the server failed, in its own number.
    fn server_error(&self) -> ToolError {
        let mut numbers = [0; 4];
        let read = self.timed(Duration::from_secs(1)).read_exact(&mut numbers);
        ToolError::Server(read.ok().map(|()| i32::from_be_bytes(numbers)))
    }
}

fn unexpected(state: State) -> ToolError {
    ToolError::Unexpected(format!("{state:?} out of turn"))
}
