//! `linerate history report`.

use std::path::Path;
use std::process::ExitCode;

use linerate_report::history::document;

use super::{load, opened};
use crate::cli::Conditions;
use crate::context::Context;
use crate::screen::note;
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(
    path: &str,
    to: &Path,
    conditions: &Conditions,
    context: &Context,
) -> Result<ExitCode, Trouble> {
    if to.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("html")) && !store::is_stream(to) {
        return Err(Trouble::new(
            format!("failed to choose a format for {}", to.display()),
            "end the file's name in .html",
        ));
    }
    let mut store = opened(context)?;
    let mut histories = load::histories(&mut store, Some(path), &conditions.filter())?;
    let Some(history) = histories.first_mut() else {
        return Err(Trouble::new(
            "failed to write the page: no run of this path meets the conditions",
            "`linerate history` lists paths and their dates",
        ));
    };
    load::add_curves(&mut store, history)?;
    let page = document(history, None).html().map_err(|error| {
        Trouble::new(
            format!("failed to write the page: {error}"),
            "`linerate history export` writes the figures",
        )
    })?;
    context.files.replace(to, &page)?;
    if !store::is_stream(to) {
        note(format_args!("page: {}", to.display()));
    }
    Ok(ExitCode::SUCCESS)
}
