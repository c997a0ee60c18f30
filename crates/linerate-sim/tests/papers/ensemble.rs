//! Hosts of 1998 whose costs nobody knows: drawn, so that what a test says does not rest on one guess.

use linerate_core::units::{Size, Span};
use linerate_sim::machine::{Bus, Profile};
use rand::RngExt as _;
use rand_pcg::Pcg64;

/// How many hosts are drawn.
pub(crate) const HOSTS: u64 = 40;

/// The host of this number: `base` with other costs. The ranges are guesses around typical values of 1998.
pub(crate) fn drawn(base: &Profile, number: u64) -> Profile {
    let mut random = Pcg64::new(1998, u128::from(number));
    let mut us = |from: u64, to: u64| Span::from_ns(random.random_range(from * 1000..=to * 1000));
    let mut profile = base.clone();
    profile.costs.transmit = us(6, 18);
    profile.costs.receive = us(12, 21);
    profile.costs.interrupt = us(4, 14);
    profile.costs.wake_up = us(5, 20);
    profile.costs.system_call = us(2, 8);
    profile.adaptor.latency = us(5, 15);
    profile.memory.copy_in_ns = random.random_range(3.5..8.0);
    profile.memory.copy_out_ns = random.random_range(3.5..8.0);
    let Bus::Pci { burst, .. } = &mut profile.bus else { panic!("the host of the papers has PCI") };
    *burst = Size([48, 64, 128][random.random_range(0..3)]);
    profile
}
