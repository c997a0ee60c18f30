//! What is published: packages that hold every file that they embed, and dependencies that `deny.toml` allows.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates that are published, in an order in which each needs only those before it.
const CRATES: [&str; 10] = [
    "linerate-core",
    "linerate-analysis",
    "linerate-apps",
    "linerate-sim",
    "linerate-net",
    "linerate-study",
    "linerate-report",
    "linerate-store",
    "linerate",
    "linerate-mpi",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What cargo prints.
fn cargo(arguments: &[&str]) -> String {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let output = command.args(arguments).current_dir(workspace()).output().expect("cargo runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn metadata() -> Value {
    let arguments =
        ["metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"];
    serde_json::from_str(&cargo(&arguments)).expect("JSON")
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key}"))
}

#[test]
fn packages_hold_what_they_embed() {
    for name in CRATES {
        let folder = workspace().join("crates").join(name);
        let listed = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
        let listed: BTreeSet<&Path> = listed.lines().map(Path::new).collect();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "Cargo.toml"] {
            assert!(listed.contains(Path::new(file)), "{name} lacks {file}");
        }
        for source in listed.iter().filter(|path| path.extension().is_some_and(|it| it == "rs")) {
            let Ok(text) = std::fs::read_to_string(folder.join(source)) else { continue };
            for embedded in embedded(source, &text) {
                let there = listed.iter().any(|path| path.starts_with(&embedded));
                assert!(
                    there,
                    "{name}: {} embeds {}, which its package lacks",
                    source.display(),
                    embedded.display()
                );
            }
        }
    }
}

/// The files and folders of the crate that a source of its library or program embeds.
fn embedded(source: &Path, text: &str) -> Vec<PathBuf> {
    if !source.starts_with("src") {
        return Vec::new();
    }
    let embeds = |line: &&str| {
        ["include_str!", "include_bytes!", "\": "].iter().any(|it| line.contains(it)) || line.ends_with("\":")
    };
    let literals = text.lines().filter(embeds).flat_map(|line| line.split('"').skip(1).step_by(2));
    let above = source.parent().expect("a folder");
    literals
        .filter(|literal| literal.starts_with("../"))
        .map(|literal| resolved(&above.join(literal)))
        .collect()
}

/// A path without `..`, where that is possible.
fn resolved(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        let up = part == Component::ParentDir && found.file_name().is_some();
        if !(up && found.pop()) {
            found.push(part);
        }
    }
    found
}

#[test]
fn embedded_files_are_found_also_outside_of_their_crate() {
    let text = "let a = include_str!(\"../x.css\");\nshipped![Shipped; \"../../plans/\":\n    \"a\"]; include_str!(\"y.txt\")";
    let found = embedded(Path::new("src/page.rs"), text);
    assert_eq!(found, [Path::new("x.css"), Path::new("../plans")]);
}

#[test]
fn every_crate_can_be_published_after_those_before_it() {
    let metadata = metadata();
    let packages = array(&metadata, "packages");
    let named =
        |name: &str| packages.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name}"));
    for (nth, name) in CRATES.into_iter().enumerate() {
        let package = named(name);
        for key in ["description", "repository", "license", "readme"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {key}");
        }
        let (keywords, categories) = (array(package, "keywords").len(), array(package, "categories").len());
        assert!(
            (1..=5).contains(&keywords) && (1..=5).contains(&categories),
            "{name}: {keywords}, {categories}"
        );
        for needed in array(package, "dependencies").iter().filter(|it| it["path"].is_string()) {
            let of = needed["name"].as_str().expect("a name");
            assert!(CRATES[..nth].contains(&of), "{name} needs {of}, which is published later or never");
            assert_eq!(
                needed["req"],
                format!("^{}", named(of)["version"].as_str().expect("a version")),
                "{name}: {of}"
            );
        }
    }
    let ours = packages.iter().filter(|it| it["source"].is_null() && it["publish"].is_null());
    let ours: BTreeSet<&str> = ours.filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(ours, CRATES.into_iter().collect());
}

/// What `scripts/package` makes lies under `target`; everything else that a package installs is in the sources.
#[test]
fn what_packages_install_is_there() {
    let metadata = metadata();
    let package =
        array(&metadata, "packages").iter().find(|it| it["name"] == "linerate").expect("the binary");
    let (deb, rpm) = (&package["metadata"]["deb"], &package["metadata"]["generate-rpm"]);
    let of_deb = array(deb, "assets").iter().map(|it| (it[0].as_str(), it[1].as_str(), "../../"));
    let of_rpm = array(rpm, "assets").iter().map(|it| (it["source"].as_str(), it["dest"].as_str(), ""));
    for (source, to, root) in of_deb.chain(of_rpm) {
        let (source, to) = (source.expect("a source"), to.expect("a place"));
        if source.trim_start_matches("../../").starts_with("target/") {
            continue;
        }
        let source =
            source.strip_prefix(root).unwrap_or_else(|| panic!("{source} is outside of the sources"));
        let path = workspace().join(source);
        let (folder, name) =
            (path.parent().expect("a folder"), path.file_name().expect("a name").to_string_lossy());
        let (begin, end) = name.split_once('*').unwrap_or((&name, ""));
        let fits = |it: &str| {
            if name.contains('*') { it.starts_with(begin) && it.ends_with(end) } else { it == name }
        };
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let found = entries.flatten().filter(|entry| fits(&entry.file_name().to_string_lossy())).count();
        assert!(found > 0, "{source}, for {to}, is not there");
    }
}

/// A file in TOML at the top of the workspace.
fn table(name: &str) -> toml::Table {
    let text =
        std::fs::read_to_string(workspace().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn words<'a>(list: &'a toml::Value, key: Option<&str>) -> Vec<&'a str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|it| key.map_or(it, |key| &it[key]).as_str().expect("text")).collect()
}

/// What `cargo deny check bans sources` asks, of every package for every system.
#[test]
fn every_package_is_from_where_deny_toml_allows_and_none_that_it_refuses() {
    let (deny, lock) = (table("deny.toml"), table("Cargo.lock"));
    let registries = words(&deny["sources"]["allow-registry"], None);
    let refused = words(&deny["bans"]["deny"], Some("crate"));
    for package in lock["package"].as_array().expect("a list") {
        let name = package["name"].as_str().expect("a name");
        assert!(!refused.contains(&name), "{name} is refused");
        match package.get("source").and_then(toml::Value::as_str) {
            None => assert!(name == "linerate" || name.starts_with("linerate-"), "{name} is from a folder"),
            Some(source) => {
                let registry = source.strip_prefix("registry+").unwrap_or(source);
                assert!(registries.contains(&registry), "{name} is from {source}");
            }
        }
    }
}

#[test]
fn no_crate_takes_any_version_of_another() {
    let metadata = metadata();
    for package in array(&metadata, "packages").iter().filter(|it| it["source"].is_null()) {
        let any = array(package, "dependencies").iter().find(|it| it["req"] == "*" && it["path"].is_null());
        assert!(any.is_none(), "{}: {any:?}", package["name"]);
    }
}

#[test]
fn every_licence_is_one_that_deny_toml_allows() {
    let deny = table("deny.toml");
    let allowed = words(&deny["licenses"]["allow"], None);
    let metadata = metadata();
    let refused: Vec<String> = array(&metadata, "packages")
        .iter()
        .filter(|it| !is_allowed(it["license"].as_str().unwrap_or("none"), &allowed))
        .map(|it| format!("{} {}: {}", it["name"], it["version"], it["license"]))
        .collect();
    assert!(refused.is_empty(), "{refused:?}");
}

/// Whether an SPDX expression, or the older form with slashes, can be met with these licences.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any(&mut rest, allowed) && rest.is_empty()
}

fn any(words: &mut &[&str], allowed: &[&str]) -> bool {
    let mut met = all(words, allowed);
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut &[&str], allowed: &[&str]) -> bool {
    let mut met = one(words, allowed);
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut &[&str], allowed: &[&str]) -> bool {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let met = any(words, allowed);
            *words = words.strip_prefix(&[")"]).unwrap_or_default();
            met
        }
        [licence, "WITH", exception, rest @ ..] => {
            *words = rest;
            allowed.contains(&&*format!("{licence} WITH {exception}"))
        }
        [licence, rest @ ..] => {
            *words = rest;
            allowed.contains(licence)
        }
        [] => false,
    }
}

#[test]
fn expressions_of_licences_are_read() {
    let allowed = ["MIT", "Apache-2.0", "ISC", "Apache-2.0 WITH LLVM-exception"];
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("Apache-2.0 AND ISC", true),
        ("(GPL-3.0 OR MIT) AND ISC", true),
        ("GPL-3.0 OR MIT AND BSD", false),
        ("MIT/GPL-3.0", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0 WITH other", false),
        ("none", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), met, "{expression}");
    }
}
