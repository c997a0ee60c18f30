//! The scenes that come with linerate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Scene;

/// Scenes by the names that people write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShippedScene {
    /// A closed cube whose faces all emit and reflect the same: everywhere the same light, E/(1 - rho).
    #[default]
    Furnace,
    /// Two endless plates that face each other, one of which emits.
    TwoPlates,
    /// Two black unit squares with a common edge, at a right angle: the view factor 0.2000437761.
    PerpendicularSquares,
    /// A room with a lamp, a box, a table and a mirror.
    SmallRoom,
}

impl ShippedScene {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Furnace, Self::TwoPlates, Self::PerpendicularSquares, Self::SmallRoom];

    /// How it is written: a scene's TOML.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Furnace => include_str!("../../../scenes/furnace.toml"),
            Self::TwoPlates => include_str!("../../../scenes/two-plates.toml"),
            Self::PerpendicularSquares => include_str!("../../../scenes/perpendicular-squares.toml"),
            Self::SmallRoom => include_str!("../../../scenes/small-room.toml"),
        }
    }

    /// The scene.
    ///
    /// # Panics
    ///
    /// Never: a test reads all of them.
    #[must_use]
    pub fn scene(self) -> Scene {
        Scene::from_toml(self.text()).expect("a shipped scene is a scene")
    }
}

impl Scene {
    /// Reads a scene as people write it.
    ///
    /// # Errors
    ///
    /// A sentence, after "failed to", with the place in the text, or with what cannot be lit.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let scene: Self = toml::from_str(text).map_err(|error| format!("read the scene: {error}"))?;
        scene.check()?;
        Ok(scene)
    }
}
