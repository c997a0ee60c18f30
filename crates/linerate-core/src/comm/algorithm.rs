//! The algorithms of collectives by name.  Source of the names: Thakur, Rabenseifner and Gropp, "Optimization of
//! Collective Communication Operations in MPICH", 2005.

use crate::named::named;

/// Defines an enum of algorithms with a name for each.
macro_rules! algorithms {
    ($(#[$doc:meta])* $kind:ident, $refusal:literal, $($(#[$of:meta])* $one:ident = $name:literal),+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $kind {
            $($(#[$of])* $one),+
        }

        impl $kind {
            /// All of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$one),+];

            /// What people call it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$one => $name),+
                }
            }
        }

        named!($kind, $refusal);
    };
}

algorithms! {
    /// How one rank's message comes to all.
    Broadcast, "no broadcast is called {:?}: {}",
    /// A tree that doubles who has it: ceil(log2 P) times the whole message.
    Binomial = "binomial",
    /// Scattered in parts along that tree, which then go round a ring: less time for long messages.
    ScatterAllgather = "scatter-allgather"
}

algorithms! {
    /// How every rank's block comes to all.
    Allgather, "no allgather is called {:?}: {}",
    /// P - 1 steps to the right.
    Ring = "ring",
    /// log2 P exchanges of twice as much each time; for powers of two.
    RecursiveDoubling = "recursive-doubling",
    /// The same for any number of ranks, with a turn of the blocks at the end.
    Bruck = "bruck"
}

algorithms! {
    /// How all ranks' vectors are combined for all.
    Allreduce, "no allreduce is called {:?}: {}",
    /// A ring that combines parts, then one that hands them round: 2 (P - 1) short messages.
    Ring = "ring",
    /// Exchanges of whole vectors over growing distances: log2 P long messages.
    RecursiveDoubling = "recursive-doubling",
    /// Rabenseifner's: halves of halves combined, then doubled again.
    Rabenseifner = "rabenseifner"
}

algorithms! {
    /// How every rank's block for every other comes there.
    Alltoall, "no alltoall is called {:?}: {}",
    /// P - 1 steps, each with another partner and one block.
    Pairwise = "pairwise",
    /// Bruck's: ceil(log2 P) steps with half of all blocks each.
    Bruck = "bruck"
}

algorithms! {
    /// How vectors are combined and each rank keeps its part.
    ReduceScatter, "no reduce-scatter is called {:?}: {}",
    /// P - 1 steps to the right.
    Ring = "ring",
    /// log2 P exchanges of half as much each time; for powers of two.
    RecursiveHalving = "recursive-halving"
}
