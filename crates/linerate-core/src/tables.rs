//! Values that were put together as TOML tables.

use serde::de::DeserializeOwned;
use toml::{Deserializer, Table};

/// What `table` says. It is read as a text would be, so that a program has the code that reads a `T` once and not for
/// texts and for tables.
///
/// # Errors
///
/// What is wrong with it, without a place: there is no text that a user wrote.
///
/// ```
/// use linerate_core::tables;
///
/// let table = toml::toml! { time = "5s" };
/// let text: std::collections::BTreeMap<String, String> = tables::read(&table)?;
/// assert_eq!(text["time"], "5s");
/// # Ok::<(), toml::de::Error>(())
/// ```
pub fn read<T: DeserializeOwned>(table: &Table) -> Result<T, toml::de::Error> {
    let text = table.to_string();
    Deserializer::parse(&text).and_then(T::deserialize).map_err(|mut error| {
        error.set_input(None);
        error
    })
}
