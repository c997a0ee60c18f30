//! Fuzz targets: every decoder that reads what an unknown peer wrote, the account of what a peer numbers,
//! and what must hold of whatever they accept. A target panics when something does not hold.
//!
//! `scripts/fuzz` hunts with libFuzzer; `cargo test` replays the corpus.

mod account;
mod control;
mod datagram;
mod model_plan;
mod peers;
mod plan;
mod ranks;
mod run_file;
mod settings;

pub use account::account;
pub use control::control;
pub use datagram::datagram;
pub use model_plan::model_plan;
pub use peers::peers;
pub use plan::plan;
pub use ranks::ranks;
pub use run_file::run_file;
pub use settings::settings;
