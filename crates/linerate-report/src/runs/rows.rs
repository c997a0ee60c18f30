//! Rows of the page's tables.

use crate::section::{Cell, TableView, Tone};
use crate::text::plain;

/// Facts of one kind, this host's beside the peer's.
pub(crate) struct Group {
    /// What they are about.
    pub(crate) title: String,
    /// The two ends.
    pub(crate) hosts: [String; 2],
    /// Whether the group is open at first.
    pub(crate) open: bool,
    /// The facts.
    pub(crate) rows: Vec<Row>,
}

/// One fact at both ends.
pub(crate) struct Row {
    /// What it is.
    pub(crate) name: String,
    /// The requested value, for options; empty otherwise.
    pub(crate) asked: String,
    /// At the initiator.
    pub(crate) local: String,
    /// At the responder.
    pub(crate) remote: String,
    /// Whether two equal hosts would have the same value.
    alike: bool,
}

impl Group {
    /// Its rows as a table of a page.
    pub(crate) fn table(self) -> TableView {
        let has_asked = self.has_asked();
        let asked = has_asked.then(|| "Asked".to_owned());
        let headings = std::iter::once(String::new()).chain(asked).chain(self.hosts).collect();
        let row = |row: Row| {
            let name = match row.differs() {
                true => Cell::toned(format!("{} \u{2260}", row.name), Tone::Differs),
                false => row.name.into(),
            };
            let asked = has_asked.then(|| row.asked.into());
            std::iter::once(name).chain(asked).chain([row.local.into(), row.remote.into()]).collect()
        };
        let table = TableView::of_rows(self.title, headings);
        TableView { rows: self.rows.into_iter().map(row).collect(), is_closed: !self.open, ..table }
    }

    /// Whether any row has a requested value.
    pub(crate) fn has_asked(&self) -> bool {
        self.rows.iter().any(|row| !row.asked.is_empty())
    }
}

impl Row {
    /// A fact that nobody requested.
    pub(crate) fn new(name: impl Into<String>, [local, remote]: [String; 2]) -> Self {
        Self::of_asked(name, "", [local, remote])
    }

    /// A fact with a requested value.
    pub(crate) fn of_asked(name: impl Into<String>, asked: &str, [local, remote]: [String; 2]) -> Self {
        let [local, remote] = [plain(&local), plain(&remote)];
        Self { name: plain(&name.into()), asked: plain(asked), local, remote, alike: true }
    }

    /// A fact of each end by itself, so that a difference means nothing.
    pub(crate) fn own(self) -> Self {
        Self { alike: false, ..self }
    }

    /// Whether either end has it.
    pub(crate) fn is_known(&self) -> bool {
        [&self.local, &self.remote].iter().any(|value| !value.starts_with("unknown"))
    }

    /// Whether the ends differ where equal hosts would not. A value that only one end knows is not
    /// a difference.
    pub(crate) fn differs(&self) -> bool {
        let known = [&self.local, &self.remote].iter().all(|value| !value.starts_with("unknown"));
        self.alike && known && self.local != self.remote
    }
}
