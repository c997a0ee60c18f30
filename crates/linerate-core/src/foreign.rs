//! Text of other hosts, files and programs, made safe to show.

/// Replaces a character that must not reach a terminal or an XML document.
const REPLACEMENT: char = '\u{fffd}';

/// `text` without what would command a terminal, break an XML document or reorder the line: control
/// characters and bidirectional overrides.
#[must_use]
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if commands(c) { REPLACEMENT } else { c }).collect()
}

/// The same for a text of several lines in which places are known by their bytes: lines and tabs
/// stay, and so does the length of every character in UTF-8.
#[must_use]
pub fn plain_lines(text: &str) -> String {
    let safe = |c: char| match c {
        '\n' | '\t' => c,
        c if !commands(c) => c,
        // By the bytes that they take: one, two, and three.
        '\0'..='\u{7f}' => '?',
        '\u{80}'..='\u{7ff}' => '\u{bf}',
        _ => REPLACEMENT,
    };
    text.chars().map(safe).collect()
}

fn commands(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_commands_a_terminal_is_left() {
        let evil = "a\u{1b}[2Jb\u{9b}1mc\u{202e}d\u{7}\r\u{61c}e\n\tf";
        assert_eq!(
            plain(evil),
            "a\u{fffd}[2Jb\u{fffd}1mc\u{fffd}d\u{fffd}\u{fffd}\u{fffd}e\u{fffd}\u{fffd}f"
        );
        let lines = plain_lines(evil);
        assert_eq!(lines, "a?[2Jb\u{bf}1mc\u{fffd}d??\u{bf}e\n\tf");
        assert_eq!(lines.len(), evil.len(), "places by bytes stay");
        assert_eq!(plain("grüße, 10 µs"), "grüße, 10 µs");
    }
}
