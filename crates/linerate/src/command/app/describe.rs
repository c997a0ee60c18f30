//! `linerate app --describe`: the applications, and the options of one.

use std::fmt::Write as _;
use std::process::ExitCode;

use linerate_apps::catalogue::App;
use linerate_core::plan::AppOptions;

use super::trouble;
use crate::screen::{columns, show};
use crate::trouble::Trouble;

/// How far the meaning of an option is indented.
const INDENT: usize = 4;

pub(super) fn run(name: Option<&str>) -> Result<ExitCode, Trouble> {
    let text = match name {
        None => all(),
        Some(name) => one(&App::read(name, &AppOptions::new()).map_err(|error| trouble(&error, name))?),
    };
    show(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn all() -> String {
    let mut text = String::new();
    for app in App::all() {
        let _ = writeln!(text, "{:<8}{}, measured by {}", app.name(), app.title(), app.merit());
    }
    text.push_str("\n`linerate app NAME --describe` lists the options of one.\n");
    text
}

fn one(app: &App) -> String {
    let mut text = format!(
        "{}: {}\n  merit         {}\n  unit of work  {}\n\n",
        app.name(),
        app.title(),
        app.merit(),
        app.unit()
    );
    for option in app.described() {
        let default = if option.default.is_empty() { String::new() } else { format!("={}", option.default) };
        let _ = writeln!(text, "  {}{default}", option.name);
        let words = if option.words.is_empty() {
            String::new()
        } else {
            format!(" One of {}.", option.words.join(", "))
        };
        wrap(
            &mut text,
            &format!("{}{words}", option.what),
            usize::from(columns()).saturating_sub(INDENT).max(30),
        );
    }
    text
}

/// Appends `sentence` in lines of at most `width`.
fn wrap(text: &mut String, sentence: &str, width: usize) {
    let mut line = String::new();
    for word in sentence.split_whitespace() {
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            let _ = writeln!(text, "{:INDENT$}{line}", "");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "{:INDENT$}{line}", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_every_application_is_listed_with_its_default() {
        for app in App::all() {
            let said = one(&app);
            for (name, value) in app.options() {
                assert!(said.contains(&format!("  {name}=")), "{name} = {value} in {said}");
            }
            assert!(said.lines().all(|line| line.len() <= usize::from(columns()).max(30 + INDENT)), "{said}");
        }
        assert!(all().contains("md      Lennard-Jones MD, measured by atom-steps/s"));
    }
}
