use super::*;

fn shards(of: usize) -> Vec<Shard> {
    (1..=of).map(|number| format!("{number}/{of}").parse().expect("a part")).collect()
}

#[test]
fn every_run_belongs_to_one_part_and_of_each_row_every_part_has_one() {
    for of in [1, 2, 3, 4, 7, 16] {
        let shards = shards(of);
        for row in 0..50 {
            let mut owners: Vec<usize> = (row * of..(row + 1) * of)
                .map(|number| {
                    let having: Vec<usize> = (0..of).filter(|nth| shards[*nth].has(number)).collect();
                    assert_eq!(having.len(), 1, "run {number} of {of} parts");
                    assert_eq!(Shard::having(number, of), shards[having[0]]);
                    having[0]
                })
                .collect();
            owners.sort_unstable();
            assert_eq!(owners, (0..of).collect::<Vec<_>>(), "row {row} of {of}");
        }
    }
}

/// A sweep of 16 by `values`, whose last key decides what a run costs: by plain turns one part of two would have all
/// of the dear ones.
#[test]
fn no_part_gets_all_runs_of_one_value() {
    for (of, values) in [(2, 2), (2, 4), (4, 4), (4, 2), (3, 6), (4, 8)] {
        for shard in shards(of) {
            let dear = (0..16 * values).filter(|number| number % values == values - 1 && shard.has(*number));
            let (dear, fair) = (dear.count(), 16 / of);
            assert!(
                dear.abs_diff(fair) <= fair.div_ceil(2) + 1,
                "{shard} of {values} values: {dear}, not {fair}"
            );
        }
    }
}

#[test]
fn a_part_is_written_with_its_number_from_one() {
    for text in ["1/1", "2/4", "10000/10000"] {
        assert_eq!(text.parse::<Shard>().expect(text).to_string(), text);
    }
    for (text, said) in [
        ("0/4", "the parts are numbered from 1 to 4, so there is no part 0"),
        ("5/4", "the parts are numbered from 1 to 4, so there is no part 5"),
        (
            "99999999999999999999/4",
            "the parts are numbered from 1 to 4, so there is no part 99999999999999999999",
        ),
        ("1/0", "the number of parts is from 1 to 10000, not 0"),
        ("1/1000000000", "the number of parts is from 1 to 10000, not 1000000000"),
        ("1/99999999999999999999999", "the number of parts is from 1 to 10000, not 99999999999999999999999"),
        ("x", "`x` is not I/N, such as 2/4"),
        ("-1/4", "`-1/4` is not I/N, such as 2/4"),
        ("1/", "`1/` is not I/N, such as 2/4"),
        ("1/2/3", "`1/2/3` is not I/N, such as 2/4"),
        ("", "`` is not I/N, such as 2/4"),
    ] {
        assert_eq!(text.parse::<Shard>().expect_err(text).to_string(), said);
    }
}

/// What Slurm sets of a task: its number, the lowest, how many, and the step if there is one.
fn slurm(values: [Option<&str>; 4]) -> Result<String, String> {
    let names = [TASK, FIRST, COUNT, STEP];
    let variable = |name: &'static str| {
        let place = names.iter().position(|known| *known == name)?;
        values[place].map(str::to_owned)
    };
    Shard::of_slurm(variable).map(|shard| shard.to_string()).map_err(|error| error.to_string())
}

#[test]
fn a_task_of_an_array_is_the_part_that_its_place_says() {
    let is = |values: [&str; 4], shard: &str| assert_eq!(slurm(values.map(Some)), Ok(shard.to_owned()));
    is(["0", "0", "4", "1"], "1/4");
    is(["3", "0", "4", "1"], "4/4");
    is(["1", "1", "4", "1"], "1/4");
    is(["17", "10", "8", "1"], "8/8");
    // --array=0-15:4 has the tasks 0, 4, 8 and 12.
    is(["12", "0", "4", "4"], "4/4");
    // One task that is submitted again is all there is: it does what is missing.
    is(["3", "3", "1", "1"], "1/1");
    assert_eq!(slurm([Some("2"), Some("1"), Some("3"), None]), Ok("2/3".to_owned()));
}

#[test]
fn a_task_that_has_no_place_is_refused() {
    let refused = |values: [Option<&str>; 4]| slurm(values).expect_err("it has none");
    let outside = "SLURM_ARRAY_TASK_ID is not set: this is not a task of a Slurm job array";
    assert_eq!(refused([None; 4]), outside);
    assert!(refused([Some("1"), None, Some("2"), None]).starts_with("SLURM_ARRAY_TASK_MIN is not set"));
    assert_eq!(
        refused([Some("many"), Some("0"), Some("4"), None]),
        "SLURM_ARRAY_TASK_ID is `many`, which is not a number of a Slurm job array"
    );
    assert!(
        refused([Some("1"), Some("0"), Some("4"), Some("x")]).starts_with("SLURM_ARRAY_TASK_STEP is `x`")
    );
    // Slurm's own value for "not a task".
    assert_eq!(
        refused([Some("4294967294"), Some("0"), Some("4"), None]),
        "task 4294967294 is not one of 4 that follow each other from 0 in steps of 1"
    );
    // --array=3,7
    let gaps = refused([Some("7"), Some("3"), Some("2"), Some("1")]);
    assert_eq!(gaps, "task 7 is not one of 2 that follow each other from 3 in steps of 1");
    assert!(refused([Some("5"), Some("0"), Some("4"), Some("4")]).contains("in steps of 4"));
    assert!(refused([Some("0"), Some("3"), Some("4"), None]).starts_with("task 0 is not one of 4"));
    assert_eq!(
        refused([Some("0"), Some("0"), Some("20000"), None]),
        "the number of parts is from 1 to 10000, not 20000"
    );
}
