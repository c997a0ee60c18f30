//! A span of a plan that may be absent. For `#[serde(with = "optional_span")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Span, span_text};

#[derive(Serialize, Deserialize)]
struct Text(#[serde(with = "span_text")] Span);

/// Writes it as people write spans.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<S: Serializer>(span: &Option<Span>, out: S) -> Result<S::Ok, S::Error> {
    span.map(Text).serialize(out)
}

/// Reads it.
///
/// # Errors
///
/// Text that is no span.
pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Span>, D::Error> {
    Ok(Option::<Text>::deserialize(input)?.map(|Text(span)| span))
}
