//! The half-duplex collision domain against closed forms, published figures and its own rules.

mod bench;
mod capture;
mod collisions;
mod contention;
mod cost;
mod deference;
mod delivery;
mod invariants;
mod mismatch;
mod single;
