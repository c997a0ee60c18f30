//! Everything that can happen in a simulation: one variant for each part that sets events.

/// Something that happens. Small, because events are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A mark that tests set.
    Probe(u32),
}
