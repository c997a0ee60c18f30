//! Spans in a plan: text with a unit, as people write them. For `#[serde(with = "span_text")]`.

use serde::{Deserialize, Deserializer, Serializer};

use super::Span;

/// Writes a span as seconds, such as `0.25s`.
///
/// # Errors
///
/// What the serializer meets.
pub fn serialize<S: Serializer>(span: &Span, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(&format_args!("{}s", span.as_seconds()))
}

/// Reads what [`Span`]'s `FromStr` reads, such as `250ms`.
///
/// # Errors
///
/// Text that is no span.
pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Span, D::Error> {
    String::deserialize(input)?.parse().map_err(serde::de::Error::custom)
}
