//! A change over many searches.

use linerate_analysis::changes::{ChangeId, Kind, Path, changes, match_changes};

use super::events::stepped;
use super::{days, figure, key, path};

fn ids(path: &Path) -> Vec<ChangeId> {
    let changes = changes(std::slice::from_ref(path)).remove(0);
    changes.events.into_iter().flat_map(|event| event.members).map(|member| member.id).collect()
}

#[test]
fn a_change_is_known_again_after_more_runs() {
    let values = stepped(9, 30, 1.03);
    let (before, after) =
        (path(vec![figure("a/peak", &values[..50])]), path(vec![figure("a/peak", &values)]));
    let (earlier, later) = (ids(&before), ids(&after));
    assert_eq!((earlier.len(), later.len()), (1, 1));
    assert_eq!(match_changes(&after, &earlier, &later), [Some(0)]);
}

fn id(run: usize, kind: Kind) -> ChangeId {
    let started_us = 86_400_000_000 * run as i64;
    let until_us = if kind == Kind::Drift { started_us + 20 * 86_400_000_000 } else { started_us };
    ChangeId {
        kind,
        figure: key("a/peak"),
        path: "1:5f1c".to_owned(),
        run: format!("r{run}"),
        started_us,
        until_us,
    }
}

fn step(run: usize) -> ChangeId {
    id(run, Kind::Step)
}

#[test]
fn changes_are_matched_within_three_runs_the_nearest_first() {
    let path = Path::new("1:5f1c", days(60), Vec::new()).expect("no figures");
    let same = |earlier: &[ChangeId], later: &[ChangeId]| match_changes(&path, earlier, later);
    assert_eq!(same(&[step(10)], &[step(13)]), [Some(0)]);
    assert_eq!(same(&[step(10)], &[step(14)]), [None]);
    assert_eq!(same(&[step(10), step(16)], &[step(13), step(15)]), [Some(0), Some(1)]);
    assert_eq!(same(&[step(10)], &[step(8), step(11)]), [None, Some(0)], "each once");
    assert_eq!(same(&[step(10)], &[id(10, Kind::Spread)]), [None], "a spread is no level");
    assert_eq!(same(&[step(10)], &[id(11, Kind::Drift)]), [Some(0)], "a step may turn out to be a drift");
    assert_eq!(same(&[id(10, Kind::Drift)], &[id(20, Kind::Drift)]), [Some(0)]);
    assert_eq!(same(&[id(10, Kind::Drift)], &[id(31, Kind::Drift)]), [None]);
    let other = ChangeId { figure: key("a/latency"), ..step(10) };
    assert_eq!(same(&[other], &[step(10)]), [None]);
}

#[test]
fn what_was_deleted_or_merged_is_still_known() {
    let path = Path::new("1:5f1c", days(60), Vec::new()).expect("no figures");
    let deleted = ChangeId { run: "gone".to_owned(), started_us: step(12).started_us + 5, ..step(12) };
    assert_eq!(match_changes(&path, std::slice::from_ref(&deleted), &[step(13)]), [Some(0)], "by its time");
    let elsewhere = ChangeId { path: "1:0000".to_owned(), ..deleted };
    assert_eq!(match_changes(&path, &[elsewhere], &[step(13)]), [None], "at the same time on another path");
    let merged = ChangeId { path: "1:0000".to_owned(), ..step(12) };
    assert_eq!(match_changes(&path, &[merged], &[step(13)]), [Some(0)], "its run is here now");
}

#[test]
fn an_id_is_a_text_and_back() {
    let odd = ChangeId { run: "a \"b\"\n\0".to_owned(), ..id(7, Kind::Drift) };
    for id in [step(3), odd] {
        let text = id.to_string();
        assert!(!text.contains('\0'), "{text}");
        assert_eq!(text.parse(), Ok(id));
    }
    assert_eq!(
        step(1).to_string(),
        r#"["step","a/peak","1:5f1c","r1",86400000000,86400000000]"#,
        "it is kept for ever"
    );
    for wrong in
        ["", "[]", r#"["step","a/speed","1:5f1c","r1",1,1]"#, r#"["leap","a/peak","1:5f1c","r1",1,1]"#]
    {
        assert!(wrong.parse::<ChangeId>().is_err(), "{wrong}");
    }
}
