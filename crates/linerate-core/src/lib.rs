//! What a run is and how it is measured.
//!
//! No code in this crate uses a clock, a socket or a file. Data flows one way: a [`plan::Plan`] is
//! run over a [`bench::Bench`] and gives [`series::Series`], which are kept in a [`run::Run`].
//! What is made of runs is the crate `linerate-analysis`.

pub mod app;
pub mod bench;
pub mod carrier;
pub mod caution;
pub mod ceiling;
pub mod comm;
pub mod config;
pub mod endpoint;
pub mod environment;
pub mod foreign;
pub mod generator;
pub mod grid;
pub mod host_limits;
pub mod host_list;
pub mod kernel;
pub mod lab;
pub mod measure;
pub mod mesh;
mod named;
pub mod observation;
pub mod options;
pub mod pattern;
pub mod payload;
pub mod plan;
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
