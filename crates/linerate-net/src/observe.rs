//! What a host says of itself, and what it sees of its own clock and noise.
