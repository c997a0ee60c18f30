//! What linerate measures and what it means.
//!
//! No code in this crate uses a clock, a socket or a file. Data flows one way: a [`plan::Plan`] is
//! run over a [`bench::Bench`] and gives [`series::Series`], which are kept in a [`run::Run`];
//! everything after that ([`mod@derive`], [`assessment`], [`report`]) is a pure function of the
//! stored run and works as well on a five-year-old file.

pub mod app;
pub mod assessment;
pub mod bench;
pub mod carrier;
pub mod caution;
pub mod ceiling;
pub mod changes;
pub mod comm;
pub mod compare;
pub mod config;
pub mod derive;
pub mod endpoint;
pub mod environment;
pub mod experiment;
pub mod explain;
pub mod figures;
pub mod foreign;
pub mod grid;
pub mod host_limits;
pub mod host_list;
pub mod identity;
pub mod inference;
pub mod kernel;
pub mod lab;
pub mod measure;
pub mod mesh;
mod named;
pub mod netpipe_file;
pub mod observation;
pub mod options;
pub mod pattern;
pub mod payload;
pub mod plan;
pub mod report;
pub mod roles;
pub mod run;
pub mod schedule;
pub mod series;
pub mod stages;
pub mod stats;
pub mod tables;
pub mod trace;
pub mod traffic;
pub mod transport;
pub mod trial;
pub mod units;
