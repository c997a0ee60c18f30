//! The whole of a mesh in every form.

use linerate_core::mesh::Mesh;
use linerate_core::plan::{Level, MeshSchedule, Rows};
use linerate_core::report::Report;

use super::fixture;
use crate::fixture::HOSTILE;
use crate::{csv, golden, html, json, svg, text};

/// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate-report mesh::tests::to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    for (name, report) in [
        ("small", fixture::small()),
        ("sixteen", fixture::of(16)),
        ("crowd", fixture::of(200)),
        ("lossy", fixture::lossy()),
        ("gone", fixture::gone()),
    ] {
        let write = |form: &str, text: String| {
            std::fs::write(folder.join(name).with_extension(form), text).expect("the folder is there");
        };
        write("html", html(&report).expect("it has a page"));
        write("svg", svg(&report).expect("it can be drawn"));
        write("csv", csv(&report, Level::Point).expect("it has rows"));
        write("json", json(&report, Level::Point).expect("it has a form"));
        write("txt", text(&report, 80, Rows::Short));
        write("all.txt", text(&report, 140, Rows::All));
    }
}
