//! The media besides Ethernet.

/// Calls `$then!`, after its own arguments, with the table of media. A row has the medium's name in Rust
/// and in a plan, what it is in a line, and what its folder has: the
/// [`Fabric`](crate::fabric::Fabric), its events and its plan. A plan has `stations` and `mtu` (the
/// largest IP packet, in bytes); `words` says it in a few words, and `build` gives what
/// [is assembled](crate::medium_plan::Assembled) of it.
macro_rules! each_medium {
    ($then:ident $($with:tt)*) => {
        $then! {
            $($with)*
            /// ATM with AAL5 and classical IP.
            Atm(
                "atm", "cells with AAL5 and classical IP: OC-3c, OC-12c, DS3, E3",
                crate::atm::Atm, crate::atm::Event, crate::atm::AtmPlan
            ),
            /// A timed-token ring.
            Fddi(
                "fddi", "a ring with a timed token",
                crate::fddi::Fddi, crate::fddi::Event, crate::fddi::FddiPlan
            ),
            /// Fibre Channel with buffer credits.
            FibreChannel(
                "fibre-channel", "frames with buffer credits",
                crate::fibre_channel::FibreChannel, crate::fibre_channel::Event,
                crate::fibre_channel::FibreChannelPlan
            ),
            /// Cut-through switches with STOP and GO.
            Myrinet(
                "myrinet", "cut-through switches with STOP and GO",
                crate::myrinet::Myrinet, crate::myrinet::Event, crate::myrinet::MyrinetPlan
            ),
        }
    };
}

pub(crate) use each_medium;
