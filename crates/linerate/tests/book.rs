//! The pages of the repository: docs/SUMMARY.md lists all of docs/, and every link between files leads somewhere. The
//! links of the site that `scripts/book` makes of them are checked there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The repository.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// The pages at the top and all under docs/, by their path from the top.
fn pages() -> BTreeMap<PathBuf, String> {
    let top = top();
    let mut folders = vec![top.join("docs")];
    let mut files: Vec<PathBuf> = entries(&top).filter(|path| path.is_file()).collect();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    let page = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page is text");
        (path.strip_prefix(&top).expect("it is in the repository").to_owned(), text)
    };
    files.into_iter().map(page).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
}

/// A page's lines without its blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// The targets of the links in `text`, which is prose; in code between backticks nothing is a link.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (at, character) in text.char_indices() {
        in_code = in_code != (character == '`') && !text[at..].starts_with("\n\n");
        if !in_code
            && let Some((target, _)) = text[at..].strip_prefix("](").and_then(|rest| rest.split_once(')'))
        {
            found.push(target);
        }
    }
    found
}

/// The anchors that a forge and mdbook give to a page's headings, and those that it has of its own.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in prose(text) {
        if let Some(heading) = line.strip_prefix('#') {
            let kept = |character: &char| character.is_alphanumeric() || " -_".contains(*character);
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let anchor: String = heading.chars().filter(kept).collect::<String>().replace(' ', "-");
            let again = (1..).map(|number| format!("{anchor}-{number}"));
            let name = std::iter::once(anchor.clone()).chain(again).find(|name| !anchors.contains(name));
            anchors.extend(name);
        }
        anchors.extend(
            line.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(id, _)| id.into()),
        );
    }
    anchors
}

/// `path` from the folder of `page`, without `..`.
fn from_page(page: &Path, path: &str) -> PathBuf {
    let mut to = page.parent().map(Path::to_owned).unwrap_or_default();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                to.pop();
            }
            part => to.push(part),
        }
    }
    to
}

/// The link's file, from the top, and its anchor; `None` for one that leads to another site.
fn aimed<'a>(page: &Path, target: &'a str) -> Option<(PathBuf, &'a str)> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    match path {
        "" => Some((page.to_owned(), anchor)),
        path if path.contains(':') => None,
        path => Some((from_page(page, path), anchor)),
    }
}

#[test]
fn links_are_found_outside_of_code_only() {
    let text = "[a](b.md) and [`c`](d.md#e), `[f](g)`\n```\n[h](i)\n```\n![j](k.svg)";
    let prose: Vec<&str> = prose(text).collect();
    assert_eq!(links(&prose.join("\n")), ["b.md", "d.md#e", "k.svg"]);
}

#[test]
fn anchors_are_those_of_a_forge() {
    let text = "# What `x` is, and 1.5 of it\n## Tests\n```\n# no heading\n```\n## Tests\n<a id=\"own\"></a>";
    assert_eq!(
        anchors(text).into_iter().collect::<Vec<_>>(),
        ["own", "tests", "tests-1", "what-x-is-and-15-of-it"]
    );
}

#[test]
fn every_page_of_docs_is_in_the_summary() {
    let pages = pages();
    let summary = Path::new("docs/SUMMARY.md");
    let targets = links(&pages[summary]);
    let listed: BTreeSet<PathBuf> = targets.iter().map(|target| from_page(summary, target)).collect();
    assert_eq!(listed.len(), targets.len(), "the summary has a page twice");
    let missing: Vec<&PathBuf> = pages
        .keys()
        .filter(|page| page.starts_with("docs") && *page != summary && !listed.contains(*page))
        .collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let (top, pages) = (top(), pages());
    let mut broken = Vec::new();
    for (page, text) in &pages {
        let prose: Vec<&str> = prose(text).collect();
        for target in links(&prose.join("\n")) {
            let Some((file, anchor)) = aimed(page, target) else { continue };
            let there = match pages.get(&file) {
                Some(text) => anchor.is_empty() || anchors(text).contains(anchor),
                None => top.join(&file).exists(),
            };
            if !there {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}
