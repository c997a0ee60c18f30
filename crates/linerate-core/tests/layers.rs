//! The modules of every crate stand in layers, and each uses only what stands below it.
//!
//! The order is the block under "The order of layers" in docs/layers.md. A *room* is a module at the
//! root of a crate with everything in it. What counts is every path in a source file that begins with
//! `crate`, `super`, `self` or the name of a crate of the workspace. Comments, texts and what only
//! tests see (`#[cfg(test)]`) do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const HEADING: &str = "\n## The order of layers\n";

/// The list of one crate.
#[derive(Debug, Default)]
struct Layers {
    /// The other crates that it may use.
    uses: Vec<String>,
    /// Its rooms, from the top down: in each row those beside each other.
    rows: Vec<Vec<String>>,
}

impl Layers {
    fn row_of(&self, room: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.iter().any(|name| name == room))
    }

    /// Why `from` may not use `to`.
    fn objection(&self, from: &str, to: &str) -> Option<String> {
        let Some(upper) = self.row_of(from) else {
            return Some(format!("the room `{from}` is not in the list"));
        };
        let Some(lower) = self.row_of(to) else {
            return Some(format!("`{from}` uses `{to}`, which is not in the list"));
        };
        match upper.cmp(&lower) {
            std::cmp::Ordering::Less => None,
            std::cmp::Ordering::Equal => Some(format!("`{from}` uses `{to}`, which stands beside it")),
            std::cmp::Ordering::Greater => Some(format!("`{from}` uses `{to}`, which stands above it")),
        }
    }
}

/// The lists in a page: `NAME uses NAMES` for a crate, then a line for each row of its rooms.
fn read_lists(page: &str) -> BTreeMap<String, Layers> {
    let section = page.split_once(HEADING).expect("docs/layers.md has the heading").1;
    let block = section.split("```").nth(1).expect("a fenced block follows the heading");
    let mut lists: BTreeMap<String, Layers> = BTreeMap::new();
    let mut current = String::new();
    for line in block.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        if line.starts_with(' ') {
            lists.get_mut(&current).expect("a crate comes first").rows.push(words);
        } else {
            current.clone_from(&words[0]);
            let uses = words.split_off(words.len().min(2));
            let added = lists.insert(current.clone(), Layers { uses, ..Layers::default() });
            assert!(added.is_none(), "{current} has two lists");
        }
    }
    lists
}

/// A word, `::` or a sign of a source, with its line.
#[derive(Clone, Debug)]
struct Token {
    text: String,
    line: usize,
}

/// The tokens of `source` without comments, texts, characters and lifetimes.
fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let at = |place: usize| chars.get(place).copied().unwrap_or('\0');
    let (mut found, mut place, mut line) = (Vec::new(), 0, 1);
    while place < chars.len() {
        let start = place;
        let mut text = None;
        match at(place) {
            '/' if at(place + 1) == '/' => {
                while place < chars.len() && at(place) != '\n' {
                    place += 1;
                }
            }
            '/' if at(place + 1) == '*' => place = end_of_comment(&chars, place),
            '"' => place = end_of_text(&chars, place, '"'),
            '\'' if at(place + 1) == '\\' || at(place + 2) == '\'' => {
                place = end_of_text(&chars, place, '\'');
            }
            '\'' => place += 1 + chars[place + 1..].iter().take_while(|c| is_word(c)).count(),
            ':' if at(place + 1) == ':' => {
                place += 2;
                text = Some("::".to_owned());
            }
            c if is_word(&c) => {
                place += chars[place..].iter().take_while(|c| is_word(c)).count();
                let word: String = chars[start..place].iter().collect();
                let raw = matches!(word.as_str(), "r" | "br" | "cr");
                match raw.then(|| end_of_raw_text(&chars, place)).flatten() {
                    Some(end) => place = end,
                    None => text = Some(word),
                }
            }
            c => {
                place += 1;
                text = (!c.is_whitespace()).then(|| c.to_string());
            }
        }
        found.extend(text.map(|text| Token { text, line }));
        line += chars[start..place.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    found
}

fn end_of_comment(chars: &[char], start: usize) -> usize {
    let (mut depth, mut place) = (1, start + 2);
    while depth > 0 && place < chars.len() {
        match chars.get(place..place + 2) {
            Some(['/', '*']) => (depth, place) = (depth + 1, place + 2),
            Some(['*', '/']) => (depth, place) = (depth - 1, place + 2),
            _ => place += 1,
        }
    }
    place
}

fn end_of_text(chars: &[char], start: usize, quote: char) -> usize {
    let mut place = start + 1;
    while place < chars.len() && chars[place] != quote {
        place += if chars[place] == '\\' { 2 } else { 1 };
    }
    place + 1
}

/// Where the raw text ends whose signs `#` and quote may begin at `start`.
fn end_of_raw_text(chars: &[char], start: usize) -> Option<usize> {
    let signs = chars[start..].iter().take_while(|c| **c == '#').count();
    let body = start + signs + 1;
    (chars.get(body - 1) == Some(&'"')).then_some(())?;
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', signs)).collect();
    let length = chars[body..].windows(end.len()).position(|window| window == end)?;
    Some(body + length + end.len())
}

/// A path that a source names, as it is written, the modules around it and its line.
#[derive(Debug)]
struct Named {
    inside: Vec<String>,
    path: Vec<String>,
    line: usize,
}

/// What one file says, but for what only tests see.
#[derive(Debug, Default)]
struct Scan {
    tokens: Vec<Token>,
    at: usize,
    /// The modules with a body here that are open, each with the depth of its brace.
    open: Vec<(String, usize)>,
    named: Vec<Named>,
    /// The modules that have files of their own.
    files: Vec<Vec<String>>,
}

impl Scan {
    fn of(source: &str, crates: &BTreeSet<String>) -> Self {
        let mut scan = Self { tokens: tokens(source), ..Self::default() };
        let mut depth = 0;
        while scan.at < scan.tokens.len() {
            let text = scan.text(0).to_owned();
            match text.as_str() {
                "#" if scan.attribute() => scan.skip_item(),
                "#" => {}
                "mod" if scan.text(2) == ";" => {
                    let file = scan.inside().into_iter().chain([scan.text(1).to_owned()]).collect();
                    scan.files.push(file);
                    scan.at += 3;
                }
                "mod" if scan.text(2) == "{" => {
                    scan.open.push((scan.text(1).to_owned(), depth));
                    scan.at += 2;
                }
                "crate" | "super" | "self" => scan.path_or_word(),
                name if crates.contains(name) => scan.path_or_word(),
                sign => {
                    depth += usize::from(sign == "{");
                    if sign == "}" {
                        depth = depth.saturating_sub(1);
                        scan.open.pop_if(|(_, opened)| *opened == depth);
                    }
                    scan.at += 1;
                }
            }
        }
        scan
    }

    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| &token.text)
    }

    fn inside(&self) -> Vec<String> {
        self.open.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Goes over an attribute; whether it leaves what follows to tests.
    fn attribute(&mut self) -> bool {
        let start = self.at;
        let (mut depth, mut begun) = (0_usize, false);
        while self.at < self.tokens.len() && !(begun && depth == 0) {
            match self.text(0) {
                "[" => (depth, begun) = (depth + 1, true),
                "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        let says = |word: &str| self.tokens[start..self.at].iter().any(|token| token.text == word);
        says("cfg") && says("test") && !says("not")
    }

    /// Goes over an item, to its semicolon or the end of its body.
    fn skip_item(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" if depth == 0 => return,
                ")" | "]" => depth -= 1,
                "}" if depth == 1 => {
                    self.at += 1 + usize::from(self.text(1) == ";");
                    return;
                }
                "}" => depth -= 1,
                ";" if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn path_or_word(&mut self) {
        let begins = self.at == 0 || self.tokens[self.at - 1].text != "::";
        if begins && self.text(1) == "::" { self.tree(&[]) } else { self.at += 1 }
    }

    /// Takes a path, or a tree of them as `use` has it, that continues `before`.
    fn tree(&mut self, before: &[String]) {
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        let mut path = before.to_vec();
        loop {
            match self.text(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.text(0), "}" | "") {
                        let start = self.at;
                        self.tree(&path);
                        // Over `as NAME`, a comma, and whatever is no path.
                        while self.at == start || !matches!(self.text(0), "," | "}" | "") {
                            self.at += 1;
                        }
                        self.at += usize::from(self.text(0) == ",");
                    }
                    self.at += 1;
                    return;
                }
                word if word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                    path.push(word.to_owned());
                    self.at += 1;
                }
                _ => break,
            }
            if self.text(0) != "::" {
                break;
            }
            self.at += 1;
        }
        let inside = self.inside();
        self.named.push(Named { inside, path, line });
    }
}

/// The sources of a crate by their paths below `src`.
type Sources = BTreeMap<PathBuf, String>;

/// What is wrong with the crate `name`.
fn objections(name: &str, lists: &BTreeMap<String, Layers>, sources: &Sources) -> Vec<String> {
    let Some(layers) = lists.get(name) else { return vec![format!("{name}: the page has no list of it")] };
    let crates: BTreeSet<String> = lists.keys().map(|name| name.replace('-', "_")).collect();
    let (mut found, mut rooms) = (Vec::new(), BTreeSet::new());
    let roots =
        ["lib.rs", "main.rs"].map(PathBuf::from).into_iter().filter(|root| sources.contains_key(root));
    let mut left: Vec<(PathBuf, Vec<String>)> = roots.map(|root| (root, Vec::new())).collect();
    while let Some((file, module)) = left.pop() {
        let scan = Scan::of(&sources[&file], &crates);
        for child in &scan.files {
            let child: Vec<String> = module.iter().chain(child).cloned().collect();
            rooms.insert(child[0].clone());
            let path = child.iter().collect::<PathBuf>().with_extension("rs");
            left.extend(sources.contains_key(&path).then_some((path, child)));
        }
        for named in scan.named {
            let here: Vec<_> = module.iter().chain(&named.inside).map(String::as_str).collect();
            let objection = object(name, layers, &here, &named.path);
            found
                .extend(objection.map(|why| format!("{name}: src/{}:{}: {why}", file.display(), named.line)));
        }
    }
    found.extend(stale(name, layers, &rooms));
    found
}

/// Why `path`, named in the module `here`, may not be.
fn object(name: &str, layers: &Layers, here: &[&str], path: &[String]) -> Option<String> {
    let from = here.first()?;
    let ups = path.iter().take_while(|word| *word == "super").count();
    let base = match path[0].as_str() {
        "crate" => &[],
        "self" => here,
        "super" => &here[..here.len().saturating_sub(ups)],
        other if other == name.replace('-', "_") => &[],
        other => {
            let other = other.replace('_', "-");
            let allowed = layers.uses.contains(&other);
            return (!allowed).then(|| format!("`{from}` uses the crate {other}, which {name} may not"));
        }
    };
    let mut whole = base.iter().copied().chain(path[ups.max(1)..].iter().map(String::as_str));
    let Some(to) = whole.next() else { return Some(format!("`{from}` uses the whole crate")) };
    if to == *from { None } else { layers.objection(from, to) }
}

/// What the list and the modules do not both have.
fn stale(name: &str, layers: &Layers, rooms: &BTreeSet<String>) -> Vec<String> {
    let listed: Vec<&String> = layers.rows.iter().flatten().collect();
    let missing = rooms.iter().filter(|room| !listed.contains(room));
    let missing = missing.map(|room| format!("{name}: the room `{room}` is not in the list"));
    let gone = listed.iter().filter(|room| !rooms.contains(**room));
    let gone = gone.map(|room| format!("{name}: the list has `{room}`, and the crate has no such room"));
    missing.chain(gone).collect()
}

fn sources_below(folder: &Path) -> Sources {
    let mut found = Sources::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder_or_file) = left.pop() {
        if folder_or_file.is_dir() {
            let entries = fs::read_dir(&folder_or_file).expect("the folder is readable");
            left.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if folder_or_file.extension().is_some_and(|ending| ending == "rs") {
            let source = fs::read_to_string(&folder_or_file).expect("the file is text");
            found.insert(folder_or_file.strip_prefix(folder).expect("it is below").to_owned(), source);
        }
    }
    found
}

#[test]
fn every_crate_stands_in_its_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lists = read_lists(&fs::read_to_string(root.join("docs/layers.md")).expect("the page"));
    let folders = fs::read_dir(root.join("crates")).expect("the crates").map(|entry| entry.expect("a crate"));
    let crates: BTreeSet<String> = folders
        .filter(|folder| folder.path().join("Cargo.toml").exists())
        .map(|folder| folder.file_name().into_string().expect("its name is text"))
        .collect();
    let mut wrong: Vec<String> = lists
        .keys()
        .filter(|name| !crates.contains(*name))
        .map(|name| format!("{name}: there is no such crate"))
        .collect();
    for name in &crates {
        wrong.extend(objections(name, &lists, &sources_below(&root.join("crates").join(name).join("src"))));
    }
    assert!(wrong.is_empty(), "arrows against docs/layers.md:\n{}", wrong.join("\n"));
}

/// What is wrong with a crate of three rooms, whose middle one is `middle`.
fn wrong_in(middle: &str) -> Vec<String> {
    let page = "\n## The order of layers\n\n```text\na-net uses a-core\n  top\n  middle beside\n  low\na-core\na-sim\n```\n";
    let files = [
        ("lib.rs", "mod top; pub mod middle; mod beside; mod low;"),
        ("top.rs", "use crate::{low, middle::X};"),
        ("middle.rs", middle),
        ("middle/part.rs", "use super::super::{low::Y, top::Z};"),
        ("beside.rs", ""),
        ("low.rs", "#[cfg(test)]\nmod tests { use crate::top::Z; }"),
    ];
    let sources = files.map(|(path, text)| (PathBuf::from(path), text.to_owned())).into();
    objections("a-net", &read_lists(page), &sources)
}

#[test]
fn an_arrow_up_is_found_wherever_it_stands() {
    assert_eq!(wrong_in("use crate::low; use a_core::X; fn f<'a>() { self::g('\"') }"), [""; 0]);
    let up = |line| format!("a-net: src/middle.rs:{line}: `middle` uses `top`, which stands above it");
    assert_eq!(wrong_in("use crate::low;\nuse crate::top::X;"), [up(2)]);
    assert_eq!(wrong_in("use crate::{\n    low::{self, Y as Z},\n    top,\n};"), [up(3)]);
    assert_eq!(wrong_in("/* \n */ fn f() -> super::top::X { r#\"{\"#; g() }"), [up(2)]);
    assert_eq!(wrong_in("mod inner { fn f() { super::super::top::g() } }"), [up(1)]);
    assert_eq!(wrong_in("mod part;"), [up(1).replace("middle.rs", "middle/part.rs")]);
}

#[test]
fn neighbours_other_crates_and_rooms_without_a_place_are_found() {
    let found = |what: &str| format!("a-net: src/middle.rs:1: {what}");
    assert_eq!(wrong_in("use crate::beside;"), [found("`middle` uses `beside`, which stands beside it")]);
    assert_eq!(wrong_in("use a_sim::X;"), [found("`middle` uses the crate a-sim, which a-net may not")]);
    assert_eq!(wrong_in("use crate::X;"), [found("`middle` uses `X`, which is not in the list")]);
}

#[test]
fn texts_comments_and_tests_do_not_count() {
    assert_eq!(wrong_in("//! [`crate::top`]\nconst T: &str = \"crate::top \\\" { \";"), [""; 0]);
    assert_eq!(wrong_in("#[cfg(test)]\nmod part;\n#[cfg(test)] use crate::top::{X, Y};"), [""; 0]);
    assert_eq!(wrong_in("#[cfg(test)] fn f() -> [u8; 3] { crate::top::g() }"), [""; 0]);
}
