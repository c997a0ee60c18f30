//! What makes links slow, late and lossy: queues of the kernel, or our own forwarder.

use std::io;

use linerate_core::lab::{Bucket, Direction, Layout, Mechanism};
use linerate_core::units::{Rate, Size, Span};

use super::namespace::Namespace;
use super::{LabError, delay};
use crate::netlink::bucket;

/// What a direction needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Needs {
    delays: bool,
    buckets: bool,
    /// What no queue of the kernel does from a seed.
    more: bool,
}

impl Needs {
    fn of(direction: &Direction) -> Self {
        let plain_queue = direction.bucket.is_some_and(|bucket| bucket.burst == Size(0));
        Self {
            delays: direction.impairment.delay > Span::ZERO,
            buckets: direction.bucket.is_some(),
            more: plain_queue || !direction.impairment.only_delays(),
        }
    }

    const fn or(self, other: Self) -> Self {
        Self {
            delays: self.delays || other.delays,
            buckets: self.buckets || other.buckets,
            more: self.more || other.more,
        }
    }

    /// The mechanism for it where the kernel has what `kernel` says.
    const fn mechanism(self, kernel: Self) -> Mechanism {
        if self.more || self.delays && !kernel.delays || self.buckets && !kernel.buckets {
            Mechanism::Forwarder
        } else if self.delays || self.buckets {
            Mechanism::Kernel
        } else {
            Mechanism::Wire
        }
    }
}

/// The mechanism of each link.
pub(super) fn choose(layout: &Layout) -> Result<Vec<Mechanism>, LabError> {
    let needs = layout.links.iter().map(|link| {
        let [first, second] = link.directions.each_ref().map(Needs::of);
        first.or(second)
    });
    let needs: Vec<Needs> = needs.collect();
    let all = needs.iter().fold(Needs::default(), |all, needs| all.or(*needs));
    let kernel = if all == Needs::default() { all } else { Namespace::new()?.enter(kernel)?? };
    Ok(needs.into_iter().map(|needs| needs.mechanism(kernel)).collect())
}

/// What the kernel has, tried at the loopback of this thread's namespace, which is thrown away.
fn kernel() -> Result<Needs, LabError> {
    let has = |tried: io::Result<()>| match tried {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(LabError::Refused { what: "a queue".to_owned(), source }),
    };
    let bucket = Bucket { rate: Rate::from_mbps(1.0), burst: Size(1 << 16), queue: Size(1 << 17) };
    Ok(Needs {
        buckets: has(bucket::replace("lo", bucket, None))?,
        delays: has(delay::replace("lo", Span::from_ms(1)))?,
        more: false,
    })
}

#[cfg(test)]
mod tests {
    use linerate_core::lab::LabPlan;

    use super::*;

    #[test]
    fn the_kernel_does_what_it_can_and_the_forwarder_the_rest() {
        let all = Needs { delays: true, buckets: true, more: false };
        let no_netem = Needs { delays: false, ..all };
        let of = |link: &str, kernel| {
            let plan = format!("hosts = ['a', 'b']\nlink = [{{ between = ['a', 'b']{link} }}]");
            let layout = Layout::of(&LabPlan::from_toml(&plan).expect("a plan")).expect("it can be built");
            let [first, second] = layout.links[0].directions.each_ref().map(Needs::of);
            first.or(second).mechanism(kernel)
        };
        for (link, kernel, wanted) in [
            ("", Needs::default(), Mechanism::Wire),
            (", rate-mbps = 10", all, Mechanism::Kernel),
            (", rate-mbps = 10", Needs::default(), Mechanism::Forwarder),
            (", rate-mbps = 10, burst = 0", all, Mechanism::Forwarder),
            (", delay = '1ms', rate-mbps = 10", all, Mechanism::Kernel),
            (", delay = '1ms', rate-mbps = 10", no_netem, Mechanism::Forwarder),
            (", delay = '1ms', reverse = { loss = 0.1 }", all, Mechanism::Forwarder),
        ] {
            assert_eq!(of(link, kernel), wanted, "{link} {kernel:?}");
        }
    }
}
