//! Spans in a plan: text with a unit, as people write them. For `#[serde(with = "span_text")]`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserializer, Serializer};

use super::written::{self, Number, Quantity};
use super::{ParseSpanError, Span};

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
            "type": ["string", "number"],
            "minimum": 0,
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
    out.serialize_str(&span.exact_seconds())
}

/// Reads what [`Span`]'s `FromStr` reads, such as `250ms`, or a number of seconds.
///
/// # Errors
///
/// Text that is not a span, a number below 0 or of more than 213 days.
pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Span, D::Error> {
    written::read(input)
}

impl Quantity for Span {
    const WRITTEN: &'static str =
        "a time with its unit, such as \"20s\" or \"250ms\", or a number of seconds";

    fn from_number(seconds: Number) -> Result<Self, String> {
        seconds.to_string().parse().map_err(|error: ParseSpanError| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Plan {
        #[serde(with = "super")]
        time: Span,
    }

    #[test]
    fn a_number_is_seconds_as_on_the_command_line() {
        for (text, ms) in [("5", 5_000), ("0.25", 250), ("'5'", 5_000), ("'250ms'", 250), ("1e3", 1_000_000)]
        {
            let plan: Plan = toml::from_str(&format!("time = {text}")).expect("it is a time");
            assert_eq!(plan.time, Span::from_ms(ms), "{text}");
        }
        for text in ["-1", "-0.5", "true", "'soon'", "1e300", "nan"] {
            assert!(toml::from_str::<Plan>(&format!("time = {text}")).is_err(), "{text}");
        }
    }
}
