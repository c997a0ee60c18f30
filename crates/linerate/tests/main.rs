//! The integration tests of this crate: one program, so that they are linked once. `truth` is another.

mod app;
mod bad_input;
mod browser;
mod calibrate;
mod experiment;
mod experiment_hosts;
mod explain;
mod help;
mod history;
mod host;
mod lab;
mod loads_model;
mod measure;
mod measure_model;
mod mesh;
mod model;
mod model_check;
mod predict;
mod readme;
mod report;
mod rr;
mod settings;
mod stages;
mod stream;
mod streams;
mod support;
