//! What a peer sends: greetings, frames and messages, and the text that names a peer or a key.

use std::fmt::Debug;

use linerate_net::control::{
    Ask, FrameError, GREETING_LEN, Greeting, Key, MAX_FRAME, PACKED, Reply, Welcome, decode, encode,
    read_frame,
};
use linerate_net::pair::Target;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Length of a server's greeting: 12 bytes of head and 32 of challenge. Unit: bytes.
const WELCOME_LEN: usize = 44;
const LENGTH: usize = 4;

/// Takes `data` for everything that a peer or a user could mean by it.
pub fn control(data: &[u8]) {
    greetings(data);
    frames::<Ask>(data);
    frames::<Reply>(data);
    message::<Ask>(data);
    message::<Reply>(data);
    if let Ok(Ask::Offer(plan)) = decode(data) {
        assert!(plan.check().is_err() || plan.sizes().is_ok(), "a checked plan has sizes");
        assert!(!plan.to_toml().is_empty(), "the plan is shown");
    }
    if let Ok(text) = std::str::from_utf8(data) {
        names(text);
    }
}

/// What is understood is written as it is understood again.
fn greetings(data: &[u8]) {
    if let Some(Ok(greeting)) = data.first_chunk::<GREETING_LEN>().map(Greeting::decode) {
        assert_eq!(Greeting::decode(&greeting.encode()), Ok(greeting));
    }
    if let Some(Ok(welcome)) = data.first_chunk::<WELCOME_LEN>().map(Welcome::decode) {
        assert_eq!(Welcome::decode(&welcome.encode()), Ok(welcome));
    }
}

/// Reads frames until one is wrong: a length out of range is refused before its content is read.
fn frames<T: DeserializeOwned>(data: &[u8]) {
    let mut rest = data;
    while let Some(length) = rest.first_chunk::<LENGTH>() {
        let length = (u32::from_be_bytes(*length) & !PACKED) as usize;
        let before = rest.len();
        let read = read_frame::<T>(&mut rest);
        let taken = before - rest.len();
        if length == 0 || length > MAX_FRAME {
            assert!(matches!(read, Err(FrameError::Length(found)) if found == length), "length {length}");
            assert_eq!(taken, LENGTH);
        } else if before - LENGTH < length {
            assert!(read.is_err_and(|error| error.is_stream()), "a cut frame");
            return;
        } else {
            assert_eq!(taken, LENGTH + length);
        }
    }
}

/// A message that is understood says the same when it is sent on, unless it is too long by then.
pub(crate) fn message<T: DeserializeOwned + Serialize + Debug>(content: &[u8]) {
    let Ok(first) = decode::<T>(content) else { return };
    let frame = match encode(&first) {
        Ok(frame) => frame,
        Err(FrameError::Length(length)) => return assert!(length > MAX_FRAME),
        Err(error) => panic!("failed to {error}: {first:?}"),
    };
    let second: T =
        read_frame(&mut frame.as_slice()).unwrap_or_else(|error| panic!("failed to {error}: {first:?}"));
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

fn names(text: &str) {
    if let Ok(target) = Target::parse(text) {
        let shown = target.to_string();
        assert_eq!(Target::parse(&shown).ok().as_ref(), Some(&target), "{shown}");
    }
    if let Ok(key) = text.parse::<Key>() {
        assert!(key.to_string().parse::<Key>().is_ok_and(|back| back == key), "a key is read as it is shown");
    }
}
