//! The hosts that come with linerate.

use super::Profile;
use crate::shipped;
use crate::shipped::Shipped;

/// Every host that comes with linerate.
pub const SHIPPED: &[Shipped] = shipped![Shipped; "../../plans/hosts/":
    "pentium-ii-350",
    "pentium-ii-450",
    "celeron-450",
    "pentium-pro-200",
    "hp-c180",
    "pe2650",
    "modern",
];

impl Profile {
    /// The host of that name, if one comes with linerate.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let shipped = SHIPPED.iter().find(|shipped| shipped.name == name)?;
        Some(toml::from_str(shipped.text).expect("shipped hosts are read in a test"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_host_is_sound() {
        for Shipped { name, text } in SHIPPED {
            let profile: Profile = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            profile.check("host").unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!profile.about.is_empty(), "{name} says what it is");
        }
    }
}
