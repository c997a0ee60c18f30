//! All integration tests of this crate: one program, so that they are linked once.

mod carrier;
mod conformance;
mod engines;
mod ethernet;
mod handshake;
mod hostile_client;
mod hostile_server;
mod hosts;
mod kernel;
mod killed_flow;
mod lab;
mod loads;
mod local;
mod memory;
mod observe;
mod pair;
mod rr;
mod rr_datagrams;
mod rr_hosts;
mod rr_lab;
mod rr_silent;
mod secure;
mod stages;
mod support;
mod tcp_options;
mod udp;
