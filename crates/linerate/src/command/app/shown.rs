//! What an application shows, as a file.

use std::path::{Path, PathBuf};

use linerate_apps::catalogue::App;

use crate::command::conduct::Underway;
use crate::trouble::Trouble;

/// Where it is written, if it is wanted.
pub(super) struct Shown(Option<PathBuf>);

impl Shown {
    pub(super) fn of(path: Option<&Path>) -> Self {
        Self(path.map(Path::to_owned))
    }

    pub(super) const fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Refuses what `app` cannot show, and a name that says something else.
    pub(super) fn check(&self, app: &App) -> Result<(), Trouble> {
        let Some(path) = &self.0 else { return Ok(()) };
        let Some(ending) = app.shows() else {
            return Err(Trouble::new(
                format!("failed to show {}: it has no picture and no trajectory", app.name()),
                "leave --show out; its curve is on the report page",
            ));
        };
        if path.extension().is_some_and(|given| given == ending) {
            return Ok(());
        }
        Err(Trouble::new(
            format!("failed to write what {} shows to {}: it is a .{ending}", app.name(), path.display()),
            format!("end the name with .{ending}"),
        ))
    }

    /// Finds out before anything runs whether it can be written.
    pub(super) fn writable(&self, underway: &Underway<'_>) -> Result<(), Trouble> {
        self.0.as_deref().map_or(Ok(()), |path| underway.context.files.writable(path))
    }

    /// Writes it, if it is wanted and there is something.
    pub(super) fn write(&self, file: &[u8], underway: &Underway<'_>) -> Result<(), Trouble> {
        let Some(path) = &self.0 else { return Ok(()) };
        if file.is_empty() {
            return Err(Trouble::new(
                format!("failed to write {}: the application had nothing to show", path.display()),
                "a scene needs a camera, and a trajectory at least as many steps as frame-every",
            ));
        }
        underway.context.files.replace_with(path, |out| out.write_all(file))?;
        underway.line.written("shown:   ", path);
        Ok(())
    }
}
