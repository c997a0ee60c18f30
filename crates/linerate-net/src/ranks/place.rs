//! Which rank this process is, by what the launcher of the job says.

/// A rank among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which, from 0.
    pub rank: usize,
    /// Of how many.
    pub size: usize,
    /// Who says so.
    pub launcher: &'static str,
}

/// Why the launcher's variables say nothing. Displayed after "failed to ...".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// There is a rank without a number of ranks.
    #[error("find this rank's place: {rank} is set and {size} is not")]
    Half {
        /// The variable of the rank.
        rank: &'static str,
        /// The variable, or the variables, of the size.
        size: &'static str,
    },
    /// A value is no number, or no rank is above the last.
    #[error("find this rank's place: {variable} is `{value}`{reason}")]
    Value {
        /// Which variable.
        variable: &'static str,
        /// What it is.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The variables of a launcher: its name, that of the rank, and those of the size, the first of which that is set counts.
struct Launcher {
    name: &'static str,
    rank: &'static str,
    sizes: &'static [&'static str],
    named: &'static str,
}

/// Open MPI sets PMIX_RANK as well; srun with PMIx sets SLURM's as well, and they agree.
const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        name: "Open MPI's mpirun",
        rank: "OMPI_COMM_WORLD_RANK",
        sizes: &["OMPI_COMM_WORLD_SIZE"],
        named: "OMPI_COMM_WORLD_SIZE",
    },
    Launcher {
        name: "srun",
        rank: "SLURM_PROCID",
        sizes: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"],
        named: "SLURM_NTASKS",
    },
    Launcher { name: "mpiexec (PMI)", rank: "PMI_RANK", sizes: &["PMI_SIZE"], named: "PMI_SIZE" },
    Launcher {
        name: "a PMIx launcher",
        rank: "PMIX_RANK",
        sizes: &["OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"],
        named: "OMPI_COMM_WORLD_SIZE or SLURM_NTASKS",
    },
];

/// The place that the environment says, if a launcher started this process as a rank. `value` is that of a variable.
///
/// A batch script of Slurm itself is no rank: it has the number of tasks and `SLURM_PROCID=0`, and no step.
///
/// # Errors
///
/// When the variables are set in part, or make no sense.
pub fn place(value: impl Fn(&str) -> Option<String>) -> Result<Option<Place>, PlaceError> {
    let in_batch_script =
        value("SLURM_JOB_ID").is_some() && value("SLURM_STEP_ID").is_none_or(|step| step == "4294967291");
    for Launcher { name, rank, sizes, named } in LAUNCHERS {
        let Some(found) = value(rank).filter(|_| name != "srun" || !in_batch_script) else { continue };
        let number = |variable: &'static str, value: &str| {
            let refused = |_| PlaceError::Value {
                variable,
                value: value.to_owned(),
                reason: ", which is no number".to_owned(),
            };
            value.parse::<usize>().map_err(refused)
        };
        let sized = sizes.iter().find_map(|size| value(size).map(|value| (*size, value)));
        let (variable, given) = sized.ok_or(PlaceError::Half { rank, size: named })?;
        let (this, size) = (number(rank, &found)?, number(variable, &given)?);
        if this >= size {
            let reason = format!(", and {variable} is {size}: ranks are below that");
            return Err(PlaceError::Value { variable: rank, value: found, reason });
        }
        return Ok(Some(Place { rank: this, size, launcher: name }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Option<(usize, usize)>, String> {
        let value = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        };
        let place = place(value).map_err(|error| error.to_string())?;
        Ok(place.map(|place| (place.rank, place.size)))
    }

    #[test]
    fn every_launcher_says_who_one_is() {
        let found = [
            of(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "2")]),
            of(&[("PMI_RANK", "2"), ("PMI_SIZE", "4")]),
            of(&[
                ("SLURM_JOB_ID", "7"),
                ("SLURM_STEP_ID", "0"),
                ("SLURM_PROCID", "2"),
                ("SLURM_NTASKS", "4"),
            ]),
            of(&[("PMIX_RANK", "2"), ("SLURM_NTASKS", "4")]),
        ];
        assert_eq!(found, [const { &Ok(Some((2, 4))) }; 4].map(Clone::clone));
    }

    #[test]
    fn a_shell_and_a_batch_script_are_no_ranks() {
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&[("SLURM_NTASKS", "4")]), Ok(None));
        let script = [("SLURM_JOB_ID", "7"), ("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        assert_eq!(of(&script), Ok(None));
    }

    #[test]
    fn what_makes_no_sense_is_said_with_its_variable() {
        let said = |variables: &[(&str, &str)]| of(variables).expect_err("it makes no sense");
        assert_eq!(said(&[("PMI_RANK", "1")]), "find this rank's place: PMI_RANK is set and PMI_SIZE is not");
        assert_eq!(
            said(&[("PMI_RANK", "x"), ("PMI_SIZE", "2")]),
            "find this rank's place: PMI_RANK is `x`, which is no number"
        );
        assert_eq!(
            said(&[("PMI_RANK", "2"), ("PMI_SIZE", "2")]),
            "find this rank's place: PMI_RANK is `2`, and PMI_SIZE is 2: ranks are below that"
        );
    }
}
