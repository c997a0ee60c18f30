//! Starting ranks.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

#[path = "../../linerate-core/tests/support/comm_conformance.rs"]
pub(crate) mod comm_conformance;

/// What starts ranks of the MPI that this was built with: `mpirun.openmpi` and `mpirun.mpich` where Debian has both,
/// else `mpirun`. `MPIRUN` overrides it.
fn mpirun() -> Command {
    let open = mpi::environment::library_version().is_ok_and(|version| version.contains("Open MPI"));
    let named = if open { "mpirun.openmpi" } else { "mpirun.mpich" };
    let usual = if Path::new("/usr/bin").join(named).exists() { named } else { "mpirun" };
    let mut command = Command::new(std::env::var("MPIRUN").unwrap_or_else(|_| usual.to_owned()));
    if open {
        // Ranks that poll share two processors here, and a container's root is as good as any user.
        command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]);
        // Without it ranks that wait never let another run.
        command.args(["--mca", "mpi_yield_when_idle", "1"]);
    }
    command
}

/// Ranks poll, so those of two tests at once would only wait for each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `program` with `arguments` on `ranks` ranks, without a configuration.
pub(crate) fn on_ranks(ranks: usize, program: impl AsRef<Path>, arguments: &[&str]) -> Output {
    let mut command = mpirun();
    command.env("LINERATE_NO_CONFIG", "true");
    finished(command, ranks, program.as_ref(), arguments)
}

/// The same for a user whose configuration and data are in `home`.
pub(crate) fn at_home(home: &Path, ranks: usize, program: impl AsRef<Path>, arguments: &[&str]) -> Output {
    let mut command = mpirun();
    command.env("XDG_CONFIG_HOME", home).env("XDG_DATA_HOME", home);
    finished(command, ranks, program.as_ref(), arguments)
}

fn finished(mut command: Command, ranks: usize, program: &Path, arguments: &[&str]) -> Output {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    command.env_remove("LINERATE_HISTORY").env_remove("LINERATE_PROFILE");
    command.args(["-n", &ranks.to_string()]).arg(program).args(arguments);
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// What it said, however the lines of an error are broken.
pub(crate) fn sentences(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}
