//! The media besides Ethernet.

/// Calls `$then!` with the table of media, a row for each: its name in Rust and in a plan, and what its
/// folder has: the [`Fabric`](crate::fabric::Fabric), its events, and the
/// [`MediumPlan`](crate::medium_plan::MediumPlan) with a function `build`.
macro_rules! each_medium {
    ($then:ident) => {
        $then! {
            /// ATM with AAL5 and classical IP.
            Atm("atm", crate::atm::Atm, crate::atm::Event, crate::atm::AtmPlan),
            /// A timed-token ring.
            Fddi("fddi", crate::fddi::Fddi, crate::fddi::Event, crate::fddi::FddiPlan),
            /// Fibre Channel with buffer credits.
            FibreChannel(
                "fibre-channel",
                crate::fibre_channel::FibreChannel,
                crate::fibre_channel::Event,
                crate::fibre_channel::FibreChannelPlan
            ),
            /// Cut-through switches with STOP and GO.
            Myrinet("myrinet", crate::myrinet::Myrinet, crate::myrinet::Event, crate::myrinet::MyrinetPlan),
        }
    };
}

pub(crate) use each_medium;
