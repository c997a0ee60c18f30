//! linerate-mpi: what an MPI does between its ranks, by linerate's method and into its run files.

use std::process::ExitCode;

use linerate::{Unread, not_read};
use linerate_mpi::cli::{Cli, program};

/// Where launchers say which rank a process is, before the MPI is asked.
const RANKS: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"];

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let unread = match program().read::<Cli>(&words) {
        Ok((cli, given)) => return linerate_mpi::command::run(cli.command, given),
        Err(unread) => unread,
    };
    // Once is enough. Nothing is begun, so nothing has to be ended at the other ranks.
    let rank = RANKS.iter().find_map(|name| std::env::var(name).ok());
    let speaks = rank.is_none_or(|rank| rank == "0");
    match unread {
        unread if speaks => not_read(&unread),
        Unread::Clap(said) => ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(2)),
        Unread::Wrong(_) => ExitCode::from(2),
    }
}
