//! The TCP of the modelled hosts on a programmable path: against another TCP, against the RFCs and
//! against the laws that its throughput must follow.

mod algorithms;
mod encoding;
mod end;
mod golden;
mod kernel;
mod laws;
mod marks;
mod oracle;
mod path;
mod properties;
mod recovery;
mod settings;
mod smoltcp_pair;
mod stalls;
mod task;
mod trace;
mod windows;
mod world;
mod zero;
