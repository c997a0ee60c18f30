//! Tables in virtual time, to be read in a diff: a number that moves is a model that changed.

mod hubs;
mod media;
mod watermarks;
