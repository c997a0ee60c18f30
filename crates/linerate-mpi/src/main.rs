//! linerate-mpi: what an MPI does between its ranks, by linerate's method and into its run files.

use std::process::ExitCode;

use clap::Parser as _;
use linerate_mpi::cli::Cli;

/// Where launchers say which rank a process is, before the MPI is asked.
const RANKS: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"];

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => linerate_mpi::command::run(&cli),
        Err(error) => {
            // Once is enough. Nothing is begun, so nothing has to be ended at the other ranks.
            let rank = RANKS.iter().find_map(|name| std::env::var(name).ok());
            if rank.is_none_or(|rank| rank == "0") {
                let _ = error.print();
            }
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}
