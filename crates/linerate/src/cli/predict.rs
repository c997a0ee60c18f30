//! The flags of `linerate predict`.

use std::path::PathBuf;

use linerate_core::units::Size;

#[derive(Debug, clap::Args)]
pub(crate) struct PredictArgs {
    /// Run between two hosts like the calibrated one
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Host file from `linerate calibrate`
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) host: PathBuf,
    /// Also predict a change, such as mtu=9000 or rcvbuf=auto
    ///
    /// KEY is mtu, rcvbuf, sndbuf or mss. VALUE is a size or `auto`.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., value_parser = parse_change)]
    pub(crate) what_if: Vec<Change>,
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

/// `mtu=9000`, `rcvbuf=1MiB`, `rcvbuf=auto`.
fn parse_change(text: &str) -> Result<Change, String> {
    let (key, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not KEY=VALUE; write mtu=9000"))?;
    let what = Changed::ALL.into_iter().find(|what| what.name() == key);
    let what = what.ok_or_else(|| format!("`{key}` is none of mtu, rcvbuf, sndbuf, mss"))?;
    let to = match value {
        "auto" if what == Changed::Mtu => return Err("an MTU is a size, such as mtu=9000".to_owned()),
        "auto" => None,
        value => Some(value.parse::<Size>().map_err(|error| error.to_string())?),
    };
    Ok(Change { what, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_as_people_write_them() {
        let change = |what, to: Option<u64>| Ok(Change { what, to: to.map(Size) });
        assert_eq!(parse_change("mtu=9000"), change(Changed::Mtu, Some(9000)));
        assert_eq!(parse_change("rcvbuf=1MiB"), change(Changed::Rcvbuf, Some(1 << 20)));
        assert_eq!(parse_change("mss=auto"), change(Changed::Mss, None));
        for text in ["mtu", "mtu=auto", "mtu=big", "speed=5"] {
            assert!(parse_change(text).is_err(), "{text}");
        }
    }
}
