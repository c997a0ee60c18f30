//! The flags of `linerate calibrate`.

use std::path::PathBuf;

use linerate_core::units::Span;

#[derive(Debug, clap::Args)]
pub(crate) struct CalibrateArgs {
    /// Host file to write
    ///
    /// It is a profile for models, and the input of `linerate predict`.
    #[arg(long, value_name = "FILE.toml", default_value = "host.toml", conflicts_with = "measure")]
    pub(crate) out: PathBuf,
    /// Time to measure, before the fit
    #[arg(long, short, value_name = "TIME", default_value = "25s", conflicts_with = "measure")]
    pub(crate) time: Span,
    /// Further sets of costs to fit, for intervals and bands
    #[arg(long, value_name = "N", default_value_t = 32, conflicts_with = "measure",
          value_parser = clap::value_parser!(u16).range(8..=1000))]
    pub(crate) draws: u16,
    /// Measure a curve in the same laboratory instead
    ///
    /// The run can then test `linerate predict`. Flags of `linerate measure` follow after `--`.
    #[arg(long)]
    pub(crate) measure: bool,
    /// MTU of the laboratory's wire for that curve, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1500, requires = "measure",
          value_parser = clap::value_parser!(u32).range(576..=65535))]
    pub(crate) mtu: u32,
    /// Flags of `linerate measure`
    #[arg(last = true, value_name = "FLAGS", requires = "measure", allow_hyphen_values = true)]
    pub(crate) flags: Vec<String>,
}
