//! A histogram of times that keeps three significant digits of each.

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::serialization::{Deserializer as HdrReader, Serializer as _, V2DeflateSerializer};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::Span;

const SIGNIFICANT_DIGITS: u8 = 3;
/// What the plain V2 encoding begins with, and how long its header is. Unit: bytes.
const COOKIE: u32 = 0x1c84_9313;
const HEADER_BYTES: usize = 40;
/// What the compressed V2 encoding begins with, and how long its header is. Unit: bytes.
const COMPRESSED_COOKIE: u32 = 0x1c84_9314;
const COMPRESSED_HEADER_BYTES: usize = 8;
/// The longest file form that is read: an `HdrHistogram` of every 64-bit value at three digits.
const MAX_ENCODED_BYTES: usize = 4 << 20;

/// Times in picoseconds, three significant digits each.
///
/// In a file it is the compressed V2 form of an `HdrHistogram` in base64, which every library of that
/// name reads. The plain form, of earlier files, is read too.
#[derive(Clone)]
pub struct Histogram(Form);

/// How the counts are held.
#[derive(Clone)]
enum Form {
    Counted(hdrhistogram::Histogram<u64>),
    /// As in the file that it was read from: a text of 60 bytes has 200 KB of counts, nearly all of them 0.
    Kept {
        bytes: Box<[u8]>,
        count: u64,
        /// Unit: picoseconds.
        longest: u64,
    },
}

/// The shares that a table of latencies shows.
pub const PERCENTILES: [f64; 8] = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];

/// Text that is not a histogram.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistogramError {
    /// It is not base64.
    #[error("decode a histogram: not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not a V2 histogram.
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
        Self(Form::Counted(empty.expect("three digits is within 0 to 5")))
    }
}

impl Histogram {
    /// Counts one time.
    pub fn record(&mut self, span: Span) {
        // The histogram grows by itself, so only a failed growth past 2^63 is refused; saturate.
        self.counted().record(span.as_ps().min(i64::MAX as u64)).unwrap_or(());
    }

    /// How many times were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        match &self.0 {
            Form::Counted(counts) => counts.len(),
            Form::Kept { count, .. } => *count,
        }
    }

    /// Counts all times of `other` too.
    pub fn add(&mut self, other: &Self) {
        // It grows as far as the other has grown, so it can take every time.
        self.counted().add(&*other.counts()).unwrap_or(());
    }

    /// The time that `share` (0 to 1) of all times do not exceed. Absent if no times were counted.
    /// It is the upper end of the bucket, but never above the longest time.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Span> {
        let longest = self.max()?;
        Some(Span::from_ps(self.counts().value_at_quantile(share)).min(longest))
    }

    /// The mean of all times. Absent without any.
    #[must_use]
    pub fn mean(&self) -> Option<Span> {
        (self.count() > 0).then(|| Span::from_ps(self.counts().mean() as u64))
    }

    /// The fewest times of which one lies beyond `share` (0 to 1) of them. With fewer, the quantile
    /// is just the longest time. No number is enough for a share of 1.
    #[must_use]
    pub fn needed(share: f64) -> u64 {
        // No share such as 0.99999 is a binary number.
        const ROUNDING: f64 = 1e-6;
        ((1.0 - ROUNDING) / (1.0 - share)).ceil() as u64
    }

    /// Whether as many times were counted as `share` [needs](Self::needed).
    #[must_use]
    pub fn resolves(&self, share: f64) -> bool {
        self.count() >= Self::needed(share)
    }

    /// The [quantile](Self::quantile), if there are enough times for it.
    #[must_use]
    pub fn resolved(&self, share: f64) -> Option<Span> {
        if self.resolves(share) { self.quantile(share) } else { None }
    }

    /// Every [`PERCENTILES`] that there are enough times for, with its time.
    pub fn percentiles(&self) -> impl Iterator<Item = (f64, Span)> + '_ {
        PERCENTILES.into_iter().filter_map(|share| Some((share, self.resolved(share)?)))
    }

    /// The same times in nanoseconds, as the tools for `HdrHistogram` expect them.
    pub(crate) fn in_nanoseconds(&self) -> hdrhistogram::Histogram<u64> {
        let mut ns = Self::default().counted().clone();
        let counts = self.counts();
        for counted in counts.iter_recorded() {
            let middle = counts.median_equivalent(counted.value_iterated_to()).min(counts.max());
            let value = (middle + 500) / 1_000;
            // Below the saturated times of this histogram by a factor of 1000.
            ns.record_n(value, counted.count_since_last_iteration()).unwrap_or(());
        }
        ns
    }

    /// The longest time.
    #[must_use]
    pub fn max(&self) -> Option<Span> {
        let longest = match &self.0 {
            Form::Counted(counts) => counts.max(),
            Form::Kept { longest, .. } => *longest,
        };
        (self.count() > 0).then(|| Span::from_ps(longest))
    }

    /// The counts, each in its place.
    fn counts(&self) -> Cow<'_, hdrhistogram::Histogram<u64>> {
        match &self.0 {
            Form::Counted(counts) => Cow::Borrowed(counts),
            Form::Kept { bytes, .. } => Cow::Owned(counts(bytes).expect("it was read before")),
        }
    }

    /// The same, to add to.
    fn counted(&mut self) -> &mut hdrhistogram::Histogram<u64> {
        if matches!(self.0, Form::Kept { .. }) {
            self.0 = Form::Counted(self.counts().into_owned());
        }
        match &mut self.0 {
            Form::Counted(counts) => counts,
            Form::Kept { .. } => unreachable!("it was replaced above"),
        }
    }

    fn encode(&self) -> String {
        let mut bytes = Vec::new();
        let mut serializer = V2DeflateSerializer::new();
        serializer.serialize(&*self.counts(), &mut bytes).expect("a Vec takes every byte");
        STANDARD.encode(bytes)
    }

    fn decode(text: &str) -> Result<Self, HistogramError> {
        if text.len() > MAX_ENCODED_BYTES {
            return Err(HistogramError::Length(text.len()));
        }
        let bytes = STANDARD.decode(text)?.into_boxed_slice();
        let counts = counts(&bytes)?;
        Ok(Self(Form::Kept { bytes, count: counts.len(), longest: counts.max() }))
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.counts() == other.counts()
    }
}

/// What either form of a file says.
fn counts(bytes: &[u8]) -> Result<hdrhistogram::Histogram<u64>, HistogramError> {
    let bytes = plain(bytes)?;
    check_header(&bytes)?;
    Ok(HdrReader::new().deserialize(&mut &*bytes)?)
}

/// The 32 bits of `bytes` that begin at `at`.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

/// The plain form of either form, no longer than one may be.
fn plain(bytes: &[u8]) -> Result<Cow<'_, [u8]>, HistogramError> {
    if word(bytes, 0) != Some(COMPRESSED_COOKIE) {
        return Ok(Cow::Borrowed(bytes));
    }
    let compressed = bytes.get(COMPRESSED_HEADER_BYTES..).unwrap_or_default();
    if word(bytes, 4).is_none_or(|length| length as usize != compressed.len()) {
        return Err(HistogramError::Header);
    }
    let mut plain = Vec::new();
    let most = MAX_ENCODED_BYTES as u64 + 1;
    ZlibDecoder::new(compressed).take(most).read_to_end(&mut plain).map_err(|_| HistogramError::Header)?;
    if plain.len() > MAX_ENCODED_BYTES { Err(HistogramError::Length(plain.len())) } else { Ok(plain.into()) }
}

/// Checks what decides how much memory the decoder takes, before it takes any: the plain form, a
/// length that is true, and the digits that are written.
///
/// Source: HdrHistogram V2 encoding: cookie, payload length, offset and digits of 32 bits each,
/// then three fields of 64 bits.
fn check_header(bytes: &[u8]) -> Result<(), HistogramError> {
    let plain = word(bytes, 0) == Some(COOKIE);
    let whole =
        word(bytes, 4).is_some_and(|length| length as usize == bytes.len().saturating_sub(HEADER_BYTES));
    let usual = word(bytes, 12) == Some(SIGNIFICANT_DIGITS.into());
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

impl JsonSchema for Histogram {
    fn schema_name() -> Cow<'static, str> {
        "Histogram".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Times in picoseconds: an HdrHistogram in its compressed V2 encoding, as base64 with \
                            padding. The usual libraries read it.",
            "type": "string",
            "contentEncoding": "base64",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::write::ZlibEncoder;
    use hdrhistogram::serialization::V2Serializer;

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
    fn a_plain_form_is_read_and_a_bomb_is_not() {
        let mut histogram = Histogram::default();
        histogram.record(Span::from_us(7));
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&*histogram.counts(), &mut bytes).expect("a Vec takes every byte");
        assert_eq!(Histogram::decode(&STANDARD.encode(&bytes)).expect("format 2 has it"), histogram);
        let mut bomb = ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        bomb.write_all(&vec![0; MAX_ENCODED_BYTES + 1]).expect("memory");
        let packed = bomb.finish().expect("memory");
        let length = u32::try_from(packed.len()).expect("short");
        let bytes = [&COMPRESSED_COOKIE.to_be_bytes()[..], &length.to_be_bytes(), &packed].concat();
        assert!(matches!(Histogram::decode(&STANDARD.encode(bytes)), Err(HistogramError::Length(_))));
    }

    #[test]
    fn a_quantile_is_told_only_of_enough_times_and_never_above_the_longest() {
        let mut histogram = Histogram::default();
        for ns in 1..=100_000 {
            if ns == 100_000 {
                assert!(!histogram.resolves(0.99999));
                assert_eq!(histogram.percentiles().count(), PERCENTILES.len() - 1);
            }
            histogram.record(Span::from_ns(1_000_000 + ns));
        }
        assert_eq!(histogram.percentiles().last().map(|(share, _)| share), Some(0.99999));
        assert_eq!(histogram.quantile(1.0), histogram.max());
        assert!(histogram.percentiles().map(|(_, time)| time).is_sorted());
    }

    #[test]
    fn a_share_needs_as_many_times_as_leave_one_beyond_it() {
        let needed = PERCENTILES.map(Histogram::needed);
        assert_eq!(needed, [2, 4, 10, 20, 100, 1_000, 10_000, 100_000]);
        assert_eq!([0.0, 0.7, 1.0].map(Histogram::needed), [1, 4, u64::MAX]);
        let mut histogram = Histogram::default();
        for us in 1..=99 {
            histogram.record(Span::from_us(us));
        }
        assert_eq!((histogram.resolved(0.99), histogram.resolved(1.0)), (None, None));
        histogram.record(Span::from_us(100));
        assert_eq!(histogram.resolved(0.99), histogram.quantile(0.99));
    }

    #[test]
    fn two_histograms_add_up_and_counts_above_32_bits_survive() {
        let mut sum = Histogram::default();
        sum.record(Span::from_us(1));
        let mut long = Histogram::default();
        long.record(Span::from_ms(60_000));
        sum.add(&long);
        assert_eq!((sum.count(), sum.max()), (2, long.max()));
        for _ in 0..33 {
            sum.add(&sum.clone());
        }
        assert_eq!(sum.count(), 1 << 34);
        let text = serde_json::to_string(&sum).expect("it is text");
        assert_eq!(serde_json::from_str::<Histogram>(&text).expect("it was written so"), sum);
    }

    #[test]
    fn nanoseconds_are_as_exact_as_picoseconds() {
        let mut histogram = Histogram::default();
        histogram.record(Span::from_ps(12_345_678));
        histogram.record(Span::from_ms(10));
        let ns = histogram.in_nanoseconds();
        assert_eq!(ns.len(), 2);
        // Each of the two histograms rounds to three digits.
        assert!((ns.min() as f64 / 12_345.678 - 1.0).abs() < 2e-3, "{}", ns.min());
        assert!((ns.max() as f64 / 1e7 - 1.0).abs() < 2e-3, "{}", ns.max());
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
