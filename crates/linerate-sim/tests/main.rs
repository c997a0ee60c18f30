//! All integration tests of this crate: one program, so that they are linked once.

mod atm;
mod carrier;
mod conformance;
mod curves;
mod determinism;
mod fddi;
mod fibre_channel;
mod full_duplex;
mod golden;
mod hosts;
mod loads;
mod myrinet;
mod negotiation;
mod network;
mod one_host;
mod papers;
mod plans;
mod ranks;
mod segment;
mod support;
mod tcp;
