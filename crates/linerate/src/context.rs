//! What every command is given beside its own flags.

use linerate_net::observe::HostClock;

use crate::cli::{Color, Given};
use crate::history::History;
use crate::screen::note;
use crate::store::Writer;
use crate::trouble::Trouble;

/// The clock of this process, who writes its files, and the history that it uses.
#[derive(Debug)]
pub struct Context {
    pub(crate) clock: HostClock,
    pub(crate) files: Writer,
    pub(crate) history: History,
}

impl Context {
    /// What is `given`: warns of old spellings, and chooses whether tables have colours.
    ///
    /// # Errors
    ///
    /// When the history could never be written.
    pub fn of(given: Given, clock: HostClock) -> Result<Self, Trouble> {
        given.warnings.iter().for_each(note);
        match given.color {
            Color::Auto => {}
            Color::Always => console::set_colors_enabled(true),
            Color::Never => console::set_colors_enabled(false),
        }
        Ok(Self { clock, files: Writer::new(given.force), history: History::of(given.history)? })
    }

    /// The same, where the run is recorded also if the user `wants` it in so many words.
    #[must_use]
    pub fn recording(self, wants: bool) -> Self {
        Self { history: self.history.recording(wants), ..self }
    }
}
