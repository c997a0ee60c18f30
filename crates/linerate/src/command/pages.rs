//! `linerate man` and `linerate completions`: printed, or as files for a package.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum as _;
use clap_complete::Shell;

use crate::cli;
use crate::screen::show;
use crate::trouble::Trouble;

/// The manual: every verb in one document, or a page each in the folder `out`.
pub(super) fn manual(out: Option<&Path>) -> Result<ExitCode, Trouble> {
    if let Some(folder) = out {
        return into(folder, || clap_mangen::generate_to(cli::command(), folder));
    }
    let mut page = Vec::new();
    let command = cli::command();
    let written = clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .and_then(|()| verbs(&command, "linerate", &mut page));
    written.map_err(|error| Trouble::new(format!("failed to write the manual: {error}"), "free memory"))?;
    print_bytes(&page)
}

/// Completions for `shell`, printed or in the folder `out`; there for every shell if none is named.
pub(super) fn completions(shell: Option<Shell>, out: Option<&Path>) -> Result<ExitCode, Trouble> {
    let mut command = cli::command();
    let shells = shell.map_or_else(|| Shell::value_variants().to_vec(), |shell| vec![shell]);
    if let Some(folder) = out {
        return into(folder, || {
            shells.into_iter().try_for_each(|shell| {
                clap_complete::generate_to(shell, &mut command, "linerate", folder).map(drop)
            })
        });
    }
    let mut scripts = Vec::new();
    for shell in shells {
        clap_complete::generate(shell, &mut command, "linerate", &mut scripts);
    }
    print_bytes(&scripts)
}

/// A section for every verb under `command`, its own verbs after it.
fn verbs(command: &clap::Command, name: &str, page: &mut Vec<u8>) -> io::Result<()> {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let title = format!("{name} {}", verb.get_name());
        let man = clap_mangen::Man::new(verb.clone().name(&title).display_name(&title));
        man.render_name_section(page)?;
        man.render_synopsis_section(page)?;
        man.render_options_section(page)?;
        verbs(verb, &title, page)?;
    }
    Ok(())
}

/// Makes `folder`, and lets `write` write its files there.
fn into(folder: &Path, write: impl FnOnce() -> io::Result<()>) -> Result<ExitCode, Trouble> {
    std::fs::create_dir_all(folder).and_then(|()| write()).map_err(|error| {
        Trouble::file("write files to", folder, &error, "name a folder that you may write to")
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print_bytes(bytes: &[u8]) -> Result<ExitCode, Trouble> {
    show(&String::from_utf8_lossy(bytes))?;
    Ok(ExitCode::SUCCESS)
}
