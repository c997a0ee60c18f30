//! What the hosts of a run could reach.

use super::Run;
use crate::host_limits::HostLimits;

impl Run {
    /// Sets what the initiator's host could reach, and the same for every node on the same boot of the same host. Call
    /// it after [`set_star`](Self::set_star), which forgets it.
    pub fn set_limits(&mut self, limits: &HostLimits) {
        let Some((first, others)) = self.nodes.split_first_mut() else { return };
        for node in others.iter_mut().filter(|it| first.environment.same_host(&it.environment) == Some(true))
        {
            node.limits = Some(limits.clone());
        }
        first.limits = Some(limits.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{Environment, Fact};
    use crate::plan::Plan;
    use crate::run::{Answering, EndState, Source};

    fn end(boot: Fact<String>) -> EndState {
        EndState {
            environment: Environment { boot_id: boot, ..Environment::default() },
            ..EndState::default()
        }
    }

    #[test]
    fn the_same_boot_has_the_same_limits_and_another_has_none() {
        let boots = ["one", "two", "one"].map(|boot| Fact::Known(boot.to_owned()));
        let [first, others @ ..] = boots.map(end);
        let unknown = end(Fact::unknown("not permitted"));
        let answering = others.into_iter().chain([unknown]);
        let answering = answering.map(|end| Answering { end, ..Answering::default() }).collect();
        let mut run = Run::new(Source::Measured, Plan::default());
        run.set_star(first, answering);
        let limits = HostLimits { quick: true, ..HostLimits::default() };
        run.set_limits(&limits);
        let held: Vec<bool> = run.nodes.iter().map(|node| node.limits.as_ref() == Some(&limits)).collect();
        assert_eq!(held, [true, false, true, false]);
        let read = Run::from_json(&run.to_json()).expect("its own form");
        assert_eq!(read, run, "limits survive the file");
    }
}
