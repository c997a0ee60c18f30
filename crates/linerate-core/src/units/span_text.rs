//! Spans in a plan: text with a unit, as people write them. For `#[serde(with = "span_text")]`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serializer};

use super::Span;

/// The schema of a span in a plan. For `#[schemars(with = "SpanText")]`, beside serde's attribute.
#[derive(Clone, Copy, Debug)]
pub struct SpanText;

impl JsonSchema for SpanText {
    fn schema_name() -> Cow<'static, str> {
        "SpanText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A length of time with its unit: ns, us, ms, s, min or h, such as 20s or 250ms. \
                            A bare number is seconds.",
            "type": "string",
            "pattern": r"^\s*[0-9.]+\s*(ns|us|ms|s|min|m|h)?\s*$",
        })
    }
}

/// Writes a span as seconds, such as `0.25s`.
///
/// # Errors
///
/// The serializer's error.
pub fn serialize<S: Serializer>(span: &Span, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(&format_args!("{}s", span.as_seconds()))
}

/// Reads what [`Span`]'s `FromStr` reads, such as `250ms`.
///
/// # Errors
///
/// Text that is not a span.
pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Span, D::Error> {
    String::deserialize(input)?.parse().map_err(serde::de::Error::custom)
}
