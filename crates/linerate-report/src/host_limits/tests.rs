//! What a reader sees.

use linerate_core::environment::Fact;
use linerate_core::plan::Rows;

use super::{document, fixture};
use crate::golden;

#[test]
fn the_text_of_a_host() {
    insta::assert_snapshot!(document(&fixture::whole()).text(100, Rows::Short));
}

#[test]
fn the_text_of_a_host_where_nothing_was_measured() {
    insta::assert_snapshot!(document(&fixture::bare()).text(80, Rows::Short));
}

#[test]
fn the_page_of_a_host() {
    insta::assert_snapshot!(golden::page(&document(&fixture::whole()).html().expect("it has a page")));
}

#[test]
fn no_line_is_wider_than_asked() {
    for width in [60, 80, 100, 250] {
        for file in [fixture::whole(), fixture::bare()] {
            let said = document(&file).text(width, Rows::Short);
            let widest = said.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= usize::from(width).max(80), "{width}: {widest}\n{said}");
        }
    }
}

#[test]
fn the_kernels_are_called_a_variant_of_stream_wherever_they_are_shown() {
    let file = fixture::whole();
    for said in [document(&file).text(100, Rows::Short), document(&file).html().expect("it has a page")] {
        assert!(said.contains("a variant of STREAM, not a STREAM result"));
    }
}

#[test]
fn the_page_asks_the_network_for_nothing_and_draws_every_chart() {
    let page = document(&fixture::whole()).html().expect("it has a page");
    crate::golden::asks_for_nothing(&page);
    // Two rates and three caches; four kernels; four kinds of copies.
    assert_eq!(page.matches("<g class=\"curve ").count(), 5 + 4 + 4);
}

#[test]
fn a_hostile_name_is_text_and_not_markup() {
    let mut file = fixture::whole();
    file.environment.hostname = Fact::Known("</script><script>alert(1)</script>\u{1b}[31m".to_owned());
    let page = document(&file).html().expect("it has a page");
    assert!(!page.contains("<script>alert") && !page.contains('\u{1b}'));
    assert!(!document(&file).text(80, Rows::Short).contains('\u{1b}'));
    assert!(document(&fixture::bare()).html().is_ok());
}

/// For looking at: `LINERATE_PAGES=FOLDER cargo test -p linerate-report limits_to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn limits_to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    std::fs::write(folder.join("host.html"), document(&fixture::whole()).html().expect("it has a page"))
        .expect("the folder is there");
}
