//! Networks of stations, switches, full-duplex repeaters and hubs, against closed forms and rules.

mod conservation;
mod distributor;
mod domains;
mod harness;
mod headroom;
mod latency;
mod permutation;
mod picture;
mod queueing;
mod switch;
mod topology;
