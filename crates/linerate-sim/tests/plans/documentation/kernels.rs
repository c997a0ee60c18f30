//! The page of the kernels is what their files say.

use linerate_core::units::Size;
use linerate_sim::tcp::{Algorithm, Connection, Personality, Rules, Settings};
use toml::{Table, Value};

use super::{leaves, missing, section};

const KERNELS: &str = include_str!("../../../../../docs/models/personalities.md");

/// The cells of every row of a section's tables that begins with a rule in code.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
}

/// What is in code in a cell, and what follows.
fn in_code(cell: &str) -> (&str, &str) {
    let parts = cell.strip_prefix('`').and_then(|cell| cell.split_once('`'));
    let (code, rest) = parts.unwrap_or_else(|| panic!("`{cell}` has no code"));
    (code, rest.trim())
}

/// The rules of one kernel as the page has them: its column of the side-by-side tables.
fn on_the_page(text: &str, personality: &Personality, column: usize) -> Rules {
    let of_itself: Table = personality.text.parse().expect("it is TOML");
    let mut table = Table::new();
    for key in ["name", "about"] {
        table.insert(key.to_owned(), of_itself[key].clone());
    }
    for row in rows(text) {
        let (rule, _) = in_code(row[0]);
        let (value, source) = in_code(row[column]);
        let sources = ["R", "S", "D", "B", "X", "I", "M", "-"];
        assert!(sources.contains(&source), "{}: {rule} has no source", personality.name);
        let (group, key) = rule.split_once('.').expect("a rule is in a table");
        let value = format!("value = {value}").parse::<Table>().map_or_else(
            |_| Value::String(value.to_owned()),
            |mut parsed| parsed.remove("value").expect("it was just written"),
        );
        if value.as_str() != Some("none") {
            let inner = table.entry(group).or_insert_with(|| Value::Table(Table::new()));
            let before = inner.as_table_mut().expect("a table").insert(key.to_owned(), value);
            assert!(before.is_none(), "{rule} has two rows");
        }
    }
    Rules::from_toml(&table.to_string()).unwrap_or_else(|error| panic!("{}: {error}", personality.name))
}

#[test]
fn the_page_of_kernels_has_the_rules_of_every_kernel_with_their_sources() {
    let text = section(KERNELS, "The seven side by side");
    let names: Vec<&str> = Personality::ALL.iter().map(|personality| personality.name).collect();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("| rule |")).collect();
    assert!(!heads.is_empty());
    for head in heads {
        assert_eq!(head, format!("| rule | {} |", names.join(" | ")));
    }
    for (column, personality) in (1..).zip(Personality::ALL) {
        assert_eq!(on_the_page(&text, personality, column), personality.rules(), "{}", personality.name);
    }
}

#[test]
fn the_page_of_kernels_lists_the_algorithms_of_the_table() {
    let text = section(KERNELS, "What a rule says");
    let row = rows(&text).find(|row| row[0] == "`congestion.algorithm`").expect("it has a row");
    assert_eq!(row[1], Algorithm::ALL.map(|algorithm| format!("`{}`", algorithm.name)).join(", "));
}

#[test]
fn the_page_of_kernels_says_what_each_rule_and_each_kernel_is() {
    let text = section(KERNELS, "What a rule says");
    let mut rules = Rules::find("linux-modern").expect("it is shipped");
    rules.congestion.initial_threshold = Some(Size(1));
    rules.receive_buffer.grows_from = Some(Size(1));
    rules.acknowledgement.waits_for_read = true;
    rules.send_buffer.grows_from = Some(Size(1));
    let table = Table::try_from(&rules).expect("rules have a TOML form");
    assert_eq!(missing(&text, &table, ""), [""; 0]);
    let known = leaves(&table, "");
    for row in rows(&text) {
        let (rule, _) = in_code(row[0]);
        assert!(known.iter().any(|known| known == rule), "there is no rule {rule}");
    }
    let text = section(KERNELS, "Who they are");
    for personality in Personality::ALL {
        assert!(text.contains(&format!("\n| `{}` |", personality.name)), "{} has no row", personality.name);
    }
}

/// A window as the page has it: whole segments and their bytes, or bytes.
fn as_on_the_page(settings: Settings) -> String {
    let connection = Connection::connect(settings);
    let (window, mss) = (connection.usable_window(), u64::from(connection.mss()));
    if window % mss == 0 { format!("{}, {window} B", window / mss) } else { format!("{window} B") }
}

#[test]
fn the_page_of_kernels_says_what_windows_they_offer() {
    let text = section(KERNELS, "What it gives");
    assert_eq!(rows(&text).count(), 7);
    for row in rows(&text) {
        let (name, _) = in_code(row[0]);
        let receive_buffer = row[1].parse().ok().map(Size);
        let rules = Rules::find(name).unwrap_or_else(|| panic!("{name} ships"));
        assert_eq!(rules.receive_buffer.granted(receive_buffer).to_string(), row[2], "{row:?}");
        for (cell, mtu) in row[3..].iter().zip([1500, 3500, 6500, 9000]) {
            let rules = rules.clone();
            let settings =
                Settings { rules, mtu, mss: None, receive_buffer, send_buffer: None, nodelay: true };
            assert_eq!(as_on_the_page(settings), *cell, "{row:?} at {mtu}");
        }
    }
}
