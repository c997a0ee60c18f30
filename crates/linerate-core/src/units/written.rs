//! Quantities in files: numbers of their unit, or text with a unit, as people write them.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// A quantity that a file may have.
pub(super) trait Quantity: Sized + FromStr<Err: fmt::Display> {
    /// What a file has for it, such as `a number of bytes or text such as "64KiB"`.
    const WRITTEN: &'static str;

    /// So many of its unit; or why that is none.
    fn from_number(number: Number) -> Result<Self, String>;
}

/// A number in a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Whole(i128),
    Real(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(out),
            Self::Real(number) => number.fmt(out),
        }
    }
}

/// Reads a quantity.
///
/// # Errors
///
/// What is neither a number that it can have nor text that it reads.
pub(super) fn read<'de, Q: Quantity, D: Deserializer<'de>>(input: D) -> Result<Q, D::Error> {
    input.deserialize_any(Written(PhantomData))
}

struct Written<Q>(PhantomData<Q>);

impl<Q: Quantity> Visitor<'_> for Written<Q> {
    type Value = Q;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(Q::WRITTEN)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Q, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Q, E> {
        Q::from_number(Number::Real(number)).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Q, E> {
        Q::from_number(Number::Whole(number.into())).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Q, E> {
        Q::from_number(Number::Whole(number.into())).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use serde_json::json;

    use super::*;
    use crate::units::{Rate, Size};

    #[test]
    fn numbers_and_text_say_the_same() {
        let mut random = Pcg64::seed_from_u64(4);
        for _ in 0..1_000 {
            let most = u64::MAX >> random.random_range(0..64_u32);
            let number = random.random_range(1..=most);
            let size: Size = read(&json!(number)).expect("a number of bytes");
            assert_eq!(size.bytes(), number);
            assert_eq!(read::<Size, _>(&json!(number.to_string())).ok(), Some(size), "{number}");
            let rate: Rate = read(&json!(number)).expect("a number of bit/s");
            assert_eq!(rate, Rate::from_bits_per_second(number as f64));
            assert_eq!(read::<Rate, _>(&json!(number as f64)).ok(), Some(rate), "{number}");
            assert_eq!(read::<Rate, _>(&json!(number.to_string())).ok(), Some(rate), "{number}");
        }
    }

    #[test]
    fn what_is_no_quantity_has_its_reason() {
        let size = |value: serde_json::Value| read::<Size, _>(&value).expect_err("no size").to_string();
        assert_eq!(size(json!(-1)), "-1 is negative; a size is at least 0");
        assert_eq!(size(json!(1.5)), "1.5 is no whole number of bytes");
        assert!(size(json!(true)).ends_with(Size::WRITTEN), "{}", size(json!(true)));
        assert!(read::<Rate, _>(&json!("fast")).is_err());
    }
}
