//! The costs of a host that a calibration looks for.

use linerate_core::units::Span;
use serde::{Deserialize, Serialize};

use crate::machine::Profile;

/// A cost in a [`Profile`] that no single probe measures: it is found by fitting.
///
/// Unit of its value: nanoseconds; of copies, `Uncached` and `ApartByte` nanoseconds a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// A call of send or receive.
    SystemCall,
    /// A data segment out.
    Transmit,
    /// A data segment in.
    Receive,
    /// A bare acknowledgement out.
    TransmitAcknowledgement,
    /// A bare acknowledgement in.
    ReceiveAcknowledgement,
    /// From a sleeper's wake-up until it runs.
    WakeUp,
    /// Each page of a buffer after its first.
    AllocatePage,
    /// A byte from the application into the kernel.
    CopyIn,
    /// A byte from the kernel to the application.
    CopyOut,
    /// The extra cost of a byte where the message does not fit the cache.
    Uncached,
    /// Beginning to send.
    Push,
    /// A segment's worth that a call of receive takes.
    Take,
    /// A wake-up, for the processor that wakes.
    Wake,
    /// From a wake-up on another processor until the sleeper's own begins with it.
    WakeUpDelay,
    /// What a call costs more where the ends have processors of their own.
    Apart,
    /// And a data segment, at each end.
    ApartSegment,
    /// And a byte, at each end.
    ApartByte,
}

impl Parameter {
    /// Every one, in the order of covariances. A host file names all, or the first ten if it is of
    /// format 1.
    pub const ALL: [Self; 17] = [
        Self::SystemCall,
        Self::Transmit,
        Self::Receive,
        Self::TransmitAcknowledgement,
        Self::ReceiveAcknowledgement,
        Self::WakeUp,
        Self::AllocatePage,
        Self::CopyIn,
        Self::CopyOut,
        Self::Uncached,
        Self::Push,
        Self::Take,
        Self::Wake,
        Self::WakeUpDelay,
        Self::Apart,
        Self::ApartSegment,
        Self::ApartByte,
    ];

    /// How many of them host files of format 1 have.
    pub(super) const FIRST: usize = 10;

    /// Its key in a profile, with the table.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::SystemCall => "costs.system-call",
            Self::Transmit => "costs.transmit",
            Self::Receive => "costs.receive",
            Self::TransmitAcknowledgement => "costs.transmit-acknowledgement",
            Self::ReceiveAcknowledgement => "costs.receive-acknowledgement",
            Self::WakeUp => "costs.wake-up",
            Self::AllocatePage => "costs.allocate-page",
            Self::CopyIn => "memory.copy-in-ns",
            Self::CopyOut => "memory.copy-out-ns",
            Self::Uncached => "memory.uncached-ns",
            Self::Push => "costs.push",
            Self::Take => "costs.take",
            Self::Wake => "costs.wake",
            Self::WakeUpDelay => "costs.wake-up-delay",
            Self::Apart => "costs.apart",
            Self::ApartSegment => "costs.apart-segment",
            Self::ApartByte => "memory.apart-ns",
        }
    }

    /// Whether it is what a packet costs.
    pub(super) const fn is_of_packets(self) -> bool {
        matches!(
            self,
            Self::Transmit | Self::Receive | Self::TransmitAcknowledgement | Self::ReceiveAcknowledgement
        )
    }

    /// Its unit, as people read it.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::CopyIn | Self::CopyOut | Self::Uncached | Self::ApartByte => "ns/B",
            _ => "ns",
        }
    }

    /// Its value in `profile`, in its unit.
    #[must_use]
    pub fn of(self, profile: &Profile) -> f64 {
        match self {
            Self::CopyIn => profile.memory.copy_in_ns,
            Self::CopyOut => profile.memory.copy_out_ns,
            Self::Uncached => profile.memory.uncached_ns,
            Self::ApartByte => profile.memory.apart_ns,
            _ => self.span(profile).as_ps() as f64 / 1e3,
        }
    }

    /// Sets its value, in its unit. A cost is rounded to a picosecond.
    pub fn set(self, profile: &mut Profile, value: f64) {
        match self {
            Self::CopyIn => profile.memory.copy_in_ns = value,
            Self::CopyOut => profile.memory.copy_out_ns = value,
            Self::Uncached => profile.memory.uncached_ns = value,
            Self::ApartByte => profile.memory.apart_ns = value,
            _ => *self.span_mut(profile) = Span::from_seconds(value / 1e9),
        }
    }

    fn span(self, profile: &Profile) -> Span {
        let costs = &profile.costs;
        match self {
            Self::SystemCall => costs.system_call,
            Self::Transmit => costs.transmit,
            Self::Receive => costs.receive,
            Self::TransmitAcknowledgement => costs.transmit_acknowledgement,
            Self::ReceiveAcknowledgement => costs.receive_acknowledgement,
            Self::WakeUp => costs.wake_up,
            Self::AllocatePage => costs.allocate_page,
            Self::Push => costs.push,
            Self::Take => costs.take,
            Self::Wake => costs.wake,
            Self::WakeUpDelay => costs.wake_up_delay,
            Self::Apart => costs.apart,
            Self::ApartSegment => costs.apart_segment,
            Self::CopyIn | Self::CopyOut | Self::Uncached | Self::ApartByte => Span::ZERO,
        }
    }

    fn span_mut(self, profile: &mut Profile) -> &mut Span {
        let costs = &mut profile.costs;
        match self {
            Self::Transmit => &mut costs.transmit,
            Self::Receive => &mut costs.receive,
            Self::TransmitAcknowledgement => &mut costs.transmit_acknowledgement,
            Self::ReceiveAcknowledgement => &mut costs.receive_acknowledgement,
            Self::WakeUp => &mut costs.wake_up,
            Self::AllocatePage => &mut costs.allocate_page,
            Self::Push => &mut costs.push,
            Self::Take => &mut costs.take,
            Self::Wake => &mut costs.wake,
            Self::WakeUpDelay => &mut costs.wake_up_delay,
            Self::Apart => &mut costs.apart,
            Self::ApartSegment => &mut costs.apart_segment,
            // The others never come here: `set` takes them first.
            _ => &mut costs.system_call,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::fixture::profile;
    use super::*;

    #[test]
    fn every_parameter_is_set_and_read_back_and_touches_no_other() {
        for parameter in Parameter::ALL {
            let mut changed = profile();
            parameter.set(&mut changed, 123.456);
            assert!((parameter.of(&changed) - 123.456).abs() < 1e-9, "{parameter:?}");
            for other in Parameter::ALL.into_iter().filter(|other| *other != parameter) {
                assert!((other.of(&changed) - other.of(&profile())).abs() < 1e-12, "{parameter:?} {other:?}");
            }
        }
        let keys: BTreeSet<_> = Parameter::ALL.map(Parameter::key).into_iter().collect();
        assert_eq!(keys.len(), Parameter::ALL.len());
    }
}
