//! The flags of `linerate predict`.

use std::path::PathBuf;

use linerate_core::grid::{Axis, Grid, TwiceError};
use linerate_core::plan::Rows;
use linerate_core::units::Size;

use super::shared;

#[derive(Debug, clap::Args)]
pub(crate) struct PredictArgs {
    /// Run between two hosts like the calibrated one
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Host file from `linerate calibrate`
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) host: PathBuf,
    /// Also predict changes, such as mtu=1500,9000 rcvbuf=auto
    ///
    /// KEY is mtu, rcvbuf, sndbuf or mss. A value is a size or `auto`. Every combination of the values
    /// is predicted by itself, at most eight.
    #[arg(long, value_name = "KEY=A,..", num_args = 1.., value_parser = parse_changes)]
    what_if: Vec<Axis<Change>>,
    /// HTML report [default: NAME.predict.html]
    #[arg(
        long,
        value_name = "X.html",
        long_help = "HTML report [default: NAME.predict.html, beside the run file]"
    )]
    pub(crate) report: Option<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = PredictFormat::Table)]
    pub(crate) format: PredictFormat,
    /// Rows of the tables: short (default) or all
    #[arg(long, value_name = "WHICH", value_parser = shared::rows_parser(), hide_possible_values = true,
          hide_short_help = true)]
    pub(crate) rows: Option<Rows>,
}

impl PredictArgs {
    /// Every combination of changes that was asked for.
    ///
    /// # Errors
    ///
    /// When a key is there twice.
    pub(crate) fn changes(&self) -> Result<Grid<Change>, TwiceError> {
        Grid::new(self.what_if.clone())
    }
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PredictFormat {
    /// A summary and a table
    Table,
    /// Every number
    Json,
}

/// A change of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) what: Changed,
    /// If absent, the kernel chooses.
    pub(crate) to: Option<Size>,
}

/// What can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    Mtu,
    Rcvbuf,
    Sndbuf,
    Mss,
}

impl Changed {
    const ALL: [Self; 4] = [Self::Mtu, Self::Rcvbuf, Self::Sndbuf, Self::Mss];

    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Mtu => "mtu",
            Self::Rcvbuf => "rcvbuf",
            Self::Sndbuf => "sndbuf",
            Self::Mss => "mss",
        }
    }
}

/// `mtu=1500,9000`, `rcvbuf=1MiB`, `rcvbuf=auto`.
fn parse_changes(text: &str) -> Result<Axis<Change>, String> {
    let axis = text.parse::<Axis>().map_err(|error| format!("{error}; write mtu=9000"))?;
    let what = Changed::ALL.into_iter().find(|what| what.name() == axis.key);
    let what = what.ok_or_else(|| format!("`{}` is none of mtu, rcvbuf, sndbuf, mss", axis.key))?;
    axis.read(|value| match Size::or_auto(value).map_err(|error| error.to_string())? {
        None if what == Changed::Mtu => Err("an MTU is a size, such as mtu=9000".to_owned()),
        to => Ok(Change { what, to }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_as_people_write_them() {
        let axis = |what: Changed, to: &[Option<u64>]| {
            let values = to.iter().map(|to| Change { what, to: to.map(Size) }).collect();
            Ok(Axis { key: what.name().to_owned(), values })
        };
        assert_eq!(parse_changes("mtu=1500,9000"), axis(Changed::Mtu, &[Some(1500), Some(9000)]));
        assert_eq!(parse_changes("rcvbuf=auto,1MiB"), axis(Changed::Rcvbuf, &[None, Some(1 << 20)]));
        assert_eq!(parse_changes("mss=auto"), axis(Changed::Mss, &[None]));
        for text in ["mtu", "mtu=", "mtu=1500,auto", "mtu=big", "speed=5", "mss=1,,2"] {
            assert!(parse_changes(text).is_err(), "{text}");
        }
    }
}
