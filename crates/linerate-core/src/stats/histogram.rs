//! A histogram of times that keeps three significant digits of each.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Deserializer as HdrReader, Serializer as _, V2Serializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::Span;

const SIGNIFICANT_DIGITS: u8 = 3;
/// What the plain V2 encoding begins with, and how long its header is. Unit: bytes.
const COOKIE: u32 = 0x1c84_9313;
const HEADER_BYTES: usize = 40;
/// The longest file form that is read: an `HdrHistogram` of every 64-bit value at three digits.
const MAX_ENCODED_BYTES: usize = 4 << 20;

/// Times in picoseconds, three significant digits each.
///
/// In a file it is the standard V2 form of an `HdrHistogram`, in base64. Counts above 2^32 - 1 are not read.
#[derive(Clone, PartialEq)]
pub struct Histogram(hdrhistogram::Histogram<u32>);

/// Text that is no histogram.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// It is not base64.
    #[error("decode a histogram: not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are no V2 histogram.
    #[error("decode a histogram: {0}")]
    Form(#[from] hdrhistogram::serialization::DeserializeError),
    /// It is longer than any histogram is.
    #[error("decode a histogram: {0} bytes is too long")]
    Length(usize),
    /// The header promises more than a histogram that linerate writes has.
    #[error("decode a histogram: the header is not one that linerate writes")]
    Header,
}

impl Default for Histogram {
    fn default() -> Self {
        let empty = hdrhistogram::Histogram::new(SIGNIFICANT_DIGITS);
        Self(empty.expect("three digits is within 0 to 5"))
    }
}

impl Histogram {
    /// Counts one time.
    pub fn record(&mut self, span: Span) {
        // The histogram grows by itself, so only a failed growth past 2^63 is refused; saturate.
        self.0.record(span.as_ps().min(i64::MAX as u64)).unwrap_or(());
    }

    /// How many times were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time that `share` (0 to 1) of all times do not exceed; none of none.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Span> {
        (!self.0.is_empty()).then(|| Span::from_ps(self.0.value_at_quantile(share)))
    }

    /// The longest time.
    #[must_use]
    pub fn max(&self) -> Option<Span> {
        (!self.0.is_empty()).then(|| Span::from_ps(self.0.max()))
    }

    fn encode(&self) -> String {
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&self.0, &mut bytes).expect("a Vec takes every byte");
        STANDARD.encode(bytes)
    }

    fn decode(text: &str) -> Result<Self, HistogramError> {
        if text.len() > MAX_ENCODED_BYTES {
            return Err(HistogramError::Length(text.len()));
        }
        let bytes = STANDARD.decode(text)?;
        check_header(&bytes)?;
        Ok(Self(HdrReader::new().deserialize(&mut bytes.as_slice())?))
    }
}

/// Checks what decides how much memory the decoder takes, before it takes any: the plain form, a
/// length that is true, and the digits that are written.
///
/// Source: HdrHistogram V2 encoding: cookie, payload length, offset and digits of 32 bits each,
/// then three fields of 64 bits.
fn check_header(bytes: &[u8]) -> Result<(), HistogramError> {
    let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let plain = word(0) == Some(COOKIE);
    let whole = word(4).is_some_and(|length| length as usize == bytes.len().saturating_sub(HEADER_BYTES));
    let usual = word(12) == Some(SIGNIFICANT_DIGITS.into());
    if plain && whole && usual { Ok(()) } else { Err(HistogramError::Header) }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Histogram({} times)", self.count())
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&self.encode())
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Self::decode(&String::deserialize(input)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_survives_its_file_form() {
        let mut histogram = Histogram::default();
        for us in 1..=1000 {
            histogram.record(Span::from_us(us));
        }
        let text = serde_json::to_string(&histogram).expect("it is text");
        let back: Histogram = serde_json::from_str(&text).expect("it was written so");
        assert_eq!(back, histogram);
        let p99 = back.quantile(0.99).expect("not empty").as_us();
        assert!((p99 / 990.0 - 1.0).abs() < 1e-3, "{p99}");
    }

    #[test]
    fn an_empty_histogram_has_no_quantile() {
        assert_eq!(Histogram::default().quantile(0.5), None);
        assert_eq!(Histogram::default().max(), None);
    }

    #[test]
    fn text_that_is_no_histogram_is_refused() {
        for text in ["", "!", "AAAA", "HISTFAAAAAAAAAAAAAAAAAAA"] {
            assert!(Histogram::decode(text).is_err(), "{text}");
        }
    }
}
