//! `linerate man` and `linerate completions`: printed, or as files for a package.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum as _;
use clap_complete::{Generator as _, Shell};

use crate::cli;
use crate::context::Context;
use crate::screen::show;
use crate::trouble::Trouble;

/// The manual: every verb in one document, or a page each in the folder `out`.
pub(super) fn manual(out: Option<&Path>, context: &Context) -> Result<ExitCode, Trouble> {
    let command = cli::command();
    if let Some(folder) = out {
        let mut command = command.disable_help_subcommand(true);
        command.build();
        return into(folder, pages(command).map_err(|error| unwritten(&error))?, context);
    }
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .and_then(|()| verbs(&command, "linerate", &mut page));
    written.map_err(|error| unwritten(&error))?;
    print_bytes(&page)
}

/// Completions for `shell`, printed or in the folder `out`; there for every shell if none is named.
pub(super) fn completions(
    shell: Option<Shell>,
    out: Option<&Path>,
    context: &Context,
) -> Result<ExitCode, Trouble> {
    let mut command = cli::command();
    let shells = shell.map_or_else(|| Shell::value_variants().to_vec(), |shell| vec![shell]);
    let scripts = shells.into_iter().map(|shell| {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, "linerate", &mut script);
        (shell.file_name("linerate"), script)
    });
    match out {
        Some(folder) => into(folder, scripts.collect(), context),
        None => print_bytes(&scripts.flat_map(|(_, script)| script).collect::<Vec<_>>()),
    }
}

/// The pages of `command` and of the verbs under it, by the names of their files.
fn pages(command: clap::Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        all.extend(pages(verb.clone())?);
    }
    let (man, mut page) = (clap_mangen::Man::new(command), Vec::new());
    man.render(&mut page)?;
    all.push((man.get_filename(), page));
    Ok(all)
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

/// Makes `folder`, and writes the files there.
fn into(folder: &Path, pages: Vec<(String, Vec<u8>)>, context: &Context) -> Result<ExitCode, Trouble> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Trouble::file("write files to", folder, &error, "name a folder that you may write to")
    })?;
    for (name, page) in pages {
        context.files.replace_with(&folder.join(name), |out| out.write_all(&page))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn unwritten(error: &io::Error) -> Trouble {
    Trouble::new(format!("failed to write the manual: {error}"), "free memory")
}

fn print_bytes(bytes: &[u8]) -> Result<ExitCode, Trouble> {
    show(&String::from_utf8_lossy(bytes))?;
    Ok(ExitCode::SUCCESS)
}
