//! The flags of `linerate settings` and `linerate restore`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::examples;

#[derive(Debug, clap::Args)]
pub(crate) struct SettingsArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<SettingsVerb>,
    /// The interface whose settings are shown [default: every one that is up]
    #[arg(long, short, value_name = "NAME", global = true)]
    pub(crate) interface: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum SettingsVerb {
    /// List settings with their values, and what they take
    List {
        /// Names, such as mtu, ring.rx or sysctl.net.ipv4.tcp_rmem [default: all that have a value here]
        names: Vec<String>,
    },
    /// List every setting that linerate knows, with its source and what it needs
    Known,
    /// Set settings, run a command, and put everything back
    #[command(after_help = examples::SETTINGS_WITH)]
    With {
        /// NAME=VALUE, such as mtu@eth0=9000; a value with spaces in quotes
        #[arg(required = true, value_name = "NAME=VALUE")]
        settings: Vec<String>,
        /// The command and its arguments, after --
        #[arg(required = true, last = true, value_name = "CMD")]
        command: Vec<OsString>,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// Show what is to be put back, and change nothing
    #[arg(long, conflicts_with_all = ["force", "discard"])]
    pub(crate) list: bool,
    /// Put back also what somebody else has changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Forget what is to be put back, and leave everything as it is
    #[arg(long, conflicts_with = "force")]
    pub(crate) discard: bool,
    /// Watch over a journal until standard input ends, and restore then
    #[arg(long, hide = true, value_name = "JOURNAL", conflicts_with_all = ["list", "force", "discard"])]
    pub(crate) guard: Option<PathBuf>,
}
