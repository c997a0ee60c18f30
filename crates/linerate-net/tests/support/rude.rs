//! A client that follows the conversation as far as it likes, by hand.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::plan::Plan;
use linerate_core::trial::Trial;
use linerate_net::control::{
    Ask, CHALLENGE_LEN, Challenge, ChannelToken, FrameError, Greeting, Key, MAX_FRAME, Opening, PROTOCOL,
    Purpose, Reply, Seals, Welcome, read_sealed, write_sealed,
};
use socket2::SockRef;

use super::TestServer;

/// How long a test waits for what the server must do. Far longer than any limit that is set.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Messages of the trial that [`Stage::Trial`] stops in. Unit: bytes.
pub(crate) const TRIAL_BYTES: usize = 100_000;
const WELCOME_LEN: usize = 12 + CHALLENGE_LEN;

/// How far a client behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It is connected and has said nothing.
    Greeting,
    /// Both have greeted; its proof is due.
    Proof,
    /// Both have proved the key; its plan is due.
    Plan,
    /// It is admitted; its data connection is due.
    ChannelToken,
    /// Everything stands; a trial is due.
    Idle,
    /// It is in a trial and has sent half a message.
    Trial,
}

/// A client by hand.
pub(crate) struct Rude {
    pub(crate) control: TcpStream,
    pub(crate) data: Option<TcpStream>,
    pub(crate) challenge: Challenge,
    pub(crate) token: ChannelToken,
    /// Once the key is proved.
    pub(crate) seals: Option<Seals>,
}

impl Rude {
    /// Connects and greets.
    pub(crate) fn greet(server: &TestServer) -> Self {
        let mut rude = Self::connect(server);
        rude.greet_back();
        rude
    }

    /// Connects from the address `from` of this host, and greets.
    pub(crate) fn greet_from(server: &TestServer, from: &str) -> Self {
        let mut rude = Self::over(server.connect_from(from));
        rude.greet_back();
        rude
    }

    fn connect(server: &TestServer) -> Self {
        Self::over(server.connect())
    }

    fn over(control: TcpStream) -> Self {
        control.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        control.set_nodelay(true).expect("an option");
        Self { control, data: None, challenge: [0; CHALLENGE_LEN], token: [0; 16], seals: None }
    }

    fn greet_back(&mut self) {
        self.control.write_all(&Greeting::new(Purpose::Control).encode()).expect("a greeting");
        let mut welcome = [0; WELCOME_LEN];
        self.control.read_exact(&mut welcome).expect("a welcome");
        self.challenge = Welcome::decode(&welcome).expect("of a linerate").challenge;
    }

    /// Behaves until `stage`, with a plan of one size and the least time.
    pub(crate) fn at(server: &TestServer, stage: Stage) -> Self {
        Self::with_plan(
            server,
            stage,
            &super::plan(&format!("schedule = 'list:{TRIAL_BYTES}'\ntime = '10ms'")),
        )
    }

    /// Behaves until `stage` and offers `plan`.
    pub(crate) fn with_plan(server: &TestServer, stage: Stage, plan: &Plan) -> Self {
        let mut rude = Self::connect(server);
        if stage >= Stage::Proof {
            rude.greet_back();
        }
        if stage >= Stage::Plan {
            rude.prove(&server.key);
        }
        if stage >= Stage::ChannelToken {
            rude.say(&Ask::Offer(Box::new(plan.clone())));
            rude.await_admission();
        }
        if stage >= Stage::Idle {
            rude.open_data(server);
            rude.await_ready();
        }
        if stage >= Stage::Trial {
            rude.say(&Ask::Trial(trial()));
            assert!(matches!(rude.hear(), Ok(Reply::Go)));
            rude.send_data(&[0; TRIAL_BYTES / 2]);
        }
        rude
    }

    /// Proves the key, once it has greeted.
    pub(crate) fn prove(&mut self, key: &Key) {
        let proof = key.prove_client(PROTOCOL, &self.challenge, &[5; CHALLENGE_LEN]);
        self.say(&Ask::Prove { challenge: [5; CHALLENGE_LEN], proof });
        assert!(matches!(self.hear(), Ok(Reply::Proof(_))));
        self.seals = key.seals(PROTOCOL, &self.challenge, &[5; CHALLENGE_LEN]).expect("it is the newest");
    }

    /// Hears places until it is admitted; the places.
    pub(crate) fn await_admission(&mut self) -> Vec<u32> {
        let mut places = Vec::new();
        loop {
            match self.hear().expect("a place or a token") {
                Reply::Queued(place) => places.push(place.number()),
                Reply::Admitted { .. } => {
                    self.ask_for_a_token();
                    return places;
                }
                other => panic!("heard {other:?}"),
            }
        }
    }

    fn ask_for_a_token(&mut self) {
        self.say(&Ask::Open(Opening::Trials));
        match self.hear().expect("a token") {
            Reply::Rendezvous { token, .. } => self.token = token,
            other => panic!("heard {other:?}"),
        }
    }

    pub(crate) fn await_ready(&mut self) {
        let reply = self.hear();
        assert!(matches!(reply, Ok(Reply::Ready(_))), "{reply:?}");
    }

    /// Opens the data connection with its token.
    pub(crate) fn open_data(&mut self, server: &TestServer) {
        self.data = Some(data_connection(server, &self.token));
    }

    pub(crate) fn say(&mut self, ask: &Ask) {
        let seal = self.seals.as_mut().map(|seals| &mut seals.says);
        write_sealed(&mut self.control, ask, PROTOCOL, seal).expect("the server listens");
    }

    pub(crate) fn hear(&mut self) -> Result<Reply, FrameError> {
        read_sealed(&mut self.control, self.seals.as_mut().map(|seals| &mut seals.hears))
    }

    pub(crate) fn send_data(&mut self, bytes: &[u8]) {
        self.data.as_ref().expect("a data connection").write_all(bytes).expect("the server takes bytes");
    }

    /// Sends whatever bytes on the control connection; the server may be gone by then.
    pub(crate) fn blurt(&mut self, bytes: &[u8]) {
        self.control.write_all(bytes).unwrap_or(());
    }

    /// Sends this frame, and its code if that is due.
    pub(crate) fn blurt_frame(&mut self, frame: &[u8]) {
        let code = self.seals.as_mut().map(|seals| seals.says.code(frame));
        self.blurt(&[frame, code.as_ref().map_or(&[], |code| code.as_slice())].concat());
    }

    /// Hears everything until the server ends the conversation; its reason, if it said one.
    ///
    /// Fails the test if the server does not end it.
    pub(crate) fn farewell(mut self) -> Option<String> {
        let mut reason = None;
        loop {
            match self.hear() {
                Ok(Reply::Refused(why)) => reason = Some(why),
                Ok(_) => {}
                Err(FrameError::Stream(error)) => {
                    assert!(!is_timeout(&error), "the server did not end the conversation in {PATIENCE:?}");
                    return reason;
                }
                Err(error) => panic!("the server said something odd: failed to {error}"),
            }
        }
    }

    /// Sends no more, on whichever connections there are.
    pub(crate) fn half_close(&self) {
        self.control.shutdown(Shutdown::Write).expect("it is open");
        if let Some(data) = &self.data {
            data.shutdown(Shutdown::Write).expect("it is open");
        }
    }

    /// Resets whichever connections there are.
    pub(crate) fn reset(self) {
        for stream in [Some(self.control), self.data].into_iter().flatten() {
            reset(stream);
        }
    }
}

/// The trial that a rude client asks for.
pub(crate) fn trial() -> Trial {
    let size = TRIAL_BYTES as u64;
    Trial { pattern: Pattern::OneWay, size, samples: 1, batch: 1, lead: 0, seed: 1, check: Check::Full }
}

/// A data connection that shows `token`.
pub(crate) fn data_connection(server: &TestServer, token: &ChannelToken) -> TcpStream {
    let mut data = server.connect();
    data.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    data.write_all(&Greeting::new(Purpose::Data).encode()).expect("a greeting");
    data.write_all(token).expect("a token");
    data.write_all(&[0; 4]).expect("the number of the flow");
    data
}

/// A frame around any bytes, with any length before them.
pub(crate) fn frame(length: u32, content: &[u8]) -> Vec<u8> {
    [&length.to_be_bytes(), content].concat()
}

/// A frame around any bytes, with their length.
pub(crate) fn framed(content: &[u8]) -> Vec<u8> {
    assert!(content.len() <= MAX_FRAME);
    frame(u32::try_from(content.len()).expect("it is short"), content)
}

/// Closes a connection so that the peer sees a reset: unsent and unread bytes are discarded.
pub(crate) fn reset(stream: TcpStream) {
    SockRef::from(&stream).set_linger(Some(Duration::ZERO)).expect("an option");
    drop(stream);
}

/// Everything that the server says until it closes the connection.
pub(crate) fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    if let Err(error) = stream.read_to_end(&mut said) {
        assert!(!is_timeout(&error), "the server did not close the connection in {PATIENCE:?}");
    }
    said
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Sends `bytes` one at a time, slower than any deadline allows, until the server ends it.
///
/// The pause before each byte is a read with a time limit, so the end is seen at once.
pub(crate) fn dribble(stream: &mut TcpStream, bytes: impl IntoIterator<Item = u8>) {
    const PAUSE: Duration = Duration::from_millis(100);
    let began = std::time::Instant::now();
    stream.set_read_timeout(Some(PAUSE)).expect("a time limit");
    for byte in bytes {
        if stream.write_all(&[byte]).is_err() {
            return;
        }
        match stream.read(&mut [0; 256]) {
            Ok(0) => return,
            Err(error) if !is_timeout(&error) => return,
            Ok(_) | Err(_) => {}
        }
        assert!(began.elapsed() < PATIENCE, "the server bears a client that dribbles");
    }
    panic!("the server took every byte of a client that dribbles");
}
