//! The verbs in groups, as the help of linerate lists them.

use std::fmt::Write as _;

/// Every verb that is not hidden, once.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["measure", "stream", "rr", "mesh", "app", "trace", "host", "serve"]),
    ("Explain", &["explain", "report", "compare", "experiment"]),
    ("Model", &["model", "predict", "calibrate"]),
    ("Track", &["history"]),
    ("Tools", &["lab", "settings", "restore", "schema", "completions", "man"]),
];

const USAGE: &str = "\
linerate [FLAGS] [HOST]    measure the path to HOST, or the loopback
       linerate VERB [FLAGS] ..   see linerate VERB -h";

/// `command` with its verbs in groups in its help.
pub(super) fn in_help(command: clap::Command) -> clap::Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\nOptions:\n{{options}}{{after-help}}",
        list(&command)
    );
    command.override_usage(USAGE).help_template(template)
}

/// A line for every verb, below the name of its group.
fn list(command: &clap::Command) -> String {
    let mut text = String::new();
    for (group, verbs) in GROUPS {
        writeln!(text, "{group}:").expect("a string takes text");
        for verb in verbs {
            let found = command.find_subcommand(verb).and_then(clap::Command::get_about);
            let about = found.map(ToString::to_string).unwrap_or_default();
            writeln!(text, "  {verb:<11}  {about}").expect("a string takes text");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_in_one_group() {
        let command = crate::cli::command();
        let mut there: Vec<&str> = command
            .get_subcommands()
            .filter(|verb| !verb.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| *verbs).copied().collect();
        there.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, there);
    }
}
