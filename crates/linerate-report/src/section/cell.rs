//! Cells of tables.

/// A cell of a table. Lines after the first say more about it in small letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    /// How dark it is. Unit: percent of the first colour; 0 is none.
    pub(crate) shade: u32,
    /// The colour of the curve that its row is of.
    pub(crate) colour: Option<usize>,
}

/// What a cell says of its matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Quiet,
    Good,
    Bad,
    /// The two ends, or sides, differ.
    Differs,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl Cell {
    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, ..Self::default() }
    }

    /// What it says, without what it says in small letters.
    pub(crate) fn first(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// What it says in small letters.
    pub(crate) fn rest(&self) -> impl Iterator<Item = &str> {
        self.text.lines().skip(1)
    }

    /// Its classes on a page.
    pub(crate) fn classes(&self) -> String {
        let tone = match self.tone {
            Tone::Plain => "",
            Tone::Quiet => "soft",
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Differs => "differs",
        };
        match self.colour {
            Some(colour) => format!("{tone} swatch c{colour}").trim_start().to_owned(),
            None => tone.to_owned(),
        }
    }
}
