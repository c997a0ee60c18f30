//! Files that come with linerate.

/// A host or a plan that comes with linerate.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name: that of its file, without the extension.
    pub name: &'static str,
    /// TOML, with its comments.
    pub text: &'static str,
}

/// The files of these names as a slice of `Shipped`, or of another struct with its fields. Each folder
/// is relative to the file that asks.
#[macro_export]
macro_rules! shipped {
    ($kind:ident; $($folder:literal: $($name:literal),* $(,)?);*) => {
        &[$($($kind { name: $name, text: include_str!(concat!($folder, $name, ".toml")) },)*)*]
    };
}
