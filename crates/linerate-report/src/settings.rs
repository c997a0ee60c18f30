//! Settings of a host: their values, and what they take.

use std::fmt::Write as _;

use crate::columns::{Column, fit};
use crate::text::{plain, wrap};

/// Spaces before the lines under a name.
const INDENT: usize = 4;

/// A setting as it is now.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name, with the interface.
    pub setting: String,
    /// Its value, if it can be read.
    pub value: Option<String>,
    /// What it takes. Empty if nothing says so.
    pub allowed: String,
    /// Why there is no value.
    pub missing: Option<String>,
}

/// A kind of setting.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its name; capitals stand for many.
    pub name: &'static str,
    /// What has it.
    pub of: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The unit or form of its values.
    pub unit: &'static str,
    /// The file or call behind it.
    pub source: &'static str,
    /// What setting it needs.
    pub needs: &'static str,
}

/// Settings with their values; what cannot be read says why below.
#[must_use]
pub fn table(rows: &[Row], width: usize) -> String {
    if rows.is_empty() {
        return "no setting has a value here\n".to_owned();
    }
    let column = |heading: &str, expendable, of: &dyn Fn(&Row) -> String| {
        Column::of_words(heading, expendable, rows.iter().map(of).collect())
    };
    let columns = vec![
        column("setting", 0, &|row| plain(&row.setting)),
        column("value", 0, &|row| plain(row.value.as_deref().unwrap_or("-"))),
        column("takes", 1, &|row| plain(&row.allowed)),
    ];
    let (mut text, _) = fit(columns, width);
    text.push('\n');
    for row in rows {
        if let Some(reason) = &row.missing {
            let line = format!("! {}: {}", plain(&row.setting), plain(reason));
            writeln!(text, "{}", wrap(&line, width, 2)).expect("a String takes everything");
        }
    }
    text
}

/// Every kind of setting.
#[must_use]
pub fn known(kinds: &[Known], width: usize) -> String {
    let mut text = String::new();
    for kind in kinds {
        let lines = [
            format!("{} ({}; of the {})", kind.about, kind.unit, kind.of),
            format!("from {}; to set it needs {}", kind.source, kind.needs),
        ];
        writeln!(text, "{}", kind.name).expect("a String takes everything");
        for line in lines {
            let line = wrap(&line, width.saturating_sub(INDENT), 0);
            for line in line.lines() {
                writeln!(text, "{:INDENT$}{line}", "").expect("a String takes everything");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_says_why() {
        let rows = [
            Row {
                setting: "mtu@eth0".to_owned(),
                value: Some("1500".to_owned()),
                allowed: "a number from 68 to 9000".to_owned(),
                missing: None,
            },
            Row {
                setting: "ring.rx@eth0".to_owned(),
                value: None,
                allowed: String::new(),
                missing: Some("the driver of eth0 has no rings".to_owned()),
            },
        ];
        let text = table(&rows, 80);
        assert!(text.contains("mtu@eth0") && text.contains("1500") && text.contains("68 to 9000"), "{text}");
        assert!(text.contains("! ring.rx@eth0: the driver of eth0 has no rings"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(table(&[], 80), "no setting has a value here\n");
    }
}
