//! What a driver is asked about an adaptor: rings, coalescing, channels and flow control.
//!
//! Source: ethtool(8), `linux/ethtool.h`.

use super::error::Cause;
use super::{Allowed, Value};
use crate::sys::ethtool::{Device, Table};

/// One value of a driver, such as `ring.rx`.
#[derive(Clone, Copy)]
pub struct Field(&'static Row);

/// Where a value stands.
struct Row {
    name: &'static str,
    table: Table,
    /// Its word; the first is the command.
    word: usize,
    kind: Kind,
}

/// What a word means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not 0 is on.
    Switch,
    /// A number without a stated limit.
    Number,
    /// A number whose most is in this word, and whose least is this.
    Limited(usize, u64),
}

const fn row(name: &'static str, table: Table, word: usize, kind: Kind) -> Row {
    Row { name, table, word, kind }
}

/// Source: the structures of `linux/ethtool.h`.
static ROWS: [Row; 15] = [
    row("ring.rx", Table::Rings, 5, Kind::Limited(1, 1)),
    row("ring.tx", Table::Rings, 8, Kind::Limited(4, 1)),
    row("coalesce.rx-usecs", Table::Coalescing, 1, Kind::Number),
    row("coalesce.rx-frames", Table::Coalescing, 2, Kind::Number),
    row("coalesce.tx-usecs", Table::Coalescing, 5, Kind::Number),
    row("coalesce.tx-frames", Table::Coalescing, 6, Kind::Number),
    row("coalesce.adaptive-rx", Table::Coalescing, 10, Kind::Switch),
    row("coalesce.adaptive-tx", Table::Coalescing, 11, Kind::Switch),
    row("channels.combined", Table::Channels, 8, Kind::Limited(4, 0)),
    row("channels.rx", Table::Channels, 5, Kind::Limited(1, 0)),
    row("channels.tx", Table::Channels, 6, Kind::Limited(2, 0)),
    row("channels.other", Table::Channels, 7, Kind::Limited(3, 0)),
    row("pause.autoneg", Table::Pause, 1, Kind::Switch),
    row("pause.rx", Table::Pause, 2, Kind::Switch),
    row("pause.tx", Table::Pause, 3, Kind::Switch),
];

impl Field {
    /// The one of this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        Self::all().find(|field| field.name() == name)
    }

    /// Every one.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(Self)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Reads it.
    pub(super) fn read(self, interface: &str) -> Result<Value, Cause> {
        let words = self.words(interface)?;
        self.check(&words, interface)?;
        let word = words[self.0.word];
        Ok(match self.0.kind {
            Kind::Switch => Value::from(if word == 0 { "off" } else { "on" }),
            _ => Value::from(word.to_string()),
        })
    }

    /// Sets it, and leaves the other values of its structure.
    pub(super) fn write(self, interface: &str, value: &Value) -> Result<(), Cause> {
        let mut words = self.words(interface)?;
        self.check(&words, interface)?;
        words[self.0.word] = match (self.0.kind, value.as_str()) {
            (Kind::Switch, "on") => 1,
            (Kind::Switch, "off") => 0,
            (Kind::Switch, _) => return Err(Cause::Value("it takes on or off".to_owned())),
            (_, text) => text.parse().map_err(|_| Cause::Value("it takes a number".to_owned()))?,
        };
        let set = Device::open(interface)?.set_words(self.0.table, words);
        set.map_err(|error| match error.raw_os_error() {
            Some(libc::EOPNOTSUPP) => Cause::Lacking(format!("the driver of {interface} cannot change it")),
            Some(libc::EINVAL) => Cause::Value(format!("the driver of {interface} does not take it")),
            _ => Cause::System(error),
        })
    }

    /// What it takes.
    pub(super) fn allowed(self, interface: &str) -> Option<Allowed> {
        match self.0.kind {
            Kind::Switch => Some(Allowed::switch()),
            Kind::Number => Some(Allowed::Range { least: 0, most: u32::MAX.into() }),
            Kind::Limited(most, least) => {
                let most = self.words(interface).ok()?[most].into();
                Some(Allowed::Range { least, most })
            }
        }
    }

    /// Whether the driver may round it up: it takes ring sizes that are powers of 2, or multiples of some number.
    pub(super) fn is_rounded(self) -> bool {
        self.0.table == Table::Rings
    }

    fn words(self, interface: &str) -> Result<[u32; 23], Cause> {
        let words = Device::open(interface)?.words(self.0.table);
        words.map_err(|error| match error.raw_os_error() {
            Some(libc::EOPNOTSUPP) => Cause::Lacking(self.lacks(interface)),
            _ => Cause::System(error),
        })
    }

    /// A driver may answer for its rings and channels, and have none of this direction.
    fn check(self, words: &[u32; 23], interface: &str) -> Result<(), Cause> {
        match self.0.kind {
            Kind::Limited(most, _) if words[most] == 0 => Err(Cause::Lacking(self.lacks(interface))),
            _ => Ok(()),
        }
    }

    fn lacks(self, interface: &str) -> String {
        let what = match self.0.table {
            Table::Rings => "rings",
            Table::Coalescing => "interrupt coalescing",
            Table::Channels => "such channels",
            Table::Pause => "flow control",
        };
        format!("the driver of {interface} has no {what}")
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Field {}

impl std::fmt::Debug for Field {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}
