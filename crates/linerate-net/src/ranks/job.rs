//! What the ranks of a job have in common, by what its launcher says.

/// A job of a launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name, the same for all of its ranks and for no job beside it.
    pub name: String,
    /// Whether the launcher gave it: else it holds on one host only.
    pub is_named: bool,
    /// Whether all ranks are on this host.
    pub is_on_one_host: bool,
}

/// Variables that hold how many ranks there are, and how many of them are on this host.
const ON_ONE_HOST: [[&str; 2]; 2] =
    [["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"], ["PMI_SIZE", "MPI_LOCALNRANKS"]];

impl Job {
    /// The job of this rank; `value` is that of a variable, and `parent` the process that started it.
    #[must_use]
    pub fn of(value: impl Fn(&str) -> Option<String>, parent: u32) -> Self {
        let slurm = value("SLURM_JOB_ID")
            .map(|job| format!("slurm-{job}.{}", value("SLURM_STEP_ID").unwrap_or_default()));
        let named = slurm.or_else(|| value("PMIX_NAMESPACE").map(|name| format!("pmix-{name}")));
        let one_node = ["SLURM_STEP_NUM_NODES", "SLURM_NNODES"].into_iter().find_map(&value);
        let all_here = ON_ONE_HOST
            .iter()
            .any(|[all, here]| value(all).zip(value(here)).is_some_and(|(all, here)| all == here));
        Self {
            is_named: named.is_some(),
            name: named.unwrap_or_else(|| format!("parent-{parent}")),
            is_on_one_host: all_here || one_node.as_deref() == Some("1"),
        }
    }

    /// The name of a file in which its ranks meet.
    #[must_use]
    pub fn file(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        format!("linerate-mesh-{}.rendezvous", self.name.chars().map(plain).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Job {
        let value = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        };
        Job::of(value, 77)
    }

    #[test]
    fn every_launcher_names_its_job_but_hydra() {
        let slurm = of(&[
            ("SLURM_JOB_ID", "9"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_NNODES", "2"),
            ("PMIX_NAMESPACE", "x"),
        ]);
        assert_eq!(
            (slurm.file().as_str(), slurm.is_on_one_host),
            ("linerate-mesh-slurm-9.0.rendezvous", false)
        );
        let open_mpi = of(&[
            ("PMIX_NAMESPACE", "prterun-head-12@1"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
        ]);
        assert_eq!(open_mpi.file(), "linerate-mesh-pmix-prterun-head-12-1.rendezvous");
        assert!(open_mpi.is_named && open_mpi.is_on_one_host);
        let hydra = of(&[("PMI_SIZE", "4"), ("MPI_LOCALNRANKS", "2")]);
        assert!(!hydra.is_named && !hydra.is_on_one_host);
        let hydra = of(&[("PMI_SIZE", "2"), ("MPI_LOCALNRANKS", "2")]);
        assert_eq!((hydra.name.as_str(), hydra.is_on_one_host), ("parent-77", true));
        assert!(of(&[("SLURM_JOB_ID", "9"), ("SLURM_NNODES", "1")]).is_on_one_host);
    }
}
