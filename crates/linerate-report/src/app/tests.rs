//! The whole of an application in every form.

use linerate_core::plan::{Level, Rows};

use super::fixture;
use crate::{csv, html, svg, text};

/// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate-report app::tests::to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    for (name, report) in [
        ("one", fixture::one()),
        ("two", fixture::two()),
        ("wrong", fixture::wrong()),
        ("measured", fixture::measured()),
    ] {
        let write = |form: &str, text: String| {
            std::fs::write(folder.join(name).with_extension(form), text).expect("the folder is there");
        };
        write("html", html(&report).expect("it has a page"));
        write("svg", svg(&report).expect("it can be drawn"));
        write("txt", text(&report, 80, Rows::Short));
    }
}

#[test]
fn the_texts_read_well() {
    for (name, report) in [
        ("two", fixture::two()),
        ("wrong", fixture::wrong()),
        ("measured", fixture::measured()),
    ] {
        insta::assert_snapshot!(format!("the_text_of_{name}"), text(&report, 80, Rows::Short));
    }
    insta::assert_snapshot!("the_text_of_wrong_with_all_rows", text(&fixture::wrong(), 140, Rows::All));
}

#[test]
fn the_rows_read_well() {
    insta::assert_snapshot!(csv(&fixture::two(), Level::Point).expect("it has rows"));
}
