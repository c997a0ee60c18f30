//! `linerate host`, the limits of this host before a run, and the files of both.

#[cfg(not(on_linux))]
#[path = "host_limits/absent.rs"]
mod measured;
#[cfg(on_linux)]
mod measured;

use std::path::Path;

use linerate_core::host_limits::HostLimitsFile;
use linerate_core::plan::Rows;
use linerate_report::host_limits as render;

use crate::screen::{columns, show_text};
use crate::store::Writer;
use crate::trouble::Trouble;

pub(super) use measured::before_run;
#[cfg(on_linux)]
pub(super) use measured::run;

/// What `path` is to hold, by its ending.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Page,
    Json,
}

/// The form by the ending of a file's name.
fn form(path: &Path) -> Result<Form, Trouble> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("html") => Ok(Form::Page),
        Some("json") => Ok(Form::Json),
        _ => Err(Trouble::new(
            format!("failed to choose a format for {}", path.display()),
            "end the name in .html or .json: the limits of a host have no other form",
        )),
    }
}

fn rendered(file: &HostLimitsFile, form: Form) -> Result<String, Trouble> {
    match form {
        Form::Json => Ok(file.to_json()),
        Form::Page => render::document(file).html().map_err(|error| {
            Trouble::new(
                format!("failed to {error}"),
                "give --out FILE.json: it holds everything that was measured",
            )
        }),
    }
}

/// Shows a file that `linerate host` wrote, or writes it in other forms.
pub(super) fn report(
    file: &HostLimitsFile,
    pages: &[std::path::PathBuf],
    quiet: bool,
    files: &Writer,
) -> Result<(), Trouble> {
    let pages = files.prepare(pages, |path| rendered(file, form(path)?))?;
    show_text(&render::document(file).text(columns(), Rows::Short))?;
    for (path, text) in pages {
        files.replace(path, &text)?;
        if !quiet {
            crate::screen::note(format_args!("report: {}", path.display()));
        }
    }
    Ok(())
}
