//! NetPIPE's result files, version by version.
//!
//! Every sample in `netpipe/` but one is computed from the formats in `docs/method.md` for a path
//! of 50 us and 8 ns a byte, the average 2 % and the worst 10 % above that. `3.7.2-loopback.out`
//! is what Debian's `NPtcp -u 65536` wrote over a loopback.

use linerate_analysis::netpipe_file::{Flaw, NetpipeFileError, read};
use linerate_analysis::report::{NamedRun, Report};
use linerate_core::caution::Caution;
use linerate_core::run::{Run, Source, State};
use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::units::{Size, Span};
use proptest::prelude::*;
use rstest::rstest;

const SAMPLES: [&str; 8] = [
    include_str!("netpipe/2.4.out"),
    include_str!("netpipe/2.4-cpu.out"),
    include_str!("netpipe/3.x.out"),
    include_str!("netpipe/3.7.2-loopback.out"),
    include_str!("netpipe/4.0.out"),
    include_str!("netpipe/4.0-load.out"),
    include_str!("netpipe/5.x.out"),
    include_str!("netpipe/5.x-workload.out"),
];

/// 50 us and 8 ns a byte.
fn best_us(size: u64) -> f64 {
    50.0 + 0.008 * size as f64
}

fn assert_near(found: Span, expected_us: f64, tolerance: f64, what: &str, size: u64) {
    let error = found.as_us() / expected_us - 1.0;
    assert!(error.abs() <= tolerance, "{what} of {size} B is {found}, not {expected_us} us");
}

/// The one run of a file.
fn one(text: &str) -> Result<Run, NetpipeFileError> {
    read(text).map(|runs| <[Run; 1]>::try_from(runs).map(|[run]| run).expect("one run"))
}

fn netpipe_sizes() -> Vec<u64> {
    let bounds = Bounds { to: Some(Size(65_536)), ..Bounds::default() };
    Schedule::Netpipe.sizes(bounds).expect("NetPIPE's schedule")
}

fn sizes(run: &Run) -> Vec<u64> {
    run.series[0].points.iter().map(|point| point.size).collect()
}

// The tolerance is what the decimals leave: 5.x prints hundredths of a microsecond.
#[rstest]
#[case(SAMPLES[0], "NetPIPE 2.4", [1.0, 1.0, 1.0], 5e-6)]
#[case(SAMPLES[1], "NetPIPE 2.4", [1.0, 1.0, 1.0], 5e-6)]
#[case(SAMPLES[2], "NetPIPE 3.x", [1.0, 1.0, 1.0], 5e-6)]
#[case(SAMPLES[4], "NetPIPE 4.0", [1.0, 1.02, 1.1], 5e-6)]
#[case(SAMPLES[5], "NetPIPE 4.0", [1.0, 1.02, 1.1], 5e-6)]
#[case(SAMPLES[6], "NetPIPE 5.x", [1.0, 1.02, 1.1], 1e-4)]
#[case(SAMPLES[7], "NetPIPE 5.x", [1.0, 1.02, 1.1], 1e-4)]
fn every_version_is_recognised_and_read(
    #[case] text: &str,
    #[case] version: &str,
    #[case] factors: [f64; 3],
    #[case] tolerance: f64,
) {
    let [min, mean, max] = factors;
    let run = one(text).expect(version);
    assert_eq!(run.source, Source::Imported(version.to_owned()));
    assert_eq!(sizes(&run), netpipe_sizes());
    for point in &run.series[0].points {
        let [round] = point.rounds[..] else { panic!("{} B has {} rounds", point.size, point.rounds.len()) };
        let best = best_us(point.size);
        assert_eq!(round.median, round.mean);
        assert_near(round.mean, best * mean, tolerance, "mean", point.size);
        // 5.x prints the best and the worst as Gb/s with three decimals only.
        let coarse = version == "NetPIPE 5.x";
        if !coarse || point.size > 20_000 {
            let tolerance = if coarse { 2e-3 } else { tolerance };
            assert_near(round.min, best * min, tolerance, "min", point.size);
            assert_near(round.max, best * max, tolerance, "max", point.size);
        }
        assert!(round.min <= round.mean && round.mean <= round.max, "{round:?}");
    }
}

#[test]
fn what_the_real_nptcp_wrote_is_read_as_it_stands() {
    let run = one(SAMPLES[3]).expect("a real file");
    assert_eq!(run.source, Source::Imported("NetPIPE 3.x".to_owned()));
    assert_eq!(sizes(&run), netpipe_sizes());
    for (point, line) in run.series[0].points.iter().zip(SAMPLES[3].lines()) {
        let printed: f64 = line.split_whitespace().nth(2).and_then(|text| text.parse().ok()).expect(line);
        let off_ns = point.rounds[0].median.as_seconds() * 1e9 - printed * 1e9;
        assert!(off_ns.abs() <= 5.001, "{line}: off by {off_ns} ns, more than its last digit");
    }
}

#[test]
fn what_the_file_does_not_say_stays_unknown_and_is_cautioned() {
    let run = one(SAMPLES[2]).expect("a sample");
    assert_eq!(run.cautions, [Caution::Imported { program: "NetPIPE 3.x".to_owned() }]);
    assert_eq!((run.state.clone(), run.started.as_str()), (State::Complete, ""));
    assert_eq!(run.local().environment.hostname.known(), None);
    assert_eq!(Run::from_json(&run.to_json()).expect("its own form"), run);
    // A report shows every size of it.
    let report = Report::new(vec![NamedRun { name: "old".to_owned(), run }]);
    assert_eq!(report.curves[0].timed().count(), netpipe_sizes().len());
}

#[test]
fn a_rate_that_overflowed_an_int_is_known_and_the_time_is_kept() {
    // 2^28 B are 2^31 bits: -2^31 in an int, over 2 s and 2^20.
    let run = one("268435456 -1024.000000   2.00000000\n").expect("a known defect of 3.x");
    assert_eq!(run.series[0].points[0].rounds[0].median, Span::from_seconds(2.0));
}

#[rstest]
#[case::nothing("", "the file has no line; NetPIPE writes one for each message size")]
#[case::blank("\n \n", "the file has no line; NetPIPE writes one for each message size")]
#[case::integrity(
    "       5 30026\n       7 2747\n",
    "line 1: bytes and a repeat count are what NetPIPE writes of an integrity check (-i), which times nothing"
)]
#[case::columns("\n1 2 3 4\n", "line 2: 4 columns; NetPIPE writes 3, 5, 6, 7 or 9")]
#[case::header("bytes Mbps seconds\n", "line 1: column 1 is `bytes`, which is not a decimal number")]
#[case::infinite("1 inf 0.00000000\n", "line 1: column 2 is `inf`, which is not a decimal number")]
#[case::zero(
    "0 0.0 0.00005\n",
    "line 1: column 1 is not a message size, which is a whole number of bytes above 0"
)]
#[case::half(
    "1.5 0.228882 0.00005000\n",
    "line 1: column 1 is not a message size, which is a whole number of bytes above 0"
)]
#[case::wrong(
    "1 0.152588 0.00005000\n2 9.0 0.00005000\n3 9.0 0.00005000\n",
    "line 2: size, time and rate contradict each other in the units of every NetPIPE with 3 columns"
)]
#[case::negative(
    "1 -0.152588 -0.00005000\n",
    "line 1: size, time and rate contradict each other in the units of every NetPIPE with 3 columns"
)]
#[case::long("1 0.000000 999999999.0\n", "line 1: the time is not between a picosecond and 213 days")]
#[case::mixed(
    "1 0.152588 0.1 0.1 0.00005000\n",
    "line 1: size, time and rate contradict each other in the units of every NetPIPE with 5 columns"
)]
fn a_refusal_is_one_sentence_with_the_line(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(read(text).expect_err(text).to_string(), expected);
}

#[test]
fn more_lines_than_netpipe_writes_are_refused() {
    let line = "1 0.152588 0.00005000\n";
    assert!(read(&line.repeat(8000)).is_ok());
    assert_eq!(read(&line.repeat(8001)), Err(NetpipeFileError::TooLong { line: 8001 }));
}

#[test]
fn a_file_of_one_version_with_a_line_of_another_is_refused_at_that_line() {
    let five: Vec<&str> = SAMPLES[6].lines().collect();
    let mixed = format!("{}\n{}\n", five[40], SAMPLES[4].lines().nth(40).expect("as long"));
    let flaw = Flaw::Disagree { columns: 5 };
    assert_eq!(read(&mixed), Err(NetpipeFileError::Line { line: 2, flaw }));
}

/// A number as it may stand in a damaged file.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:.6}")),
        "[0-9]{1,3}\\.[0-9]{3,8}",
        "(nan|-nan|inf|-inf|1e999|-0|0\\.0+|9{1,400}|\\.|-)",
    ]
}

fn lines_of_numbers() -> impl Strategy<Value = String> {
    let line = |columns| prop::collection::vec(number(), columns).prop_map(|line| line.join(" "));
    (1_usize..11).prop_flat_map(move |columns| {
        prop::collection::vec(line(columns), 1..4).prop_map(|lines| lines.join("\n"))
    })
}

/// A line that a file may have besides NetPIPE's, and whether it is worth a word.
fn damage() -> impl Strategy<Value = (String, bool)> {
    prop_oneof![
        Just((String::new(), false)),
        "[#%;!][ a-z0-9.]{0,20}".prop_map(|text| (text, false)),
        "(inf|nan|-inf|-nan)".prop_map(|number| (format!("64 {number} 0.00000000"), true)),
        "[a-z]{1,9}".prop_map(|word| (word, true)),
        Just(("1 2 3 4".to_owned(), true)),
    ]
}

/// A sample in which one piece is another number: most of these are read.
fn sample_with_a_number() -> impl Strategy<Value = String> {
    let sample = prop::sample::select(&SAMPLES[..]);
    (sample, any::<prop::sample::Index>(), number()).prop_map(|(sample, at, number)| {
        let mut pieces: Vec<&str> = sample.split_inclusive(char::is_whitespace).collect();
        let at = at.index(pieces.len());
        let end = pieces[at].trim_start_matches(|c: char| !c.is_whitespace());
        let piece = format!("{number}{end}");
        pieces[at] = &piece;
        pieces.concat()
    })
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*|[0-9. \\n\\r\\t-]*") {
        drop(read(&text));
    }

    #[test]
    fn no_numbers_panic_and_what_is_read_can_be_reported(text in prop_oneof![lines_of_numbers(), sample_with_a_number()]) {
        for run in read(&text).unwrap_or_default() {
            let again = Run::from_json(&run.to_json()).expect("its own form");
            prop_assert_eq!(&again, &run);
            drop(Report::new(vec![NamedRun { name: String::new(), run }]));
        }
    }

    #[test]
    fn a_mangled_file_is_read_or_refused_but_never_panics(
        sample in prop::sample::select(&SAMPLES[..]),
        at in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        put in "[-0-9. \\nean]{0,6}",
    ) {
        let (at, cut) = (at.index(sample.len()), cut.index(sample.len()));
        let mangled = format!("{}{put}{}", &sample[..at], &sample[cut..]);
        for run in read(&mangled).unwrap_or_default() {
            prop_assert!(run.series[0].points.iter().all(|point| point.time().is_some_and(|time| time.median > 0.0)));
        }
    }

    #[test]
    fn damaged_lines_are_named_and_skipped_and_the_others_read(
        sample in prop::sample::select(&SAMPLES[..]),
        puts in prop::collection::vec((any::<prop::sample::Index>(), damage()), 0..12),
        (mark, ending) in (any::<bool>(), prop::sample::select(&["\n", "\r\n"][..])),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let whole = one(sample).expect("a sample");
        let mut lines: Vec<(String, bool)> = sample.lines().map(|line| (line.to_owned(), false)).collect();
        if let Some(cut) = cut {
            // All but the first column of the last line, and some digits of that.
            let (last, _) = lines.pop().expect("it has lines");
            let first = last.len() - last.trim_start().len() + last.split_whitespace().next().expect("a column").len();
            let kept = last[..1 + cut.index(first)].to_owned();
            lines.push((kept.clone(), !kept.trim().is_empty()));
        }
        for (at, (text, bad)) in puts {
            lines.insert(at.index(lines.len()), (text, bad));
        }
        let text: Vec<String> = lines.iter().map(|(line, _)| line.clone()).collect();
        let text = format!("{}{}", if mark { "\u{feff}" } else { "" }, text.join(ending));
        let run = one(&text).expect("most of it is whole");
        let mut expected = sizes(&whole);
        expected.truncate(expected.len() - usize::from(cut.is_some()));
        prop_assert_eq!(sizes(&run), expected);
        prop_assert_eq!(&run.source, &whole.source);
        let bad: Vec<String> = (1..).zip(&lines).filter(|(_, (_, bad))| *bad).map(|(line, _)| format!("line {line}: ")).collect();
        let named = run.cautions.iter().find_map(|caution| match caution {
            Caution::LinesSkipped { lines, which } => Some((*lines, which.clone())),
            _ => None,
        });
        match named {
            None => prop_assert!(bad.is_empty(), "{bad:?}"),
            Some((lines, which)) => {
                prop_assert_eq!(lines, bad.len() as u64);
                prop_assert!(which.iter().zip(&bad).all(|(one, line)| one.starts_with(line)), "{which:?} {bad:?}");
            }
        }
    }

    #[test]
    fn a_screen_is_read_as_its_file_and_each_run_of_it(
        lengths in prop::collection::vec(4_usize..60, 1..4),
        mega in prop::sample::select(&[1_048_576.0, 1e6][..]),
    ) {
        let sizes_of_all = netpipe_sizes();
        let mut text = String::from("Send and receive buffers are 16384 and 131072 bytes\nNow starting the main loop\n");
        for length in &lengths {
            for (number, size) in sizes_of_all.iter().take(*length).enumerate() {
                let us = best_us(*size);
                let mbps = 8.0 * *size as f64 / us / mega * 1e6;
                text += &format!("{number:3}: {size:7} bytes {:6} times --> {mbps:8.2} Mbps in {us:10.2} usec\n", 4999 / (number + 1));
            }
        }
        let runs = read(&text).expect("a screen");
        prop_assert_eq!(runs.len(), lengths.len());
        for (run, length) in runs.iter().zip(&lengths) {
            prop_assert_eq!(&sizes(run)[..], &sizes_of_all[..*length]);
            prop_assert_eq!(run.cautions.len(), 1, "{:?}", run.cautions);
            for point in &run.series[0].points {
                assert_near(point.rounds[0].median, best_us(point.size), 2e-4, "time", point.size);
            }
        }
    }

    #[test]
    fn every_prefix_of_whole_lines_is_read_as_the_same_version(sample in prop::sample::select(&SAMPLES[..]), lines in 8_usize..60) {
        let prefix: Vec<&str> = sample.lines().take(lines).collect();
        let whole = one(sample).expect("a sample");
        prop_assert_eq!(one(&prefix.join("\r\n")).expect("its beginning").source, whole.source);
    }
}
