//! Networks in virtual time: Ethernet down to the collision, and other media, under the same
//! patterns, schedules and statistics as a real network.
//!
//! Pure: no clock, no socket, no file, no thread. Equal input gives equal output, byte for byte.

pub mod atm;
pub mod bench;
pub mod calibrate;
mod carried;
pub mod carrier;
mod effort;
pub mod end;
pub mod error;
pub mod ethernet;
pub mod event;
pub mod fabric;
pub mod fddi;
pub mod fibre_channel;
pub mod frame;
pub mod framing;
pub mod ip;
pub mod kernel;
pub mod load;
pub mod machine;
mod media;
pub mod medium;
pub mod medium_plan;
pub mod model;
pub mod myrinet;
pub mod pace;
pub mod plan;
pub mod points;
pub mod random;
pub mod ranks;
pub mod shipped;
mod slab;
pub mod stack;
pub mod stations;
pub mod tcp;
pub mod trace;
pub mod world;
