//! Frames: a 32-bit big-endian length and that many bytes of JSON.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};

/// The longest frame that is sent or accepted. Unit: bytes of JSON.
pub const MAX_FRAME: usize = 64 << 10;
const LENGTH: usize = 4;

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

/// Writes a message as a frame.
///
/// # Errors
///
/// When it is too long or the stream fails.
pub fn write_frame<T: Serialize>(out: &mut impl Write, message: &T) -> Result<(), FrameError> {
    Ok(out.write_all(&encode(message)?)?)
}

/// Reads a frame and the message in it. No more is allocated than a valid frame needs.
///
/// # Errors
///
/// When the stream fails or ends, the length is out of range, or the content is not a message.
pub fn read_frame<T: DeserializeOwned>(input: &mut impl Read) -> Result<T, FrameError> {
    let mut length = [0; LENGTH];
    read_whole(input, &mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length == 0 || length > MAX_FRAME {
        return Err(FrameError::Length(length));
    }
    let mut content = vec![0; length];
    read_whole(input, &mut content)?;
    decode(&content)
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
            assert!(matches!(read, Err(FrameError::Length(found)) if found == length as usize));
        }
        let long = "x".repeat(MAX_FRAME);
        assert!(matches!(encode(&long), Err(FrameError::Length(_))));
    }

    proptest! {
        #[test]
        fn a_frame_survives_and_a_cut_one_is_an_error(text: String, cut in any::<prop::sample::Index>()) {
            let frame = encode(&text).expect("it is short");
            prop_assert_eq!(read_frame::<String>(&mut frame.as_slice()).expect("it is whole"), text);
            let cut = &frame[..cut.index(frame.len())];
            prop_assert!(read_frame::<String>(&mut &*cut).is_err_and(|error| error.is_stream()));
        }
    }
}
