//! An error as it is printed: what failed, where in a file, and what to do.

use std::env;
use std::io::{IsTerminal as _, stderr};

use console::{Style, Term, measure_text_width};
use linerate_report::wrap;

use super::{Place, Trouble};

/// Columns if standard error is not a terminal.
const PLAIN_COLUMNS: usize = 80;
/// Columns that stay free at the right.
const MARGIN: usize = 2;
/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// What standard error can show.
pub(super) struct Layout {
    columns: usize,
    has_colours: bool,
    signs: &'static Signs,
}

/// The signs around the text.
struct Signs {
    error: &'static str,
    bar: &'static str,
    head: &'static str,
    gap: &'static str,
    foot: &'static str,
    underline: &'static str,
    point: &'static str,
}

const UNICODE: Signs =
    Signs {
        error: "×", bar: "│", head: "╭─", gap: "·", foot: "╰────", underline: "─", point: "▲"
    };
const ASCII: Signs =
    Signs { error: "x", bar: "|", head: ",-", gap: ":", foot: "`----", underline: "^", point: "^" };

impl Layout {
    pub(super) fn of_stderr() -> Self {
        let size = Term::stderr().size_checked();
        Self {
            columns: size.map_or(PLAIN_COLUMNS, |(_, columns)| columns.into()),
            has_colours: console::colors_enabled_stderr(),
            signs: if shows_unicode() { &UNICODE } else { &ASCII },
        }
    }

    /// All of `trouble`, with a blank line behind it.
    pub(super) fn text(&self, trouble: &Trouble) -> String {
        let red = |sign| self.paint(Style::new().red(), sign);
        let what =
            self.hanging(&trouble.what, &format!("  {} ", red(self.signs.error)), &red(self.signs.bar));
        let place = trouble.place.as_ref().map_or_else(String::new, |place| self.excerpt(place));
        let help = self.hanging(&trouble.help, &self.paint(Style::new().cyan(), "  help: "), "");
        format!("{what}{place}{help}")
    }

    fn paint(&self, style: Style, text: &str) -> String {
        style.force_styling(self.has_colours).apply_to(text).to_string()
    }

    /// `text` behind `head`, its further lines as deep, with `sign` before them.
    fn hanging(&self, text: &str, head: &str, sign: &str) -> String {
        let depth = measure_text_width(head);
        let room = self.columns.saturating_sub(MARGIN + depth);
        let lines: Vec<String> = text.lines().map(|line| wrap(line, room, 0)).collect();
        let blank = " ".repeat(depth.saturating_sub(2 + measure_text_width(sign)));
        let next = format!("\n  {sign}{blank}");
        format!("{head}{}\n", lines.join("\n").replace('\n', &next))
    }

    /// The line of `place` between its neighbours. Of several lines the first is marked.
    fn excerpt(&self, place: &Place) -> String {
        let Signs { bar, head, gap, foot, underline, point, .. } = self.signs;
        let start = place.text.floor_char_boundary(place.span.start);
        let end = place.text.floor_char_boundary(place.span.end).max(start);
        let row = place.text[..start].matches('\n').count();
        let before = place.text[..start].rsplit('\n').next().unwrap_or_default();
        let marked = place.text[start..end].split('\n').next().unwrap_or_default();
        // Behind a last line there is nothing to show, unless the mistake is there.
        let text = place.text.strip_suffix('\n').filter(|_| start < place.text.len()).unwrap_or(&place.text);
        let first = row.saturating_sub(1);
        let shown: Vec<&str> = text.split('\n').take(row + 2).skip(first).collect();
        let digits = (first + shown.len()).to_string().len();
        let indent = " ".repeat(digits + 2);

        let name = format!("{}:{}:{}", place.name, row + 1, before.chars().count() + 1);
        let name = self.paint(Style::new().cyan().bold().underlined(), &name);
        let mut text = format!("{indent}{head}[{name}]\n");
        for (offset, line) in shown.into_iter().enumerate() {
            let number = format!("{:>digits$}", first + offset + 1);
            let number = self.paint(Style::new().dim(), &number);
            text += format!(" {number} {bar} {}", expanded(line)).trim_end();
            text += "\n";
            if first + offset == row {
                let depth = measure_text_width(&expanded(before));
                let width = measure_text_width(&expanded(&format!("{before}{marked}"))) - depth;
                let mark = if width == 0 { (*point).to_owned() } else { underline.repeat(width) };
                let mark = self.paint(Style::new().magenta().bold(), &mark);
                text += &format!("{indent}{gap} {}{mark}\n", " ".repeat(depth));
            }
        }
        text + &format!("{indent}{foot}\n")
    }
}

/// Whether standard error shows more than ASCII: a terminal if its locale says so, and never the console of
/// Linux, whose font has 512 characters (console_codes(4)).
fn shows_unicode() -> bool {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default().to_uppercase();
    let is_utf8 = locale.ends_with("UTF-8") || locale.ends_with("UTF8");
    !stderr().is_terminal() || (is_utf8 && set("TERM").is_none_or(|term| term != "linux"))
}

/// `line` with blanks in place of its tabs.
fn expanded(line: &str) -> String {
    let mut parts = line.split('\t');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let gap = TAB - measure_text_width(&text) % TAB;
        text + &" ".repeat(gap) + part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Layout = Layout { columns: 40, has_colours: false, signs: &UNICODE };

    fn trouble(text: &str, span: std::ops::Range<usize>) -> Trouble {
        let place = Place { name: "x.toml".to_owned(), text: text.to_owned(), span };
        let what = "failed to read the plan x.toml: unknown field `links`\nand another line";
        Trouble {
            place: Some(Box::new(place)),
            ..Trouble::new(what, "`linerate lab show dumbbell` prints one")
        }
    }

    #[test]
    fn a_mistake_is_shown_in_its_line() {
        let text = "a = 1\n\tb = \"幅\"\t# b\n\nc = 3\n";
        insta::assert_snapshot!(PLAIN.text(&trouble(text, 11..16)), @r#"
          × failed to read the plan x.toml:
          │ unknown field `links`
          │ and another line
           ╭─[x.toml:2:6]
         1 │ a = 1
         2 │     b = "幅"    # b
           ·         ────
         3 │
           ╰────
          help: `linerate lab show dumbbell`
                prints one
        "#);
    }

    #[test]
    fn a_point_has_an_arrow_and_several_lines_have_their_first_marked() {
        let lines: String = (1..=12).map(|line| format!("line-{line}\n")).collect();
        let shown = PLAIN.excerpt(trouble(&lines, 58..80).place.as_ref().expect("a place"));
        insta::assert_snapshot!(shown, @"
            ╭─[x.toml:9:3]
          8 │ line-8
          9 │ line-9
            ·   ────
         10 │ line-10
            ╰────
        ");
        let ascii = Layout { signs: &ASCII, ..PLAIN };
        let shown = ascii.excerpt(trouble("x = [", 5..5).place.as_ref().expect("a place"));
        insta::assert_snapshot!(shown, @"
           ,-[x.toml:1:6]
         1 | x = [
           :      ^
           `----
        ");
        // What an error says of a text is not trusted.
        assert!(ascii.excerpt(trouble("é", 1..99).place.as_ref().expect("a place")).contains("[x.toml:1:1]"));
        assert!(ascii.excerpt(trouble("", 7..9).place.as_ref().expect("a place")).contains("[x.toml:1:1]"));
    }

    #[test]
    fn colours_add_nothing_to_the_text() {
        let trouble = trouble("links = []\n", 0..5);
        let coloured = Layout { has_colours: true, ..PLAIN }.text(&trouble);
        assert!(coloured.contains("\u{1b}[31m×\u{1b}[0m failed"), "{coloured:?}");
        assert_eq!(console::strip_ansi_codes(&coloured), PLAIN.text(&trouble));
    }
}
