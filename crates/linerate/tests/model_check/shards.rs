//! Claims in parts. About 10 s: the claims of a source, once by one process and once by three.

use crate::support::Desk;

#[test]
fn claims_in_parts_are_judged_like_claims_in_one() {
    let desk = Desk::new();
    let check = |arguments: &[&str]| desk.linerate(&[&["model", "check", "A"], arguments].concat());
    for part in ["1/3", "3/3"] {
        let said = check(&["--shard", part, "--folder", "results"]).done();
        assert!(
            said.stdout.is_empty() && said.stderr.starts_with(&format!("shard {part}: ")),
            "{}",
            said.stderr
        );
    }
    let said = check(&["--merge", "results"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{}", said.stderr);
    assert!(
        said.stderr.contains(" runs are missing:") && said.stderr.contains("(shard 2/3)"),
        "{}",
        said.stderr
    );
    check(&["--shard", "2/3", "--folder", "results"]).done();
    for format in ["table", "json"] {
        let one = check(&["--format", format, "--report", "one.html"]).done();
        let all = check(&["--format", format, "--report", "all.html", "--merge", "results"]).done();
        assert_eq!(one.stdout, all.stdout, "{format}");
        assert_eq!(desk.read("one.html"), desk.read("all.html"));
    }
    let other = desk.linerate(&["model", "check", "T", "--shard", "1/3", "--folder", "results"]).complaint();
    assert!(other.contains("these results are of another plan (model check A)"), "{other}");
}
