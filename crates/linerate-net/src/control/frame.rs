//! Frames: a 32-bit big-endian length and that many bytes of JSON, or of JSON that is packed; then a code of 16 bytes,
//! once the key is proved.
//!
//! Packed is deflate (RFC 1951) without a header, and the length has its highest bit set. A peer has not proved
//! anything yet when its first frames are read, so the decoder is one that is written in Rust.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};

use super::seal::{CODE_LEN, Seal};

/// The longest frame that is sent or accepted, packed or not. Unit: bytes of JSON.
pub const MAX_FRAME: usize = 64 << 10;
/// The first version of the conversation in which frames may be packed, and hold several replies.
pub const PACKED_SINCE: u16 = 10;
/// The bit of the length that says that the content is packed.
pub const PACKED: u32 = 1 << 31;
const LENGTH: usize = 4;
/// Packing saves nothing worth its time on shorter ones. Unit: bytes of JSON.
const SHORT: usize = 256;

/// Why a frame could not be sent or received. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The stream failed or ended.
    #[error("exchange control messages: {0}")]
    Stream(#[from] io::Error),
    /// The length is zero or above [`MAX_FRAME`].
    #[error("accept a control message of {0} B; the longest is {MAX_FRAME} B")]
    Length(usize),
    /// The content cannot be unpacked, or is longer than [`MAX_FRAME`] then.
    #[error("unpack a control message: {0}")]
    Packed(io::Error),
    /// The code after it is not the one that the peer's next frame has.
    #[error(
        "trust a control message: it is not what the peer sent, so something on the path changes the connection"
    )]
    Forged,
    /// The content is not what was expected here.
    #[error("understand a control message: {0}")]
    Content(#[from] serde_json::Error),
}

impl FrameError {
    /// Whether the peer has gone or is silent, rather than sending wrong data.
    #[must_use]
    pub const fn is_stream(&self) -> bool {
        matches!(self, Self::Stream(_))
    }
}

/// A message as a frame.
///
/// # Errors
///
/// [`FrameError::Length`] when it is too long.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let mut frame = vec![0; LENGTH];
    serde_json::to_writer(&mut frame, message)?;
    let len = frame.len() - LENGTH;
    let field = u32::try_from(len).ok().filter(|_| len <= MAX_FRAME).ok_or(FrameError::Length(len))?;
    frame[..LENGTH].copy_from_slice(&field.to_be_bytes());
    Ok(frame)
}

/// The message in a frame's content.
///
/// # Errors
///
/// [`FrameError::Content`] when the bytes are not one.
pub fn decode<T: DeserializeOwned>(content: &[u8]) -> Result<T, FrameError> {
    let text = str::from_utf8(content).map_err(serde_json::Error::custom)?;
    Ok(serde_json::from_str(text)?)
}

/// Writes a message as a frame, before anything is agreed with the peer.
///
/// # Errors
///
/// When it is too long or the stream fails.
pub fn write_frame<T: Serialize>(out: &mut impl Write, message: &T) -> Result<(), FrameError> {
    write_sealed(out, message, 0, None)
}

/// Writes a message as a frame to a peer that speaks this `version`, with the next code of `seal`. It is packed if the peer can
/// read that and it is shorter then.
///
/// # Errors
///
/// When it is too long or the stream fails.
pub fn write_sealed<T: Serialize>(
    out: &mut impl Write,
    message: &T,
    version: u16,
    seal: Option<&mut Seal>,
) -> Result<(), FrameError> {
    let frame = encode(message)?;
    let packed = (version >= PACKED_SINCE && frame.len() > SHORT).then(|| pack(&frame)).transpose()?;
    let mut frame = packed.filter(|packed| packed.len() < frame.len()).unwrap_or(frame);
    if let Some(seal) = seal {
        let code = seal.code(&frame);
        frame.extend(code);
    }
    Ok(out.write_all(&frame)?)
}

/// The same frame, packed.
fn pack(frame: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(vec![0; LENGTH], Compression::default());
    encoder.write_all(&frame[LENGTH..])?;
    let mut packed = encoder.finish()?;
    // Longer than what it holds is only what is short.
    let length = u32::try_from(packed.len() - LENGTH).map_err(io::Error::other)?;
    packed[..LENGTH].copy_from_slice(&(length | PACKED).to_be_bytes());
    Ok(packed)
}

/// What was packed. No more is allocated than a valid frame needs, whatever it would hold.
fn unpack(packed: &[u8]) -> Result<Vec<u8>, FrameError> {
    let mut content = Vec::new();
    let unpacked = DeflateDecoder::new(packed).take(MAX_FRAME as u64 + 1).read_to_end(&mut content);
    match unpacked {
        Ok(..=MAX_FRAME) => Ok(content),
        Ok(_) => Err(FrameError::Packed(io::Error::other(format!("it holds more than {MAX_FRAME} B")))),
        Err(error) => Err(FrameError::Packed(error)),
    }
}

/// Reads a frame without a code, and the message in it.
///
/// # Errors
///
/// As [`read_sealed`].
pub fn read_frame<T: DeserializeOwned>(input: &mut impl Read) -> Result<T, FrameError> {
    read_sealed(input, None)
}

/// Reads a frame, whose code must be the next of `seal`, and the message in it. No more is allocated than a valid frame needs.
///
/// # Errors
///
/// When the stream fails or ends, the length is out of range, the code is wrong, or the content is not a message.
pub fn read_sealed<T: DeserializeOwned>(
    input: &mut impl Read,
    seal: Option<&mut Seal>,
) -> Result<T, FrameError> {
    let mut frame = vec![0; LENGTH];
    read_whole(input, &mut frame)?;
    let word = u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]);
    let length = (word & !PACKED) as usize;
    if length == 0 || length > MAX_FRAME {
        return Err(FrameError::Length(length));
    }
    frame.resize(LENGTH + length, 0);
    read_whole(input, &mut frame[LENGTH..])?;
    if let Some(seal) = seal {
        let mut code = [0; CODE_LEN];
        read_whole(input, &mut code)?;
        if !seal.accepts(&frame, &code) {
            return Err(FrameError::Forged);
        }
    }
    let content = &frame[LENGTH..];
    if word == length as u32 { decode(content) } else { decode(&unpack(content)?) }
}

/// Fills `bytes`. An end before that is the peer's doing, and is said so.
fn read_whole(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<()> {
    input.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the peer closed the connection"),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_length_out_of_range_is_refused_before_anything_is_allocated() {
        for length in [0, MAX_FRAME as u32 + 1, u32::MAX / 2, u32::MAX] {
            let read = read_frame::<String>(&mut length.to_be_bytes().as_slice());
            assert!(matches!(read, Err(FrameError::Length(found)) if found == (length & !PACKED) as usize));
        }
        let long = "x".repeat(MAX_FRAME);
        assert!(matches!(encode(&long), Err(FrameError::Length(_))));
    }

    /// A packed frame of this content, whatever it is.
    fn packed(content: &[u8]) -> Vec<u8> {
        pack(&[&[0; LENGTH], content].concat()).expect("a Vec takes every byte")
    }

    #[test]
    fn what_is_longer_unpacked_than_a_frame_may_be_is_refused() {
        for (blanks, fits) in [(MAX_FRAME - 2, true), (MAX_FRAME - 1, false), (1 << 25, false)] {
            let frame = packed(&[b"7 ", vec![b' '; blanks].as_slice()].concat());
            assert!(frame.len() < MAX_FRAME, "{}", frame.len());
            match read_frame::<u8>(&mut frame.as_slice()) {
                Ok(7) => assert!(fits, "{blanks}"),
                Err(FrameError::Packed(error)) => {
                    assert!(!fits && error.to_string() == "it holds more than 65536 B", "{blanks}: {error}");
                }
                other => panic!("{blanks}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_peer_receives_packed_frames_only_if_it_can_read_them_and_they_are_shorter() {
        let written = |text: &str, version| {
            let mut frame = Vec::new();
            write_sealed(&mut frame, &text, version, None).expect("it is short");
            assert_eq!(read_frame::<String>(&mut frame.as_slice()).expect("it is whole"), text);
            frame
        };
        let same = "same ".repeat(1_000);
        assert!(written(&same, PACKED_SINCE).len() < 100);
        assert_eq!(written(&same, PACKED_SINCE - 1), encode(&same).expect("it is short"));
        assert_eq!(written("short", PACKED_SINCE), encode(&"short").expect("it is short"));
    }

    proptest! {
        #[test]
        fn whatever_claims_to_be_packed_is_a_message_or_an_error(content in prop::collection::vec(any::<u8>(), 1..300)) {
            let length = (content.len() as u32 | PACKED).to_be_bytes();
            let read = read_frame::<String>(&mut [length.as_slice(), &content].concat().as_slice());
            prop_assert!(!read.is_err_and(|error| error.is_stream()), "the frame was whole");
        }

        #[test]
        fn a_packed_frame_survives_and_a_cut_one_is_an_error(
            text in "[a-z]{1,5}", times in 200..10_000_usize, cut in any::<prop::sample::Index>(),
        ) {
            let text = text.repeat(times);
            let mut frame = Vec::new();
            write_sealed(&mut frame, &text, PACKED_SINCE, None).expect("it is short");
            prop_assert_eq!(read_frame::<String>(&mut frame.as_slice()).expect("it is whole"), text);
            let cut = &frame[..cut.index(frame.len())];
            prop_assert!(read_frame::<String>(&mut &*cut).is_err_and(|error| error.is_stream()));
        }

        #[test]
        fn a_frame_survives_and_a_cut_one_is_an_error(text: String, cut in any::<prop::sample::Index>()) {
            let frame = encode(&text).expect("it is short");
            prop_assert_eq!(read_frame::<String>(&mut frame.as_slice()).expect("it is whole"), text);
            let cut = &frame[..cut.index(frame.len())];
            prop_assert!(read_frame::<String>(&mut &*cut).is_err_and(|error| error.is_stream()));
        }
    }
}
