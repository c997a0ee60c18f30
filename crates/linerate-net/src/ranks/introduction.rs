//! What two ranks say to each other before their first message, and how each knows the other for one of its own.
//!
//! ```text
//! who comes     greeting (purpose 3)     frame: Introduction
//! who listens   welcome with a challenge                     frame: Reception
//! ```

use std::io::{Read, Write};
use std::net::TcpStream;

use serde::{Deserialize, Serialize};

use crate::control::{
    Challenge, Control, Deadline, FrameError, GREETING_LEN, Greeting, GreetingError, Key, Proof, Purpose,
    Seals, TimedStream, Unauthenticated, Versions, WELCOME_LEN, Welcome, harmless, random,
};

/// The longest name of a host. Unit: bytes. Source: RFC 1035.
pub(super) const LONGEST_NAME: usize = 255;

/// Who comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Introduction {
    /// Random bytes for the listener's proof.
    pub challenge: Challenge,
    /// That this end has the key.
    pub proof: Proof,
    /// Which rank it is.
    pub rank: usize,
    /// Why it comes.
    pub comes: Comes,
}

/// Why a rank comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Comes {
    /// To rank 0, to be one of them.
    ToJoin {
        /// How many ranks it was told that there are.
        size: usize,
        /// What it calls its host.
        name: String,
        /// What it was told to do, as a hash.
        plan: String,
        /// The port at which it awaits others.
        port: u16,
        /// The MTU of the interface by which it comes, if it is known: a rank that is lost tells nothing any more.
        /// Unit: bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mtu: Option<u64>,
    },
    /// To another rank of this session, to send and receive messages.
    ToTalk {
        /// The session that rank 0 named.
        session: String,
    },
}

/// What the listener answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Reception {
    /// It is one of its own, and so is this end.
    Received {
        /// That this end has the key.
        proof: Proof,
    },
    /// It is not.
    Refused {
        /// Why, for people.
        reason: String,
    },
}

/// Why two ends do not know each other. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub(super) enum IntroductionError {
    #[error("exchange greetings: {0}")]
    Stream(#[from] std::io::Error),
    #[error(transparent)]
    Greeting(#[from] GreetingError),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error(transparent)]
    Unauthenticated(#[from] Unauthenticated),
    #[error("be received: {0}")]
    Refused(String),
    #[error("trust rank {0}: it does not have the key")]
    Unproved(usize),
}

/// Introduces this end on a new connection to rank `to`.
pub(super) fn introduce(
    stream: TcpStream,
    key: &Key,
    [rank, to]: [usize; 2],
    comes: Comes,
    deadline: Deadline,
) -> Result<Control, IntroductionError> {
    let mut timed = TimedStream::new(&stream, deadline);
    timed.write_all(&Greeting::new(Purpose::Rank).encode())?;
    let mut bytes = [0; WELCOME_LEN];
    timed.read_exact(&mut bytes)?;
    let welcome = Welcome::decode(&bytes)?;
    let version = Versions::OURS.agreed(welcome.versions)?;
    let challenge: Challenge = random()?;
    let seals = key.seals(version, &welcome.challenge, &challenge)?;
    let proof = key.prove_client(version, &welcome.challenge, &challenge);
    let mut control = Control::new(stream);
    control.say(&Introduction { challenge, proof, rank, comes }, deadline.left()?)?;
    match control.hear(deadline.left()?)? {
        Reception::Refused { reason } => Err(IntroductionError::Refused(harmless(&reason))),
        Reception::Received { proof }
            if key.accepts_server(version, &proof, &welcome.challenge, &challenge) =>
        {
            control.agree(version, seals);
            Ok(control)
        }
        Reception::Received { .. } => Err(IntroductionError::Unproved(to)),
    }
}

/// Receives whoever has connected, if it has the key.
pub(super) fn receive(
    stream: TcpStream,
    key: &Key,
    deadline: Deadline,
) -> Result<(Introduction, Control), IntroductionError> {
    let mut timed = TimedStream::new(&stream, deadline);
    let mut bytes = [0; GREETING_LEN];
    timed.read_exact(&mut bytes)?;
    let greeting = Greeting::decode(&bytes)?;
    let version = Versions::OURS.agreed(greeting.versions)?;
    let ours: Challenge = random()?;
    timed.write_all(&Welcome::new(false, ours).encode())?;
    let mut control = Control::new(stream);
    let refuse = |control: &Control, reason: &str| {
        let refused = Reception::Refused { reason: reason.to_owned() };
        deadline.left().map_err(FrameError::from).and_then(|left| control.say(&refused, left))
    };
    if greeting.purpose != Purpose::Rank {
        let reason = "this is a rank of a mesh, and no server: it is there for its mesh only";
        refuse(&control, reason)?;
        return Err(IntroductionError::Refused(reason.to_owned()));
    }
    let introduction: Introduction = control.hear(deadline.left()?)?;
    let (proof, theirs) = (&introduction.proof, &introduction.challenge);
    if !key.accepts_client(version, proof, &ours, theirs) {
        refuse(&control, "it has another key: give all ranks the same one (LINERATE_KEY or --key)")?;
        return Err(IntroductionError::Unproved(introduction.rank));
    }
    let seals = match key.seals(version, &ours, theirs) {
        Ok(seals) => seals,
        Err(error) => {
            refuse(&control, &format!("it failed to {error}"))?;
            return Err(error.into());
        }
    };
    control
        .say(&Reception::Received { proof: key.prove_server(version, &ours, theirs) }, deadline.left()?)?;
    control.agree(version, seals.map(Seals::turned));
    Ok((introduction, control))
}
