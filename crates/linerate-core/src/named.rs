//! Enums that people know by name.

/// Shows each of these as its `name`, and reads it by that: one of `ALL`. A text that names none is
/// refused with the names that there are.
macro_rules! named {
    ($kind:ty, $refusal:literal) => {
        impl std::fmt::Display for $kind {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }

        impl std::str::FromStr for $kind {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|one| one.name() == text);
                found.ok_or_else(|| format!($refusal, text, Self::ALL.map(Self::name).join(", ")))
            }
        }
    };
}

pub(crate) use named;
