//! What a host reports about itself, its clock and its noise.
//!
//! Everything here reads: nothing on the host is changed, but for [`pin_to`]. What cannot be read
//! is a [`Fact`](linerate_core::environment::Fact) with the reason, never an error, so that a
//! measurement also works on an unusual host.
//!
//! Everything about the network follows the network namespace of the calling thread.

mod activity;
mod caches;
mod cgroup;
mod clock;
mod counters;
mod cpu;
mod effort;
mod environment;
mod host;
mod huge_pages;
mod interface;
mod link;
mod memory;
mod noise;
mod observer;
mod proc_text;
#[cfg(test)]
mod proc_text_is_never_trusted;
mod quota;
mod udp;
mod unread;

pub use activity::ActivityWatch;
pub use caches::{Caches, caches};
pub use clock::{HostClock, check_clock};
pub use counters::InterfaceCounters;
pub use cpu::{current_cpu, pin_to};
pub(crate) use cpu::{is_free, may_use, thread_time, usable_cpus};
pub(crate) use effort::EffortWatch;
pub use environment::environment;
pub use host::HostWatch;
pub use huge_pages::huge_pages_at;
pub use interface::{interface_name, interface_of, own_addresses, stamps_in_hardware};
pub use link::{DownLink, LinkDowns, LinkWatch, links_down};
pub use memory::{available_memory, peak_memory};
pub use noise::watch_noise;
pub(crate) use observer::{CLOCK_READS, Observer};
#[cfg(on_linux)]
pub(crate) use proc_text::{bytes_field, number, read, read_value};
pub use udp::UdpCounters;
pub use unread::Unread;
